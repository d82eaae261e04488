"""Pages that ask nothing of the network, and little of it when they lie on a server: MathJax from a package, no dead weight."""

import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

from sphinx.application import Sphinx

# What TeX in, HTML out needs, relative to the package's MathJax folder; it has twelve times as much.
# The TeX extensions (cancel, boldsymbol, ...) and the fonts are loaded only by the pages that use them; "ui" is
# the menu behind a right click.
MATHJAX = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts", "ui", "a11y")


def drop_thebe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Leave out thebe, which Jupyter Book loads for live cells that this book does not have."""

    def wanted(asset) -> bool:
        return "thebe" not in str(getattr(asset, "filename", asset)) + str(getattr(asset, "attributes", ""))

    for kind in ("script_files", "css_files"):
        context[kind] = [asset for asset in context[kind] if wanted(asset)]


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Copy MathJax next to the pages and remove what no reader needs."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    package = distribution("sphinx-mathjax-offline")
    # Its module name has hyphens, so it cannot be imported: find its files through its record.
    source = Path(next(package.locate_file(f) for f in package.files if f.name == "tex-chtml.js")).parent
    for name in MATHJAX:
        target = static / "mathjax" / name
        if (source / name).is_dir():
            shutil.copytree(source / name, target, dirs_exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target)
    drop_icon_script(Path(app.outdir))
    search_from_disk(static / "documentation_options.js")
    for dead in (*static.rglob("*.map"), *static.glob("sphinx-thebe.*"), *static.glob("*webpack-macros.html")):
        dead.unlink()


def drop_icon_script(folder: Path) -> None:
    """Leave out Font Awesome's script, a third of a page's weight: its style sheet, which comes too, draws the same icons."""
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        page.write_text(re.sub(r"<script[^>]*/fontawesome\.js[^>]*></script>", "", text), "utf-8")
    (folder / "_static" / "scripts" / "fontawesome.js").unlink(missing_ok=True)


def search_from_disk(options: Path) -> None:
    """Search without excerpts where pages lie on a disk: the script would fetch them, and browsers forbid that there."""
    fetching = "SHOW_SEARCH_SUMMARY: true"
    text = options.read_text("utf-8")
    if fetching not in text:
        raise RuntimeError(f"{options.name} no longer says {fetching!r}; see how Sphinx's search decides on excerpts now")
    options.write_text(text.replace(fetching, 'SHOW_SEARCH_SUMMARY: location.protocol !== "file:"'), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("html-page-context", drop_thebe, priority=900)  # after those that add the scripts
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
