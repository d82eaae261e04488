"""The book as one PDF: what Sphinx's builder ``singlehtml`` needs to set it on one page, and the link to what was printed.

``{pdf-link}`` is a link if `make pdf` was run since the last change, and otherwise says that there is such a command.
"""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

FILE = "tokensel-nb.pdf"
SOURCES, SUFFIXES = ("book", "data", "tokensel_nb"), (".ipynb", ".md", ".css", ".json", ".py")  # what it is made from


class PdfLink(SphinxRole):
    """A link to the PDF; the role's own text is what one clicks on."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Make the link, or say how to make the file."""
        file = printed(self.env.app)
        if self.env.app.builder.name != "html":  # it is being printed
            return [nodes.Text(self.text)], []
        if file is None:
            return [nodes.Text(f"{self.text} (made by "), nodes.literal(text="make pdf"), nodes.Text(")")], []
        up = "../" * self.env.docname.count("/")
        link = nodes.reference("", self.text, internal=False, refuri=up + FILE)
        return [link, nodes.Text(f" ({file.stat().st_size / 1e6:.0f} MB)")], []


def printed(app: Sphinx) -> Path | None:
    """Return the PDF, if it was made after the last change of what it shows."""
    root = Path(app.srcdir)
    file = root / "_build" / FILE
    sources = (path for folder in SOURCES for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    return file if file.exists() and file.stat().st_mtime > max(path.stat().st_mtime for path in sources) else None


def copy_pdf(app: Sphinx, exception: Exception | None) -> None:
    """Lay the PDF beside the pages."""
    if not exception and app.builder.name == "html" and printed(app):
        shutil.copy(printed(app), app.outdir)


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
    app.add_role("pdf-link", PdfLink())
    app.connect("build-finished", copy_pdf)
    app.connect("builder-inited", share_handlers)
    app.connect("builder-inited", load_everything)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
