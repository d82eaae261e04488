"""A text box for web pages: your classifier answers as you type, without Python."""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .classifier import TextClassifier
from .html import FOLDER, render

PARTS = ("engine.js", "ui.js")  # scripts that the box shares with the book's pages


def live(model: TextClassifier, examples: Sequence[str] = (), shown: Collection[str] | None = None) -> Live:
    """Return a text box for a notebook or a page, in which a classifier judges a text word by word.

    Parameters
    ----------
    model : TextClassifier
        Fitted, without its own tokenizer, since a web page does not run Python.
    examples : sequence of str
        Texts to begin with, one button each.
    shown : collection of str, optional
        Words and n-grams that the page may contain, such as the column ``word`` of a report's table; by default all. The box
        treats all others as unknown, and says so.

    Returns
    -------
    Live

    Raises
    ------
    ValueError
        If the model has a tokenizer.

    Examples
    --------
    >>> import tokensel_report as tr
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
    >>> model = tr.TextClassifier().fit(texts, ["up", "up", "down", "down"] * 10)
    >>> live(model, ["A good film"], shown=["good", "film", "good film", "bad"])
    A text box with 4 words and n-grams: shown by Jupyter, and on pages
    """
    if model.tokenizer is not None:
        raise ValueError("the model has its own tokenizer, which a web page cannot run; fit a model without a tokenizer")
    return Live(model, tuple(examples), None if shown is None else frozenset(shown))


@dataclass(frozen=True, eq=False, repr=False)
class Live:
    """A text box with a model in it; a notebook shows it.

    The page contains the vocabulary, and every score and value as a float32. Its logits agree with the model's to about one
    part in ten million.

    Parameters
    ----------
    model : TextClassifier
    examples : tuple of str
    shown : frozenset of str, or None
        What the page may contain; None for all.

    Examples
    --------
    >>> import tokensel_report as tr
    >>> model = tr.TextClassifier().fit(["a good film", "a bad film"] * 9, ["up", "down"] * 9)
    >>> tr.live(model)
    A text box with 8 words and n-grams: shown by Jupyter, and on pages
    """

    model: TextClassifier
    examples: tuple[str, ...]
    shown: frozenset[str] | None

    def __repr__(self):
        """Name the size of the vocabulary."""
        return f"A text box with {len(self._kept[1]):,} words and n-grams: shown by Jupyter, and on pages"

    def _repr_html_(self):
        return render("live", data=self._data(), script=live_script())

    __html__ = _repr_html_  # what a template puts into its page

    def _data(self):
        """Return the data for the script; numbers are the bytes of float32 or int32 in base64."""
        phrases, columns = self._kept
        skipped = len(self.model.vocabulary_) - len(columns)
        note = f"{skipped:,} of the model's words and n-grams are not in this page; the box skips them."
        kept = np.append(columns, -1)  # <cls>
        return {
            "classes": list(map(str, self.model.classes_.tolist())),
            "examples": list(self.examples),
            "note": note if skipped else "",
            "words": phrases.words.tolist(),
            "starts": _base64(phrases.starts, "<i4"),
            "lasts": _base64(phrases.lasts, "<i4"),
            "scores": _base64(self.model.scores_[kept], "<f4"),
            "values": _base64(self.model.values_[kept].T, "<f4"),
        }

    @property
    def _kept(self):
        """The phrases on the page, and their columns; an n-gram needs its beginning and its last word."""
        names = self.model.vocabulary_
        return self.model.phrases_.only(np.array([self.shown is None or name in self.shown for name in names], bool))


def live_script() -> str:
    """Return the script that all boxes share; a page's policy allows it by its digest."""
    parts = [*map(of_the_book, PARTS), FOLDER / "phrases.js", FOLDER / "live.js"]
    return "(() => {\n" + "".join(part.read_text("utf-8") for part in parts) + "})();"


def of_the_book(name: str) -> Path:
    """Return the path of a script of the book's pages: in the installed packages, or in the book of a checkout."""
    installed = FOLDER.parents[1] / "tokensel_nb/chapters/playthings" / name
    return installed if installed.is_file() else FOLDER.parents[1] / "book/_static/playthings" / name


def _base64(numbers, dtype):
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=dtype).tobytes()).decode()
