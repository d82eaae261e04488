"""What one source holds, part by part: texts, labels, and how their rows are called."""

import os
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain

from .columns import FOUND, plain
from .reviews import DataError, tell


@dataclass(frozen=True)
class Part:
    """What one file holds: texts, and their labels, None where there are none.

    ``rows`` names the rows where they are files or lines, ``note`` says from where they are counted.
    """

    source: str
    texts: list
    labels: list | None = None
    rows: list | None = None
    note: str = ""

    def __post_init__(self):
        if self.labels is not None and len(self.labels) != len(self.texts):
            sizes = f"{len(self.texts):,} texts and {len(self.labels):,} labels"
            raise DataError(f"{self.source}: there are {sizes}; give one label a text")

    @property
    def name(self):
        """The source without its folder."""
        return os.path.basename(self.source)

    def where(self, row):
        """Name a row, counted from zero, for people."""
        return self.rows[row] if self.rows else f"row {row + 1}"

    def at(self, row):
        """Name source and row, as a message begins."""
        return f"{self.source}: {self.where(row)}{self.note}"


class Joined(Part):
    """Several parts, one after another."""

    def __init__(self, source, parts):
        unlabelled = [part for part in parts if part.labels is None]
        if 0 < len(unlabelled) < len(parts):
            raise DataError(f"{unlabelled[0].source}: it has no labels, and others have some; give label=None for all")
        texts = list(chain.from_iterable(part.texts for part in parts))
        labels = None if unlabelled else list(chain.from_iterable(part.labels for part in parts))
        super().__init__(source, texts, labels)
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "_starts", list(accumulate((len(part.texts) for part in parts), initial=0)))

    def _found(self, row):
        number = bisect_right(self._starts, row) - 1
        return self._parts[number], row - self._starts[number]

    def where(self, row):
        """Name a row, counted from zero, for people."""
        part, row = self._found(row)
        return f"{part.name} {part.where(row)}"

    def at(self, row):
        """Name source and row, as a message begins."""
        part, row = self._found(row)
        return part.at(row)


def chosen(names, wanted, source, told):
    """Return the names of the columns that are wanted, one or two; ``told`` is how a line that names them begins."""
    found = wanted.among(names, source)
    tell_columns(told, found, wanted)
    return [column for column in found if column is not None]


def tell_columns(source, columns, wanted, headed=True):
    """Say which columns were found, where nobody named them and they are not called text and label."""
    text, label = columns
    guessed = [("texts", text)] * (wanted.text is None) + [("labels", label)] * (wanted.label == FOUND)
    if any(plain(column) != what[:-1] for what, column in guessed):
        found = " and ".join(f"{what} from column {column!r}" for what, column in guessed)
        tell(f"{source}: {'' if headed else 'no names of columns; '}{found}")
