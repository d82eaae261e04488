"""Reading first: code, what it prints, and long proofs lie folded on the pages; notebooks show them in their place.

All code of a chapter folds by itself: neighbouring cells make one fold, *Code*, behind the pictures and tables that they
draw; the tag ``show-code`` keeps a cell's input open. Cells with the tag ``fold`` make a fold with the title that the first
of them begins with, alone and in bold. The section *Exercises* is one fold. What a fold holds says which button opens it,
*Code* or *Proofs* (``book/_static/modes.js``); a chapter has the buttons of what it holds. Code that a learner should read
(``book/_tools/open_code.py``) opens first; the evidence among it lies in a fold within, which opens with the rest.
"""

import json
import re
from collections.abc import Iterator
from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_design.shared import is_component
from sphinx_exercise.nodes import exercise_enumerable_node as exercise
from sphinx_exercise.nodes import solution_node as solution
from tokensel_book import notebooks

from book._tools.open_code import shows_model

TITLE = re.compile(r"\A((?:\([\w-]+\)=\n)*)\*\*(.+?)\*\*(?:\n+|\Z)")  # of a fold: after labels, bold and alone
MINUTES = re.compile(r"· (\d+) minutes")


class fold(nodes.General, nodes.Element):
    """A part of a page that is closed until a reader opens it, or all of its kind."""


def mark_folds(app: Sphinx, page: str, source: list[str]) -> None:
    """Write into a notebook where folds begin and end, as MyST's block breaks, from the tags of its cells."""
    if page not in notebooks(app):
        return
    book = json.loads(notebooks(app)[page].read_text("utf-8"))
    marked, inside = [], False
    for cell in book["cells"]:
        tagged, text = "fold" in cell["metadata"].get("tags", ()), "".join(cell["source"])
        if tagged and cell["cell_type"] == "markdown" and (title := TITLE.match(text)):
            cell["source"] = f"{title[1]}+++ {title[2]}\n\n{text[title.end() :]}"
        elif inside and not tagged:
            marked.append({"cell_type": "markdown", "id": f"end-{len(marked)}", "metadata": {}, "source": "+++"})
        marked.append(cell)
        inside = tagged
    source[0] = json.dumps(book | {"cells": marked})


def fold_page(app: Sphinx, doctree: nodes.document) -> None:
    """Fold a chapter."""
    if app.env.docname not in notebooks(app):
        return
    for proof in doctree.findall(proves):
        proof.get("container_classes", []).append("proof")
    for cell in doctree.findall(is_cell):
        cell.attributes.pop("hide_mode", None)  # what the notebook's tags hide is folded here, too
    for section in doctree.findall(nodes.section):
        section[:] = gather(section.children)
        section[:] = fold_exercises(section) if section[0].astext() == "Exercises" else list(fold_code(section))
    for opened in doctree.findall(fold):
        opened["kinds"] = opened.get("kinds") or kinds_of(opened)


def gather(children: list[nodes.Node]) -> list[nodes.Node]:
    """Return the children of a section, those between the edges of a fold as one."""
    gathered, opened = [], None
    for child in children:
        if "block_break" in getattr(child, "attributes", {}).get("classes", ()):
            opened = fold(title=child.astext()) if child.astext() else None
            gathered += [opened] if opened else []
        elif opened:
            opened += child
        else:
            gathered.append(child)
    return gathered


def kinds_of(opened: fold) -> list[str]:
    """Say what a fold holds: cells, and what is proved, stated or derived.

    Formulas derive something, except beside code, and in the fold that only names what is explained elsewhere. What calls
    itself evidence shows no model.
    """
    cells = any(opened.findall(is_cell))
    stated = any(opened.findall(proves)) or any(opened.findall(nodes.math_block))
    derived = not cells and opened["title"] != "Before you start" and any(opened.findall(nodes.math))
    model = "evidence" not in opened["title"] and shows_model(*sources(opened))
    return ["code"] * cells + ["model"] * model + ["proofs"] * (stated or derived)


def sources(node: nodes.Node) -> list[str]:
    """Return the code of all cells within a node."""
    parts = node.findall(lambda part: isinstance(part, nodes.container) and part.get("nb_element") == "cell_code_source")
    return [part.astext() for part in parts]


def proves(node: nodes.Node) -> bool:
    """Say whether a node is a theorem, a proposition or the like, or a dropdown with a proof."""
    if is_component(node, "dropdown"):
        return node[0].astext().startswith("Proof")
    return isinstance(node, nodes.Element) and "proof" in node["classes"]


