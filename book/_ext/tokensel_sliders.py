"""Sliders share one script: the copies that notebooks carry are taken out of the pages, and those pages link the file."""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

FILE = "tokensel_nb/slider.js"  # not in html_static_path, from where Jupyter Book would put it into every page
COPY = re.compile(r'<script class="frame-slider-script">.*?</script>\n?', re.DOTALL)


def link_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the link in the place of the copies."""
    context["body"], copies = COPY.subn("", context.get("body", ""))
    if copies:
        app.add_js_file(Path(FILE).name, loading_method="defer")


def copy_script(app: Sphinx) -> None:
    """Lay the file next to the pages, before the first of them asks for its checksum."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(app.srcdir) / FILE, static)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.connect("builder-inited", copy_script)
    app.connect("html-page-context", link_script)  # before tokensel_offline, which picks from the page's scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
