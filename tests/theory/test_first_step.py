import numpy as np
import pytest
from scipy.special import expit

from tokensel_nb import Transformer, first_step, init_parameters, logits, sequences_from_texts


@pytest.fixture(scope="module")
def texts():
    """100 texts of 1 to 20 words of 40, labels that two of the words give away."""
    random = np.random.default_rng(3)
    rows = [random.integers(40, size=random.integers(1, 21)) for _ in range(100)]
    labels = [1 if random.random() < 0.5 + 0.4 * (int(0 in row) - int(1 in row)) else -1 for row in rows]
    return sequences_from_texts([" ".join(f"w{word:02}" for word in row) for row in rows], labels, longest=20)


def test_one_layer_is_predicted_exactly(texts):
    start = init_parameters(texts.vocab_size, 16, 0, dtype="float64")
    step = first_step(start, texts)
    np.testing.assert_allclose(step.direction, start.output_vector, rtol=1e-12)
    np.testing.assert_allclose(step.movement, step.predicted, rtol=0, atol=1e-15)


def rest(texts, dim=16, **settings):
    """Return the share of the movement that is not predicted: 1 - R²."""
    model = Transformer(longest=20, heads=2, hidden=32, **settings)
    return 1 - first_step(model.start(texts.vocab_size, dim, 0, dtype="float64"), texts, model).r_squared


@pytest.mark.parametrize(
    ("norm", "layers"), [("none", 1), ("none", 2), ("none", 4), ("before", 1), ("before", 2), ("before", 4), ("after", 1)]
)
def test_the_rest_vanishes_with_the_start(texts, norm, layers):
    """Relative errors are of the order of the start's variance, over LayerNorm's ε where there is one: 1 - R² is their square.

    So a third of the standard deviation should leave (1/3)⁴ = 1/81 of the rest; a fifth is asked, or what float64 resolves.
    """
    near, nearer = (rest(texts, layers=layers, norm=norm, spread=spread) for spread in (6e-4, 2e-4))
    assert nearer < max(0.2 * near, 1e-12)
    assert nearer < 1e-3


@pytest.mark.parametrize("layers", [2, 4])
def test_behind_a_layer_norm_the_rest_vanishes_with_the_dimension(texts, layers):
    """A LayerNorm that a word's state has passed turns each word's own way, by O(1/√d), if the start is not below its ε."""
    small, large = (rest(texts, dim, layers=layers, norm="after", spread=2e-4) for dim in (16, 128))
    assert large < small / 3  # 1/8 is expected of 1 - R²


def test_it_ends_at_a_large_start(texts):
    assert rest(texts, layers=2, spread=0.5) > 0.3


def test_shares_and_direction_are_those_of_their_definitions(texts):
    """Word by word, text by text, place by place."""
    few, model = texts[:20], Transformer(layers=2, heads=2, hidden=8, longest=20, spread=0.3)
    start = model.start(few.vocab_size, 8, 0, dtype="float64")
    step = first_step(start, few, model)
    residuals = few.signs * expit(-few.signs * logits(start, few, model))
    shares = np.zeros(few.vocab_size)
    for row, tokens in enumerate(few.tokens):
        for word in tokens[tokens >= 0]:
            shares[word] += residuals[row] / (1 + few.lengths[row]) / len(few)
    np.testing.assert_allclose(step.shares, shares, rtol=1e-12)
    moved = [start._replace(embeddings=start.embeddings.copy()) for _ in "+-"]
    along = np.random.default_rng(0).standard_normal(8)
    for parameters, sign in zip(moved, (1, -1)):
        parameters.embeddings[:] += sign * 1e-5 * along  # every word the same way
    slope = np.diff([logits(parameters, few, model).mean() for parameters in moved[::-1]])[0] / 2e-5
    share_of_words = (few.lengths / (1 + few.lengths)).mean()
    assert step.direction @ along * share_of_words == pytest.approx(slope, rel=1e-6)  # central differences of float64