def fold_code(section: nodes.section) -> Iterator[nodes.Node]:
    """Yield the children of a section; the code of neighbouring cells lies in one fold behind what they draw."""
    closed, labels = [], []
    apart = not isinstance(section.parent, solution)  # which is short, and explains its code in its order
    for child in [*section.children, None]:
        if is_cell(child):
            shown, folded = split(child)
            yield from [*labels, *shown]
            closed += folded
            labels = []
        elif isinstance(child, nodes.target):
            labels.append(child)  # of the next cell, or of text
        else:
            yield from [*fold_cells(closed, apart), *labels, *([child] if child else [])]
            closed, labels = [], []


def fold_cells(cells: list[nodes.Node], apart: bool) -> list[fold]:
    """Return the fold of neighbouring cells, if there are any, with what shows no model in folds within, in its place."""
    runs = [(shown, list(run)) for shown, run in groupby(cells, lambda cell: shows_model(*sources(cell)))]
    kinds = ["code"] + ["model"] * any(shown for shown, _ in runs)
    if apart and len(runs) > 1:
        titles = ["Preparation", *["Plots and evidence"] * len(runs)]
        within = [run if shown else [fold("", *run, title=title, kinds=["code"])] for (shown, run), title in zip(runs, titles)]
        cells = [part for run in within for part in run]
    return [fold("", *cells, title="Code", classes=["of-cells"], kinds=kinds)] if cells else []


def is_cell(node: nodes.Node) -> bool:
    """Say whether a node is a cell of code."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def split(cell: nodes.container) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Return what stands open of a cell, its pictures and tables, and what is folded, its code and what it printed."""
    code_shown = "tag_show-code" in cell["classes"]
    seen = [
        each for part in cell for each in part if (code_shown if part["nb_element"] == "cell_code_source" else is_seen(each))
    ]
    if not seen:
        return [], [cell]
    rest = nodes.container("", classes=["cell"], nb_element="cell_code", cell_index=cell["cell_index"])
    for part in list(cell):
        if moved := [each for each in part if each not in seen]:
            rest += part.copy()
            rest[-1].extend(moved)
        part.children = [each for each in part if each in seen]
        if not part.children:
            cell.remove(part)
    return [cell], [rest] if len(rest) else []


def is_seen(part: nodes.Node) -> bool:
    """Say whether code or an output is a picture or a table, and neither printed text nor the row of a claim."""
    html = [node for node in part.findall(nodes.raw) if "text_html" in node["classes"]]
    return any(part.findall(nodes.image)) or any('class="claim' not in node.astext() for node in html)


def fold_exercises(section: nodes.section) -> list[nodes.Node]:
    """Return a section of exercises folded into one line, which counts them and their minutes."""
    every = list(section.findall(exercise))
    minutes = sum(int(found) for each in every for found in MINUTES.findall(each.astext())[:1])
    title, *rest = section.children
    return [title, fold("", *rest, title=f"{len(every)} exercises, {minutes} minutes", kinds=["exercises"])]


def open_fold(translator, node: fold) -> None:
    """Write the beginning of a fold."""
    classes = " ".join(["fold", *node["classes"]])
    translator.body.append(translator.starttag(node, "details", CLASS=classes, **{"data-kind": " ".join(node["kinds"])}))
    translator.body.append(f"<summary>{translator.encode(node['title'])}</summary>\n")


def close_fold(translator, node: fold) -> None:
    """Write its end."""
    translator.body.append("</details>\n")


def number_open_first(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Number the figures of a chapter that stand open before those in folds, so that no reader of the page misses one."""
    for page in notebooks(app):
        numbers = env.toc_fignumbers.get(page, {}).get("figure", {})
        folds = env.get_doctree(page).findall(fold)
        folded = {name for each in folds for figure in each.findall(nodes.figure) for name in figure["ids"]}
        numbers |= zip(sorted(numbers, key=folded.__contains__), list(numbers.values()), strict=True)
    return []  # no page has to be read again


def setup(app: Sphinx) -> None:
    """Register the above; notebooks are taken first, and playthings look at the whole."""
    app.add_node(fold, html=(open_fold, close_fold))
    app.connect("source-read", mark_folds)
    app.connect("doctree-read", fold_page, priority=400)
    app.connect("env-get-updated", number_open_first, priority=900)  # when all have numbers
    app.add_js_file("modes.js", priority=100)
