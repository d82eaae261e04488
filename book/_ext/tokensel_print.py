"""The whole book as one page, to be printed: what Sphinx's builder ``singlehtml`` needs to understand this book."""

from sphinx.application import Sphinx


def share_handlers(app: Sphinx) -> None:
    """Write every node as on the separate pages.

    Sphinx looks there only if no extension at all has registered a node of its own for ``singlehtml``; some have.
    """
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers.get("html", {}) | handlers.get("singlehtml", {})


def load_everything(app: Sphinx) -> None:
    """Load scripts, MathJax above all, for the one page there is: Sphinx asks which chapters a page's name belongs to."""
    if app.builder.name == "singlehtml":
        app.config.html_assets_policy = "always"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.connect("builder-inited", share_handlers)
    app.connect("builder-inited", load_everything)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
