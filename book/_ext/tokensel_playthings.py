"""Scripts of the pages' playthings, on the pages that have one, and on no other.

A figure with the class ``plaything-NAME``, or a cell with the tag ``plaything-NAME``, is the still picture of a plaything:
``book/_static/playthings/NAME.js`` takes its place where scripts run.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

NEEDS = {  # scripts that several playthings share, in the order in which they are loaded
    "scatter.js": "lean map step",
    "plane.js": "flow not train",
    "chart.js": "flow heads lose luck seesaw start stop",
    "words.js": "map step try",
    "reviews.js": "map try",
    "verdict.js": "try",
}
MARK = re.compile(r"(?:tag_)?plaything-(\w+)$")


def playthings(doctree: nodes.document) -> list[str]:
    """Return the names of the playthings of a page, sorted."""
    classes = {name for node in doctree.findall(nodes.Element) for name in node.get("classes", ())}
    return sorted({match[1] for match in map(MARK.match, classes) if match})


def load_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add what the playthings of a page need; it blocks nothing before."""
    if names := playthings(doctree) if doctree else []:
        needed = [file for file, users in NEEDS.items() if {*users.split()} & {*names}]
        data = [f"{name}_data.js" for name in names if (app.srcdir / f"book/_static/playthings/{name}_data.js").exists()]
        for file in ("engine.js", "ui.js", *needed, *data, *(f"{name}.js" for name in names)):
            app.add_js_file(f"playthings/{file}", loading_method="defer")
        app.add_css_file("playthings/playthings.css")


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.connect("html-page-context", load_scripts)
