"""Which column holds the texts and which the labels: named, or found where only one can be meant."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass

from .checks import first_few, shortened
from .reviews import DataError, tell

TEXTS = frozenset(
    "text texts review reviews reviewtext reviewbody sentence sentences phrase content comment comments commenttext tweet "
    "tweettext message body utterance document sms post article".split()
)
LABELS = frozenset(
    "label labels class classes category sentiment polarity stars star rating ratings starrating overall target score intent "
    "emotion topic labeltext".split()
)
FOUND = "auto"  # the label column that is looked for
MOST_CLASSES = 20  # more different labels than this are probably not labels, unless somebody names their column


@dataclass(frozen=True)
class Wanted:
    """The columns somebody asks for: a name, a number where there are no names; None for any text, and for no label."""

    text: str | int | None = None
    label: str | int | None = FOUND

    @property
    def labelled(self):
        """Whether labels are wanted at all."""
        return self.label is not None

    @property
    def label_is_named(self):
        """Whether somebody says which column holds the labels."""
        return self.label not in (None, FOUND)

    def known(self, names):
        """Return how many of the two columns, of texts and of labels, some of these names could be meant for."""
        unquoted = [name for name in names if not str(name).startswith(("'", '"'))]
        texts = {self.text} if self.text is not None else TEXTS
        labels = {self.label} if self.label_is_named else LABELS if self.labelled else set()
        return sum(any(name in known or plain(name) in known for name in unquoted) for known in (texts, labels))

    def chosen(self, names, source, title):
        """Return the one or two columns that are wanted, and say, in a line that begins with a title, which were found."""
        columns = self.among(names, source)
        self.announce(title, columns)
        return [column for column in columns if column is not None]

    def among(self, columns, source, rows=(), headed=True):
        """Return the columns of texts and of labels (None for none); where no name says which, the first ``rows`` decide."""
        columns = list(columns)
        text, label = (_by_number(column, columns) for column in (self.text, self.label))
        unnamed = text is None and rows and not Wanted(label=FOUND if label == FOUND else None).known(columns)
        if unnamed or (not headed and (text is None or label == FOUND)):
            with suppress(DataError) if headed else nullcontext():
                text, label = (_by_number(column, columns) for column in self._by_contents(rows, source, headed))
        if text is None:
            text = _named(columns, "text", TEXTS, source, "")
        if label == FOUND:
            label = _named(columns, "label", LABELS, source, ", or label=None for texts without labels")
        for column in (text, label):
            if column is not None and columns.count(column) != 1:
                there = "is no column" if column not in columns else f"are {columns.count(column)} columns"
                hint = "" if headed else "; without column names, give their numbers"
                raise DataError(f"{source}: there {there} {shortened(column)}; it has {_listed(columns)}{hint}")
        if text == label:
            raise DataError(f"{source}: text and label are both {text!r}; name two columns, or give label=None")
        return text, label

    def _by_contents(self, rows, source, headed):
        """Return the column that holds most characters, and the one other column with a few values that recur.

        Where columns have names, which say nothing, all has to be clearer.
        """
        columns = list(zip(*rows))
        text = self.text
        if text is None:
            free = [column for column in range(len(columns)) if column != self.label]
            text = max(free, key=lambda column: sum(map(len, columns[column])))
        rest = sum(len(cell) for column in columns if column is not columns[text] for cell in column)
        unclear = headed and not 0 < rest < sum(map(len, columns[text]))
        if self.label != FOUND and not unclear:
            return text, self.label
        others = [column for column in range(len(columns)) if column != text]
        others = [column for column in others if 2 * sum(map(bool, columns[column])) > len(rows)] or others
        most = min(MOST_CLASSES, len(rows) // 2 if headed else len(rows) - 1)
        few = [column for column in others if 1 < len(set(columns[column])) <= most]
        labels = others if len(others) == 1 and not headed else few
        if len(labels) != 1 or unclear:
            remedy = f"give its number as label= (0 to {len(columns) - 1}), or label=None for texts without labels"
            reason = f"its {len(columns)} columns have no names, and it is not clear which one holds the labels"
            raise DataError(f"{source}: {reason}; {remedy}")
        return text, labels[0]

    def announce(self, title, columns, headed=True):
        """Say which columns were found, where nobody named them and they are not called text and label."""
        text, label = columns
        guessed = [("text", text)] if self.text is None else []
        guessed += [("label", label)] if self.label == FOUND else []
        if any(plain(column) != kind for kind, column in guessed):
            origins = " and ".join(f"{kind}s from column {column!r}" for kind, column in guessed)
            tell(f"{title}: {'' if headed else 'no column names; '}{origins}")


def _by_number(column, columns):
    """Return the name of a column that is given by its number."""
    numbered = isinstance(column, int) and not isinstance(column, bool) and column not in columns and 0 <= column < len(columns)
    return columns[column] if numbered else column


def plain(name):
    """Return the letters of a column's name, as "Review_Text" and "reviewText" share them."""
    return "".join(filter(str.isalnum, str(name))).casefold()


def _named(columns, kind, known, source, otherwise):
    """Return the one column whose name says that it holds what is looked for: "text" and "label" before all others."""
    named = [column for column in columns if plain(column) == kind] or [column for column in columns if plain(column) in known]
    if len(named) != 1:
        reason = f"{len(named)} columns could hold the {kind}s" if named else f"it is not clear which column holds the {kind}s"
        raise DataError(f"{source}: {reason}; name it as {kind}=...{otherwise}; it has {_listed(columns)}")
    return named[0]


def _listed(columns):
    return first_few((shortened(column, 40) for column in columns), 20) or "none"
