"""Checks of the exercises in 02_one_step."""

import numpy as np

from ...corpus.corpus import Corpus
from ...models.parameters import Parameters
from ...theory.alignment import embedding_step
from ._01_model import texts
from .answers import close, compare, cross_entropy, exercise, slopes


@exercise("ex-scale")
def scale(limit, random):
    counts, signs = texts(random)
    corpus = Corpus(counts, signs, list("abcd"))
    v, step = random.normal(size=3), random.uniform(1, 9)
    nothing = Parameters(np.zeros((4, 3)), np.zeros(3), v)  # with embeddings of zero the limit is exact
    share, norm = corpus.signed_share(), np.linalg.norm(v)
    mistakes = {
        "E moves along v, and the value is a product with v again: the length of v counts twice.": norm * step / 2 * share,
        "g is 1/2 at a logit of zero.": norm**2 * step * share,
        "That is the limit for a v of length one.": step / 2 * share,
    }
    yield from compare(limit(share, step, norm), embedding_step(nothing, corpus, step).token_values, mistakes)


@exercise("ex-class-step")
def class_step(step_of, random):
    counts, _ = texts(random)
    shares = counts / counts.sum(axis=1, keepdims=True)
    E, heads, labels = random.normal(size=(4, 3)), random.normal(size=(3, 3)), np.arange(len(shares)) % 3
    gradient = slopes(lambda embeddings: cross_entropy(shares @ embeddings @ heads.T, labels), E)
    mistakes = {
        "That climbs: the step goes against the gradient.": 2 * gradient,
        "You summed over texts; the mean is wanted.": -2 * gradient * len(labels),
        "It is a step of size one: `step` does not get in.": -gradient,
    }
    yield from compare(step_of(E, heads, shares, labels, 2.0) - E, -2 * gradient, mistakes)


@exercise("ex-labels")
def labels(step_for, random):
    share, dim, wanted = random.normal(size=100_000) * random.uniform(1e-4, 1e-3), 500, random.uniform(0.4, 0.9)
    noise = random.normal(size=len(share)) / np.sqrt(dim)
    found = step_for(wanted, share, dim)
    if np.shape(found):
        yield f"A single number is wanted, not an array of shape {np.shape(found)}."
    if not np.isfinite(found):
        yield f"The step is {found}: a root of a negative number, or a division by zero?"
    reached = np.corrcoef(noise + found / 2 * share, share)[0, 1]
    if abs(reached - wanted) > 0.01:
        ratio = dim * (wanted**-2 - 1) * share.var()
        slips = {
            " That is the square of the step.": 4 / ratio,
            " The variance of the share is wanted, not its standard deviation.": 2 / np.sqrt(ratio / share.std()),
            " The correlation enters by its square.": 2 / np.sqrt(ratio * (1 / wanted - 1) / (wanted**-2 - 1)),
            " The 4 of the formula is lost: its root is 2.": 1 / np.sqrt(ratio),
            " The 4 of the formula is under the root, too: 2 is left of it.": 4 / np.sqrt(ratio),
            " The fraction is upside down.": 2 * np.sqrt((wanted**-2 - 1) / (dim * share.var())),
            " Solved for the step, the correlation enters as its inverse square, less one.": 2
            / np.sqrt(ratio * (1 - wanted**2) / (wanted**-2 - 1)),
        }
        slip = next((said for said, step in slips.items() if close(found, step)), "")
        yield f"After a step of this size the correlation is {reached:.2f}, where {wanted:.2f} was asked for.{slip}"


@exercise("ex-mirror")
def mirror(mirrored, random):
    counts, signs = texts(random)
    partner = np.array([2, 3, 0, 1])
    counts_found, signs_found = map(np.asarray, mirrored(counts, signs, partner))
    if len(counts_found) != len(signs_found):
        yield "There are not as many labels as texts."
    if len(counts_found) != 2 * len(counts):
        yield f"Of {len(counts)} texts it makes {len(counts_found)}; each has one mirror image beside it."
    if signs_found.sum():
        yield "The labels do not cancel: a mirror image has the opposite label."
    share = signs_found @ (counts_found / counts_found.sum(axis=1, keepdims=True))
    if not close(share[partner], -share, 1e-9):
        yield "The signed share of a partner is not the opposite: replace every word by its partner."
    given = {(*row, sign) for row, sign in zip(counts.tolist(), signs.tolist())}
    if not given <= {(*row, sign) for row, sign in zip(counts_found.tolist(), signs_found.tolist())}:
        yield "The texts of the corpus themselves are to stay in it."


@exercise("ex-longer")
def longer(difference, random):
    counts, signs = texts(random)
    lengths = counts.sum(axis=1)
    by_word = [np.mean([y * row[s] * (1 / row.sum() - 1 / lengths.mean()) for y, row in zip(signs, counts)]) for s in range(4)]
    share = signs @ (counts / lengths[:, None]) / len(signs)
    mistakes = {
        "Divide the signed frequency by the mean length of the texts.": share - signs @ counts / len(signs),
        "You summed over texts; the mean is wanted.": len(signs) * np.array(by_word),
        "That is the signed share alone.": share,
    }
    yield from compare(difference(counts, signs), by_word, mistakes)
