"""What pages for teaching share with the chapters: figures, cells, and playthings in a chosen state; and slides.

``{shared} fig-one-step`` shows a figure of another page, and its plaything, without its caption (``:still:``: the picture
alone; ``:class: unanswered``: the class predicts it first, and its plaything opens in the state before). ``{shared} 01_model
def forward`` shows the one cell of a notebook that holds these words, and what it printed (``:results:``: that alone;
``:code:``: the code alone). Nothing is copied: a page shows the same file, and what is not there is an error of the strict
build. ``{play}`a step of 3,000 <02_one_step#step.eta=3000>``` leads to a plaything in a state. ``{slides}`` makes slides of the
sections of its page: ``book/_static/slides.js``.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tokensel_playthings import MARK, playthings

KEYS = (
    "Keys: *P* presents, *→* and *←* go on and back (so do *Page down* and *Page up*, and a presenter's clicker), *N* shows "
    "the notes, *W* opens them in a window of their own with a clock, *F* fills the screen, *Esc* ends. Printed from here, "
    "every slide stands above its notes; printed while they are presented, slides alone."
)
FILES = ("slides.css", "slides.js")

logger = logging.getLogger(__name__)


class shared(nodes.General, nodes.Element):
    """The place of what another page shows."""


class play(nodes.Inline, nodes.TextElement):
    """A link to a plaything in a state, not yet resolved."""


class Shared(SphinxDirective):
    """``{shared} fig-name``, or ``{shared} 01_model words of a cell``."""

    required_arguments, optional_arguments, final_argument_whitespace = 1, 1, True
    option_spec: ClassVar = {**dict.fromkeys(("still", "results", "code"), directives.flag), "class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        """Keep the place until all pages are read."""
        classes = self.options.pop("class", [])
        node = shared(what=self.arguments, only=list(self.options), classes=classes)
        self.set_source_info(node)
        return [node]


class Slides(SphinxDirective):
    """``{slides}``, below the title of a page."""

    def run(self) -> list[nodes.Node]:
        """Say which keys there are."""
        return [nodes.compound("", nodes.paragraph("", "", *self.parse_inline(KEYS)[0]), classes=["slides-bar"])]


class Play(SphinxRole):
    """``{play}`text <chapter#plaything.key=value>```."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Keep the link until all pages are read."""
        text, _, target = self.text.rstrip(">").rpartition(" <")
        node = play(self.rawtext, text, target=target)
        self.set_source_info(node)
        return [node], []


def figure_of(app: Sphinx, only: list[str], name: str) -> list[nodes.Node]:
    """Return a figure of another page: its picture, and the mark of its plaything, if there is one."""
    page, place, *_ = app.env.domains["std"].anonlabels[name]
    figure = next(node for node in app.env.get_doctree(page).findall(nodes.figure) if place in node["ids"])
    marks, around = set(), None if "still" in only else figure
    while around is not None:
        marks |= {f"plaything-{mark[1]}" for mark in map(MARK.match, around.get("classes", ())) if mark}
        around = around.parent
    return [nodes.figure("", next(figure.findall(nodes.image)).deepcopy(), classes=["shared", *marks])]


def cell_of(app: Sphinx, only: list[str], page: str, words: str) -> list[nodes.Node]:
    """Return the code of the one cell that holds some words, and what it printed."""
    blocks = app.env.get_doctree(f"book/{page}").findall(nodes.literal_block)
    (source,) = (block for block in blocks if "cell_input" in block.parent["classes"] and words in block.astext())
    cell = source.parent.parent
    blocks = [block for block in cell.findall(nodes.literal_block) if "text_plain" not in block["classes"]]
    left_out = {"results": True, "code": False}  # whether it is code
    return [each.deepcopy() for each in blocks if ("cell_input" in each.parent["classes"]) not in map(left_out.get, only)]


def link_to(app: Sphinx, page: str, target: str) -> str:
    """Return the address of a plaything in a state. On paper a page is all that a link can lead to."""
    chapter, _, state = target.partition("#")
    name = state.split(".")[0]
    if name not in playthings(app.env.get_doctree(f"book/{chapter}")):
        raise KeyError(name)
    address = app.builder.get_relative_uri(page, f"book/{chapter}")
    return f"{address}#{state.replace(' ', '%20')}" if app.builder.name == "html" else address


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put what other pages show, and the addresses of their playthings, in their places."""
    for node in list(doctree.findall(shared)):
        what = node["what"]
        try:
            copies = (figure_of if len(what) == 1 else cell_of)(app, node["only"], *what)
            for copy in copies:
                copy["classes"] += node["classes"]
            node.replace_self(copies)
        except (KeyError, OSError, StopIteration, ValueError):
            logger.warning("not one figure or cell is to be found by %s", " ".join(what), location=node)
            node.parent.remove(node)
    for node in list(doctree.findall(play)):
        try:
            node.replace_self(nodes.reference("", node.astext(), refuri=link_to(app, page, node["target"]), internal=True))
        except (KeyError, OSError):
            logger.warning("no plaything has the address %s", node["target"], location=node)
            node.replace_self(nodes.Text(node.astext()))


def load_files(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add the slides' style and script to pages that have slides."""
    if doctree and any("slides-bar" in bar["classes"] for bar in doctree.findall(nodes.compound)):
        app.add_css_file(FILES[0])
        app.add_js_file(FILES[1], loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the above; what is shared comes before playthings look which of them a page has."""
    app.add_node(shared)
    app.add_node(play)
    app.add_directive("shared", Shared)
    app.add_directive("slides", Slides)
    app.add_role("play", Play())
    app.connect("doctree-resolved", resolve)
    app.connect("html-page-context", load_files)
