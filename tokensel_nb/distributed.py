"""Large corpora: texts that the processes of torchrun share, or that are read from disk in shards.

A gradient is a mean over texts. So every process, or every shard, contributes the gradient of its own texts, and their weighted
sum is that of all. Both classes have what `train`, `descent` and `evaluate` need from a `Corpus`, and can be combined, as in
``ts.Shared(ts.Shards("films.arrow"))``.
"""

from __future__ import annotations

import atexit
import copy
import itertools
import json
import math
import os

import numpy as np
import pyarrow as pa
from scipy import sparse

from .arrays import is_torch
from .corpus import Corpus, digest

SHARD = {"words": pa.list_(pa.int32()), "counts": pa.list_(pa.float64()), "label": pa.int64()}


class Shared:
    """Texts that the processes of torchrun share: in every step they read their own parts, and torch sums up.

    All processes must begin with the same texts, start and settings, and end with the same parameters. Run a script with
    ``ts.train(start, ts.Shared(corpus))`` by ``torchrun --nproc-per-node 4 script.py``.

    Parameters
    ----------
    corpus : Corpus or Shards
        All texts, the same in every process.
    rank, size : int, optional
        The place of this process, and the number of processes; by default those of torchrun.

    Raises
    ------
    ValueError
        If the processes have different texts.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "good", "bad film"], ["up", "up", "down"])
    >>> [len(ts.Shared(corpus, rank, 2).part) for rank in range(2)]  # as two processes would share them
    [2, 1]
    """

    def __init__(self, corpus, rank=None, size=None):
        self.corpus, self.rank, self.size = corpus, rank, size
        if size is None:
            self.rank, self.size = _joined(corpus.digest())
        filled = np.flatnonzero(corpus.mean_weights)
        mine = np.array_split(filled, self.size)[self.rank]
        self.weight = float(corpus.mean_weights[mine].sum())
        self.part = corpus[mine if len(mine) else filled[:1]]  # without a text, the first one, with weight 0

    def __len__(self):
        """Return the number of all texts."""
        return len(self.corpus)

    def __getitem__(self, rows):
        """Return some of the texts, shared again."""
        return Shared(self.corpus[rows], self.rank, self.size)

    def __getattr__(self, name):
        """Return any other attribute of a corpus: that of all texts."""
        if name == "corpus":  # copying asks for it before it is set
            raise AttributeError(name)
        return getattr(self.corpus, name)

    def __repr__(self):
        """Show all texts, as in ``Shared(Corpus(...))``."""
        return f"Shared({self.corpus!r})"

    def mean_over(self, function):
        """Return a function's means over all texts, identical in all processes; it takes one exchange."""
        import torch

        means = self.part.mean_over(function)
        flat = torch.cat([torch.as_tensor(mean).flatten() for mean in means]) * self.weight
        torch.distributed.all_reduce(flat)
        parts = flat.split([math.prod(mean.shape) for mean in means])
        parts = [part.reshape(mean.shape) for part, mean in zip(parts, means)]
        return [part if is_torch(mean) else part.numpy() for part, mean in zip(parts, means)]


def _joined(texts):
    """Join the processes of torchrun, on one GPU each if there are enough; return rank and number."""
    from torch import cuda, distributed

    if not distributed.is_initialized():
        if int(os.environ.get("LOCAL_RANK", 0)) < cuda.device_count():
            cuda.set_device(int(os.environ["LOCAL_RANK"]))
        distributed.init_process_group()  # gloo between processors, NCCL between GPUs
        atexit.register(distributed.destroy_process_group)
    digests = [None] * distributed.get_world_size()
    distributed.all_gather_object(digests, texts)
    if len(set(digests)) > 1:
        raise ValueError(f"the processes have different texts, with digests {', '.join(digests)}; give them the same texts")
    return distributed.get_rank(), len(digests)


