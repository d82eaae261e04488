"""What the pages' playthings know of every word: the files are those that training makes, and rounding hardly shows."""

import numpy as np
import pytest
from helpers import shipped, unpacked

import tokensel_nb as ts
from experiments import curves, front_page, playthings, stills
from tokensel_nb.chapters import reviews
from tokensel_nb.chapters.recorded import recorded


@pytest.fixture(scope="module")
def step():
    return playthings.first_step()


@pytest.mark.parametrize(("learning_rate", "dim"), [(3_000, 2048), (10_000, 64)])
def test_the_first_step(imdb, step, learning_rate, dim):
    """Up to the third order of the logits, of which the formula is without: they are of size 0.05 at d = 64."""
    start = ts.init_parameters(imdb.vocab_size, dim, seed=0, dtype="float64")
    directions = start.embeddings - np.outer(start.token_values, start.output_vector)
    start = ts.Parameters(
        directions + np.outer(step["draw"] / np.sqrt(dim), start.output_vector), start.cls_embedding, start.output_vector
    )
    wanted = ts.embedding_step(start, imdb, learning_rate).token_values
    found = step["draw"] / np.sqrt(dim) + learning_rate * (step["share"] / 2 - step["drawn_pull"] / (4 * np.sqrt(dim)))
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def test_the_files_are_what_the_formula_and_the_reviews_give(imdb, step):
    assert shipped("words") == imdb.vocabulary.tolist()
    for name, numbers in step.items():
        packed = shipped("step_data")[name]
        np.testing.assert_allclose(unpacked(packed), numbers, atol=0.501 * packed["step"])
    corpus, _ = imdb.split(reviews.HELD_OUT, seed=0)
    counts = np.array(shipped("map_data"))
    np.testing.assert_allclose((counts[1] - counts[0]) / counts.sum(axis=0), corpus.label_skew())


@pytest.mark.parametrize("stages", [playthings.STAGES[:3], pytest.param(playthings.STAGES, marks=pytest.mark.long)])
def test_the_files_are_what_training_makes(imdb, stages):
    data, trained = shipped("reviews"), playthings.trained_words(stages)
    assert data["stages"] == list(playthings.STAGES)
    assert [len(data[key]) for key in ("values", "scores", "right")] == [len(playthings.STAGES)] * 3
    assert trained["right"] == pytest.approx(data["right"][: len(stages)], abs=5e-3)  # 25 of 5,000 reviews
    for at in range(len(stages)):
        logits = []
        for values, scores in (
            (trained["values"][at], trained["scores"][at]),
            (unpacked(data["values"][at]), unpacked(data["scores"][at])),
        ):
            weights = np.exp(scores - scores.max())
            logits.append(imdb.counts @ (weights * values) / (imdb.counts @ weights))
        difference = logits[1] - logits[0]
        if stages[at] == playthings.STAGES[-1]:
            # Rounding grows: another processor, or a start moved by one unit, gives 0.01; ten steps fewer give 0.12.
            assert difference.std() < 0.03 * logits[0].std()
        else:
            assert np.abs(difference).max() < 0.01


def test_the_cloud_is_that_of_the_stages_and_of_shuffled_labels():
    """Where both are recorded they are equal; words go from the lowest skew to the highest."""
    horns, words, data = shipped("horns_data"), shipped("words"), shipped("reviews")
    corpus, _ = front_page.parts()
    columns = [words.index(word) for word in horns["words"]]
    assert (corpus.counts.sum(axis=0)[columns] >= front_page.OFTEN).all()
    assert (np.diff(corpus.label_skew()[columns]) >= 0).all()
    frames = playthings.shuffled(playthings.SHUFFLED_FRAMES)
    for kind, size in playthings.ROUNDING.items():
        for step in (0, 1, 5, 20):
            of_cloud = unpacked(horns["true"][kind][horns["true"]["steps"].index(step)])
            wanted = unpacked(data[kind][playthings.STAGES.index(step)])[columns]
            np.testing.assert_allclose(of_cloud, wanted, atol=1e-9)
        assert shipped("stopped")[kind] == data[kind][playthings.STAGES.index(front_page.STOP)]
        for at, frame in enumerate(frames):
            # 20 steps on another processor: rounding has hardly begun to grow.
            np.testing.assert_allclose(unpacked(horns["shuffled"][kind][at]), frame[kind][columns], atol=0.05 + size)
        on_map = shipped("map_shuffled")["20"][list(playthings.COARSE).index(kind)]
        np.testing.assert_allclose(unpacked(on_map), frame[kind], atol=0.05 + playthings.COARSE[kind])


def test_verdicts_are_told_by_the_recorded_fit():
    assert shipped("verdict") == playthings.verdict()


def test_the_files_are_what_is_recorded():
    assert shipped("cost_data") == playthings.costs()
    assert shipped("plant_data") == playthings.planted() | {key: list(playthings.planted()[key]) for key in ("bad", "good")}
    sides, stop = recorded("ablations_sides"), shipped("stop_data")
    for kind in stop.keys() - {"shuffled"}:
        assert stop[kind] == curves.along(sides[kind]["runs"][: curves.RUNS])


def test_stills_are_drawn_from_the_data():
    drawn = [path.read_text("utf-8") for path in sorted(stills.PICTURES.glob("*.svg"))]
    assert drawn == stills.stills(), "stale: run `make playthings`"
