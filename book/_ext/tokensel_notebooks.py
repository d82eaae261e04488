"""Every chapter as a plain notebook, in three editions: for readers, for students and for instructors.

``jupyter-book build . --builder custom --custom-builder notebooks`` writes them (``make notebooks``). Their text is the
resolved page's, so numbers, titles and citations are those of the pages; their code is the source's, cell by cell.
What leads to a place of the same notebook stays there, all other links lead to the published pages. A fold with code is a
heading that JupyterLab and Colab keep closed; it comes after the text that follows it, which it would hide. A cell that
does not show the model shows one line, its title: the comment that it begins with, or else what it defines.

Solutions stand closed at the end for readers, in their place for instructors, and nowhere for students. In the place of a
solution readers and students have an empty answer and its check.
"""

import re
from collections.abc import Iterable
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from shutil import copy

import nbformat
from docutils import nodes
from nbformat.v4 import new_code_cell, new_markdown_cell
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config
from tokensel_book import notebooks
from tokensel_markdown import SILENT, Markdown, escaped, kind
from tokensel_modes import is_cell

from book._tools.first_cells import in_colab
from book._tools.open_code import shows_model
from course.answers import empty_answer, graded_check

EDITIONS = ("reader", "student", "instructor")
STARTER = Path("teaching", "starter.ipynb")
ANCHOR, LINK = re.compile(r'<a id="([^"]+)"></a>'), re.compile(r"\]\(#([^)\s\"]+)")
LEVEL = re.compile(r"level (\d) of 3")
CLAIM = re.compile(r'claim\(\s*"([^"]+)"')
TITLE = re.compile(r"\A# (.+)\n")  # what a cell says of itself first
KEPT_TAGS = {"nbval-ignore-output", "nbval-skip"}
CLOSED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # for JupyterLab and for Colab


