"""Why a text gets its verdict: the logit as a sum over its words, and what would change the verdict most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .checks import first_few
from .html import render
from .objective import shares

if TYPE_CHECKING:
    from .classifier import TextClassifier

READ = 4_000_000  # characters that are read anew to find what would change a verdict: a third of a second


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
    >>> found = tr.explain(model, "A good, long film")
    >>> found.verdict, found.words.tolist()
    ('up', ['a', 'film', 'good', 'long', 'a good', '<cls>'])
    >>> bool(abs(found.contributions.sum() - model.logits(["A good, long film"])[0]) < 1e-12)
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
        How often each occurs, as the model weighs counts.
    spans : list of (int, int, int)
        For each place in the text: first character, the one after the last, and which of the m words is there.

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
        """How often each occurs in the text, ndarray of int64, shape (m,); <cls> once."""
        found = np.bincount([place for _, _, place in self.spans], minlength=len(self.columns))
        return np.where(self.columns == len(self.model.vocabulary_), 1, found)

    @cached_property
    def attention(self):
        """The attention of <cls> to all occurrences of each, ndarray of float64, shape (m,), with the sum 1."""
        return shares(self.counts, self.model.scores_[self.columns])

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
        return self.model.classes_.tolist()[self._verdicts(self.logit)]

    def without(self, word):
        """Return the logit of the text without a word, and without the n-grams that contain it.

        Parameters
        ----------
        word : str
            One of `words`.

        Returns
        -------
        float, or ndarray of shape (K,)

        Raises
        ------
        KeyError
            If the word isn't in the text.

        Examples
        --------
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
        >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
        >>> found = tr.explain(model, "A good, long film")
        >>> bool(found.without("good") < 0 < found.logit < found.without("long"))
        True
        """
        place = {word: place for place, word in enumerate(self.words[:-1])}.get(word)
        if place is None:
            raise KeyError(f"{word!r:.60} is not one of the {len(self.columns) - 1} known words of this text")
        return self.model.logits([self._replaced(place)])[0]

    def table(self, of=None) -> pd.DataFrame:
        """Return a table of words with occurrences, attention, value and contribution, the largest contribution first.

        Parameters
        ----------
        of : class, optional
            For K > 2 classes the class whose logit is shown, by default the likeliest. Two classes have one logit, the
            second's.

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
        values, contributions = self._of_class(self.values, of), self._of_class(self.contributions, of)
        columns = dict(word=self.words, occurrences=self.occurrences, attention=self.attention)
        table = pd.DataFrame(columns | dict(value=values, contribution=contributions))
        return table.iloc[np.argsort(-np.abs(contributions), kind="stable")].reset_index(drop=True)

    def changes(self, most=5) -> pd.DataFrame:
        """Return the words that turn the verdict most if they are left out, or exchanged for another word.

        A lead says by how much, in log-odds, the verdict's class is ahead of the next. If it is negative, another class has
        won. All leads are the model's answers to the changed text.

        Parameters
        ----------
        most : int or None
            How many words; None for all. N-grams aren't left out by themselves. In a text of thousands of words only the most
            promising ones are tried, by their terms of the sum, unless you want all.

        Returns
        -------
        pandas.DataFrame
            word, lead, verdict: without the word; instead, new lead, new verdict: with another in its place. The first row
            is the best single word to leave out; where its verdict is the old one, no single word turns it. "instead" is
            the word that leaves the smallest lead, of all single words of the vocabulary, n-grams that it would form
            left aside.

        Examples
        --------
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
        >>> model = tr.TextClassifier(random_state=0).fit(texts, ["up", "up", "down", "down"] * 10)
        >>> tr.explain(model, "A good, long film").changes(most=1)[["word", "verdict", "instead", "new verdict"]].values
        array([['good', 'down', 'bad', 'down']], dtype=object)
        """
        single = self._worth_trying(most)
        logits = self._logits([self._replaced(place) for place in single])
        order = np.argsort(self._leads(logits), kind="stable")[:most]
        chosen, logits = single[order], logits[order]
        instead = [self._best_instead(place) for place in chosen]
        exchanged = self._logits([self._replaced(place, word) for place, word in zip(chosen, instead)])
        data = dict(word=self.words[chosen], lead=self._leads(logits), verdict=self._names(logits), instead=instead)
        return pd.DataFrame(data | {"new lead": self._leads(exchanged), "new verdict": self._names(exchanged)})

    def __repr__(self):
        """Name the verdict and how many words it rests on."""
        return f"Explanation({self.verdict}, lead {self._leads(self.logit):.2f}, {len(self.columns) - 1} known words)"

    def __str__(self):
        """Tell the verdict, the ten largest contributions, and what would change it."""
        table = self.table().head(10).to_string(index=False, float_format="{:.3f}".format)
        return f"{self._summary()}\n\n{table}\n\n{self._advice()}"

    def html(self, *, terms=True) -> str:
        """Return the text with its words shaded, as HTML that runs nothing.

        Parameters
        ----------
        terms : bool
            Whether a table of all terms of the sum follows, folded.

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
            shown_class=self._shown_class,
            advice=self._advice(),
            table=self.table() if terms else None,
        )

    def _repr_html_(self):
        return self.html()

    def _logits(self, texts):
        return self.model.logits(texts) if texts else np.empty((0, *np.shape(self.logit)))

    def _worth_trying(self, most):
        """Return the places of single words to leave out, of a long text those without whose terms the lead is the least."""
        words = self.words[:-1].tolist()
        single = np.array([i for i, word in enumerate(words) if " " not in word], int)
        number = len(words) if most is None else max(most, READ // max(len(self.text), 1))
        if len(single) <= number:
            return single
        place = {words[i]: i for i in single}
        held = np.array([(place[part], i) for i, word in enumerate(words) for part in {*word.split(" ")} if part in place])
        terms = np.column_stack([self.attention, self.contributions])
        gone = np.zeros_like(terms)
        np.add.at(gone, held[:, 0], terms[held[:, 1]])  # of the word, and of the n-grams that hold it
        rest = ((np.atleast_1d(self.logit) - gone[:, 1:]) / np.maximum(1 - gone[:, :1], 1e-9))[single]
        return single[np.argsort(self._leads(rest if self._many else rest[:, 0]), kind="stable")[:number]]

    def _replaced(self, place, word=""):
        """Return the text with a word cut out, or another in its places."""
        pieces, last = [], 0
        for start, end, other in self.spans:
            if other == place and start >= last:
                pieces += [self.text[last:start], word]
                last = end
        return "".join([*pieces, self.text[last:]])

    def _best_instead(self, place):
        """Return the single word that leaves the smallest lead in the place of another.

        With the total weight Z' and the logit f' of the rest, a word s of weight w_s makes the logit f' + q (γ_s - f'),
        where q = w_s / (Z' + w_s).
        """
        counts = self.model.read([self._replaced(place)]).counts
        scores, of_rest, values = self.model.scores_[:-1], self.model.scores_[counts.indices], self.model.values_[:-1]
        rest = shares(counts.data, of_rest) @ self.model.values_[counts.indices]
        shift = np.maximum(scores, of_rest.max())  # of each candidate: the largest score beside it or its own
        weights = self.counts[place] * np.exp(scores - shift)
        totals = (counts.data * np.exp(of_rest - of_rest.max())).sum() * np.exp(of_rest.max() - shift)
        leads = self._leads(rest + (weights / (totals + weights) * (values - rest).T).T)
        others = self._single & (np.arange(len(leads)) != self.columns[place])
        return self.model.vocabulary_[np.where(others, leads, np.inf).argmin()]

    @cached_property
    def _single(self):
        """Which entries of the vocabulary are one word, not an n-gram."""
        return np.array([" " not in word for word in self.model.vocabulary_])

    def _verdicts(self, logits):
        return np.asarray(logits).argmax(axis=-1) if self._many else np.asarray(logits > 0, int)

    def _names(self, logits):
        return self.model.classes_[self._verdicts(logits)]

    def _leads(self, logits):
        """Return by how much the verdict's class leads the next."""
        chosen = self._verdicts(self.logit)
        if not self._many:
            return logits if chosen else -logits
        return logits[..., chosen] - np.delete(logits, chosen, axis=-1).max(axis=-1)

    @property
    def _many(self):
        return self.model.values_.ndim == 2

    @property
    def _shown_class(self):
        return self.verdict if self._many else self.model.classes_[1]

    def _of_class(self, numbers, of):
        """Return the column of a class, by default of the likeliest one."""
        classes = self.model.classes_.tolist()
        if of is not None and not (np.isscalar(of) and of in classes):
            raise ValueError(f"of is {of!r:.80}; the classes are {first_few(classes, 20)}")
        if not self._many:
            return numbers
        return numbers[:, self._verdicts(self.logit) if of is None else classes.index(of)]

    def _summary(self):
        shown = self._of_class(np.atleast_1d(self.logit)[None], None).item()
        terms = f"{len(self.columns) - 1} known words and n-grams, and <cls>"
        return (
            f"{self.verdict}: it leads by {self._leads(self.logit):.2f} (log-odds). "
            f"The logit of {self._shown_class}, {shown:+.3f}, is the sum over {terms}."
        )

    def _advice(self):
        """Say in words what the first row of `changes` says."""
        if len(self.columns) == 1:
            return "The model knows no word of this text: it judges it as an empty one."
        word, _, verdict, instead, _, new_verdict = self.changes(1).iloc[0]
        turned = verdict != self.verdict
        left_out = f"Without “{word}” the verdict is {verdict}" + ("." if turned else ": no single word turns it.")
        return f"{left_out} With “{instead}” in its place it is {new_verdict}."

    def _stretches(self):
        """Return the text cut at all ends of words: each stretch with the terms that cover it, and its shade, from -1 to 1."""
        each = self._of_class(self.contributions, None) / np.maximum(self.occurrences, 1)
        edges = sorted({0, len(self.text), *(at for span in self.spans for at in span[:2])})
        place_of = {edge: i for i, edge in enumerate(edges)}
        covering = {start: [] for start in edges}
        for start, end, place in self.spans:
            for edge in edges[place_of[start] : place_of[end]]:
                covering[edge].append(place)
        shades = {start: each[places].sum() for start, places in covering.items()}
        top = max(map(abs, shades.values()), default=0) or 1
        titles = {start: [f"{self.words[place]} {each[place]:+.3f}" for place in covering[start]] for start in edges}
        return [(self.text[start:end], "; ".join(titles[start]), shades[start] / top) for start, end in pairwise(edges)]
