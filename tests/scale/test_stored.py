"""Corpora in folders: the counts of `corpus_from_texts`, the steps of a corpus in memory, damage found, memory kept."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import equal, raising, random_parameters, short_texts, start_of
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.scale import stored
from tokensel_nb.scale.distributed import Parts
from tokensel_nb.scale.processes import Processes
from tokensel_nb.support.files import PART
from tokensel_nb.training import checkpoint

TEXTS = ["Good, good film!", "a bad film", "", "good and moving", "bad and long, bad", "film"] * 3
WORDS = ["up", "down", "down", "up", "down", "up"] * 3


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(stored, "AT_ONCE", 4)


def kept(corpus, folder, entries_at_once=None):
    """Store a corpus as it is, in two chunks; let only so many entries be read at once."""
    folder.mkdir()
    half = len(corpus) // 2
    stored.write_corpora([corpus[:half], corpus[half:]], folder, corpus.vocabulary.tolist(), list(corpus.class_names))
    found = ts.StoredCorpus(folder)
    if entries_at_once:
        found.entries_at_once = entries_at_once
    return found


def same(found, wanted):
    """Tell whether a stored corpus is that of the memory, or another stored one."""
    assert found.vocabulary.tolist() == wanted.vocabulary.tolist()
    assert found.class_names == wanted.class_names
    assert found.labels.tolist() == wanted.labels.tolist()
    assert np.array_equal(found[:].counts.toarray(), wanted[:].counts.toarray())


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("labels", [WORDS, [1, 0, 0, 1, 0, 1] * 3, [1, -1, -1, 1, -1, 1] * 3, [2, 0, 1, 2, 0, 1] * 3])
@pytest.mark.parametrize("options", [{}, {"min_count": 4}, {"max_words": 3}, {"lowercase": False}, {"tokenizer": str.split}])
def test_counting_in_chunks_is_counting_at_once(tmp_path, labels, options):
    found = ts.store_corpus(zip_again(TEXTS, labels), tmp_path / "all", **options)
    same(found, ts.corpus_from_texts(TEXTS, labels, **options))


def zip_again(texts, labels):
    return list(zip(texts, labels))


@pytest.mark.usefixtures("small_chunks")
def test_rows_come_as_dicts_from_a_stream_and_once(tmp_path):
    datasets = pytest.importorskip("datasets")
    wanted = ts.corpus_from_texts(TEXTS, WORDS)
    stream = datasets.Dataset.from_dict({"body": TEXTS, "verdict": WORDS}).to_iterable_dataset()
    same(ts.store_corpus(stream, tmp_path / "stream", text="body", label="verdict"), wanted)
    with pytest.raises(ValueError, match="rows is an iterator, which can be read only once"):
        ts.store_corpus(zip(TEXTS, WORDS), tmp_path / "once")
    given = dict(vocabulary=wanted.vocabulary, class_names=wanted.class_names)
    same(ts.store_corpus(zip(TEXTS, WORDS), tmp_path / "once", **given), wanted)


class Row(dict):
    """A row that is counted while anybody holds it."""

    held = most = 0

    def __init__(self, **row):
        super().__init__(row)
        Row.held += 1
        Row.most = max(Row.most, Row.held)

    def __del__(self):
        Row.held -= 1


class Rows:
    """Rows without length, made when they are asked for."""

    def __iter__(self):
        return (Row(text=text, label=label) for text, label in zip(TEXTS * 20, WORDS * 20))


@pytest.mark.usefixtures("small_chunks")
def test_rows_are_not_held(tmp_path):
    """Of 360 rows those of two chunks: of the one that is counted, and of the one that is read."""
    same(ts.store_corpus(Rows(), tmp_path / "all"), ts.corpus_from_texts(TEXTS * 20, WORDS * 20))
    assert 4 <= Row.most <= 2 * 4
    assert Row.held == 0


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_sees_how_far_it_is(tmp_path, monkeypatch, terminal):
    delays, shown = [], io.StringIO()

    def impatient(rows, delay, **options):
        delays.append(delay)
        return tqdm(rows, **options, delay=1e-9, mininterval=0)

    monkeypatch.setattr(stored, "tqdm", impatient)
    monkeypatch.setattr(shown, "isatty", lambda: terminal)
    monkeypatch.setattr("sys.stderr", shown)
    ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all")
    assert delays == [2, 2]
    for what in ("Finding words", "Counting"):
        assert (f"{what}:  50%" in shown.getvalue()) == terminal, "before its end"
        assert (f"{what}: 100%" in shown.getvalue()) == terminal


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("passes", [0, 1])
def test_whoever_waits_no_longer_leaves_nothing(tmp_path, passes):
    """Control-C in the middle of the first pass, or of the second."""
    split = []

    def until(text):
        split.append(text)
        if len(split) == (passes + 0.5) * len(TEXTS):
            raise KeyboardInterrupt
        return text.split()

    with pytest.raises(KeyboardInterrupt):
        ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all", tokenizer=until)
    assert not list(tmp_path.iterdir())
    same(
        ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all", tokenizer=str.split),
        ts.corpus_from_texts(TEXTS, WORDS, tokenizer=str.split),
    )


@pytest.mark.usefixtures("small_chunks")
def test_a_stream_is_not_read_ahead(tmp_path):
    """Of 1,800 rows of a stream of Hugging Face's, two chunks at most have been read when one of them is counted."""
    datasets = pytest.importorskip("datasets")
    read, counted, ahead = [], [], []

    def rows():
        for text, label in zip(TEXTS * 100, WORDS * 100):
            read.append(text)
            yield dict(text=text, label=label)

    def split(text):
        counted.append(text)
        ahead.append(len(read) - len(counted))
        return text.split()

    stream = datasets.IterableDataset.from_generator(rows)
    wanted = ts.corpus_from_texts(TEXTS * 100, WORDS * 100, tokenizer=str.split)
    same(ts.store_corpus(stream, tmp_path / "all", tokenizer=split), wanted)
    assert len(counted) == 2 * 1800, "gone through twice"
    assert max(ahead) <= 2 * 4


