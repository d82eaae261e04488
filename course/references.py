"""References in words: plain notebooks don't resolve references, so their copies have the names and numbers of the pages."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from itertools import chain, count
from pathlib import Path

import nbformat

_ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?:(?P<text>[^`<]+?)\s*<(?P<target>[^`>]+)>|(?P<label>[^`]+))`")
_BLOCK = re.compile(
    r"(?P<fence>`{3,})\{prf:(?P<kind>\w+)\} ?(?P<title>.*)\n:label: (?P<label>\S+)\n(?P<body>(?s:.*?))\n(?P=fence)(?=\n|$)"
)
_FOLD = re.compile(r"(`{3,})\{dropdown\} ([^\n]+)\n(.*?)\n\1(?=\n|$)", re.DOTALL)
_EQUATION = re.compile(r"\$\$ \((eq-[\w-]+)\)")
_TARGET = re.compile(r"^(?:\([\w-]+\)=|```\{rst-class\}.*\n```)\n?", re.MULTILINE)  # labels, and classes of what follows
_KEY = re.compile(r"([a-z]+)(\d{4})\w*")  # of the bibliography: kingma2015adam


def chapters(folder) -> list[Path]:
    """Return the chapters of a folder in order. Their place is their number: gaps between the names of files don't matter."""
    return sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))


def read_names(folder) -> dict[str, str]:
    """Return the book's names of its pages, figures, propositions, equations and exercises, by label."""
    names = {page.stem: _title(page.read_text("utf-8"), page.stem) for page in sorted(Path(folder).glob("*.md"))}
    for chapter, path in enumerate(chapters(folder), 1):
        book, number = nbformat.read(path, as_version=4), Counter()
        names[path.stem] = f"chapter {chapter}, {_title(book.cells[0].source, path.stem)}"
        for kind, label in chain(_figures(book.cells), *map(_labelled, book.cells)):
            number[kind] += 1
            place = f"{chapter}.{number[kind]}"
            names[label] = f"({place})" if kind == "eq" else f"{kind} {place}"
    return names


def in_words(notebook, names, chapter=None):
    """Return a copy of a notebook with words in place of references, and with numbered exercises."""
    copy, places = deepcopy(notebook), count(1)
    for cell in copy.cells:
        if cell.cell_type != "markdown":
            continue
        text = _BLOCK.sub(lambda block: _in_bold(block, names), cell.source)
        text = _FOLD.sub(r"<details><summary>\2</summary>\n\n\3\n\n</details>", text)
        text = _EQUATION.sub(lambda label: rf"\tag{{{names.get(label[1], label[1]).strip('()')}}} $$", _TARGET.sub("", text))
        if chapter:
            text = re.sub(r"^### Exercise$", lambda _: f"### Exercise {chapter}.{next(places)}", text, flags=re.MULTILINE)
        cell.source = _ROLE.sub(lambda role: _text_of(role, names), text)
    copy.cells = [cell for cell in copy.cells if cell.source.strip()]  # a cell may have had nothing but a label
    return copy


def _title(text, otherwise):
    heading = re.search(r"^# (.+)", text, re.MULTILINE)
    return heading[1] if heading else otherwise


def _figures(cells):
    """Return the figures of a chapter with their labels; open figures are numbered before those in folds."""
    named = [(cell, cell.metadata.get("mystnb", {}).get("figure", {}).get("name")) for cell in cells]
    order = sorted(named, key=lambda figure: "fold" in figure[0].metadata.get("tags", ()))
    return [("Fig.", label) for _, label in order if label]


def _labelled(cell):
    """Yield the other numbered items of a cell, in order: their kinds, as the pages call them, and labels."""
    if cell.cell_type == "markdown":
        for kind, label in re.findall(r"\{(?:prf:)?(\w+)\}.*\n:label: (\S+)", cell.source):
            if kind in ("proposition", "theorem", "corollary", "definition", "exercise"):
                yield kind.capitalize(), label
        for label in _EQUATION.findall(cell.source):
            yield "eq", label


def _in_bold(block, names):
    return f"**{names.get(block['label'], block['kind'].capitalize())}** ({block['title']})\n\n{block['body']}"


def _text_of(role, names):
    """Return the text for a role: its own text, a citation, the code that it names, or the name of its label."""
    label = role["label"]
    if role["text"]:
        return role["text"]
    if role["role"] == "chapter":
        return names[label].partition(",")[0]
    if role["role"] == "checked":
        return ""  # a tick: the cell itself is in the notebook
    if role["role"].startswith("cite"):
        works = ", ".join(_KEY.sub(lambda key: f"{key[1].capitalize()} {key[2]}", work.strip()) for work in label.split(","))
        return works if role["role"] == "cite:t" else f"({works})"
    return f"`{label}`" if role["role"].startswith("py") else names.get(label.rpartition("/")[2], label)
