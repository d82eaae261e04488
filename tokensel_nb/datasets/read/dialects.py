"""How a table of separated values is written: which separator, quotes and escapes make every row as wide as the first.

`csv.Sniffer` guesses from the frequencies of characters, and prose misleads it; here each candidate reads the beginning with
Python's reader, and the whole file judges.
"""

import csv
import html
import re
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from tqdm import tqdm

from .columns import MOST_CLASSES, Wanted
from .reviews import DataError

SAMPLE = 2**18  # characters
SEPARATORS = ",;\t|"
NOWHERE = "\x1f"  # separates the cells of tables of one column
ESCAPES = r"""\\(?=["',;|\t\r\n\\])"""
NUMBER = r"\s*[-+]?(\d+\.?\d*|\.\d+)\s*"
NAME = r"[^\W\d][\w .:/()-]{0,39}"


SKIP = "; skip_bad_rows=True leaves such rows out"


class BadRowError(ValueError):
    """A row that is wider or narrower than the first, or whose quotes do not close."""


@dataclass(frozen=True)
class Dialect:
    """One way to read lines as rows of cells."""

    sep: str
    quotechar: str
    escaped: bool  # whether a backslash takes its meaning from a quote or a separator
    spaced: bool  # whether a space follows each separator
    lenient: bool = False  # whether bad rows are skipped

    def rows(self, lines):
        """Yield of each row its cells, whether one holds what look like whole rows (a quote that is none), and its first line.

        Where bad rows are skipped, a line whose quotes do not close is a row without cells, and reading goes on after it.
        """
        lines, again, first, markdown = iter(lines), deque(), 1, False
        while True:
            seen = []  # lines since the last row
            try:
                for cells in self._cells(_remembered(again, lines, seen)):
                    inner = len(seen) > 1 and len(cells) > 1
                    swallowed = inner and all(self._is_row(line, len(cells)) for line in seen)
                    if self.sep == "|" and "--" in (drawn := "".join(cells)) and not drawn.strip("-: "):
                        markdown = True  # this is the rule below its names
                    elif cells and (len(cells) > 1 or cells[0].strip()):  # an empty line is no row
                        yield list(map(str.strip, cells)) if markdown else cells, swallowed, first
                    first += len(seen)
                    seen.clear()
                return
            except csv.Error:
                if not self.lenient:
                    raise
                yield [], False, first
                again.extendleft(reversed(seen[1:]))
                first += 1

    def _cells(self, lines):
        reader = csv.reader(
            map(_escaped, lines) if self.escaped else lines,
            delimiter=self.sep,
            quotechar=self.quotechar or None,
            quoting=csv.QUOTE_MINIMAL if self.quotechar else csv.QUOTE_NONE,
            escapechar="\\" if self.escaped else None,
            skipinitialspace=self.spaced,
            strict=True,
        )
        with _unlimited_cells():
            yield from reader

    def _is_row(self, line, width):
        """Tell whether a line alone would be a row, each of its cells more than a quote."""
        cells = line.split(self.sep)
        return len(cells) == width and all(cell.strip().strip(self.quotechar) for cell in cells)


def _remembered(again, lines, seen):
    """Yield lines, first those to be read again, and append each to those seen."""
    while (line := again.popleft() if again else next(lines, None)) is not None:
        seen.append(line)
        yield line


def _escaped(line):
    """Double the backslashes that escape nothing, lest Python's reader take them away."""
    if "\\" not in line:
        return line
    return re.sub(rf"{ESCAPES}(.)|\\", lambda match: match[0] if match[1] else "\\\\", line, flags=re.DOTALL)


