import numpy as np
import pytest
import torch

from experiments import language_training, next_words
from experiments.language_model import LanguageModel, movement, passages, r_squared

WORDS, LONGEST = 60, 12


@pytest.fixture(scope="module")
def windows():
    """Texts in which each word has a few usual followers, and common words are commoner."""
    random = np.random.default_rng(0)
    usual = random.dirichlet(np.full(WORDS, 0.1) / np.arange(1, 1 + WORDS) ** 0.5 * 5, size=WORDS)
    found = np.zeros((300, LONGEST + 1), int)
    for place in range(1, LONGEST + 1):
        found[:, place] = [random.choice(WORDS, p=usual[word]) for word in found[:, place - 1]]
    return found


def made(windows, layers, spread, dim=32):
    model = LanguageModel(next_words.frequencies(windows, WORDS), layers, dim, 0, spread, LONGEST)
    for layer in model.layers:
        layer.double()
    return model.double()


def measured(windows, layers, spread, dim=32):
    model, frequency = made(windows, layers, spread, dim), next_words.frequencies(windows, WORDS)
    moved = movement(model, windows, windows[:, 1:])
    own, read = passages(model, np.random.default_rng(1).choice(WORDS, (60, LONGEST), p=frequency))
    bigrams, shares = (next_words.centred(table, frequency) for table in next_words.tables(windows, WORDS))
    output = model.output.weight.detach().numpy()
    size = windows[:, 1:].size
    return model, moved, bigrams @ output @ own / size, shares @ output @ read / size


def test_tables_are_those_of_plain_loops(windows):
    bigrams, shares = np.zeros((2, WORDS, WORDS))
    for window in windows[:20]:
        for place in range(LONGEST):
            bigrams[window[place], window[place + 1]] += 1
            for word in window[: place + 1]:
                shares[word, window[place + 1]] += 1 / (place + 1)
    found = next_words.tables(windows[:20], WORDS)
    assert found[0] == pytest.approx(bigrams)
    assert found[1] == pytest.approx(shares)


@pytest.mark.parametrize(("layers", "spread", "least"), [(0, 0.02, 0.9999), (2, 1e-4, 0.999)])
def test_the_first_step_from_a_small_start_is_the_laws(windows, layers, spread, least):
    _, moved, by_bigrams, by_shares = measured(windows, layers, spread)
    assert r_squared(moved, by_bigrams + by_shares) > least


def test_without_layers_the_rest_is_within_its_bound(windows):
    model, moved, by_bigrams, _ = measured(windows, 0, 0.3)
    output, read = model.output.weight.detach().numpy(), windows[:, :-1]
    sizes = np.linalg.norm((model.read(torch.as_tensor(read)) @ model.output.weight.T).detach().numpy(), axis=2) / 2
    bound = np.linalg.norm(output, 2) * np.bincount(read.ravel(), sizes.ravel(), WORDS) / read.size
    rest = np.linalg.norm(moved - by_bigrams, axis=1)
    assert (rest <= bound).all()
    assert rest.max() > 0.02 * np.linalg.norm(moved, axis=1).max()


@pytest.mark.parametrize("dim", [64, 256])
def test_rows_read_back_correlate_as_the_law_says(windows, dim):
    law = (1 + WORDS / dim) ** -0.5
    model, moved, *_ = measured(windows, 0, 0.02, dim)
    output = model.output.weight.detach().numpy()
    table = next_words.centred(next_words.tables(windows, WORDS)[0], next_words.frequencies(windows, WORDS))
    assert next_words.row_correlations(moved @ output.T, table).mean() == pytest.approx(law, rel=0.1)
    draws = np.random.default_rng(1).standard_normal((200, WORDS, dim))
    assert np.mean([next_words.row_correlations(table @ u @ u.T, table).mean() for u in draws]) == pytest.approx(law, rel=0.05)


def test_no_state_depends_on_later_words(windows):
    model, words = made(windows, 2, 0.5), torch.as_tensor(windows[:4, :-1])
    changed = words.clone()
    changed[:, 7:] = (changed[:, 7:] + 1) % WORDS
    with torch.no_grad():
        assert torch.allclose(model(words)[:, :7], model(changed)[:, :7])
        assert not torch.allclose(model(words)[:, 7:], model(changed)[:, 7:])
        seen = model.attention(words)
    assert seen.shape == (2, 4, LONGEST, LONGEST)
    assert torch.allclose(seen.sum(-1), torch.ones((), dtype=seen.dtype))


def test_information_is_that_of_words_which_say_what_follows():
    random = np.random.default_rng(0)
    texts = random.integers(20, size=(4000, 30))
    telling = np.nonzero(texts[:, :-5] == 3)
    texts[telling[0], telling[1] + 5] = 4
    found = next_words.information(texts, 20, range(5, 6))
    assert found.argmax() == 3
    assert found[3] > 5
    assert np.abs(np.delete(found, 3)).max() < 0.05


def test_a_uniform_model_looks_at_all_words_alike():
    random = np.random.default_rng(0)
    texts = np.where(random.random((200, 65)) < 0.5, random.integers(next_words.WORDS, size=(200, 65)), 0)
    texts[:, 1::2] = (texts[:, :-1:2] + 1) % 50
    model = LanguageModel(next_words.frequencies(texts), 2, 8, spread=1e-6)
    there = np.bincount(texts[:, :62].ravel(), minlength=next_words.WORDS) > 0
    assert np.asarray(language_training.looked_at(model, texts))[:, there] == pytest.approx(1, abs=1e-3)
