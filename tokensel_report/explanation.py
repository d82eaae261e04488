"""Why a text gets its verdict: the logit as a sum over its words, and the words that would change the verdict most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import softmax

from .classifier import TextClassifier
from .html import render

READ = 4_000_000  # characters that `changes` reads again, at most: a third of a second


def explain(model: TextClassifier, text: str) -> Explanation:
    """Write the logit of a text as a sum over its words: attention times value, and nothing else.

    Parameters
    ----------
    model : TextClassifier
        Fitted.
    text : str

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import tokensel_report as tr
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
    >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
    >>> explanation = tr.explain(model, "A good, long film")
    >>> explanation.verdict, explanation.words.tolist()
    ('up', ['a', 'film', 'good', 'long', 'a good', '<cls>'])
    >>> bool(abs(explanation.contributions.sum() - model.logits(["A good, long film"])[0]) < 1e-12)
    True
    """
    counts = model.read([text]).counts
    columns, counts = counts.indices, counts.data.astype(float)
    place = {column: i for i, column in enumerate(columns.tolist())}
    spans = [(start, end, place[column]) for start, end, column in model.words(text) if column in place]
    return Explanation(model, text, columns, counts, spans)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The exact decomposition of a text's logit into m known words and n-grams, the last of which is <cls>.

    Printed, it is a small table; in Jupyter it is the text with shaded words. A character's shade is the sum over all words and
    n-grams that cover it. A word that occurs three times shows a third of its contribution at each place.

    Parameters
    ----------
    model : TextClassifier
    text : str
    columns : ndarray of int, shape (m,)
        The columns of the vocabulary that occur.
    counts : ndarray of float64, shape (m,)
        How often the m words occur, as the model weighs counts.
    spans : list of (int, int, int)
        For every place in the text: first character, the one after the last, and which of the m words is there.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> import tokensel_report as tr
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
    >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
    >>> tr.explain(model, "A good film").changes().word.iloc[0]
    'good'
    """

    model: TextClassifier
    text: str
    columns: np.ndarray
    counts: np.ndarray
    spans: list[tuple[int, int, int]]

    @cached_property
    def words(self):
        """The m words, ndarray of str; the last is <cls>."""
        return np.array([*self.model.vocabulary_, "<cls>"], dtype=object)[self.columns]

    @cached_property
    def occurrences(self):
        """How often the m words occur in the text, ndarray of int64, shape (m,); <cls> once."""
        occurrences = np.bincount([place for _, _, place in self.spans], minlength=len(self.columns))
        return np.where(self.columns == len(self.model.vocabulary_), 1, occurrences)

    @cached_property
    def attention(self):
        """The attention of <cls> to all occurrences of a word, ndarray of float64, shape (m,), with the sum 1."""
        return softmax(np.log(self.counts) + self.model.scores_[self.columns])

    @property
    def values(self):
        """The values γ_s = E_s·v, ndarray of float64, shape (m,), or (m, K) for K > 2 classes."""
        return self.model.values_[self.columns]

    @property
    def contributions(self):
        """Attention × value, in the shape of `values`; the sum over the words is the logit."""
        return (self.attention * self.values.T).T

    @property
    def logit(self):
        """The logit f(X): the log-odds of the second class, float; for K > 2 classes ndarray of shape (K,)."""
        return self.attention @ self.values

    @property
    def verdict(self):
        """The likeliest class."""
        return self.model.classes_.tolist()[self._by_class(self.logit).argmax()]

    def table(self) -> pd.DataFrame:
        """Return a table of words with occurrences, attention, value and contribution, the largest contribution first.

        Two classes have one logit, the second's; of more, the value and contribution are to the logit of the likeliest.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
        >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
        >>> tr.explain(model, "A good, long film").table().columns.tolist()
        ['word', 'occurrences', 'attention', 'value', 'contribution']
        """
        columns = dict(word=self.words, occurrences=self.occurrences, attention=self.attention)
        columns |= dict(value=self._shown(self.values), contribution=self._shown(self.contributions))
        return pd.DataFrame(columns).sort_values("contribution", key=np.abs, ascending=False, kind="stable", ignore_index=True)

    def changes(self, most=5) -> pd.DataFrame:
        """Return the words that change the verdict most if they are left out.

        The lead says by how much, in log-odds, the verdict's class is ahead of the next. A negative lead means that another
        class has won. All leads are the model's answers to the changed text.

        Parameters
        ----------
        most : int
            How many words. N-grams aren't left out by themselves. In a text of thousands of words only the most promising ones
            are tried, judged by their own terms of the sum.

        Returns
        -------
        pandas.DataFrame
            word, and lead and verdict without it. The first row is the best single word to leave out; if its verdict is the
            old one, no single word changes it.

        Examples
        --------
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
        >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
        >>> tr.explain(model, "A good, long film").changes(most=1)[["word", "verdict"]].values
        array([['good', 'down']], dtype=object)
        """
        single = self._worth_trying(max(most, READ // max(len(self.text), 1)))
        logits = self._logits([self._left_out(place) for place in single])
        order = np.argsort(self._leads(logits), kind="stable")[:most]
        chosen, logits = single[order], logits[order]
        return pd.DataFrame(dict(word=self.words[chosen], lead=self._leads(logits), verdict=self._names(logits)))

    def __repr__(self):
        """Name the verdict and how many words it rests on."""
        return f"Explanation({self.verdict}, lead {self._leads(self.logit):.2f}, {len(self.columns) - 1} known words)"

    def __str__(self):
        """Show the verdict, the ten largest contributions, and the word that would change the verdict most."""
        table = self.table().head(10).to_string(index=False, float_format="{:.3f}".format)
        return f"{self._summary()}\n\n{table}\n\n{self._advice()}"

    def html(self, *, terms=True) -> str:
        """Return the text with its words shaded, as HTML without scripts.

        Parameters
        ----------
        terms : bool
            Whether to add a folded table of all terms of the sum.

        Returns
        -------
        str

        Examples
        --------
        >>> import tokensel_report as tr
        >>> model = tr.TextClassifier().fit(["a good film", "a bad film"] * 9, ["up", "down"] * 9)
        >>> shown = tr.explain(model, "A <b>good</b> film").html(terms=False)
        >>> "&lt;b&gt;" in shown, "<table" in shown
        (True, False)
        """
        return render(
            "explanation",
            summary=self._summary(),
            stretches=self._stretches(),
            shown_class=self.model.classes_[self._shown_code],
            advice=self._advice(),
            table=self.table() if terms else None,
        )

    def _repr_html_(self):
        return self.html()

    def _logits(self, texts):
        return self.model.logits(texts) if texts else np.empty((0, *np.shape(self.logit)))

    def _worth_trying(self, number):
        """Return the places of the single words to leave out: those without whose own terms the lead is smallest."""
        rest = ((self.logit - self.contributions).T / np.maximum(1 - self.attention, 1e-9)).T
        order = np.argsort(self._leads(rest), kind="stable")
        return np.sort(order[self._single[self.columns[order]]][:number])

    def _left_out(self, place):
        """Return the text without a word."""
        pieces, last = [], 0
        for start, end, other in self.spans:
            if other == place and start >= last:
                pieces.append(self.text[last:start])
                last = end
        return "".join([*pieces, self.text[last:]])

    @cached_property
    def _single(self):
        """Which entries of the vocabulary are single words: neither n-grams nor <cls>."""
        return np.array([*(" " not in word for word in self.model.vocabulary_), False])

    def _by_class(self, logits):
        """Return a logit for every class; of two classes, the first one's is zero."""
        return logits if self.model.values_.ndim == 2 else np.stack([np.zeros_like(logits), logits], axis=-1)

    def _names(self, logits):
        return self.model.classes_[self._by_class(logits).argmax(axis=-1)]

    def _leads(self, logits):
        """Return by how much the verdict's class leads the next."""
        chosen, of_classes = self._by_class(self.logit).argmax(), self._by_class(logits)
        return of_classes[..., chosen] - np.delete(of_classes, chosen, axis=-1).max(axis=-1)

    @property
    def _shown_code(self):
        """The class that is shown: the second of two, the likeliest of more."""
        return 1 if self.model.values_.ndim == 1 else self.logit.argmax()

    def _shown(self, numbers):
        return self._by_class(numbers)[..., self._shown_code]

    def _summary(self):
        terms = f"{len(self.columns) - 1} known words and n-grams, and <cls>"
        return (
            f"{self.verdict}: it leads by {self._leads(self.logit):.2f} (log-odds). "
            f"The logit of {self.model.classes_[self._shown_code]}, {self._shown(self.logit):+.2f}, is the sum over {terms}."
        )

    def _advice(self):
        """Put the first row of `changes` into words."""
        if len(self.columns) == 1:
            return "The model knows no word of this text, so it judges it as an empty one."
        word, _, verdict = self.changes(1).iloc[0]
        end = "." if verdict != self.verdict else ": leaving out one word does not change it."
        return f"Without “{word}” the verdict is {verdict}{end}"

    def _stretches(self):
        """Return the text in stretches between ends of words, with the terms that cover them and shades from -1 to 1."""
        terms = self._shown(self.contributions) / np.maximum(self.occurrences, 1)
        edges = sorted({0, len(self.text), *(at for span in self.spans for at in span[:2])})
        place_of = {edge: i for i, edge in enumerate(edges)}
        covering = {start: [] for start in edges}
        for start, end, place in self.spans:
            for edge in edges[place_of[start] : place_of[end]]:
                covering[edge].append(place)
        shades = {start: terms[places].sum() for start, places in covering.items()}
        top = max(map(abs, shades.values()), default=0) or 1
        titles = {start: [f"{self.words[place]} {terms[place]:+.2f}" for place in covering[start]] for start in edges}
        return [(self.text[start:end], "; ".join(titles[start]), shades[start] / top) for start, end in pairwise(edges)]
