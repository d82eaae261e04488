"""References in words: a plain notebook resolves none, so its copies say what the pages of the book say, numbers as well."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from itertools import count
from pathlib import Path

_ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?:(?P<text>[^`<]+?)\s*<(?P<target>[^`>]+)>|(?P<label>[^`]+))`")
_BLOCK = re.compile(
    r"(?P<fence>`{3,})\{prf:(?P<kind>\w+)\} ?(?P<title>.*)\n:label: (?P<label>\S+)\n(?P<body>(?s:.*?))\n(?P=fence)(?=\n|$)"
)
_FOLD = re.compile(r"(`{3,})\{dropdown\} ([^\n]+)\n(.*?)\n\1(?=\n|$)", re.DOTALL)
_EQUATION = re.compile(r"\$\$ \((eq-[\w-]+)\)")
_TARGET = re.compile(r"^(?:\([\w-]+\)=|```\{rst-class\}.*\n```)\n?", re.MULTILINE)  # labels, and classes of what follows
_KEY = re.compile(r"([a-z]+)(\d{4})\w*")  # of the bibliography: kingma2015adam


def read_names(folder) -> dict[str, str]:
    """Return what the book calls its pages, figures, propositions, equations and exercises, by their labels.

    Parameters
    ----------
    folder : path
        With the book's pages and notebooks.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "claims.md").write_text("# All claims")
    ...     read_names(folder)
    {'claims': 'All claims'}
    """
    import nbformat

    names = {}
    for page in sorted(Path(folder).glob("*.md")):
        names[page.stem] = _title(page.read_text("utf-8"), page.stem)
    for path in sorted(Path(folder).glob("[0-9][0-9]_*.ipynb")):
        book, number = nbformat.read(path, as_version=4), Counter()
        names[path.stem] = f"chapter {int(path.stem[:2])}, {_title(book.cells[0].source, path.stem)}"
        for kind, label in (each for cell in book.cells for each in _labelled(cell)):
            number[kind] += 1
            place = f"{int(path.stem[:2])}.{number[kind]}"
            names[label] = f"({place})" if kind == "eq" else f"{kind} {place}"
    return names


def in_words(notebook, names, chapter=None):
    r"""Return a copy of a notebook in which words stand for references, and numbers at exercises and propositions.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    names : dict of str to str
    chapter : int, optional
        Whose exercises are numbered.

    Returns
    -------
    nbformat.NotebookNode

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> book = new_notebook(cells=[new_markdown_cell("### Exercise\n\nSee {numref}`fig-tug`, {doc}`the list <claims>`.")])
    >>> print(in_words(book, {"fig-tug": "Fig. 2.1"}, chapter=2).cells[0].source)
    ### Exercise 2.1
    <BLANKLINE>
    See Fig. 2.1, the list.
    """
    copy, places = deepcopy(notebook), count(1)
    for cell in copy.cells:
        if cell.cell_type != "markdown":
            continue
        text = _BLOCK.sub(lambda found: f"**{_name(found, names)}** ({found['title']})\n\n{found['body']}", cell.source)
        text = _FOLD.sub(r"<details><summary>\2</summary>\n\n\3\n\n</details>", text)
        text = _EQUATION.sub(lambda found: rf"\tag{{{names.get(found[1], found[1]).strip('()')}}} $$", _TARGET.sub("", text))
        if chapter:
            text = re.sub(r"^### Exercise$", lambda _: f"### Exercise {chapter}.{next(places)}", text, flags=re.MULTILINE)
        cell.source = _ROLE.sub(lambda found: _said(found, names), text)
    copy.cells = [cell for cell in copy.cells if cell.source.strip()]  # a cell may have held nothing but a label
    return copy


def _title(text, otherwise):
    found = re.search(r"^# (.+)", text, re.MULTILINE)
    return found[1] if found else otherwise


def _labelled(cell):
    """Yield what is numbered in a cell, in order: its kind, as the pages call it, and its label."""
    figure = cell.metadata.get("mystnb", {}).get("figure", {})
    if "name" in figure:
        yield "Fig.", figure["name"]
    if cell.cell_type == "markdown":
        for kind, label in re.findall(r"\{(?:prf:)?(\w+)\}.*\n:label: (\S+)", cell.source):
            if kind in ("proposition", "theorem", "definition", "exercise"):
                yield kind.capitalize(), label
        for label in _EQUATION.findall(cell.source):
            yield "eq", label


def _name(found, names):
    return names.get(found["label"], found["kind"].capitalize())


def _said(found, names):
    """Return what stands for a role: its own text, a year of the bibliography, the code it names, or the name of its label."""
    if found["text"]:
        return found["text"]
    label = found["label"]
    if found["role"].startswith("cite"):
        said = ", ".join(_KEY.sub(lambda key: f"{key[1].capitalize()} {key[2]}", each.strip()) for each in label.split(","))
        return said if found["role"] == "cite:t" else f"({said})"
    return f"`{label}`" if found["role"].startswith("py") else names.get(label.rpartition("/")[2], label)
