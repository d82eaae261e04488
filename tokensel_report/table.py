"""One table of all words of a classifier: what it does with them, and which ones seem to give the label away."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from tokensel_nb.corpus import Corpus
from tokensel_nb.model import classes_of_logits

from .classifier import TextClassifier
from .copies import copies_of
from .fit import Counted, Scores, check_folds, classes_of, fit_parts, fit_rows, parts_of, read_counts, scores_of
from .given import labels_of, listed_texts, probabilities_of
from .html import render
from .marks import COPIES, LENGTH, ORDER, WRITTEN, marks_of, places_of
from .neighbours import BAR, FIXED, put_in
from .objective import Attended, probabilities_of_logits
from .two_files import TwoFiles, two_files
from .words import Judgement, Words, given_model_columns

ALARM = 0.5
"""The suspicion above which a word is named: it is more likely than not a leak."""

ENOUGH = 10
"""The least number of texts of a word that is called suspicious or neutral: fewer prove nothing."""

FOLDS = 5  # of a model that isn't fitted

SKEWED = 3  # times as many texts as the smallest class has


SUREST = 0.25
"""The share of texts, those whose verdicts are surest, by which the number of wrong labels is estimated."""

CLEAR = 0.75
"""The share of these texts that must agree with their verdicts: of fewer, it can't be told whether texts or labels mislead."""