@pytest.mark.processes
def test_a_store_that_was_killed_leaves_nothing_that_stays(tmp_path):
    code = f"""
import os, signal, tokensel_nb as ts
ts.store_corpus([("good", 1), ("bad", 0)], {str(tmp_path / "all")!r}, vocabulary=["good"], class_names=("0", "1"),
                tokenizer=lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
    (part,) = tmp_path.iterdir()
    assert PART.fullmatch(part.name)
    ts.store_corpus([("good", 1), ("bad", 0)], tmp_path / "all")
    assert part.exists(), "another may be at work in it"
    for path in (*part.iterdir(), part):
        os.utime(path, (0, 0))
    ts.store_corpus([("good", 1), ("bad", 0)], tmp_path / "other")
    assert {path.name for path in tmp_path.iterdir()} == {"all", "other"}


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("batch_size", [None, 33])
def test_training_from_blocks_is_training_in_memory(tmp_path, classes, batch_size):
    corpus, held_out = short_texts()
    if classes > 2:
        corpus, held_out = (
            replace(each, labels=np.resize(range(classes), len(each)), class_names=tuple("abcd")) for each in (corpus, held_out)
        )
    folders = kept(corpus, tmp_path / "all", 100), kept(held_out, tmp_path / "held out", 100)
    assert len(folders[0].blocks(np.arange(len(corpus)))) > 5
    options = dict(start=start_of(corpus), steps=12, batch_size=batch_size)
    wanted, found = ts.train(corpus, held_out=held_out, **options), ts.train(folders[0], held_out=folders[1], **options)
    for name, array in wanted.parameters.arrays().items():  # sums in another order, see test_distributed.py
        np.testing.assert_allclose(getattr(found.parameters, name), array, rtol=0, atol=1e-10)
    for column, value in vars(wanted.history).items():
        np.testing.assert_allclose(vars(found.history)[column], value, rtol=0, atol=1e-10)
    assert found.history.losses[-1] == pytest.approx(ts.loss(found.parameters, corpus), abs=1e-12)


def test_blocks_and_processes_add_up(tmp_path):
    corpus, _ = short_texts()
    parameters, folder = random_parameters(corpus, 6, seed=0), kept(corpus, tmp_path / "all", 100)
    wanted = ts.OneLayer().evaluate(parameters, corpus)
    total = np.zeros(2)
    for rank in range(3):

        class Alone(Processes):
            def summed(self, array):
                return array

        total += ts.OneLayer().evaluate(parameters, Parts(folder, None, Alone(rank, 3)))
    np.testing.assert_allclose(total, wanted, atol=1e-12)


def test_any_rows_are_read(tmp_path):
    corpus, _ = short_texts()
    folder = kept(corpus, tmp_path / "all")
    for rows in (3, [0], [5, 3, 4, 199], np.arange(200), slice(10, 60), np.array([], int), [7, 7]):
        assert np.array_equal(folder[rows].counts.toarray(), corpus[rows].counts.toarray())
        assert np.array_equal(folder[rows].labels, corpus[rows].labels)
    assert repr(folder).startswith("StoredCorpus(200 texts, ")


def test_a_run_goes_on_and_knows_another_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    corpus, held_out = short_texts()
    folder = kept(corpus, tmp_path / "all", 100)
    file = tmp_path / "run.safetensors"
    ts.train(folder, steps=10, checkpoint=file)
    assert equal(ts.train(folder, steps=20, checkpoint=file).parameters, ts.train(folder, steps=20).parameters)
    with pytest.raises(ts.CheckpointError, match="made with corpus="):
        ts.train(kept(held_out, tmp_path / "other"), steps=20, checkpoint=file)


@pytest.mark.parametrize("name", [*stored.KINDS, "about"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove", "lengthen"])
def test_damage_is_found(tmp_path, name, damage):
    corpus, _ = short_texts()
    file = kept(corpus, tmp_path / "all").path / (f"{name}.bin" if name != "about" else "about.json")
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    pieces = {"flip": whole, "cut": whole[:-3], "lengthen": file.read_bytes() + b"1"}
    if damage == "remove":
        file.unlink()
    else:
        file.write_bytes(pieces[damage])
    with pytest.raises(ValueError, match=r"not a complete stored corpus \(.+\); store it again"):
        ts.StoredCorpus(tmp_path / "all")


FORGED = {  # with digests that fit
    "columns": (lambda numbers: 2**30, "columns.bin holds a number that is out of bounds"),
    "counts": (lambda numbers: -1, "counts.bin holds a number that is out of bounds"),
    "labels": (lambda numbers: 2, "labels.bin holds a number that is out of bounds"),
    "row_ends": (lambda numbers: 2**40, "its rows do not end where its entries do"),
}


def forge(folder, change):
    """Change what a folder says of itself, and all its digests."""
    about = json.loads((folder / "about.json").read_text())["about"]
    about["digests"] = {name: stored.DIGEST((folder / f"{name}.bin").read_bytes()).hexdigest() for name in stored.KINDS}
    about |= change
    (folder / "about.json").write_text(json.dumps({"about": about, "digest": stored._digest(about)}))


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("place", [0, 2, -1])
def test_a_forged_number_is_found_by_whoever_reads_on(tmp_path, name, place):
    """It would lead out of the memory that products of sparse matrices read."""
    folder = kept(short_texts()[0], tmp_path / "all").path
    edit, message = FORGED[name]
    numbers = np.fromfile(folder / f"{name}.bin", stored.KINDS[name])
    numbers[place] = edit(numbers)
    numbers.tofile(folder / f"{name}.bin")
    forge(folder, {})
    with pytest.raises(ValueError, match=rf"not a complete stored corpus \({message}\)"):
        ts.StoredCorpus(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocabulary": ["a"]}, "columns.bin holds"),
        ({"vocabulary": 5}, "vocabulary is a int"),
        ({"vocabulary": "abc"}, "vocabulary is a str"),
        ({"class_names": [1, 2]}, "class_names holds 1, which is not a string"),
        ({"class_names": None}, "class_names is a NoneType"),
        ({"digests": []}, "list indices"),
    ],
)
def test_a_well_formed_folder_that_nothing_stores_is_refused(tmp_path, change, message):
    forge(kept(short_texts()[0], tmp_path / "all").path, change)
    with pytest.raises(ValueError, match=rf"not a complete stored corpus \({message}.*; store it again"):
        ts.StoredCorpus(tmp_path / "all")


@pytest.mark.parametrize("text", ["[]", "5", "[" * 10**5, '{"about": {}}', "{"])
def test_a_folder_that_says_nothing_of_itself_is_refused(tmp_path, text):
    (kept(short_texts()[0], tmp_path / "all").path / "about.json").write_text(text)
    with pytest.raises(ValueError, match=r"not a complete stored corpus \(.*; store it again"):
        ts.StoredCorpus(tmp_path / "all")


@pytest.mark.parametrize("name", ["counts.bin", "labels.bin", "about.json"])
def test_nobody_waits_for_the_other_end_of_a_pipe(tmp_path, name):
    file = kept(short_texts()[0], tmp_path / "all").path / name
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ValueError, match="it is a pipe or a device, not a file"):
        ts.StoredCorpus(tmp_path / "all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_names": {"0", "1"}}, "class_names is a set; give a list"),
        ({"class_names": "ab"}, "class_names is a str; give a list"),
        ({"class_names": 5}, "class_names is a int; give a list"),
        ({"vocabulary": {"good", "bad"}}, "vocabulary is a set; give a list"),
        ({"vocabulary": "abc"}, "vocabulary is a str; give a list"),
        ({"vocabulary": {"good": 1}}, "vocabulary is a dict; give a list"),
        ({"vocabulary": [1, 2]}, "vocabulary holds 1, which is not a string"),
        ({"separators": 5}, "separators=5; give a str"),
        ({"tokenizer": 5}, "tokenizer=5; give a Callable"),
        ({"lowercase": "no"}, "lowercase='no'; give True or False"),
    ],
)
def test_a_setting_of_a_wrong_kind_is_told_before_anything_is_read(tmp_path, options, message):
    with pytest.raises(TypeError, match=message):
        ts.store_corpus((raising(AssertionError("read"))() for _ in range(2)), tmp_path / "all", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("path", "message"), [(5, "path=5; give a str or PathLike"), ("", "path=.*; give the path")])
def test_what_is_no_path_is_named(path, message):
    for call in (ts.StoredCorpus, lambda path: ts.store_corpus([("good", 1), ("bad", 0)], path)):
        with pytest.raises((TypeError, ValueError), match=message):
            call(path)


def test_names_in_any_order_that_is_given_are_stored_so(tmp_path):
    for number, form in enumerate((tuple, list, np.array, pd.Series)):
        folder = tmp_path / str(number)
        ts.store_corpus(zip_again(TEXTS, WORDS), folder, vocabulary=form(["good", "bad"]), class_names=form(["up", "down"]))
        assert (found := ts.StoredCorpus(folder)).class_names == ("up", "down")
        assert found.vocabulary.tolist() == ["good", "bad"]


def test_of_several_that_store_into_one_folder_the_first_wins_and_the_others_are_told(tmp_path):
    together = threading.Barrier(3)

    def store(word):
        waited = []

        def split(text):
            waited.append(waited or together.wait(60))
            return [word, *text.split()]

        try:
            return ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all", tokenizer=split)
        except FileExistsError as error:
            return str(error)

    with ThreadPoolExecutor(3) as threads:
        (told, again, found) = sorted(threads.map(store, ["one", "other", "third"]), key=lambda each: not isinstance(each, str))
    assert told == again == f"{tmp_path}/all already exists; remove it, open it as StoredCorpus, or name another folder"
    assert [each.name for each in tmp_path.iterdir()] == ["all"]
    same(ts.StoredCorpus(tmp_path / "all"), found)


def test_a_full_disk_is_told_with_the_name_of_the_folder(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large: '.*made/all'$"):
            ts.store_corpus(zip_again(TEXTS * 100, WORDS * 100), tmp_path / "made" / "all")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([("good", "up", 1), ("bad", "down", 1)], {}, r"row 0 is .*; give a text and a label"),
        (
            [{"text": "good", "label": 1}, {"text": "bad"}],
            {},
            "row 1 is .*; give a text and a label, or a dict with 'text' and",
        ),
        ([("good", 1), ("bad", [0])], {}, "row 1 is .*; give a text and a label"),
        (["ab", "cd"], {}, "row 0 is 'ab'; give a text and a label"),
        ([("good", 1), ("bad", 0.5)], {}, r"among the different labels of these rows: labels\[1\] is 0.5"),
        ([("good", 1), ("bad", 0)], {"min_count": 0}, "min_count=0; give a whole number of at least 1"),
        ([("good", 1), 7], {}, "row 1 is 7; give a text"),
        ([("good", 1), (None, 0)], {}, "row 1 is .*None, 0.*; give a text and a label"),
        ([("good", "up"), ("bad", "up")], {}, "two classes are needed"),
        ([], {}, "there are no rows; give at least one text and its label"),
        ([("good", "x")], {"vocabulary": ["good"], "class_names": ("a", "b")}, r"the rows from 0 on: labels\[0\] is 'x'"),
        ([("good", 1), ("bad", 0)], {"vocabulary": ["film"]}, "no text holds a word of the vocabulary"),
        ([("good", 1), ("bad", 0)], {"min_count": 2}, "no word occurs min_count=2 times"),
        ([("good", 1), ("bad", 0)], {"memory": 1e6}, "memory=1000000.0; give at least 136e6 bytes"),
    ],
)
def test_what_cannot_be_stored_is_told_and_leaves_nothing(tmp_path, rows, options, message):
    with pytest.raises(ValueError, match=message):
        ts.store_corpus(rows, tmp_path / "all", **options)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path):
    ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all")
    with pytest.raises(FileExistsError, match="already exists; remove it"):
        ts.store_corpus(zip_again(TEXTS, WORDS), tmp_path / "all")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak of memory there")
def test_memory_is_kept(tmp_path):
    """Four million entries, read 125,000 at a time in float64 with scores so wide that every entry is weighed apart."""
    random = np.random.default_rng(0)
    counts = np.zeros((1000, 2000), np.int32)
    counts[:, :1000] = random.integers(1, 5, (1000, 1000))
    corpus = ts.Corpus(counts, np.resize([0, 1], 1000), [f"word{s}" for s in range(2000)])
    (folder := tmp_path / "all").mkdir()
    stored.write_corpora([corpus] * 4, folder, corpus.vocabulary.tolist(), list(corpus.class_names))
    code = f"""
import numpy as np, tokensel_nb as ts
corpus = ts.StoredCorpus({str(folder)!r}, memory=138e6)
start = ts.init_parameters(2000, 4, 0, dtype="float64")
start.cls_embedding[:] = 3000 * start.embeddings[0]
ts.train(corpus, start=start, steps=2)
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])  # of this program alone
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 1024 * int(done.stdout) < 1.1 * 138e6
