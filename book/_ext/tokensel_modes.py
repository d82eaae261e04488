"""Reading first: code, what it prints, and long proofs lie folded on the pages; notebooks show them in their place.

All code of a chapter folds by itself: neighbouring cells make one fold, *Code*, behind the pictures and tables that they
draw; the tag ``show-code`` keeps a cell's input open. Cells with the tag ``fold`` make a fold with the title that the first
of them begins with, alone and in bold. The section *Exercises* is one fold. What a fold holds says which button opens it,
*Code* or *Proofs* (``book/_static/modes.js``); a chapter has the buttons of what it holds.
"""

import json
import re
from collections.abc import Iterator
from itertools import count

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx_design.dropdown import dropdown_main
from sphinx_design.shared import is_component
from sphinx_exercise.nodes import exercise_enumerable_node as exercise
from tokensel_book import notebooks

TITLE = re.compile(r"\A((?:\([\w-]+\)=\n)*)\*\*(.+?)\*\*(?:\n+|\Z)")  # of a fold: after labels, bold and alone
START = "Before you start"  # the fold that explains nothing: what it names is explained elsewhere
NUMBER = count()  # of the cells that `mark_folds` writes
MINUTES = re.compile(r"· (\d+) minutes")


class fold(nodes.General, nodes.Element):
    """A part of a page that is closed until a reader opens it, or all of its kind."""


class edge(nodes.Invisible, nodes.Element):
    """Where a fold of text begins, with its title, or ends."""


class Edge(Directive):
    """``{fold} title``, or ``{fold}`` alone where one ends; only `mark_folds` writes it."""

    optional_arguments, final_argument_whitespace = 1, True

    def run(self) -> list[nodes.Node]:
        """Mark the place."""
        return [edge(title=self.arguments[0] if self.arguments else "")]


def mark_folds(app: Sphinx, page: str, source: list[str]) -> None:
    """Write the edges of folds into a notebook, from the tags of its cells."""
    if page not in notebooks(app):
        return
    book = json.loads(source[0])
    marked, inside = [], False
    for cell in book["cells"]:
        tagged = "fold" in cell["metadata"].get("tags", ())
        text = "".join(cell["source"])
        begins = tagged and cell["cell_type"] == "markdown" and TITLE.match(text)
        if tagged and not (inside or begins):
            raise ExtensionError(f"{page}: a fold begins with a title in bold, not with {text[:60]!r}")
        if inside and (begins or not tagged):
            marked.append(markdown("```{fold}\n```"))
        if begins:
            marked.append(markdown(f"{begins[1]}```{{fold}} {begins[2]}\n```"))
            cell = cell | {"source": text[begins.end() :]}
        marked.append(cell)
        inside = tagged
    book["cells"] = [*marked, *([markdown("```{fold}\n```")] if inside else [])]
    source[0] = json.dumps(book)


def markdown(text: str) -> dict:
    """Make a cell."""
    return {"cell_type": "markdown", "id": f"edge-{next(NUMBER)}", "metadata": {}, "source": text}


def fold_page(app: Sphinx, doctree: nodes.document) -> None:
    """Fold a chapter."""
    if app.env.docname not in notebooks(app):
        return
    for proof in doctree.findall(is_proof):
        proof["container_classes"].append("proof")
    for cell in list(doctree.findall(is_cell)):
        cell.attributes.pop("hide_mode", None)  # what the notebook's tags hide is folded here, too
    for link in list(doctree.findall(nodes.image)):
        if link["uri"].endswith("colab.svg"):  # the badge; the bar at the top has one
            link.parent.parent.parent.remove(link.parent.parent)
    for section in doctree.findall(nodes.section):
        section[:] = list(gather(section.children))
        if section[0].astext() == "Exercises":
            fold_exercises(section)
        else:
            section[:] = list(fold_code(section.children))