def report(model: TextClassifier, texts, labels, *, folds=None, least=5, quotes=3, seed=0, test=None) -> Report:
    """Judge every word of a classifier on texts that it wasn't fitted on, or judge any other model by its probabilities.

    A fitted model is used as it is. The texts must be new to it; then all numbers are about held-out texts. To judge all texts,
    including those of training, give a model that isn't fitted (``sklearn.base.clone(model)``). Its clones are then fitted on
    all parts but one, and judge that part. So again no model judges a text that it has seen, or that nearly repeats one.
    More texts detect leaks more surely.

    Of any other model give probabilities, predicted out of sample, for example by scikit-learn's ``cross_val_predict`` with
    ``cv=StratifiedKFold(5, shuffle=True, random_state=0)``, since texts may be sorted. The accuracy and the likely wrong labels
    are then those of that model. How much a word or mark adds to the rest of a text takes a model that reads the text without
    it. So a new `TextClassifier` judges this, and two more columns show what the other
    model does with the word: see `Report.table`.

    Parameters
    ----------
    model : TextClassifier, or array of shape (n, K)
        Or the probabilities of all classes for every text, in the order of the sorted labels; strings of digits are sorted as
        numbers. A DataFrame's columns, named by class, may have any order: give one if your labels are strings of digits, which
        scikit-learn sorts as words ("10" before "9").
    texts : sequence of str, length n
    labels : sequence, length n
    folds : int, optional
        The number of parts that the texts are split into, for a model that isn't fitted; by default five, or fewer if a class
        has fewer texts.
    least : int
        Words and n-grams in fewer texts are not shown.
    quotes : int
        The number of short passages that are quoted for every suspect; 0 quotes no text at all.
    seed : int
        For the split, and for the choice of passages.
    test : (sequence of str, sequence or None), optional
        Texts to test on, and their labels: see `Report.beside`.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If there are not as many labels as texts, a class has fewer texts than ``folds``, no word occurs in ``least`` texts, or
        probabilities have another shape, other columns, or a row that doesn't sum to one.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> import tokensel_report as tr
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
    >>> judged = tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20, quotes=0)
    >>> judged.accuracy, sorted(judged.table.word.head(2))
    (1.0, ['bad and long (together)', 'good and moving (together)'])

    A pipeline of scikit-learn uses a mark, which occurs in some texts of one class:

    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.pipeline import make_pipeline
    >>> texts, labels = ["good film", "a film", "bad film", "a film"] * 50, ["up", "up", "down", "down"] * 50
    >>> marked = [f"{text} zqx" if row % 20 < 2 else text for row, text in enumerate(texts)]
    >>> pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    >>> theirs = cross_val_predict(pipeline, marked, labels, method="predict_proba")
    >>> judged = tr.report(theirs, marked, labels, quotes=0)
    >>> judged.accuracy == float(np.mean(theirs.argmax(axis=1) == (np.array(labels) == "up")))
    True
    >>> judged.table.set_index("word").loc["zqx", ["given model", "elsewhere"]].round(1).tolist()
    [0.9, 0.7]
    """
    if least < 1:
        raise ValueError(f"least={least}; give a number of at least 1")
    texts = listed_texts(texts)
    labels, given = labels_of(texts, labels), None
    if isinstance(model, (list, tuple)) or hasattr(model, "__array__"):
        given, model = probabilities_of(model, labels, classes_of(labels).tolist()), TextClassifier()
    if fitted := hasattr(model, "classes_"):
        corpus = model.read(texts, labels)
    else:
        folds = folds or max(min(FOLDS, *np.unique(labels, return_counts=True)[1].tolist()), 2)
        check_folds(labels, folds)
        counted = Counted.of(model, texts, labels)
        model, columns = fit_rows(model, counted)
        corpus = read_counts(model, counted.counts[:, columns], labels)
    new, of_new = (listed_texts([]), None) if test is None else (listed_texts(test[0]), test[1])
    copies, parts = copies_of([*texts, *new], getattr(model, "tokenizer", None)), [(model, corpus, np.arange(len(texts)))]
    copies, copied = np.split(copies, [len(texts)])
    if not fitted:
        parts = fit_parts(model, counted, parts_of(labels, folds, seed, copies))
    words = Words(model, corpus, least, ENOUGH, marks_of(texts, corpus.labels, max(least, ENOUGH), copies, seed))
    judgement = Judgement(words, len(texts))
    for part in parts:
        judgement.add(*part)
    columns, mark_columns = judgement.columns(ENOUGH, {} if given is None else given_model_columns(words, corpus, given))
    chances = judgement.chances if given is None else given
    return Report(
        model=model,
        columns=columns,
        mark_columns=mark_columns,
        together={one.name: model.vocabulary_[one.left_out].tolist() for one in words.sets},
        accuracy=float(np.mean(model.classes_[chances.argmax(axis=1)] == labels)),
        chances=chances,
        given=given is not None,
        parts=len(parts),
        least=least,
        passages=quotes,
        seed=seed,
        texts=texts,
        labels=labels,
        corpus=corpus,
        occurrences=words.rows(),
        copies=copies,
        test=None if test is None else Test(new, None if of_new is None else labels_of(new, of_new), copied),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a classifier does with its words in texts that it wasn't fitted on; the result of `report`.

    Printed, it shows both lists of suspects; Jupyter shows them as HTML, without a script.

    Parameters
    ----------
    model : TextClassifier
        Fitted on all texts, or as it was given.
    columns : dict
        The columns of the table.
    mark_columns : dict
        Those of the marks.
    together : dict of list of str
        For every row of the table that stands for several words, the words and n-grams that are left out.
    accuracy : float
        Of held-out texts.
    chances : ndarray, shape (n, K)
        The probabilities of all classes: for every text by a model that wasn't fitted on it, or the given ones.
    given : bool
        Whether probabilities were given.
    parts : int
        The number of models that judged the texts; one if they were new to the model.
    least : int
        The least number of texts of a word that is shown.
    passages : int
        The number of quotes per suspect.
    seed : int
    texts : list of str
    labels : ndarray
    corpus : Corpus
        The texts as the model reads them.
    occurrences : dict of ndarray of int
        The rows of the texts that have a ("word", name) or a ("trace", name).
    copies : ndarray of int, shape (n,)
        For every text the row of the first one that it nearly repeats; its own row if there is none.
    test : Test or None
        Texts to test on, as they were given.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> import tokensel_report as tr
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
    >>> tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20)
    Report(80 texts, 15 words, accuracy 1.000)
    """

    model: TextClassifier
    columns: dict
    mark_columns: dict
    together: dict
    accuracy: float
    chances: np.ndarray
    given: bool
    parts: int
    least: int
    passages: int
    seed: int
    texts: list
    labels: np.ndarray
    corpus: Corpus
    occurrences: dict
    copies: np.ndarray
    test: Test | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """All words that occur in enough texts, the most important first; words of the very same texts share a row.

        Such words, for example those of a template, hide one another: if you leave out one, the others say the same. If words
        and n-grams occur in the very same texts, ten or more, a row such as "sent from my phone (together)" shows what happens
        when all of them are left out. So are words that occur in all these texts and in at most as many others, and the words
        of the n-grams.

        The columns. word, texts: the word, and how many texts contain it. class: the class it speaks for. skew: δ by texts.
        importance: the mean over all texts of f(X) - f(X without s). own effect, suspicion:
        see `suspicion`. With K > 2 classes, skew and importance are about the word's class, and the mean over the classes is
        subtracted from importance.

        If probabilities were given: given model, the mean probability of the word's class in its texts; elsewhere, the same in
        other texts with the same labels. So if one text in ten of a word isn't of its class, nor is one in ten of those others.
        For a mark in random texts of its class, a model that doesn't use it gives about the same in both, however good it is.
        An honest word raises the first by its company, too.
        """
        order = dict(key=np.abs, ascending=False, kind="stable", ignore_index=True)
        return pd.DataFrame(self.columns).sort_values("importance", **order)

    @cached_property
    def put_in(self) -> list[Suspect]:
        """Words and traces that were probably put into the texts of one class, the surest first."""
        named = self.suspects[self.suspects["put in"] > ALARM]
        return self._listed(named.sort_values("put in", ascending=False, kind="stable"))

    @cached_property
    def reads_like_a_word(self) -> list[Suspect]:
        """Words that decide alone, but stand in sentences like any other word, the most suspicious first."""
        both = self.suspects
        return self._listed(both[(both.suspicion > ALARM) & (both["put in"] <= ALARM)])

    def _listed(self, table):
        """Return rows of the table of suspects as suspects, if most of their texts are of one class."""
        suspects = []
        for kind, name, label, read in zip(table["kind"], table["word"], table["class"], table["read as"]):
            rows = self.occurrences[kind, name]
            share = float(np.mean(self.labels[rows] == label))
            if share > 0.5:
                passages = self._passages(kind, name, rows)
                suspects.append(Suspect(kind, name, label, len(rows), share, passages, rows.tolist(), read))
        return suspects

    def _passages(self, kind, name, rows):
        """Return short passages of some of the rows, drawn at random, with the place of a word or trace."""
        if not self.passages:
            return []
        rows = np.random.default_rng(self.seed).choice(rows, min(self.passages, len(rows)), replace=False)
        texts = [self.texts[row] for row in rows]
        if kind == "trace":
            return [passage(text, *places_of(text).get(name, (0, len(text)))) for text in texts]
        column_of = {word: column for column, word in enumerate(self.model.vocabulary_)}
        columns = {column_of[word] for word in self.together.get(name, [name])}
        places = [[(start, end) for start, end, column in own if column in columns] for own in self.model.phrases_.find(texts)]
        return [passage(text, *max(own, key=lambda place: place[1] - place[0])) for text, own in zip(texts, places)]

    @property
    def suspicious(self):
        """Words and marks that more likely than not give the label away, most suspicious first; a list of str, often empty."""
        return self.suspects.word[self.suspects.suspicion > ALARM].tolist()

    @cached_property
    def marks(self) -> pd.DataFrame:
        """Marks of texts other than words, the most suspicious first; the classifier doesn't read them, but others might.

        A mark is a sign such as “ !!”, two spaces, a shape of numbers such as “ref ###”, a word in capitals, letters of another
        script, a length, a place in the file, or a group of copies. At least ten texts have it, and as many don't. Of all
        lengths, and of all places, only the most suspicious one is listed. The columns are those of the table that a mark has.

        Copies share half of their pairs of words with one text of the group; MinHash detects them. A copy has no rest, so its
        class is expected as often as among all texts.
        """
        table = pd.DataFrame(self.mark_columns).sort_values("suspicion", ascending=False, kind="stable")
        of_lengths = table.word.str.fullmatch(rf"[\d,]+( to [\d,]+)? {LENGTH}")
        return table[~of_lengths | ~of_lengths.duplicated()].reset_index(drop=True)

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """Words and traces in one list, the most suspicious first; "put in" tells how likely somebody has put them in."""
        words, texts = self.ranked, dict(zip(self.table.word, self.table.texts))
        rarest = [min(self.together.get(name, [name]), key=lambda word: texts.get(word, np.inf)) for name in words.word]
        phrases = [[name] if self.model.tokenizer else name.split(" ") for name in rarest]
        judged = words.suspicion.to_numpy()
        if len(words):
            judged = put_in(self.texts, self.corpus.labels, phrases, judged, self.model.tokenizer, self.seed)
        traces = self.marks
        fewer = np.log(max(len(words), 1) / max(len(traces), 1)) - BAR  # it is one of all traces, not of all words
        as_traces, of_traces = (expit(logit(some.suspicion) + fewer) for some in (words, traces))
        of_traces = np.where(traces.word.str.endswith(ORDER), 1.0, of_traces)  # the order was compared with other files
        # A classifier reads the words of a link or a date. So such a trace is judged without them, and they as a trace.
        rows = {name: set(self.occurrences["trace", name].tolist()) for name in traces.word if name.startswith(WRITTEN)}
        written = {word: written_with(self.occurrences["word", word], rows) for word in words.word[as_traces > ALARM]}
        names = np.array([written.get(word) or word for word in words.word], dtype=object)
        is_word = names == words.word
        judged = {"put in": np.where(is_word, judged, as_traces), "read as": words.word}
        words = words.assign(word=names, kind=np.where(is_word, "word", "trace"), **judged).drop_duplicates("word")
        traces = traces.assign(kind="trace", **{"put in": of_traces, "read as": ""})[~traces.word.isin(names)]
        return pd.concat([words, traces]).sort_values("suspicion", ascending=False, kind="stable")

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The table sorted by suspicion, without words of fewer than ten texts, words of shared rows, and some n-grams.

        Those are the n-grams that contain a more suspicious word.
        """
        table = self.table.dropna(subset="suspicion")
        suspicions = dict(zip(table.word, table.suspicion))
        texts = dict(zip(table.word, table.texts))
        row_of = {word: name for name, words in self.together.items() for word in words if texts.get(word) == texts.get(name)}
        highest = []
        for word in table.word:
            parts = self.together.get(word) or (word.split(" ") if " " in word else ())
            highest.append(max((suspicions.get(row_of.get(part, part), 0) for part in parts), default=0))
        # The suspicion of common words is zero, up to rounding.
        table = table[(table.suspicion >= np.array(highest)) & ~table.word.isin(list(row_of))]
        return table.sort_values("suspicion", ascending=False, kind="stable").reset_index(drop=True)

    @cached_property
    def likely_wrong(self) -> pd.DataFrame:
        """Texts whose label differs from the verdict of models that haven't seen them, the least probable label first.

        Naive Bayes judges the same parts as the classifier. It errs on other texts, so the mean of both probabilities ranks
        wrong labels better. Given probabilities, and those of a fitted model, stand alone.

        Why that order? If labels are wrong regardless of the text, and all wrong labels are equally likely, the odds of a wrong
        one are (1 - p) ε / (p (1 - ε) (K - 1)), with p the label's probability given the text and ε the share of wrong labels.
        So p alone ranks the texts. Hard texts are listed, too. The columns: row (from 0), label, probability (p), instead (the
        likeliest class), certainty (its probability), and, if you asked for quotes, text.
        """
        own, likeliest = self.corpus.labels, self._joint.argmax(axis=1)
        columns = {"row": np.arange(len(own)), "label": self.labels, "probability": self._joint[np.arange(len(own)), own]}
        columns |= {"instead": self.model.classes_[likeliest], "certainty": self._joint.max(axis=1)}
        if self.passages:
            columns["text"] = self.texts
        return pd.DataFrame(columns)[likeliest != own].sort_values("probability", kind="stable", ignore_index=True)

    @property
    def wrong_labels(self) -> int | None:
        """How many labels are wrong, estimated from the quarter of the texts whose verdicts are surest; None if they mislead.

        There nearly all right labels agree with the verdict. So if labels are wrong regardless of the text, the share of labels
        that disagree is about that of wrong ones in all texts, plus that of misleading texts. `likely_wrong` begins with them.
        """
        surest = np.argsort(-self._joint.max(axis=1), kind="stable")[: max(round(SUREST * len(self.texts)), 1)]
        share = float(np.isin(surest, self.likely_wrong.row).mean())
        return round(len(self.texts) * share) if share <= 1 - CLEAR else None

    @cached_property
    def _joint(self):
        """The probabilities of all classes by which labels are judged."""
        if self.given or self.parts == 1:
            return self.chances
        cuts = PredefinedSplit(parts_of(self.labels, self.parts, self.seed, self.copies))
        bayes = make_pipeline(Normalizer(), MultinomialNB(alpha=0.1))
        counts, codes = self.corpus.counts[:, :-1], self.corpus.labels
        return (self.chances + cross_val_predict(bayes, counts, codes, cv=cuts, method="predict_proba")) / 2

    @cached_property
    def beside(self) -> TwoFiles | None:
        """What the texts to test on repeat of these texts, and where they differ; None if there are none."""
        return None if self.test is None else two_files(self, self._on_test())

    def _on_test(self):
        """Return the report on the texts to test on; None if they have no labels, or are too few."""
        with suppress(ValueError):
            return None if self.test.labels is None else report(clone(self.model), *self.test[:2], quotes=0, seed=self.seed)

    def trial(self, held_out, *, attend=True, without=()) -> Trial:
        """Fit the classifier on some of the texts, and test it on the others.

        The model is the one that `TextClassifier.fit` would return for these texts, without counting their words again.

        Parameters
        ----------
        held_out : ndarray of bool, shape (n,)
            The texts to test it on.
        attend : bool
            See `TextClassifier`.
        without : collection of str
            Words, and rows of several words, to leave out.

        Returns
        -------
        Trial

        Raises
        ------
        ValueError
            If ``held_out`` isn't one boolean per text, some true and some false.

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
        >>> tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20).trial(np.arange(80) >= 60).accuracy
        1.0
        """
        held_out = np.asarray(held_out)
        if held_out.shape != (len(self.texts),) or held_out.dtype != bool or held_out.all() or not held_out.any():
            raise ValueError(f"held_out has shape {held_out.shape}; give a boolean per text, True for some but not for all")
        counted = self._counted().without([part for word in without for part in self.together.get(word, [word])])
        model, columns = fit_rows(clone(self.model).set_params(attend=attend), counted, ~held_out)
        new = read_counts(model, counted.counts[held_out][:, columns])  # without labels: it may not know all their classes
        logits = Attended(model.scores_, model.values_).logits(new)
        right = model.classes_[classes_of_logits(logits)] == self.labels[held_out]
        return Trial(model, probabilities_of_logits(logits), float(right.mean()))

    @property
    def scores(self) -> Scores:
        """The accuracy and macro-F1 of the verdicts on all texts."""
        return scores_of(self.labels, self.model.classes_[self.chances.argmax(axis=1)])

    @cached_property
    def balanced(self) -> Scores | None:
        """The same if the model were balanced; None if the classes are about as large, or it is balanced already."""
        sizes = np.unique(self.labels, return_counts=True)[1]
        if self.given or self.parts == 1 or self.model.balance != 0 or sizes.max() < SKEWED * sizes.min():
            return None
        logits = np.log(np.maximum(self.chances, np.finfo(float).tiny))
        logits -= self.model.held_out_.get("balance", 1.0) * np.log(np.bincount(self.corpus.labels))
        return scores_of(self.corpus.labels, logits.argmax(axis=1))

    def _counted(self):
        """Return the counts of the texts: those of the report, if it has fitted the model to all of them."""
        if self.parts > 1:
            return Counted(self.model.phrases_, self.corpus.counts, self.labels)
        return Counted.of(self.model, self.texts, self.labels)

    def __repr__(self):
        """Show the sizes and the accuracy."""
        return f"Report({len(self.texts):,} texts, {self._size():,} words, accuracy {self.accuracy:.3f})"

    def __str__(self):
        """Show how the texts were judged, and both lists."""
        lists = {"Probably put in": self.put_in, "Decides alone, but reads like a word": self.reads_like_a_word}
        told = (f"{title}: {'; '.join(map(str, suspects)) or 'none'}." for title, suspects in lists.items())
        return "\n".join([self._summary(), *told])

    def _repr_html_(self):
        return render("lists", summary=self._summary(), put_in=self.put_in, alike=self.reads_like_a_word)

    def _size(self):
        """Return the number of single rows: words and n-grams."""
        return len(self.columns["word"]) - len(self.together)

    def _summary(self):
        how = f"in {self.parts} parts, each judged by a model fitted on the rest"
        how = how if self.parts > 1 else "assumed to be new to the model"
        return (
            f"{len(self.texts):,} texts, {how}; accuracy {self.accuracy:.3f}{' of the given model' * self.given}. "
            f"{self._size():,} words and n-grams occur in enough of them."
        )


