"""A mean over texts that no process sees all of: the sum of the means over parts of them, each times its share of the weight.

Parts are read one after another, where memory does not hold them all, and side by side in several processes, which torchrun
starts and torch connects, as in ``torchrun --nproc-per-node 4 --max-restarts 3 films.py`` with a script of one line::

    ts.train(ts.StoredCorpus("films"), steps=500, distributed=True, checkpoint="films.safetensors")

What a step needs to know of all texts is a vector or a few, so little is exchanged; every process computes alike what follows
from it. On several machines all must see the checkpoint and the corpus, and torchrun wants
TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in its environment, or what it starts anew looks for the dead. Each process reads its part
of a `StoredCorpus`, besides the whole once for the digest; of a `Corpus` it holds all, and its part again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .processes import ALONE, Processes
from .stored import StoredCorpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..corpus.corpus import Corpus
    from ..support.arrays import Array


class Parts:
    """The texts of a corpus, by default all of positive weight; this process reads an equal part, in blocks if stored."""

    def __init__(self, corpus: Corpus, rows=None, processes: Processes = ALONE):
        rows = np.flatnonzero(corpus.mean_weights) if rows is None else rows
        self.corpus, self.processes = corpus, processes
        self.vocab_size, self.num_classes = corpus.vocab_size, corpus.num_classes
        mine = np.array_split(rows, processes.size)[processes.rank]
        whole = corpus.mean_weights[rows].sum() if len(mine) else np.inf
        mine = mine if len(mine) else rows[:1]  # one without texts looks at the first, whose share is 0 here
        self.blocks = corpus.blocks(mine) if isinstance(corpus, StoredCorpus) else [mine]
        self.shares = [float(corpus.mean_weights[block].sum() / whole) for block in self.blocks]
        if len(self.blocks) == 1:
            self.only = corpus[self.blocks[0]]  # kept, with what is prepared of it

    def mean(self, function: Callable[[Corpus], list[Array]]) -> list[Array]:
        """Return the means over all texts of what a function finds as means over a corpus; the same in every process."""
        parts = (self.corpus[block] for block in self.blocks) if len(self.blocks) > 1 else [self.only]
        total = None
        for share, part in zip(self.shares, parts):
            means = [share * mean for mean in function(part)]
            total = means if total is None else [before + mean for before, mean in zip(total, means)]
        return [self.processes.summed(mean) for mean in total]


def mean_over(texts: Corpus | StoredCorpus | Parts, function: Callable[[Corpus], list[Array]]) -> list[Array]:
    """Return the means over texts of what a function finds as means over a corpus, all texts at once or in parts."""
    texts = Parts(texts) if isinstance(texts, StoredCorpus) else texts
    return texts.mean(function) if isinstance(texts, Parts) else function(texts)


def shared(corpus: Corpus | StoredCorpus, rows, processes: Processes) -> Corpus | Parts:
    """Return rows of a corpus, None for all, as the processes share them; for one process alone a corpus in memory."""
    if processes.size > 1 or isinstance(corpus, StoredCorpus):
        return Parts(corpus, rows, processes)
    return corpus if rows is None else corpus[rows]
