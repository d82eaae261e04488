"""A mean over texts of which nobody looks at all: the sum of the means over parts of them, each times its share of the weight.

Parts are looked at one after another, where memory does not hold them all, and side by side in several processes, which
torchrun starts and torch connects. What a step needs to know of all texts is a vector or a few, so little is exchanged;
everything that follows from it is computed in every process alike. A script ``films.py`` of one line besides its import::

    ts.train(ts.StoredCorpus("films"), steps=500, distributed=True, checkpoint="films.safetensors")

is run by four processes, and goes on from its checkpoint if one of them dies::

    torchrun --nproc-per-node 4 --max-restarts 3 films.py

Before that line, ``ts.store_corpus(rows, "films", distributed=True)`` lets each process count its part of the texts; of other
parts it learns the words and how often they occur.

On several machines all must see the checkpoint and the corpus, and torchrun wants TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in its
environment, or what it starts anew looks for the dead. A `StoredCorpus` is read by each process as far as its part
goes, once it has been opened, which reads all of it for the digest; of a `Corpus` every process holds all, and its part again.
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
    """The texts of a corpus, of which this process looks at its part alone, in blocks if they are stored.

    Parameters
    ----------
    corpus : Corpus or StoredCorpus
        All texts; the same in every process.
    rows : ndarray of int, optional
        Which of them the mean is over; by default all but those of weight zero.
    processes : Processes
        Each takes an equal part of ``rows``, in their order.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film", "bad"], [1, -1, -1])
    >>> of_all = Parts(corpus).mean(lambda part: [part.mean_weights @ part.lengths])
    >>> print(*of_all, *Parts(corpus, processes=Processes(1, 2)).blocks)
    1.6666666666666665 [2]
    """

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
        """Return the mean over all texts of what a function finds as the mean over some of them.

        Parameters
        ----------
        function : callable
            From a corpus to a list of arrays, each a mean over the texts of that corpus.

        Returns
        -------
        list of array
            The same in every process.
        """
        parts = (self.corpus[block] for block in self.blocks) if len(self.blocks) > 1 else [self.only]
        total = None
        for share, part in zip(self.shares, parts):
            found = [share * each for each in function(part)]
            total = found if total is None else [before + each for before, each in zip(total, found)]
        return [self.processes.summed(each) for each in total]


def mean_over(texts: Corpus | StoredCorpus | Parts, function: Callable[[Corpus], list[Array]]) -> list[Array]:
    """Return the mean over texts of what a function finds, whether they are looked at all at once or in parts.

    Parameters
    ----------
    texts : Corpus, StoredCorpus or Parts
    function : callable
        See `Parts.mean`.

    Returns
    -------
    list of array

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad"], [1, -1])
    >>> mean_over(corpus, lambda part: [part.mean_weights @ part.lengths])
    [np.float64(1.5)]
    """
    texts = Parts(texts) if isinstance(texts, StoredCorpus) else texts
    return texts.mean(function) if isinstance(texts, Parts) else function(texts)


def shared(corpus: Corpus | StoredCorpus, rows, processes: Processes) -> Corpus | Parts:
    """Return some texts of a corpus as the processes share them: as they are, if this one is alone and holds them.

    Parameters
    ----------
    corpus : Corpus or StoredCorpus
    rows : ndarray of int or None
        None for all.
    processes : Processes

    Returns
    -------
    Corpus or Parts
    """
    if processes.size > 1 or isinstance(corpus, StoredCorpus):
        return Parts(corpus, rows, processes)
    return corpus if rows is None else corpus[rows]
