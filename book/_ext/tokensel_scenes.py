"""Scenes: a section whose playthings stay pinned beside its text, and change with it.

``:::{scene} flow show=leads length=9`` begins a subsection: while it is read, the plaything *flow* is in this state, which is
written as in an address. ``book/_static/playthings/scenes.js`` pins and plays. Without scripts, on paper and in notebooks,
the subsections are text with still pictures.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class scene(nodes.General, nodes.Element):
    """Which plaything is pinned beside a subsection, and in which state; with no state, the place where it is pinned."""


class Scene(SphinxDirective):
    """The directive that begins a subsection."""

    required_arguments, final_argument_whitespace = 1, True

    def run(self) -> list[nodes.Node]:
        """Return the mark of the scene."""
        return [scene(state=self.arguments[0])]


def pin(app: Sphinx, doctree: nodes.document) -> None:
    """Give each section whose subsections are scenes a place for what is pinned."""
    for section in {mark.parent.parent for mark in doctree.findall(scene)}:
        section["classes"].append("scenes")
        section.insert(1, scene(classes=["stage"], state=""))


def mark(translator, node: scene) -> None:
    """Write where scripts find a scene."""
    translator.body.append(translator.starttag(node, "div", **{"data-scene": node["state"]}))


def load_script(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add the script to the pages that have scenes."""
    if doctree and any(doctree.findall(scene)):
        app.add_js_file("playthings/scenes.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_node(scene, html=(mark, lambda translator, node: translator.body.append("</div>\n")))
    app.add_directive("scene", Scene)
    app.connect("doctree-read", pin)
    app.connect("html-page-context", load_script, priority=600)  # after the playthings
