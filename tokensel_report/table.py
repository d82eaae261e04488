"""One table of all words of a classifier: what it does with them, and which ones seem to give the label away."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.base import clone

from tokensel_nb.corpus import Corpus
from tokensel_nb.model import classes_of_logits

from .classifier import TextClassifier
from .copies import copies_of
from .fit import (
    Counted,
    Scores,
    check_folds,
    classes_of,
    codes_of,
    fit_parts,
    fit_rows,
    parts_of,
    read_counts,
    scores_of,
    scores_on,
)
from .given import labels_of, listed_texts, probabilities_of
from .html import render
from .marks import LENGTH, ORDER, marks_of, places_of
from .neighbours import BAR, put_in
from .objective import Attended, probabilities_of_logits
from .two_files import TwoFiles, two_files
from .words import Judgement, Words, given_model_columns

ALARM = 0.5
"""The suspicion above which a word is named: it is more likely than not a leak."""

ENOUGH = 10
"""The least number of texts of a word that is called suspicious or neutral: fewer prove nothing."""

SHOWN = 10  # words in a corner

FOLDS = 5  # of a model that isn't fitted

SKEWED = 3  # times as many texts as the smallest class has


SUREST = 0.2
"""The share of texts, those of which classifiers are surest, by which the number of wrong labels is estimated."""


def report(model: TextClassifier, texts, labels, *, folds=None, least=5, quotes=3, groups=(), seed=0, test=None) -> Report:
    """Judge every word of a classifier on texts that it wasn't fitted on, or judge any other model by its probabilities.

    A fitted model is used as it is. The texts must be new to it; then all numbers are about held-out texts. To judge all texts,
    including those of training, give a model that isn't fitted (``sklearn.base.clone(model)``). Its clones are then fitted on
    all parts but one, and judge that part. So again no model judges a text that it has seen, or that nearly repeats one;
    E·v and E·p are those of a model fitted on all texts. More texts detect leaks more surely.

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
        The number of short passages that are quoted for every word in a corner; 0 quotes no text at all.
    groups : collection of str
        Words to list apart, such as those for groups of people.
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
    if least < 1 or isinstance(groups, str):
        raise ValueError(f"least={least}, groups={groups!r:.40}; give a number of at least 1, and a list of words")
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
        passages=quotes,
        groups=frozenset(groups),
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

    Printed, it shows its corners; Jupyter shows them as HTML, without a script.

    Parameters
    ----------
    model : TextClassifier
        The fitted model whose E·v and E·p are shown.
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
    passages : int
        The number of quotes per word.
    groups : frozenset of str
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
    >>> list(tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20).corners)
    ['suspicious', 'important']
    """

    model: TextClassifier
    columns: dict
    mark_columns: dict
    together: dict
    accuracy: float
    chances: np.ndarray
    given: bool
    parts: int
    passages: int
    groups: frozenset
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
        of the n-grams. The row's value and score are those of a single word that could replace them.

        The columns. word, texts: the word, and how many texts contain it. class: the class it speaks for. skew, skew error: δ
        by texts, and its standard error. chance low, chance high: 95% of shuffled labels have a skew between them. value,
        score: E·v and E·p. attention: the mean in its texts. importance: the mean over all texts of f(X) - f(X without s).
        leads: the share of its texts where its contribution is the largest. own effect, suspicion: see `suspicion`. With K > 2
        classes, skew, value and importance are about the word's class, and the mean over the classes is subtracted from value
        and importance.

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
        """Return rows of the table of suspects as suspects."""
        suspects = []
        for kind, name, label in zip(table["kind"], table["word"], table["class"]):
            rows = self.occurrences[kind, name]
            share = float(np.mean(self.labels[rows] == label))
            suspects.append(Suspect(kind, name, label, len(rows), share, self._passages(kind, name, rows), rows.tolist()))
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
        both = self.suspects
        return both.word[both.suspicion > ALARM].tolist()

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
        fewer = logit(traces.suspicion) + np.log(max(len(words), 1) / max(len(traces), 1)) - BAR  # one of all traces, not words
        of_traces = np.where(traces.word.str.endswith(ORDER), 1.0, expit(fewer))  # the order was compared with other files
        both = [words.assign(kind="word", **{"put in": judged}), traces.assign(kind="trace", **{"put in": of_traces})]
        return pd.concat(both).sort_values("suspicion", ascending=False, kind="stable")

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The table sorted by suspicion, without words of fewer than ten texts, words of shared rows, and some n-grams.

        Those are the n-grams that contain a more suspicious word.
        """
        table = self.table.dropna(subset="suspicion")
        suspicions = dict(zip(table.word, table.suspicion))
        texts = dict(zip(table.word, table.texts))
        rows = self.together.items()
        row_of = {word: name for name, words in rows for word in words if texts.get(word) == texts.get(name)}
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

        Why that order? If labels are wrong regardless of the text, and all wrong labels are equally likely, the odds of a wrong
        one are (1 - p) ε / (p (1 - ε) (K - 1)), with p the label's probability given the text and ε the share of wrong labels.
        So p alone ranks the texts. Hard texts are listed, too. The columns: row (from 0), label, probability (p), instead (the
        likeliest class), certainty (its probability), and, if you asked for quotes, text.
        """
        own, likeliest = codes_of(self.model.classes_, self.labels), self.chances.argmax(axis=1)
        columns = {"row": np.arange(len(own)), "label": self.labels, "probability": self.chances[np.arange(len(own)), own]}
        columns |= {"instead": self.model.classes_[likeliest], "certainty": self.chances.max(axis=1)}
        if self.passages:
            columns["text"] = self.texts
        return pd.DataFrame(columns)[likeliest != own].sort_values("probability", kind="stable", ignore_index=True)

    @property
    def wrong_labels(self) -> int:
        """How many labels are wrong, estimated from the fifth of the texts of which the models are surest.

        There nearly all right labels agree with the verdict. So if labels are wrong regardless of the text, the share of labels
        that disagree is about that of wrong ones in all texts, plus that of misleading texts. `likely_wrong` begins with them.
        """
        order = np.argsort(-self.chances.max(axis=1), kind="stable")
        surest = order[: max(round(SUREST * len(order)), 1)]
        return round(len(order) * float(np.isin(surest, self.likely_wrong.row).mean()))

    @cached_property
    def beside(self) -> TwoFiles | None:
        """What the texts to test on repeat of these texts, and where they differ; None if there are none."""
        return None if self.test is None else two_files(self, self._on_test())

    def _on_test(self):
        """Return the report on the texts to test on; None if they have no labels, or are too few."""
        with suppress(ValueError):
            return None if self.test.labels is None else report(clone(self.model), *self.test[:2], quotes=0, seed=self.seed)

    @cached_property
    def corners(self) -> dict[str, pd.DataFrame]:
        """The corners of the table by name; tables with the same columns.

        groups: those of the words asked for that occur, the most important first. suspicious: the ten most suspicious, whether
        above one half or not. important: the largest importance.
        """
        asked = {"groups": self.table[self.table.word.isin(self.groups)]} if self.groups else {}
        return asked | {"suspicious": self.suspects.head(SHOWN), "important": self.table.head(SHOWN)}

    @cached_property
    def quotes(self) -> dict[str, list[str]]:
        """Short passages around the first ten words of every corner, drawn at random; empty if you asked for none."""
        if not self.passages:
            return {}
        quotes = {}
        for name in dict.fromkeys(word for corner in self.corners.values() for word in corner.word.head(SHOWN)):
            kind = "word" if ("word", name) in self.occurrences else "trace"
            passages = self._passages(kind, name, self.occurrences[kind, name])
            quotes[name] = [" ".join("".join(each).split()) for each in passages]
        return quotes

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
            raise ValueError(
                f"held_out has shape {held_out.shape}; give a boolean per text, True for some texts but not for all"
            )
        counted = self._counted().without(self._parts(without))
        model, columns = fit_rows(clone(self.model).set_params(attend=attend), counted, ~held_out)
        new = read_counts(model, counted.counts[held_out][:, columns])  # without labels: it may not know all their classes
        logits = Attended(model.scores_, model.values_).logits(new)
        right = model.classes_[classes_of_logits(logits)] == self.labels[held_out]
        return Trial(model, probabilities_of_logits(logits), float(right.mean()))

    def refit(self, words=None) -> Refit:
        """Fit the classifier again without some words, and measure the accuracy on held-out texts before and after.

        Both accuracies come from models that are fitted on all but one part of this report's texts, and tested on that part.
        They use the same strength of the penalty as this report's model.

        Parameters
        ----------
        words : collection of str, optional
            By default the `suspicious` ones, without marks, which the model doesn't read. With a word, the n-grams that contain
            it are left out; with a row of several words, all of them.

        Returns
        -------
        Refit
            Its ``model`` is fitted on all of this report's texts.

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
        >>> print(tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20).refit(["moving"]))
        Without moving: accuracy 1.000, before 1.000 (80 texts, judged by models that have not seen them).
        """
        words = sorted(set(self.suspicious) - set(self.marks.word) if words is None else set(words))
        if unknown := set(words) - {*self.model.vocabulary_, *self.together}:
            raise ValueError(f"the model does not know {', '.join(map(repr, sorted(unknown))):.80}; give words that it knows")
        model, counted, folds = clone(self.model).set_params(l2=self.model.l2_), self._counted(), max(self.parts, 2)
        check_folds(counted.labels, folds)
        before, parts = self.accuracy, parts_of(self.labels, folds, self.seed, self.copies)
        if self.given or self.parts == 1:
            before = scores_on(fit_parts(fit_rows(model, counted)[0], counted, parts)).accuracy
        without = self._parts(words)
        counted = counted.without(without)
        changed = model.set_params(without=[*model.without, *without])
        after = scores_on(fit_parts(changed, counted, parts)).accuracy
        return Refit(partial(fit_rows, changed, counted), words, before, after, len(self.texts))

    def _parts(self, words):
        """Return words, with all words of a row in its place."""
        return [part for word in words for part in self.together.get(word, [word])]

    @property
    def scores(self) -> Scores:
        """The accuracy and macro-F1 of the verdicts on all texts."""
        return scores_of(self.labels, self.model.classes_[self.chances.argmax(axis=1)])

    @cached_property
    def balanced(self) -> Scores | None:
        """The same if all classes weigh the same in fitting; None if they are about as large, or weigh the same already."""
        sizes = np.unique(self.labels, return_counts=True)[1]
        if self.given or self.parts == 1 or self.model.class_weight is not None or sizes.max() < SKEWED * sizes.min():
            return None
        model = clone(self.model).set_params(l2=self.model.l2_, class_weight="balanced")
        return scores_on(fit_parts(model, self._counted(), parts_of(self.labels, self.parts, self.seed, self.copies)))

    def _counted(self):
        """Return the counts of the texts: those of the report, if it has fitted the model to all of them."""
        if self.parts > 1:
            return Counted(self.model.phrases_, self.corpus.counts, self.labels)
        return Counted.of(self.model, self.texts, self.labels)

    def __repr__(self):
        """Show the sizes and the accuracy."""
        return f"Report({len(self.texts):,} texts, {self._size():,} words, accuracy {self.accuracy:.3f})"

    def __str__(self):
        """Show how the texts were judged, and the corners."""
        parts = [self._summary()]
        for name, corner in self.corners.items():
            shown = corner.drop(columns=["chance low", "chance high", "attention"])
            table = shown.to_string(index=False, float_format="{:.3f}".format) if len(corner) else "(none)"
            parts.append(f"{name.upper()}. {NOTES[name]}\n{table}")
        return "\n\n".join(parts)

    def html(self, digits=None) -> str:
        """Return the corners as HTML without scripts, and without texts unless you asked for quotes.

        Parameters
        ----------
        digits : dict of str to int, optional
            The decimals of the columns beside the word; columns that aren't named are left out. By default three, for all
            columns except those of chance. The column by which a corner is sorted comes first.

        Returns
        -------
        str

        Examples
        --------
        >>> import tokensel_report as tr
        >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
        >>> judged = tr.report(tr.TextClassifier(), texts, ["up", "up", "down", "down"] * 20)
        >>> judged.html({"texts": 0, "skew": 1}).count(">skew</th>")
        2
        """
        if digits is None:
            digits = {name: 3 for name in self.table if name != "word" and not name.startswith("chance")}
        shown = dict(corners=self.corners, notes=NOTES, quotes=self.quotes, summary=self._summary())
        of = {name: {by: digits[by], **digits} if (by := SORTED_BY[name]) in digits else digits for name in self.corners}
        return render("corners", digits=of, shown=SHOWN, **shown)

    def _repr_html_(self):
        return self.html()

    __html__ = _repr_html_  # used by templates

    def _size(self):
        """Return the number of single rows: words and n-grams."""
        return len(self.columns["word"]) - len(self.together)

    def _summary(self):
        how = f"in {self.parts} parts, each judged by a model fitted on the rest"
        how = how if self.parts > 1 else "assumed to be new to the model"
        leaks = ", ".join(f"“{word}”" for word in self.suspicious) or "none"
        return (
            f"{len(self.texts):,} texts, {how}; accuracy {self.accuracy:.3f}{' of the given model' * self.given}. "
            f"{self._size():,} words and n-grams occur in enough of them. More likely than not to give the label away: {leaks}."
        )


NOTES = {
    "groups": (
        "A value or importance away from zero means that naming a group moves the verdict. It does not say why: the texts "
        "may be so, the labels may be unfair, or the word may stand for its subject. And a value of zero does not make a "
        "classifier fair: other words can stand for a group."
    ),
    "suspicious": (
        "Words that speak for one class by themselves, whatever the rest of the text says: leaks, marks, boilerplate, and the "
        "frankest of honest words. Suspicion is the probability of a leak, which alone multiplies the odds by more than "
        "twenty. Words of the very same texts are left out together. Read the texts before you leave a word out."
    ),
    "important": "Words that move the logits most, over all texts.",
}

SORTED_BY = dict(zip(NOTES, ("importance", "suspicion", "importance")))  # the first column


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
    """What may give the label away: a "word" or "trace", its class, its texts, and the share of these that are of the class."""

    kind: str
    name: str
    label: object
    texts: int
    share: float
    passages: list[Passage]
    rows: list[int]


class Trial(NamedTuple):
    """A classifier fitted on some of a report's texts, its probabilities for the others, and its accuracy on them."""

    model: TextClassifier
    chances: np.ndarray
    accuracy: float


@dataclass(frozen=True, eq=False)
class Refit:
    """A classifier without some words, and the accuracy on held-out texts before and after; the result of `Report.refit`."""

    fit: partial
    words: list[str]
    before: float
    after: float
    texts: int

    @cached_property
    def model(self) -> TextClassifier:
        """The classifier, fitted at first use."""
        return self.fit()[0]

    def __str__(self):
        """Show both accuracies."""
        return (
            f"Without {', '.join(self.words) or 'no word'}: accuracy {self.after:.3f}, before {self.before:.3f} "
            f"({self.texts:,} texts, judged by models that have not seen them)."
        )


def passage(text, start, end, around=45) -> Passage:
    """Return the passage around a place in a text."""
    end = min(end, start + 2 * around)
    before, after = text[max(start - around, 0) : start], text[end : end + around]
    return Passage("…" * (start > around) + before, text[start:end], after + "…" * (end + around < len(text)))
