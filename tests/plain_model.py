"""A classifier of raw texts with nothing behind it: words, n-grams, scores and values as one gives them."""

import re
from itertools import pairwise

import numpy as np
from scipy.special import softmax

from tokensel_nb import Corpus


class PlainModel:
    """What `explain` and `report` rely on, in the textbook's form."""

    def __init__(self, vocabulary, scores, values, classes=("down", "up"), pattern=r"\w+"):
        self.vocabulary_ = np.array(vocabulary, dtype=object)
        self.scores_, self.values_ = np.asarray(scores, float), np.asarray(values, float)
        self.classes_ = np.array(classes)
        self._pattern = pattern
        self._columns = {word: column for column, word in enumerate(vocabulary)}

    def words(self, text):
        """Single words and pairs of neighbours."""
        found = [(match.start(), match.end(), match.group().lower()) for match in re.finditer(self._pattern, text)]
        found += [(a, d, f"{one} {other}") for (a, _, one), (_, d, other) in pairwise(found)]
        return [(start, end, self._columns[word]) for start, end, word in sorted(found) if word in self._columns]

    def read(self, texts, labels=None):
        counts = np.zeros((len(texts), len(self.scores_)))
        for row, text in enumerate(texts):
            for _, _, column in self.words(text):
                counts[row, column] += 1
        counts[:, -1] = 1
        labels = np.zeros(len(texts), int) if labels is None else np.searchsorted(self.classes_, labels)
        return Corpus(counts, labels, [*self.vocabulary_, "<cls>"], tuple(map(str, self.classes_)))

    def logits(self, texts):
        counts = self.read(texts).counts.toarray()
        with np.errstate(divide="ignore"):
            return softmax(np.log(counts) + self.scores_, axis=1) @ self.values_
