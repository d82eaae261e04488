"""Scripts of the pages' playthings, on the pages that have one, and on no other.

A figure with the class ``plaything-NAME``, or a cell with the tag ``plaything-NAME``, is the still picture of a plaything:
``book/_static/playthings/NAME.js`` takes its place where scripts run.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

FOLDER = "playthings"
SHARED = ("engine.js", "ui.js")
REVIEWS = ("words.js", "reviews.js")
NEEDS = {
    "try": (*REVIEWS, "verdict.js"),
    "step": ("scatter.js", "chart.js", "words.js", "step_data.js"),
    "map": ("scatter.js", *REVIEWS, "map_data.js"),
    "lean": ("scatter.js", "lean_data.js"),
    "not": ("plane.js", "not_data.js"),
    "flow": ("plane.js",),
    "border": ("plane.js", "chart.js"),
    "lose": ("chart.js",),
    "stop": ("chart.js", "stop_data.js"),
    "luck": ("chart.js", "luck_data.js"),
    "train": ("plane.js",),
    "start": ("chart.js",),
    "heads": ("chart.js", "heads_data.js"),
} | {name: (f"{name}_data.js",) for name in ("plant", "cost")}
MARK = re.compile(r"(?:tag_)?plaything-(\w+)$")


def playthings(doctree: nodes.document) -> list[str]:
    """Return the names of the playthings of a page, sorted."""
    classes = {name for node in doctree.findall(nodes.Element) for name in node.get("classes", ())}
    return sorted({match[1] for match in map(MARK.match, classes) if match})


def scripts(names: list[str]) -> list[str]:
    """Return what such playthings need, in the order in which it is loaded."""
    data = [file for name in names for file in NEEDS.get(name, ())]
    return list(dict.fromkeys([*SHARED, *data, *(f"{name}.js" for name in names)])) if names else []


def load_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add them to the page; they run once it is read, and block nothing before."""
    for file in scripts(playthings(doctree)) if doctree else ():
        if not (Path(app.srcdir) / "book" / "_static" / FOLDER / file).is_file():
            raise FileNotFoundError(f"{page} has a plaything that asks for _static/{FOLDER}/{file}; there is none")
        app.add_js_file(f"{FOLDER}/{file}", loading_method="defer")
    if doctree and playthings(doctree):
        app.add_css_file(f"{FOLDER}/playthings.css")


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.connect("html-page-context", load_scripts)