class Notebooks(Builder):
    """Write the notebooks of all chapters."""

    name, format, out_suffix, allow_parallel = "notebooks", "notebook", ".ipynb", True

    def get_outdated_docs(self) -> Iterable[str]:
        """Return all chapters: to write them takes a second."""
        return notebooks(self.app)

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        """Return where a page is published."""
        return f"{self.site}/{docname}.html"

    def get_relative_uri(self, from_: str, to: str, typ: str | None = None) -> str:
        """Return the same: a notebook lies anywhere."""
        return self.get_target_uri(to)

    @property
    def site(self) -> str:
        """Where the pages are published: where the settings say, or else on the repository's own pages."""
        owner, name = self.config.html_theme_options["repository_url"].split("/")[-2:]
        return (self.config.html_baseurl or f"https://{owner}.github.io/{name}").rstrip("/")

    def prepare_writing(self, docnames: set[str]) -> None:
        """Do nothing."""

    def write(self, build_docnames, updated_docnames, method="update") -> None:
        """Write the chapters, and no other page."""
        super().write(notebooks(self.app), [], "all")

    def finish(self) -> None:
        """Add the starter, which is a plain notebook already."""
        folder = Path(self.outdir, "reader", STARTER.parent)
        folder.mkdir(parents=True, exist_ok=True)
        copy(self.srcdir / "book" / STARTER, folder)

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write the editions of a chapter."""
        if docname not in notebooks(self.app):  # a page that names chapters is asked for, too
            return
        source = nbformat.read(notebooks(self.app)[docname], as_version=4)
        for edition in EDITIONS:
            file = Path(self.outdir, edition, f"{docname.rpartition('/')[2]}.ipynb")
            file.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(Chapter(self, docname, doctree, source, edition).notebook(), file)


class Chapter:
    """The cells of one edition of a chapter."""

    def __init__(self, builder: Notebooks, page: str, doctree: nodes.document, source, edition: str):
        """Learn which cell of the source each cell of the page is."""
        self.builder, self.page, self.doctree, self.source, self.edition = builder, page, doctree, source, edition
        self.markdown = Markdown(doctree, builder.env.toc_fignumbers.get(page, {}))
        places = sorted({place(cell) for cell in doctree.findall(is_cell)})
        code = [at for at, cell in enumerate(source.cells) if cell.cell_type == "code" and not only_here(cell)]
        self.cell_of = dict(zip(places, code, strict=True))
        self.cells, self.texts, self.solutions = [], [], []
        self.level = 0
        self.hides = False  # whether a closed heading would hide what follows, but for another one
        self.exercises = False  # whether they have begun: their code stays open

    def notebook(self):
        """Return the notebook."""
        self.write(child for child in self.doctree.children if not isinstance(child, nodes.raw))  # raw: the theme's scripts
        if self.solutions:
            self.heading(2, "Solutions")
        for number, children in self.solutions:
            self.heading(3, f"Solution {number}", closed=True)
            self.write(children)
        if self.solutions:
            self.heading(2, "Read on")  # after "Run all", JupyterLab opens what hides the last cell
            self.say(self.what_follows())
        self.end_text()
        book = deepcopy(self.source)
        book.cells = linked(self.cells)
        closed = [cell.id for cell in book.cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
        book.metadata["colab"] = {"name": f"{self.name}.ipynb", "provenance": [], "collapsed_sections": closed}
        return book

    @property
    def name(self) -> str:
        """The chapter's name, as in "03_flow"."""
        return self.page.rpartition("/")[2]

    # ---- text

    def write(self, children: Iterable[nodes.Node]) -> None:
        """Write nodes; neighbouring code in the order of the source."""
        for of_code, group in groupby((child for child in children if kind(child) not in SILENT), is_code):
            if of_code:
                self.code(list(group))
                continue
            for child in group:
                if method := getattr(self, f"_write_{kind(child)}", None):
                    method(child)
                else:
                    self.say(self.markdown.block(child))

    def say(self, text: str) -> None:
        """Add a block to the cell of text."""
        self.texts.append(text)

    def end_text(self, **metadata) -> None:
        """End the cell of text."""
        if any(self.texts):
            self.cells.append(new_markdown_cell("\n\n".join(filter(None, self.texts)), metadata=metadata))
        self.texts = []

    def heading(self, level: int, text: str, closed: bool = False) -> None:
        """Begin a cell with a heading; a closed one stands alone and hides what follows."""
        self.end_text()
        self.hides = False
        self.texts.append(f"{'#' * min(level, 6)} {text}")
        if closed:
            self.end_text(**{"jp-MarkdownHeadingCollapsed": True})

    def _write_section(self, node):
        self.level += 1
        title, *rest = node.children
        self.heading(self.level, f"{self.markdown.inlines(title)} {self.markdown.anchors(node)}".strip())
        if self.level == 1:
            self.say(self.where_this_is())
        self.write(folds_last(rest))
        self.end_text()
        self.level -= 1

    def where_this_is(self) -> str:
        """Return the line below the title."""
        book, page = f"{self.builder.site}/", self.builder.get_target_uri(self.page)
        colab = in_colab(f"{self.name}.ipynb")
        links = [f"A notebook of the book [{self.builder.config.html_title}]({book})", f"[this chapter as a page]({page})"]
        links.append(f"[what ✓ means]({self.builder.get_target_uri('book/claims')})")
        return " · ".join(
            links + [f"[open in Colab]({colab})"] * (self.edition == "reader")
        )  # what opens there has the solutions

    def what_follows(self) -> str:
        """Return a link to the next chapter, or from the last one to the book."""
        pages = [*notebooks(self.builder.app), "book/index"]
        page = pages[pages.index(self.page) + 1]
        return f"[{self.builder.env.titles[page].astext()}]({self.builder.get_target_uri(page)})"

    def _write_fold(self, node):
        if "exercises" in node["kinds"]:
            self.exercises = True
            place = {"reader": "; solutions stand at the end", "student": "", "instructor": ""}[self.edition]
            self.say(f"*{node['title']}. Answer in the empty cells{place}.*")
            self.write(node.children)
        elif any(node.findall(is_cell)):
            self.heading(self.level + 1, f"{escaped(node['title'])} {self.markdown.anchors(node)}".strip(), closed=True)
            self.write(node.children)
            self.hides = True
        else:
            self.apart(node)

    def _write_container(self, node):
        self.apart(node)

    _write_admonition = _write_container

    def apart(self, node):
        """Write what unfolds in a cell of its own, so that there is room around it."""
        self.end_text()
        self.say(self.markdown.block(node))
        self.end_text()

    def _write_exercise_enumerable_node(self, node):
        number = self.markdown.number("exercise", node["ids"][0])
        self.heading(3, f"Exercise {number} {self.markdown.anchors(node)}".strip())
        self.write(node[1].children)
        self.end_text()
        self.points = int(LEVEL.search(node.astext())[1])

    def _write_solution_node(self, node):
        number = self.markdown.number("exercise", node["target_label"])
        children = node.children[1].children
        if self.edition == "instructor":
            self.heading(4, f"Solution {number}")
            return self.write(children)
        if self.edition == "reader":
            self.solutions.append((number, children))
        code = [self.source.cells[self.cell_of[at]].source for at in sorted({place(cell) for cell in node.findall(is_cell)})]
        if checks := [source for source in code if source.startswith("check(")]:
            answer = empty_answer(checks[0], "\n".join(source for source in code if source not in checks))
            check = graded_check(checks[0], node["target_label"], self.points)
            self.cells += [answer, check if self.edition == "student" else new_code_cell(checks[0])]

    # ---- code

    def code(self, parts: list[nodes.Element]) -> None:
        """Write neighbouring cells of code: a page shows what they draw first, and folds the rest."""
        if self.hides:
            self.heading(self.level + 1, next(filter(None, map(self.figure, parts)), "Code"))
        cells = {}
        for part in parts:
            for cell in [part] if is_cell(part) else part.findall(is_cell):
                cells.setdefault(place(cell), []).append(cell)
        for at in sorted(cells):
            self.end_text()
            self.code_cell(self.cell_of[at], nodes.container("", *(part.deepcopy() for part in cells[at])))

    def figure(self, node: nodes.Element) -> str:
        """Return what a figure within a node is called, or nothing."""
        caption = next(node.findall(nodes.caption), None)
        return "" if caption is None else f"Fig. {self.markdown.number('figure', caption.parent['ids'][0])}"

    def code_cell(self, at: int, node: nodes.container) -> None:
        """Write a cell of the source, and its caption."""
        cell, tags = deepcopy(self.source.cells[at]), set(self.source.cells[at].metadata.get("tags", ()))
        figure = self.figure(node)
        cell.metadata = nbformat.from_dict({"tags": sorted(tags & KEPT_TAGS)} if tags & KEPT_TAGS else {})
        if not (self.exercises or shows_model(cell.source)) or "check = Checks(" in cell.source:
            cell.source = f"# @title {title_of(cell, figure)}\n{TITLE.sub('', cell.source)}"
            cell.metadata |= CLOSED
        places = "".join(self.markdown.anchors(part) for part in node.children)
        self.cells += [new_markdown_cell(places)] * bool(places) + [cell]
        if figure:
            caption = next(node.findall(nodes.caption))
            self.say(f"{self.markdown.anchors(caption.parent)}**{figure}** {self.markdown.inlines(caption)}")
            self.end_text()
        for other in self.source.cells[at + 1 :]:
            if not only_here(other):
                break
            self.cells.append(deepcopy(other))