def gather(children: list[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield the children of a section, those between the edges of a fold as one."""
    opened = None
    for child in list(children):
        if isinstance(child, edge):
            if opened:
                opened["kinds"] = kinds_of(opened)
                yield opened
            opened = fold(title=child["title"], ids=child["ids"]) if child["title"] else None
        elif opened is None:
            yield child
        elif isinstance(child, nodes.section):
            raise ExtensionError(f"a heading within the fold {opened['title']!r}: {child[0].astext()!r}")
        else:
            opened += child
    if opened:
        raise ExtensionError(f"the fold {opened['title']!r} never ends in its section")


def kinds_of(opened: fold) -> list[str]:
    """Say what a fold holds: cells, and what is proved, stated or derived. Formulas derive, but for those beside code."""
    cells = any(opened.findall(is_cell))
    stated = any(opened.findall(is_proof)) or any(opened.findall(is_statement)) or any(opened.findall(nodes.math_block))
    derived = not cells and opened["title"] != START and any(opened.findall(nodes.math))
    return ["code"] * cells + ["proofs"] * (stated or derived)


def is_proof(node: nodes.Node) -> bool:
    """Say whether a node is a dropdown with a proof."""
    return isinstance(node, nodes.container) and is_component(node, "dropdown") and node[0].astext().startswith("Proof")


def is_statement(node: nodes.Node) -> bool:
    """Say whether a node is a theorem, a proposition or the like."""
    return isinstance(node, nodes.Element) and "proof" in node["classes"]


def fold_code(children: list[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield the children of a section; the code of neighbouring cells lies in one fold behind what they draw."""
    closed, labels = [], []

    def flush() -> Iterator[nodes.Node]:
        if closed:
            yield fold("", *closed, title="Code", kinds=["code"], classes=["of-cells"])
        yield from labels
        closed.clear()
        labels.clear()

    for child in list(children):
        if is_cell(child):
            yield from labels
            labels.clear()
            shown, folded = split(child)
            yield from shown
            closed.extend(folded)
        elif isinstance(child, nodes.target):
            labels.append(child)  # of the next cell, or of text
        else:
            yield from flush()
            yield child
    yield from flush()


def is_cell(node: nodes.Node) -> bool:
    """Say whether a node is a cell of code."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def split(cell: nodes.container) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Return what stands open of a cell, its pictures and tables, and what is folded, its code and what it printed."""
    rest = nodes.container("", classes=["cell"], nb_element="cell_code", cell_index=cell["cell_index"])
    for part in list(cell):
        is_source = part["nb_element"] == "cell_code_source"
        kept = [each for each in part if (keeps_code(cell) if is_source else is_seen(each))]
        if moved := [each for each in part if each not in kept]:
            rest += part.copy()
            rest[-1].extend(moved)
        part.children = kept
        if not kept:
            cell.remove(part)
    if not len(cell):
        rest["ids"], rest["names"], cell["ids"] = cell["ids"], cell["names"], []
        rest["classes"] = cell["classes"]
    return [cell] if len(cell) else [], [rest] if len(rest) else []


def keeps_code(cell: nodes.container) -> bool:
    """Say whether a cell's input stays open."""
    return "tag_show-code" in cell["classes"]


def is_seen(output: nodes.Node) -> bool:
    """Say whether an output is a picture or a table, and neither printed text nor the row of a claim."""
    html = [node for node in output.findall(nodes.raw) if "text_html" in node["classes"]]
    return bool(list(output.findall(nodes.image))) or any('class="claim' not in node.astext() for node in html)


def fold_exercises(section: nodes.section) -> None:
    """Fold a section of exercises into one line, which counts them and their minutes."""
    every = list(section.findall(exercise))
    minutes = sum(int(found) for each in every for found in MINUTES.findall(each.astext())[:1])
    title, *rest = section.children
    one = fold("", *rest, title=f"{len(every)} exercises, {minutes} minutes", kinds=["exercises"])
    section[:] = [title, one]


def open_fold(translator, node: fold) -> None:
    """Write the beginning of a fold."""
    classes = " ".join(["fold", *node["classes"]])
    translator.body.append(translator.starttag(node, "details", CLASS=classes, **{"data-kind": " ".join(node["kinds"])}))
    translator.body.append(f"<summary>{translator.encode(node['title'])}</summary>\n")


def close_fold(translator, node: fold) -> None:
    """Write its end."""
    translator.body.append("</details>\n")


def pass_over(translator, node: nodes.Node) -> None:
    """Write nothing."""


def number_open_first(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Number the figures of a chapter that stand open before those in folds, so that no reader of the page misses one."""
    for page in notebooks(app):
        numbers = env.toc_fignumbers.get(page, {}).get("figure", {})
        folds = env.get_doctree(page).findall(fold)
        folded = {name for each in folds for figure in each.findall(nodes.figure) for name in figure["ids"]}
        numbers |= zip(sorted(numbers, key=folded.__contains__), list(numbers.values()), strict=True)
    return []  # no page has to be read again


def tell_template(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Let templates know the kinds of what is folded in a chapter."""
    if page in notebooks(app):
        folded = {kind for each in doctree.findall(fold) for kind in each["kinds"]}
        folded |= {"proofs" for each in doctree.findall(dropdown_main) if "proof" in each["classes"]}
        context["kinds"] = [kind for kind in ("code", "proofs") if kind in folded]


def setup(app: Sphinx) -> None:
    """Register the above; notebooks are taken first, and playthings look at the whole."""
    app.add_node(fold, html=(open_fold, close_fold))
    app.add_node(edge, html=(pass_over, pass_over))
    app.add_directive("fold", Edge)
    app.connect("source-read", mark_folds, priority=600)
    app.connect("doctree-read", fold_page, priority=400)
    app.connect("env-get-updated", number_open_first, priority=900)  # when all have numbers
    app.connect("html-page-context", tell_template)
    app.add_js_file("modes.js", priority=100)