class Shards:
    """Texts beyond the memory: counts in a memory-mapped Arrow file, read one shard at a time.

    Parameters
    ----------
    source : path or pyarrow.Table
        A file of `write_shards`, or a table whose record batches are shards, such as ``dataset.with_format("arrow")[:]`` of
        Hugging Face's library. Its columns are "words" (lists of columns), "counts" (lists of as many numbers) and "label"
        (0 ... K-1).
    vocabulary, class_names : sequence of str, optional
        As in `Corpus`; a file of `write_shards` has them.

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "good", "bad film"], ["up", "up", "down"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.write_shards(f"{folder}/texts.arrow", [corpus[:2], corpus[2:]])
    ...     ts.Shards(f"{folder}/texts.arrow")[:2]
    Shards(3 texts, 3 words)
    Shards(2 texts, 3 words)
    """

    rank = 0

    def __init__(self, source, vocabulary=None, class_names=None):
        table = source if isinstance(source, pa.Table) else pa.ipc.open_file(pa.memory_map(str(source))).read_all()
        if vocabulary is None:
            vocabulary, class_names = json.loads(table.schema.metadata[b"names"])
        self.vocabulary, self.class_names = np.array(vocabulary, object), tuple(class_names)
        self.vocab_size, self.num_classes = len(vocabulary), len(class_names)
        self.batches, self.rows, self.labels = table.to_batches(), np.arange(len(table)), table["label"].to_numpy()

    def __len__(self):
        """Return the number of texts."""
        return len(self.rows)

    def __getitem__(self, rows):
        """Return some of the texts, in the order of the file."""
        some, places = copy.copy(self), np.sort(np.atleast_1d(np.arange(len(self))[rows]))
        some.rows, some.labels = self.rows[places], self.labels[places]
        return some

    def __repr__(self):
        """Return sizes, as in ``Shards(560,000 texts, 7,780 words)``."""
        return f"Shards({len(self):,} texts, {self.vocab_size:,} words)"

    @property
    def mean_weights(self):
        """The weight of a text in a mean, the same for all."""
        return np.full(len(self), 1 / len(self))

    def __iter__(self):
        """Yield the texts, one `Corpus` per shard that has some."""
        ends = np.cumsum([batch.num_rows for batch in self.batches])
        for batch, end, rows in zip(self.batches, ends, np.split(self.rows, np.searchsorted(self.rows, ends[:-1]))):
            if len(rows):
                texts = batch.take(pa.array(rows - end + batch.num_rows))
                starts = np.append(0, np.cumsum(texts["words"].value_lengths().to_numpy()))
                columns, counts = (texts[name].flatten().to_numpy() for name in ("words", "counts"))
                matrix = sparse.csr_array((counts, columns, starts), shape=(len(rows), self.vocab_size))
                yield Corpus(matrix, texts["label"].to_numpy(), self.vocabulary, self.class_names)

    def mean_over(self, function):
        """Return a function's means over all texts, with one shard in memory at a time."""
        sums = 0
        for part in self:
            sums = [total + len(part) / len(self) * mean for total, mean in zip(sums or itertools.repeat(0), function(part))]
        return sums

    def digest(self):
        """Return a digest of all texts, str; it reads them all."""
        return digest(*(part.digest().encode() for part in self))


def write_shards(path, corpora) -> Shards:
    """Write corpora of the same words to an Arrow file, one shard each, without weights and without the order of words.

    Parameters
    ----------
    path : path
    corpora : iterable of Corpus
        Of a generator, only one corpus is in memory at a time.

    Returns
    -------
    Shards

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus = ts.independent_tokens(400, 40, 12, 0.5, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.write_shards(f"{folder}/texts.arrow", (corpus[begin : begin + 100] for begin in range(0, 400, 100)))
    Shards(400 texts, 40 words)
    """
    corpora = iter(corpora)
    first = next(corpora)
    names = json.dumps([first.vocabulary.tolist(), first.class_names])
    schema = pa.schema(SHARD, {"names": names})
    with pa.ipc.new_file(str(path), schema) as writer:
        for corpus in itertools.chain([first], corpora):
            counts = corpus.counts
            lists = (
                pa.ListArray.from_arrays(pa.array(counts.indptr, pa.int32()), pa.array(of_entries, kind.value_type))
                for of_entries, kind in zip((counts.indices, counts.data), SHARD.values())
            )
            writer.write(pa.record_batch([*lists, pa.array(corpus.labels)], schema=schema))
    return Shards(path)