@contextmanager
def _unlimited_cells():
    """Let cells be longer than the 131,072 characters that Python's reader allows."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@dataclass(frozen=True)
class Layout:
    """A candidate: dialect, first rows, whether all of these could be read, and whether the first of them holds names."""

    dialect: Dialect
    rows: list
    read: bool
    headed: bool

    @property
    def columns(self):
        """The names of the columns, or their numbers."""
        return [name.strip() for name in self.rows[0]] if self.headed else list(range(self.width))

    @property
    def width(self):
        """The number of cells of the first row."""
        return len(self.rows[0])

    @property
    def of_full_width(self):
        """The rows that are as wide as the first."""
        return [row for row in map(self.fitted, self.rows) if len(row) == self.width]

    @property
    def rectangular(self):
        """Whether all rows (most, where bad ones are skipped) are as wide as the first, of two cells or of one by intent."""
        wide = self.width > 1 or self.dialect.sep == NOWHERE
        return self.read and wide and len(self.of_full_width) > (len(self.rows) - 1) * (0.5 if self.dialect.lenient else 1)

    def fitted(self, cells):
        """Return a row as wide as the first, where empty cells at its end are too many, or cells without a name are missing."""
        if len(cells) >= self.width:
            return cells if any(cells[self.width :]) else cells[: self.width]
        missing = self.columns[len(cells) :]
        return cells + [""] * len(missing) if cells and set(missing) == {""} else cells

    def cells(self, lines, columns, name):
        """Return the cells of each column that is asked for, whether one may have swallowed rows, and which rows are bad."""
        wanted, number, doubtful, bad = [[] for _ in columns], -self.headed, False, []
        after = " (without the header)" if self.headed else ""
        try:
            for cells, swallowed, line in tqdm(self.dialect.rows(lines), desc=f"Reading {name}", unit="row", delay=2):
                number += 1
                if len(cells := self.fitted(cells)) != self.width:
                    size = f"{len(cells)} cell{'' if len(cells) == 1 else 's'} where the first has {self.width}"
                    if self.dialect.lenient:
                        bad.append((line, size if cells else "a quote that is not closed"))
                        continue
                    remedy = f"a text that holds the separator {self.dialect.sep!r} needs quotes"
                    raise BadRowError(f"row {number}{after} has {size}; {remedy}{SKIP}")
                doubtful |= swallowed
                if number:
                    for column, values in zip(columns, wanted):
                        values.append(cells[column])
        except csv.Error as error:
            fault = f"has a quote that is not closed, or stands in a cell without being doubled ({error})"
            raise BadRowError(f"row {number + 1}{after} {fault}{SKIP}") from error
        return wanted, doubtful, bad


def layouts(sample, goes_on, written, separators, wanted):
    """Return the candidates that read the sample as a rectangle, the likeliest first, or the likeliest one if none does.

    ``goes_on`` says that the file does, ``separators`` which are tried and in which order, ``wanted`` which columns are.
    """
    candidates = []
    for sep in written.sep or separators:
        if sep == ";" and written.sep is None and sep not in html.unescape(sample[0]):  # those of &amp; and its like are none
            continue
        for dialect in _dialects(sep, written, sample):
            rows, read = _first_rows(dialect, sample, goes_on)
            if rows and rows[0] and not _wrapped(rows):
                candidates.append(Layout(dialect, rows, read, _has_header(rows, written, wanted)))
    if separators != NOWHERE and all(layout.width == 1 for layout in candidates):
        return layouts(sample, goes_on, replace(written, sep=None), NOWHERE, wanted)
    known = lambda layout: layout.headed * wanted.known(layout.columns)
    rectangles = [layout for layout in candidates if layout.rectangular]
    if not rectangles:
        return sorted(candidates, key=lambda layout: (-known(layout), -layout.width))[:1]
    most = max(map(known, rectangles))
    likeliest = [layout for layout in rectangles if known(layout) == most]
    return sorted(likeliest, key=lambda layout: len(layout.rows) - len(layout.of_full_width))


def _dialects(sep, written, lines):
    """Yield the dialects of a separator, the likeliest first."""
    first, sample = lines[0], "".join(lines)
    spaced = sep != " " and sep in first.strip() and first.count(sep) == first.count(sep + " ")
    quotes = ["'", '"', ""] if _single_quotes(sep, sample) else ['"', ""]
    for quote in quotes if written.quotechar is None else [written.quotechar]:
        if "\\" + (quote or sep) in sample:  # first: doubled quotes after a backslash do not close in this reading
            yield Dialect(sep, quote, True, spaced, written.skip_bad_rows)
        yield Dialect(sep, quote, False, spaced, written.skip_bad_rows)


def _single_quotes(sep, sample):
    """Tell whether apostrophes enclose cells, one of which needs it: else they are a part of the text."""
    inside = r"(?:[^'\\]|''|\\.)*"
    edge = rf"[{re.escape(sep)}\r\n]"
    cells = re.findall(rf"(?:^|(?<={edge}))\s?'({inside})'(?={edge}|$)", sample)
    of_quoted = rf"'{inside}'(?:{re.escape(sep)}\s?'{inside}')*"
    needed = any(sep in cell or "'" in cell or "\n" in cell for cell in cells)
    return needed or re.fullmatch(of_quoted, sample.split("\n", 1)[0].strip()) is not None


def _first_rows(dialect, sample, goes_on):
    """Return the rows of the sample up to the first that cannot be read, and whether that is its end."""
    rows = []
    try:
        rows.extend(cells for cells, _, _ in dialect.rows(sample))
    except csv.Error:
        return rows, goes_on and sum(len(cell) for row in rows for cell in row) > sum(map(len, sample)) / 2
    return rows, True


def _wrapped(rows):
    """Tell whether quotes stand around each row as a whole, and so are no part of its cells."""
    return all(len(row) > 1 and row[0][:1] == row[-1][-1:] == '"' != row[0][-1:] for row in rows)


def _has_header(rows, written, wanted):
    """Tell whether the first row holds names: known ones, or words that are no numbers and do not recur below."""
    if written.header is not None:
        return written.header
    names = [name.strip() for name in rows[0]]
    if wanted.known(names) or Wanted().known(names):
        return True
    asked = (wanted.text, wanted.label if wanted.label_is_named else None)
    if any(isinstance(column, str) for column in asked):
        return True
    below = [(name, [row[number] for row in rows[1:] if number < len(row)]) for number, name in enumerate(names) if name]
    if any(re.fullmatch(NUMBER, name) or name in map(str.strip, cells) for name, cells in below):
        return False
    if all(names) and asked == (None, None):
        return True
    of_classes = any(1 < len(set(cells)) <= min(MOST_CLASSES, len(cells) / 2) for _, cells in below)
    return of_classes and all(re.fullmatch(NAME, name) for name, _ in below)


def whole(candidates, opened, skipped, wanted, path):
    """Return the wanted columns' cells, these, the layout and bad rows, by the first candidate that reads all, or else most."""
    error, found = None, []
    for layout in candidates:
        try:
            columns = wanted.among(layout.columns, path, layout.of_full_width[layout.headed :], layout.headed)
            numbers = [layout.columns.index(column) for column in columns if column is not None]
            with opened() as lines:
                cells, swallowed, bad = layout.cells(islice(lines, skipped, None), numbers, path.name)
        except (BadRowError, DataError) as reason:
            error = error or reason
            continue
        found.append((cells, columns, layout, [(skipped + line, why) for line, why in bad]))
        if not swallowed and not bad:
            return found[-1]
    if not found:
        raise error
    return min(found, key=lambda one: len(one[-1]))