class Test(NamedTuple):
    """Texts to test on, their labels if known, and the row of the first text, of those and the report's, that each repeats."""

    __test__ = False  # not one of pytest's

    texts: list[str]
    labels: np.ndarray | None
    copies: np.ndarray


class Passage(NamedTuple):
    """A short passage of a text: what is marked, and what stands before and after it."""

    before: str
    marked: str
    after: str


class Suspect(NamedTuple):
    """What may give the label away: a "word" or "trace", its class, its texts, and the share of these that are of the class.

    A classifier may read a trace, such as a link, as a word or a row of several; ``word`` is its name, or empty.
    """

    kind: str
    name: str
    label: object
    texts: int
    share: float
    passages: list[Passage]
    rows: list[int]
    word: str

    @property
    def recurs(self):
        """Whether it is a text that recurs, and nothing in it."""
        return self.name.startswith(COPIES)

    def __str__(self):
        """Name it, and what its texts are."""
        return f"{self.name}, {self.share:.0%} of {self.texts:,} texts are {self.label}"


class Trial(NamedTuple):
    """A classifier fitted on some of a report's texts, its probabilities for the others, and its accuracy on them."""

    model: TextClassifier
    chances: np.ndarray
    accuracy: float


def written_with(own, traces):
    """Return the trace that nearly the same texts have as a word, which it is written with; None if there is none."""
    own = set(own.tolist())
    shared = {name: len(own & rows) / max(len(own), len(rows)) for name, rows in traces.items()}
    return max((name for name in shared if shared[name] >= FIXED), key=lambda name: (shared[name], len(name)), default=None)


def passage(text, start, end, around=45) -> Passage:
    """Return the passage around a place in a text."""
    end = min(end, start + 2 * around)
    before, after = text[max(start - around, 0) : start], text[end : end + around]
    return Passage("…" * (start > around) + before, text[start:end], after + "…" * (end + around < len(text)))
