"""Whether a notebook's new results say the same as its stored ones, whatever processor they were made on.

Words, integers and the order of lines have to be the same. Decimals and percentages may differ by one unit of the last printed
digit, because two processors round differently, and rows of a table whose sort key ties may stand in any order. Pictures,
addresses and times are not compared.
"""

import math
import re
from html.parser import HTMLParser

CLAIM = "application/vnd.tokensel-nb.claim+json"
PICTURES = ("image/", "application/vnd.jupyter.widget-view")
VARYING = {
    r"0x[0-9a-fA-F]{6,}": "ADDRESS",
    r"(?<![\w.,])\d+(\.\d+)? ?(s|ms|µs)\b": "DURATION",
}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# A sign belongs to a number unless a word stands before it: "0.3-0.5" is a range. Versions and names such as x2 are words.
NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>(?<!\w)[-+−])?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<decimals>\.\d+)?"
    r"(?:[eE](?P<e>[-+]?\d+)| ?× ?10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?P<percent> ?%)?(?!\w|\.\d)"
)


class Number:
    """A number as it is printed; ``unit`` is what its last digit counts, and 0 for an integer."""

    def __init__(self, match):
        whole, decimals = match["digits"].replace(",", ""), match["decimals"] or ""
        exponent = int(match["e"] or (match["power"] or "0").translate(SUPERSCRIPTS))
        self.value = float(f"{whole}{decimals}e{exponent}") * (-1 if match["sign"] in ("-", "−") else 1)
        rounded = decimals or match["e"] or match["power"] or match["percent"]
        self.unit = 10.0 ** (exponent - max(len(decimals) - 1, 0)) if rounded else 0.0
        self.percent = bool(match["percent"])

    def near(self, other):
        """Whether two numbers are one, to a unit of the last digit of the one that has fewer."""
        unit = max(self.unit, other.unit)
        return self.percent == other.percent and abs(self.value - other.value) <= unit * (1 + 1e-9)


def parts(line):
    """Return the words of a line, and its numbers."""
    words = " ".join(NUMBER.sub(" # ", line).split())
    return words, [Number(match) for match in NUMBER.finditer(line)]


def same_line(one, other):
    """Whether two lines have the same words, and the same numbers to rounding."""
    (words, numbers), (others, found) = parts(one), parts(other)
    return words == others and len(numbers) == len(found) and all(a.near(b) for a, b in zip(numbers, found))


def keys(stored, new):
    """Return the columns of numbers by which both tables may be sorted: monotone, and not all the same."""
    columns = [list(zip(*([number.value for number in parts(line)[1]] for line in lines))) for lines in (stored, new)]
    return [k for k, pair in enumerate(zip(*columns)) if all(monotone(column) for column in pair)]


def monotone(column):
    """Whether a column rises or falls, apart from ties."""
    return len(set(column)) > 1 and sorted(column) in (list(column), list(column[::-1]))


def reordered(stored, new):
    """Whether rows are the same but for the order of some that tie."""
    columns, left = keys(stored, new), list(range(len(stored)))
    for place, line in enumerate(new):
        at = parts(stored[place])[1]
        for i in left:
            tied = i == place or any(at[k].near(parts(stored[i])[1][k]) for k in columns)
            if tied and same_line(stored[i], line):
                left.remove(i)
                break
        else:
            return False
    return True


def blocks(lines):
    """Return how many lines in a row hold equally many numbers, block by block: a table's rows do."""
    counts = [len(parts(line)[1]) for line in lines]
    starts = [i for i in range(len(lines)) if i == 0 or counts[i] != counts[i - 1]]
    return list(zip(starts, [*starts[1:], len(lines)]))


def difference(stored, new):
    """Return in words how two texts differ, or None."""
    stored, new = ([line.strip() for line in lines_of(text) if line.strip()] for text in (stored, new))
    if len(stored) != len(new):
        return f"{len(stored)} lines are stored, {len(new)} were printed"
    for start, stop in blocks(stored):
        wrong = [i for i in range(start, stop) if not same_line(stored[i], new[i])]
        rows = stored[start:stop], new[start:stop]
        if wrong and not (len({len(parts(line)[1]) for part in rows for line in part}) == 1 and reordered(*rows)):
            return f"stored: {stored[wrong[0]]}\nnow:    {new[wrong[0]]}"
    return None


def lines_of(text):
    """Return the lines of a text without what varies from run to run."""
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text.splitlines()


class Shown(HTMLParser):
    """What a reader sees of HTML, or hears: a line for every row of a table, and for every other piece of text."""

    SILENT = ("style", "script", "svg")

    def __init__(self, html):
        super().__init__()
        self.text, self.silent, self.row = "", 0, False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.silent += tag in self.SILENT
        self.row |= tag == "tr"
        self.text += (" | " if tag in ("td", "th") else "") if self.row and tag != "tr" else "\n"
        self.text += "".join(f"\n{value}\n" for name, value in attributes if name in ("alt", "title", "aria-label"))

    def handle_endtag(self, tag):
        self.silent -= tag in self.SILENT
        self.row &= tag != "tr"
        self.text += "" if self.row else "\n"

    def handle_data(self, data):
        self.text += "" if self.silent else " ".join(data.split()) if self.row else data


def texts(outputs):
    """Return what a cell's outputs say, by kind and in order; a claim says what its line and its HTML do."""
    said = {}
    for output in outputs:
        data = output.get("data") or {output.get("name", "error"): output.get("text") or output.get("evalue", "")}
        for kind, text in [(CLAIM, data[CLAIM])] if CLAIM in data else data.items():
            if not kind.startswith(PICTURES):
                said.setdefault(kind, []).append(Shown(text).text if kind == "text/html" else text)
    return said


def claims_differ(stored, new):
    """Return how two rows of claims differ, or None: the number by one unit of its digits, all else not at all."""
    pair = stored.get("value"), new.get("value")
    if stored | {"value": pair[1]} == new and (pair[0] == pair[1] or same_decimal(*pair, stored["digits"])):
        return None
    return f"stored: {stored}\nnow:    {new}"


def same_decimal(a, b, digits):
    """Whether two decimals are one, to a unit of the last of some significant digits."""
    if not (isinstance(a, float) and isinstance(b, float)):
        return False
    unit = 10.0 ** (math.floor(math.log10(max(abs(a), abs(b)))) + 1 - digits)
    return abs(a - b) <= unit * (1 + 1e-9)


def differences(stored, new):
    """Yield how the outputs of a cell differ from the stored ones."""
    stored, new = texts(stored), texts(new)
    for kind in sorted(stored.keys() | new.keys()):
        pair = stored.get(kind, []), new.get(kind, [])
        if len(pair[0]) != len(pair[1]):
            yield f"{kind}: {len(pair[0])} outputs are stored, {len(pair[1])} were found"
            continue
        compare = claims_differ if kind == CLAIM else difference
        yield from (f"{kind}\n{found}" for found in map(compare, *pair) if found)
