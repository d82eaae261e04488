"""What pages for teaching share with the chapters: figures, cells, and playthings in a chosen state; and slides.

``{shared} fig-one-step`` shows a figure of another page, and its plaything, without its caption (``:still:``: the picture
alone; ``:class: unanswered``: the class predicts it first, and its plaything opens in the state before). ``{shared} 01_model
def forward`` shows the one cell of a notebook that holds these words, and what it printed (``:results:``: that alone;
``:code:``: the code alone). Nothing is copied: a page shows the same file, and what is not there is an error of the strict
build. ``{play}`the star <03_flow#flow.show=star>``` leads to a plaything in a state. On a page with a ``{div}
slides-bar`` each section is a slide: ``book/_static/slides.js``.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tokensel_playthings import MARK, playthings


class later(nodes.Inline, nodes.TextElement):
    """What other pages show, or a link to a plaything, not yet resolved: all pages have to be read first."""


class Shared(SphinxDirective):
    """``{shared} fig-name``, or ``{shared} 01_model words of a cell``."""

    required_arguments, optional_arguments, final_argument_whitespace = 1, 1, True
    option_spec: ClassVar = {**dict.fromkeys(("still", "results", "code"), directives.flag), "class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        """Keep the place."""
        find = figure_of if len(self.arguments) == 1 else cell_of
        node = later(find=find, what=self.arguments, options=self.options, classes=self.options.pop("class", []))
        self.set_source_info(node)
        return [node]


class Play(SphinxRole):
    """``{play}`text <chapter#plaything.key=value>```."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Keep the link."""
        text, _, target = self.text.rstrip(">").rpartition(" <")
        node = later(find=link_to, what=[text, target], options={})
        self.set_source_info(node)
        return [node], []


def figure_of(app: Sphinx, page: str, options: dict, name: str) -> list[nodes.Node]:
    """Return a figure of another page: its picture, and the mark of its plaything, if there is one."""
    source, place, *_ = app.env.domains["std"].anonlabels[name]
    figure = next(node for node in app.env.get_doctree(source).findall(nodes.figure) if place in node["ids"])
    classes, around = ["shared"], None if "still" in options else figure
    while around is not None:
        classes += [f"plaything-{mark[1]}" for mark in map(MARK.match, around.get("classes", ())) if mark]
        around = around.parent
    return [nodes.figure("", next(figure.findall(nodes.image)).deepcopy(), classes=classes)]


def cell_of(app: Sphinx, page: str, options: dict, source: str, words: str) -> list[nodes.Node]:
    """Return the code of the one cell that holds some words, and what it printed."""
    blocks = app.env.get_doctree(f"book/{source}").findall(nodes.literal_block)
    (code,) = (block for block in blocks if "cell_input" in block.parent["classes"] and words in block.astext())
    blocks = code.parent.parent.findall(nodes.literal_block)
    printed = [block.deepcopy() for block in blocks if block is not code and "text_plain" not in block["classes"]]
    return [code.deepcopy()] * ("results" not in options) + printed * ("code" not in options)


def link_to(app: Sphinx, page: str, options: dict, text: str, target: str) -> list[nodes.Node]:
    """Return a link to a plaything in a state. On paper a page is all that a link can lead to."""
    chapter, _, state = target.partition("#")
    if state.split(".")[0] not in playthings(app.env.get_doctree(f"book/{chapter}")):
        raise KeyError(target)
    address = app.builder.get_relative_uri(page, f"book/{chapter}")
    state = f"#{state.replace(' ', '%20')}" if app.builder.name != "singlehtml" else ""
    return [nodes.reference("", text, refuri=f"{address}{state}", internal=True)]


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put what other pages show, and links to their playthings, in their places."""
    for node in list(doctree.findall(later)):
        try:
            copies = node["find"](app, page, node["options"], *node["what"])
        except (KeyError, OSError, StopIteration, ValueError):
            logging.getLogger(__name__).warning("%s is not one figure, cell or plaything", node["what"], location=node)
            copies = []
        for copy in copies:
            copy["classes"] += node["classes"]
        node.replace_self(copies)


def load_files(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add the slides' style and script to pages that have slides."""
    if doctree and any("slides-bar" in bar["classes"] for bar in doctree.findall(nodes.container)):
        app.add_css_file("slides.css")
        app.add_js_file("slides.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the above; what is shared comes before playthings look which of them a page has."""
    app.add_node(later)
    app.add_directive("shared", Shared)
    app.add_role("play", Play())
    app.connect("doctree-resolved", resolve)
    app.connect("html-page-context", load_files)