def folds_last(children: Iterable[nodes.Node]) -> list[nodes.Node]:
    """Put a section's folds with code behind the text that follows them, so that it goes on; code keeps its order."""
    ordered, folds = [], []
    for child in children:
        if not any(child.findall(is_cell)):
            ordered.append(child)
        elif kind(child) == "fold" and not is_code(child):
            folds.append(child)
        else:
            ordered += [*folds, child]
            folds = []
    return ordered + folds


def linked(cells: list) -> list:
    """Return cells with ids, and with links that every viewer follows: Colab knows a place by its cell alone."""
    cell_with = {}
    for number, cell in enumerate(cells, 1):
        names = ANCHOR.findall(cell.source) if cell.cell_type == "markdown" else []
        cell.id = names[0][:64] if names else f"cell-{number:03d}"
        cell.metadata["id"] = cell.id  # where Colab looks
        cell_with |= dict.fromkeys(names, cell.id)
    for cell in (cell for cell in cells if cell.cell_type == "markdown"):
        cell.source = LINK.sub(lambda link: f"](#scrollTo={cell_with[link[1]]}", cell.source)
        cell.source = ANCHOR.sub(f'<a id="scrollTo={cell.id}"></a>', cell.source, count=1)
        cell.source = re.sub(r'<a id="(?!scrollTo=)[^"]+"></a>', "", cell.source)
    return cells


def title_of(cell, figure: str) -> str:
    """Return a few words for a cell whose code is closed."""
    if told := TITLE.match(cell.source):
        return told[1]
    if judged := CLAIM.match(cell.source):
        told = next((output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"), judged[1])
        return f"Checked: {''.join(told)}"
    if figure:
        return f"{figure}: its code"
    if "google.colab" in cell.source:
        return "Get the package"
    if "Checks(" in cell.source:
        return "Get the checks"
    defined = re.findall(r"^def (\w+)", cell.source, re.MULTILINE)
    return ", ".join(defined) or ("Imports" if "import " in cell.source else "Measured" if cell.outputs else "Preparation")


def is_code(node: nodes.Node) -> bool:
    """Say whether a node is a cell of code, or the fold behind some."""
    return is_cell(node) or (kind(node) == "fold" and "of-cells" in node["classes"])


def place(cell: nodes.Element) -> int:
    """Return where a cell of code stands among those of its page."""
    return int(cell["cell_index"])


def only_here(cell) -> bool:
    """Say whether a cell is for notebooks alone: the page has a plaything in its place."""
    return "remove-cell" in cell.metadata.get("tags", ())


def choose_pictures(app: Sphinx, config: Config) -> None:
    """Let MyST-NB read outputs for this builder, too; they are taken from the source."""
    kinds = ("image/png", "text/html", "text/plain")
    ranks = [("notebooks", of_kind, rank) for rank, of_kind in enumerate(kinds)]
    config.nb_mime_priority_overrides = [*config.nb_mime_priority_overrides, *ranks]


def setup(app: Sphinx) -> None:
    """Register the builder."""
    app.add_builder(Notebooks)
    app.connect("config-inited", choose_pictures)
