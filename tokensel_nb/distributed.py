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

import atexit
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .arrays import is_torch
from .stored import StoredCorpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import timedelta

    from .arrays import Array
    from .corpus import Corpus


@dataclass(frozen=True)
class Processes:
    """The processes that share the texts of a run; by default this one alone.

    Parameters
    ----------
    rank : int
        The number of this process, from 0.
    size : int
        How many there are.
    group : torch.distributed.ProcessGroup, optional
        Through which they tell each other plain values; by default the one of the sums.

    Examples
    --------
    >>> Processes().summed(np.arange(3.0)).tolist()
    [0.0, 1.0, 2.0]
    """

    rank: int = 0
    size: int = 1
    group: object = field(default=None, repr=False, compare=False)

    @staticmethod
    def joined(patience: timedelta | None = None) -> Processes:
        """Join the other processes that torchrun started, or those of torch's process group where there is one already.

        Parameters
        ----------
        patience : timedelta, optional
            How long one may let the others wait; by default as long as torch allows, half an hour between processors.

        Returns
        -------
        Processes
            This one alone, and without torch, where nothing of the kind is found.

        Examples
        --------
        >>> Processes.joined()
        Processes(rank=0, size=1)
        """
        if "torch.distributed" not in sys.modules and "TORCHELASTIC_RUN_ID" not in os.environ:
            return Processes()
        import torch
        from torch import distributed

        if not distributed.is_initialized():
            if "TORCHELASTIC_RUN_ID" not in os.environ:
                return Processes()
            if int(os.environ["LOCAL_RANK"]) < torch.cuda.device_count():
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # a GPU each: "cuda" is that one from now on
            distributed.init_process_group(**_fresh_store())  # gloo between processors, NCCL between GPUs
            atexit.register(distributed.destroy_process_group)
        group = patience and distributed.new_group(timeout=patience, backend="gloo")
        return Processes(distributed.get_rank(), distributed.get_world_size(), group)

    def summed(self, array: Array) -> Array:
        """Return the sum of what every process gives: the same numbers, to the last bit, in all of them.

        Parameters
        ----------
        array : array
            Of the same shape in every process; overwritten.

        Returns
        -------
        array
        """
        if self.size == 1:
            return array
        import torch
        from torch import distributed

        array = array.contiguous() if is_torch(array) else np.ascontiguousarray(array)
        distributed.all_reduce(array if is_torch(array) else torch.from_numpy(array))  # which shares the memory
        return array

    def each(self, value) -> Iterator:
        """Yield what every process says, by its number; all go through all of it, and none holds more than one at a time.

        Parameters
        ----------
        value : object
            What this process says: plain values, lists and dicts of them.

        Yields
        ------
        object

        Examples
        --------
        >>> list(Processes().each("good"))
        ['good']
        """
        for rank in range(self.size):
            said = [value if rank == self.rank else None]
            if self.size > 1:
                from torch import distributed

                distributed.broadcast_object_list(said, rank, self.group)
            yield said[0]

    @contextmanager
    def together(self):
        """At the end of a block wait for the others; what one of them fails with in it, all fail with.

        Raises
        ------
        RuntimeError
            It names the process that failed, and how; in that process it is the error itself.

        Examples
        --------
        >>> with Processes().together():
        ...     print("done")
        done
        """
        failure = None
        try:
            yield
        except Exception as error:
            failure = error
        told = list(self.each(failure and f"{type(failure).__name__}: {failure}"))
        if failure:
            raise failure
        for rank, reason in enumerate(told):
            if reason:
                raise RuntimeError(f"process {rank} failed: {reason}")

    def check_agreement(self, facts: dict) -> None:
        """Raise a ValueError unless all processes say the same.

        Parameters
        ----------
        facts : dict
            Plain values under their names.

        Raises
        ------
        ValueError
            It names a process, what differs, and both sides.
        """
        found = list(self.each(facts))
        for rank, others in enumerate(found):
            for name, value in found[0].items():
                if others[name] != value:
                    raise ValueError(
                        f"process {rank} has {name}={others[name]!r}, but process 0 has {value!r}; "
                        "give all processes the same corpus, start, options and checkpoint"
                    )


def _fresh_store():
    """Return where the processes of this attempt find each other.

    In the store of a torchrun that has started them anew they would find the addresses of the dead (issue 135712 of
    pytorch). One machine's torchrun counts the attempts; those of several may count differently, and want
    TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in their environment.
    """
    given = os.environ
    if given["GROUP_WORLD_SIZE"] != "1" or given.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        return {}
    from torch.distributed import PrefixStore, TCPStore

    store = TCPStore(given["MASTER_ADDR"], int(given["MASTER_PORT"]), is_master=False)
    attempt = PrefixStore(f"attempt {given['TORCHELASTIC_RESTART_COUNT']}", store)
    return dict(store=attempt, rank=int(given["RANK"]), world_size=int(given["WORLD_SIZE"]))


ALONE = Processes()


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
