"""The columns of a report's table: what classifiers do with every word in texts that they have not seen."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import logit

from .leaks import BINS, bins_of, suspicion
from .leaving_out import LeavingOut
from .marks import is_whole
from .objective import probabilities_of_logits
from .together import inseparable_words


class Words:
    """The words of enough texts: their numbers of texts, classes and skews.

    After the words come rows of several words that occur in the same texts, and then the marks, which the model does not read.
    """

    def __init__(self, whole, corpus, least, enough, marks):
        self.model, self.K, self.marks = whole, corpus.num_classes, marks
        counts, codes = corpus.counts[:, :-1], corpus.labels
        number = counts.count_nonzero(axis=0)
        self.kept = np.flatnonzero(number >= least)
        if not len(self.kept):
            raise ValueError(f"no word of the model occurs in least={least} of the {len(corpus)} texts; lower least")
        self.sets = inseparable_words(counts, whole.vocabulary_, max(least, enough))
        self.names = np.array([*whole.vocabulary_[self.kept], *(one.name for one in self.sets), *marks.names], dtype=object)
        shown = np.append(self.kept, np.array([one.same[0] for one in self.sets], int))
        self.texts = sparse.hstack([counts[:, shown], marks.texts], format="csr")
        of_classes = np.stack([self.texts[codes == k].count_nonzero(axis=0) for k in range(self.K)], axis=1)
        self.number = of_classes.sum(axis=1)
        self._judge_classes(of_classes, np.bincount(codes, minlength=self.K))

    def rows(self):
        """Return the rows of the texts of every word or set, and of every trace, by kind and name."""
        texts, traces = self.texts.tocsc(), len(self.marks.names)
        kinds = ["word"] * (len(self.names) - traces) + ["trace"] * traces
        return dict(zip(zip(kinds, self.names), np.split(texts.indices, texts.indptr[1:-1])))

    def _judge_classes(self, of_classes, sizes):
        """Choose the class that every word speaks for, and compute its skew."""
        n, N, K = self.number[:, None], sizes.sum(), len(sizes)
        self.shares = sizes / N
        spread = np.sqrt(n * (sizes / N) * (1 - sizes / N) * np.maximum(N - n, 1) / max(N - 1, 1))
        self.classes = ((of_classes - n * sizes / N) / np.maximum(spread, 1e-9)).argmax(axis=1)
        counted = np.ones_like(self.classes) if K == 2 else self.classes  # two classes have one skew, the second's
        hits = np.take_along_axis(of_classes, counted[:, None], 1)[:, 0]
        self.skew = 2 * hits / self.number - 1


def given_model_columns(words, corpus, chances):
    """Return, as columns, the mean probability of every word's class in its texts, and in others with the same labels.

    So if one text in ten of a word is not of its class, nor is one in ten of those others. For a mark in random texts of its
    class, a model that does not use the mark gives the same in both, however good it is. NaN if all texts of a label have the
    word.
    """
    texts, columns = words.texts.nonzero()
    cells, of_class = columns * words.K + corpus.labels[texts], chances[texts, words.classes[columns]]
    size = len(words.names), words.K
    number, sums = (np.bincount(cells, weights, np.prod(size)).reshape(size) for weights in (None, of_class))
    others = np.bincount(corpus.labels, minlength=words.K) - number
    rest = (chances.T @ np.eye(words.K)[corpus.labels])[words.classes] - sums
    expected = np.where(number > 0, number * rest / np.where(others > 0, others, np.nan), 0).sum(axis=1)
    return {"given model": sums.sum(axis=1) / words.number, "elsewhere": expected / words.number}


class Judgement:
    """What models do with words in texts that they have not seen, summed over the parts."""

    def __init__(self, words, n):
        self.words, self.n, self.chances = words, n, np.empty((n, words.K))
        size = len(words.names)
        self.place_of = dict(zip(words.names[: len(words.kept)], range(size)))
        self.sums = {name: np.zeros(size) for name in ("entries", "hits", "moves")}
        self.rests, self.base = np.zeros((size, len(BINS))), np.zeros((words.K, 2, len(BINS)))

    def add(self, judge, corpus, rows):
        """Add what one model does with texts that are new to it, those of some rows."""
        values = judge.values_.reshape(len(judge.scores_), -1)
        sets, places_of_sets = self._sets(judge)
        left_out = LeavingOut(judge.scores_, corpus, sets)
        logits = np.stack([left_out.logits(column) for column in values.T], axis=1)
        of_texts = logits[:, 0] if logits.shape[1] == 1 else logits
        self.chances[rows] = probabilities_of_logits(of_texts)
        places = [self.place_of.get(word, -1) for word in judge.vocabulary_]
        places = np.array([*places, -1, *places_of_sets])[left_out.columns]  # -1 for <cls>, too
        known = places >= 0
        kinds = self.words.classes[places]  # meaningless for unknown words, which are dropped below
        moves, offsets = (_two if logits.shape[1] == 1 else _many)(left_out, values, logits, kinds)
        amounts = dict(entries=np.ones(len(places)), hits=corpus.labels[left_out.rows] == kinds, moves=moves)
        for name, amount in amounts.items():
            self.sums[name] += np.bincount(places[known], amount[known], len(self.words.names))
        self.rests += _table(places[known], bins_of(offsets[known]), self.rests.shape)
        bins = bins_of(log_odds(logits))
        for k, of_class in enumerate(self.base):
            of_class += _table((corpus.labels == k).astype(int), bins[k], of_class.shape)
        self._add_marks(corpus.labels, bins, rows)

    def _add_marks(self, labels, bins, rows):
        """Add the verdicts on texts with a mark: since models do not read marks, the rest of a text is the whole text.

        If the whole text is the mark, there is no rest: it is expected to be of a class as often as any text.
        """
        texts, marks = self.words.marks.texts[rows].nonzero()
        places = marks + len(self.words.names) - len(self.words.marks.names)
        kinds = self.words.classes[places]
        whole = np.array(list(map(is_whole, self.words.marks.names)), bool)
        rest = np.where(whole[marks], bins_of(logit(self.words.shares))[kinds], bins[kinds, texts])
        for name, amount in {"entries": np.ones(len(places)), "hits": labels[texts] == kinds}.items():
            self.sums[name] += np.bincount(places, amount, len(self.words.names))
        self.rests += _table(places, rest, self.rests.shape)

    def _sets(self, judge):
        """Return the sets of words that a model leaves out together, and their places in the table."""
        column_of = {name: column for column, name in enumerate(judge.vocabulary_)}
        sets = [[column_of.get(name) for name in self.words.model.vocabulary_[one.left_out]] for one in self.words.sets]
        places = [place for place, columns in enumerate(sets, len(self.words.kept)) if None not in columns]
        return [np.array(columns) for columns in sets if None not in columns], places

    def columns(self, enough, more):
        """Return the columns of words and those of marks, with ``more``; words of too few texts get no suspicion."""
        words, shown = self.words, len(self.words.names) - len(self.words.marks.names)
        asked = self.sums["entries"] >= enough
        repeated = np.zeros(len(asked), bool)
        repeated[: len(words.kept)] = np.isin(words.kept, [column for one in words.sets for column in one.same])
        repeated[shown:] = True  # the laws are fitted to words, not to marks
        effects, suspicions = np.full((2, len(asked)), np.nan)
        if asked.any():
            rows = self.rests[asked], self.sums["hits"][asked], words.classes[asked]
            effects[asked], suspicions[asked] = suspicion(*rows, self.base, repeated[asked])
        columns = {
            "word": words.names,
            "texts": words.number,
            "class": words.model.classes_[words.classes],
            "skew": words.skew,
            "importance": self.sums["moves"] / self.n,
            "own effect": effects,
            "suspicion": suspicions,
            **more,
        }
        of_marks = {name: column[shown:] for name, column in columns.items() if name != "importance"}
        return {name: column[:shown] for name, column in columns.items()}, of_marks


def _two(left_out, values, logits, kinds):
    """Return, for two classes, the moves of all words of all texts, and the rest's log-odds of the word's class."""
    moves = left_out.moves(values[:, 0])
    return moves, np.where(kinds == 1, 1, -1) * (logits[left_out.rows, 0] - moves)


def _many(left_out, values, logits, kinds):
    """Return the same for K > 2 classes: moves of the logit of the word's class, less the mean over all classes."""
    own, mean, others, of_class = (np.full(len(kinds), start) for start in (0.0, 0.0, -np.inf, 0.0))
    for k, column in enumerate(values.T):
        moves, is_own = left_out.moves(column), kinds == k
        rest = logits[left_out.rows, k] - moves
        own, of_class = np.where(is_own, moves, own), np.where(is_own, rest, of_class)
        mean += moves / values.shape[1]
        others = np.where(is_own, others, np.logaddexp(others, rest))
    return own - mean, of_class - others


def log_odds(logits):
    """Return the log-odds of every class, shape (K, n)."""
    if logits.shape[1] == 1:
        return np.stack([-logits[:, 0], logits[:, 0]])
    none = np.full((1, len(logits)), -np.inf)
    before, after = (np.logaddexp.accumulate(np.vstack([none, side[:-1]])) for side in (logits.T, logits.T[::-1]))
    return logits.T - np.logaddexp(before, after[::-1])  # for all classes at once: K² operations would take minutes


def _table(rows, columns, shape):
    """Count how often every pair occurs."""
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
