"""A corpus in a folder: counted once, up to the size of the disk, and read a few texts at a time.

The files contain the three arrays of a matrix of counts as they are in memory, and the labels. They are read, not mapped: the
pages of a mapped file count as memory of the process that touches them, so you couldn't say how much memory it takes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Sized
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import cached_property, partial, reduce
from itertools import islice
from numbers import Real
from operator import iadd, or_
from pathlib import Path

import numpy as np
from scipy import sparse
from tqdm import tqdm

from ..corpus.corpus import Corpus, checked_rows, class_sizes, code_labels, unchecked
from ..support.checks import a_path, checked, list_of_str, listed, positive, shortened, truth, whole_number
from ..support.files import opened, read_once, shown, unfinished
from ..support.threads import numbers_in
from .processes import ALONE, Processes

KINDS = {"columns": np.int32, "counts": np.int32, "row_ends": np.int64, "labels": np.int64}
DIGEST = partial(hashlib.blake2b, digest_size=16)
BLOCK = 2**20  # bytes that are checked at once
AT_ONCE = 8192  # texts that are counted at once
RESERVED = 128e6  # bytes that Python and the packages take; torch takes 200 MB more
PATIENCE = timedelta(days=30)  # for a process that counts more than others; one that dies is noticed at once
EXISTS = "already exists; remove it, open it as StoredCorpus, or name another folder"
NO_ROWS = "there are no rows; give at least one text and its label"
OF_AN_ENTRY = 80  # bytes at most that a step in float64 needs for every text and word that occurs in it


class StoredCorpus:
    """Labelled texts as counts in a folder that `store_corpus` wrote; `train` takes it like a `Corpus`.

    ``stored[rows]`` returns some of its texts as a `Corpus`; rows are an array of indices or a slice.

    Parameters
    ----------
    path : path
        The folder.
    memory : float
        How much memory the process may take, in bytes. Steps over all texts read as many at a time as fit. 128 MB of it are for
        Python and its packages. Torch takes 200 MB more; parameters, and 32 bytes per text, come on top.

    Attributes
    ----------
    vocabulary : ndarray of str
        The word of every column.
    class_names : tuple of str
        In the order of the labels.
    vocab_size, num_classes : int
        |S| and K.
    labels : ndarray of int64, shape (n,)
    row_ends : ndarray of int64, shape (n + 1,)
        Where the entries of every text begin, and where those of the last text end.
    mean_weights : ndarray of float64, shape (n,)
        The weight of each text in a mean: 1/n.

    Raises
    ------
    ValueError
        If the folder is damaged, or ``memory`` is too small.

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stored = ts.store_corpus([("good film", "up"), ("bad film", "down")], f"{folder}/films", memory=1e9)
    ...     stored[[0]], ts.train(stored, dim=4, steps=20), stored.description(), stored.blocks(np.arange(2))
    (Corpus(1 texts, 3 words, 2 tokens; down: 0, up: 1), Training(20 steps, loss 0.008; all steps),
     'StoredCorpus(2 texts, 3 words, 4 entries; down: 1, up: 1) (digest ...)', [array([0, 1])])
    """

    def __init__(self, path: str | os.PathLike, memory: float = 1e9):
        self.path, self.memory, self.entries_at_once = a_path("path", path), memory, _entries_at_once(memory)
        try:
            written = json.loads(read_once(self.path / "about.json"))
            about, self._whole = written["about"], written["digest"]
            if _digest(about) != self._whole:
                raise ValueError("about.json is not what was written")
            words, names = (list_of_str(name, about[name]) for name in ("vocabulary", "class_names"))
            ends = dict(columns=len(words), labels=len(names))
            columns, counts, *_ = (self._gone_through(name, about["digests"][name], ends.get(name)) for name in KINDS)
            self.labels, self.row_ends = (np.fromfile(self._file(name), KINDS[name]) for name in ("labels", "row_ends"))
            lengths, bounds = np.diff(self.row_ends), self.row_ends[[0, -1]].tolist()
            if len(lengths) != len(self.labels) or (lengths < 0).any() or bounds != [0, columns] or columns != counts:
                raise ValueError("its rows do not end where its entries do")
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError(f"{shown(self.path)}: not a complete stored corpus ({error}); store it again") from error
        self.vocabulary, self.class_names = np.array(words, dtype=object), tuple(names)
        self.vocab_size, self.num_classes = len(words), len(names)

    def __len__(self):
        """Return the number of texts n."""
        return len(self.labels)

    def __getitem__(self, rows):
        """Return the texts that a slice or an array of indices picks, as a `Corpus` in memory."""
        rows = np.arange(len(self))[checked_rows(rows, len(self))]
        starts, ends = self.row_ends[rows], self.row_ends[rows + 1]
        first = np.flatnonzero(np.append(True, starts[1:] != ends[:-1])[: len(rows)])  # of every run of texts that lie together
        runs = starts[first], ends[np.append(first[1:], len(rows)) - 1] if len(rows) else ends
        columns, counts = (self._read(name, *runs) for name in ("columns", "counts"))
        row_ends = np.concatenate([[0], np.cumsum(ends - starts)])
        row_ends = row_ends.astype(np.int32) if row_ends[-1] < 2**31 else row_ends
        matrix = sparse.csr_array((counts, columns, row_ends), shape=(len(rows), self.vocab_size))
        return unchecked(Corpus, matrix, self.labels[rows], self.vocabulary, self.class_names)  # checked before it was written

    def __repr__(self):
        """Return sizes and classes, as in ``StoredCorpus(3 texts, 5 words, 9 entries; -1: 1, +1: 2)``."""
        sizes = f"{len(self):,} texts, {self.vocab_size:,} words, {self.row_ends[-1]:,} entries"
        return f"StoredCorpus({sizes}; {class_sizes(self)})"

    @cached_property
    def mean_weights(self):
        """The weight of each text in a mean, ndarray of shape (n,), float64."""
        return np.full(len(self), 1 / len(self))

    def blocks(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return rows in blocks, each of as many as ``memory`` allows at once, or one more.

        Parameters
        ----------
        rows : ndarray of int

        Returns
        -------
        list of ndarray
            They depend only on the lengths of texts, ``rows`` and ``memory``, so a run can be repeated to the last bit.
        """
        rows = np.arange(len(self))[checked_rows(rows, len(self))]
        ends = np.cumsum(self.row_ends[rows + 1] - self.row_ends[rows] + 1)  # each text counts as an entry more
        return np.split(rows, np.flatnonzero(np.diff(ends // self.entries_at_once)) + 1)

    def description(self) -> str:
        """Return the sizes and the digest, with which a checkpoint must agree.

        Returns
        -------
        str
        """
        return f"{self!r} (digest {self._whole})"

    def _gone_through(self, name, digest, end):
        """Return how many numbers a file holds: those that were written, and each within bounds, whoever made the digest."""
        hashed, length = DIGEST(), 0
        with opened(self._file(name)) as file:
            while block := file.read(BLOCK):
                hashed.update(block)
                numbers = np.frombuffer(block, KINDS[name])
                length += len(numbers)
                if numbers.min() < 0 or (end is not None and numbers.max() >= end):
                    raise ValueError(f"{name}.bin holds a number that is out of bounds")
        if hashed.hexdigest() != digest:
            raise ValueError(f"{name}.bin is not what was written")
        return length

    def _file(self, name):
        return self.path / f"{name}.bin"

    def _read(self, name, starts, ends):
        """Return runs of entries, one after another."""
        entries = np.empty(int((ends - starts).sum()), KINDS[name])
        left = memoryview(entries).cast("B")
        with self._file(name).open("rb") as file:
            for start, length in zip(starts * entries.itemsize, (ends - starts) * entries.itemsize):
                file.seek(start)
                if file.readinto(left[:length]) < length:
                    raise ValueError(f"{self._file(name)} is shorter than it was; store the corpus again")
                left = left[length:]
        return entries


@numbers_in.register
def _(stored: StoredCorpus):
    return 4 * min(int(stored.row_ends[-1]), stored.entries_at_once)


@checked(rows=Iterable, path=a_path, vocabulary=list_of_str, min_count=whole_number, max_words=whole_number, distributed=truth)
def store_corpus(
    rows: Iterable,
    path: str | os.PathLike,
    *,
    text: str = "text",
    label: str = "label",
    vocabulary=None,
    class_names: tuple[str, ...] = (),
    min_count: int = 1,
    max_words: int | None = None,
    lowercase: bool = True,
    separators: str | None = None,
    tokenizer: Callable[[str], Iterable[str]] | None = None,
    memory: float = 1e9,
    distributed: bool = False,
) -> StoredCorpus:
    """Count labelled texts into a folder, a few thousand at a time; they may exceed the memory.

    It reads the rows twice, unless you give both ``vocabulary`` and ``class_names``. A terminal shows the progress. An
    interrupted call leaves nothing behind.

    Parameters
    ----------
    rows : iterable
        Pairs of a text and its label, or dicts, as in data sets of Hugging Face's library, also streamed ones.
    path : path
        The folder to make; it appears once it is complete.
    text, label : str
        Names in the dicts.
    vocabulary, class_names, min_count, max_words, lowercase, separators, tokenizer
        As in `corpus_from_texts`.
    memory : float
        See `StoredCorpus`. Counting takes the memory of Python and of some ten thousand texts. The first pass takes 100 bytes
        per word, with several processes up to 300.
    distributed : bool
        Whether this is one of several processes that ``torchrun`` started. Each reads and counts its part of the rows, which
        are a sequence, or a data set of Hugging Face's library; of a streamed data set each takes whole files. All must get the
        same rows and options, and see the folder. They store the same as a single process would, to the last bit.

    Returns
    -------
    StoredCorpus

    Raises
    ------
    FileExistsError
        If the folder exists already.
    ValueError
        If ``rows`` is an iterator that would have to be read twice, or cannot be shared out; a row is neither a pair nor a dict
        with those names; or as in `corpus_from_texts`.
    RuntimeError
        If another process failed; the message says how.

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> rows = [{"text": "Good film", "label": 1}, {"text": "bad, bad film", "label": 0}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stored = ts.store_corpus(rows, f"{folder}/films")
    ...     stored.vocabulary.tolist(), stored[:].counts.toarray().tolist()
    (['bad', 'film', 'good'], [[0, 1, 1], [2, 1, 0]])
    """
    from ..corpus.text import corpus_from_texts, splitter  # here, since pyarrow takes half a second, and reading needs none

    how = dict(separators=separators, tokenizer=tokenizer, lowercase=lowercase)
    split, class_names = splitter(**how), tuple(map(str, listed("class_names", class_names)))
    _entries_at_once(memory)  # refused before the work, not after it
    processes = Processes.joined(PATIENCE) if distributed else ALONE
    if path.exists():
        raise FileExistsError(f"{path} {EXISTS}")
    chunks = partial(_chunks, _share(rows, processes), text, label, heard=processes.rank == 0)
    if vocabulary is None or not class_names:
        if iter(rows) is rows:
            once = "rows is an iterator, which can be read only once"
            raise ValueError(f"{once}; give vocabulary and class_names, or rows that can be read again")
        vocabulary, class_names = _first_pass(chunks, split, vocabulary, class_names, min_count, max_words, processes)
    words, names = list(vocabulary), list(class_names)
    facts = dict(rows=len(rows) if isinstance(rows, Sized) else None, vocabulary=_digest(repr(words)), class_names=names)
    processes.check_agreement(facts | dict(lowercase=lowercase, separators=separators))
    count = partial(corpus_from_texts, vocabulary=words, class_names=tuple(names), **how)
    with _folder(path, processes) as folder:
        _write_together(_counted(chunks("Counting"), count), folder, words, names, processes)
    return StoredCorpus(path, memory)


def write_corpora(corpora: Iterable[Corpus], folder: Path, vocabulary: list[str], class_names: list[str]) -> None:
    """Write corpora of the same words and classes, one after another, into an empty folder that `StoredCorpus` then reads."""
    digests = {name: DIGEST() for name in KINDS}
    with ExitStack() as stack:
        files = {name: stack.enter_context((folder / f"{name}.bin").open("wb")) for name in KINDS}

        def add(**arrays):
            for name, array in arrays.items():
                array = np.ascontiguousarray(array, KINDS[name])
                digests[name].update(array)
                files[name].write(array)

        end = 0
        add(row_ends=[0])
        for corpus in corpora:
            counts = corpus.counts
            row_ends = end + counts.indptr[1:].astype(np.int64)
            add(columns=counts.indices, counts=counts.data, row_ends=row_ends, labels=corpus.labels)
            end += counts.nnz
    about = dict(vocabulary=vocabulary, class_names=class_names, digests={name: digests[name].hexdigest() for name in KINDS})
    (folder / "about.json").write_text(json.dumps({"about": about, "digest": _digest(about)}), "utf-8")


def _entries_at_once(memory):
    entries = int((positive("memory", memory) - RESERVED) / OF_AN_ENTRY)
    if entries < 10**5:
        raise ValueError(f"memory={memory!r}; give at least {RESERVED / 1e6 + OF_AN_ENTRY / 10:.0f}e6 bytes")
    return entries


@contextmanager
def _folder(path, processes):
    """Make a folder for all processes, which gets its name once it is whole."""
    with ExitStack() as stack:
        with processes.together():
            made = stack.enter_context(unfinished(path, os.mkdir))[0].name if processes.rank == 0 else None
        name, *_ = processes.each(made)
        yield path.with_name(name)
        with processes.together():
            try:
                stack.close()
            except OSError as error:
                raise (FileExistsError(f"{path} {EXISTS}") if path.exists() else error) from error


def _share(rows, processes):
    """Return the rows of one process, which follow those of the process before it."""
    rank, size = processes.rank, processes.size
    if size == 1:
        return rows
    if hasattr(rows, "shard"):  # Hugging Face's
        pieces = min(size, getattr(rows, "num_shards", size))
        return rows.shard(pieces, rank, contiguous=True) if rank < pieces else ()
    if not isinstance(rows, Sequence):
        raise ValueError(f"rows is {shortened(rows)}, which {size} processes cannot share; give a list")
    from torch.utils.data import Subset

    return Subset(rows, range(len(rows) * rank // size, len(rows) * (rank + 1) // size))


def _write_together(corpora, folder, words, names, processes):
    """Store what all processes count: each into a folder of its own first, which the first of them then puts together."""
    shares = [folder / str(rank) for rank in range(processes.size)] if processes.size > 1 else []
    if shares:
        with processes.together():
            shares[processes.rank].mkdir()  # fails, and all are told, where another machine does not see the folder
            write_corpora(corpora, shares[processes.rank], words, names)
        parts = map(StoredCorpus, shares)
        corpora = (part[block] for part in parts for block in part.blocks(np.arange(len(part))))
    with processes.together():
        if processes.rank == 0:
            write_corpora(corpora, folder, words, names)
            for share in shares:
                shutil.rmtree(share)
            texts, entries = (os.path.getsize(folder / f"{name}.bin") for name in ("labels", "counts"))
            if not entries:
                raise ValueError("no text holds a word of the vocabulary; give another one" if texts else NO_ROWS)


def _counted(chunks, count):
    for first, texts, labels in chunks:
        try:
            yield count(texts, labels)
        except ValueError as error:
            raise ValueError(f"among the rows from {first} on: {error}") from error


def _chunks(rows, text, label, what, heard):
    """Yield the number of the first row, texts and labels, some thousand at a time; a terminal shows how far it is."""
    rows = enumerate(tqdm(rows, desc=what, unit="text", delay=2, disable=None if heard else True))
    while chunk := list(islice(rows, AT_ONCE)):
        texts, labels = [], []
        for number, row in chunk:
            try:
                its_text, its_label = (row[text], row[label]) if isinstance(row, dict) else row
            except (KeyError, TypeError, ValueError):
                its_text = None
            if isinstance(row, str) or not isinstance(its_text, str) or not isinstance(its_label, (str, Real)):
                wanted = f"a text and a label, or a dict with {shortened(text)} and {shortened(label)}"
                raise ValueError(f"row {number} is {shortened(row)}; give {wanted}")
            texts.append(its_text)
            labels.append(its_label)
        yield chunk[0][0], texts, labels


def _first_pass(chunks, split, vocabulary, class_names, min_count, max_words, processes):
    """Return vocabulary and names of classes; what is not given comes from the texts of all processes."""
    from ..corpus.text import choose_words, encode, occurrences

    frequencies, labels = Counter(), {}
    with processes.together():
        for _, texts, of_chunk in chunks("Finding words" if vocabulary is None else "Finding labels"):
            labels |= dict.fromkeys(of_chunk)
            if vocabulary is None:
                _, codes, words = encode(texts, split)
                frequencies.update(dict(zip(words, occurrences(codes, len(words)).tolist())))
    frequencies, labels = reduce(iadd, processes.each(frequencies)), reduce(or_, processes.each(labels))
    if not labels:
        raise ValueError(NO_ROWS)
    if vocabulary is None:
        vocabulary = choose_words(np.fromiter(frequencies.values(), int), list(frequencies), min_count, max_words)
    try:
        return vocabulary, code_labels(list(labels), tuple(class_names))[1]
    except ValueError as error:
        raise ValueError(f"among the different labels of these rows: {error}") from error


def _digest(plain):
    return DIGEST(json.dumps(plain).encode()).hexdigest()
