"""Checks of the exercises in 02_one_step."""

import numpy as np

from ...corpus import Corpus
from ...model import loss
from ...parameters import Parameters
from .answers import close, compare, exercise, parameters, shaped, slopes, texts


@exercise("ex-derive-step")
def derive_step(values_after, random):
    counts, signs = texts(random)
    corpus, begin, step, norm = Corpus(counts, signs, list("abcd")), 2 * random.normal(size=18), 3.0, random.uniform(1.2, 2)
    begin[12:15] = 0  # the query
    begin[15:] *= norm / np.linalg.norm(begin[15:])
    E, _, v = parameters(begin)
    gamma, move = E @ v, step * (slopes(lambda at: loss(parameters(at), corpus), begin)[:12].reshape(4, 3) @ v)
    shares = counts / counts.sum(axis=1, keepdims=True)
    g = 1 / (1 + np.exp(signs * (shares @ gamma)))
    mistakes = {
        "A step goes down the slope of the loss.": gamma + move,
        "Here verdicts are not near zero: keep g.": gamma + step / 2 * norm**2 * (signs @ shares) / len(signs),
        "What is v·v? That is its length.": gamma - move / norm,
        "What is v·v? That is one.": gamma - move / norm**2,
        "Attention is a share of a text, not a count.": gamma + step * norm**2 * ((signs * g) @ counts) / len(signs),
        "The loss is a mean over texts, not a sum.": gamma - len(signs) * move,
    }
    yield from compare(values_after(gamma, counts, signs, step, norm), gamma - move, mistakes)


@exercise("ex-move-v")
def move_v(values_with_v, steeper, random):
    counts, signs = texts(random)
    corpus, begin, step = Corpus(counts, signs, list("abcd")), random.normal(size=18), 3.0
    begin[12:15] = 0  # the query
    begin[15:] /= np.linalg.norm(begin[15:])

    def after(start, frozen=()):
        move = step * slopes(lambda at: loss(parameters(at), corpus), start)
        move[[*range(12, 15), *frozen]] = 0  # the query rests
        return start - move

    E, _, v = parameters(begin)
    (E1, _, v1), alone = parameters(after(begin)), after(begin, range(15, 18))
    late = parameters(after(alone)).output_vector  # its gradient is taken after the embeddings have moved
    mistakes = {
        "Both gradients are taken at the start.": E1 @ late,
        "v has moved along the embeddings. What does that add?": E1 @ v,
    }
    yield from compare(values_with_v(E, v, counts, signs, step), E1 @ v1, mistakes)
    length = random.uniform(0.6, 0.9)
    begin = np.concatenate([length * np.eye(4, 5).ravel(), np.zeros(5), np.eye(5)[4]])  # no products, as in many dimensions
    moved = slopes(lambda at: loss(Parameters(at[:20].reshape(4, 5), at[20:25], at[25:]), corpus), begin)
    first, second = moved[:20].reshape(4, 5)[:, 4], length * moved[25:29]
    factor = 1 + (first @ second) / (first @ first)
    mistakes = {
        "That is for embeddings of length one.": 2,
        "It has to be the square of the length.": 1 + length,
        "The first push is still there: add 1.": factor - 1,
    }
    yield from compare(steeper(length), factor, mistakes)


@exercise("ex-labels")
def labels(step_for, random):
    share, dim, wanted = random.normal(size=100_000) * random.uniform(1e-4, 1e-3), 500, random.uniform(0.75, 0.9)
    noise = random.normal(size=len(share)) / np.sqrt(dim)
    answer = step_for(wanted, share, dim)
    yield from shaped(answer, ())
    reached = np.corrcoef(noise + answer / 2 * share, share)[0, 1]
    if abs(reached - wanted) > 0.01:
        ratio = dim * (wanted**-2 - 1) * share.var()
        slips = {
            " That is the square of the step.": 4 / ratio,
            " Use the variance of the share, not its standard deviation.": 2 / np.sqrt(ratio / share.std()),
            " The correlation enters by its square.": 2 / np.sqrt(ratio * (1 / wanted - 1) / (wanted**-2 - 1)),
            " The 4 of the formula is lost: its root is 2.": 1 / np.sqrt(ratio),
            " The 4 of the formula is under the root, too: 2 is left of it.": 4 / np.sqrt(ratio),
            " The fraction is upside down.": 2 * np.sqrt((wanted**-2 - 1) / (dim * share.var())),
            " The correlation enters as its inverse square, less one.": 2 / np.sqrt(ratio * (1 - wanted**2) / (wanted**-2 - 1)),
        }
        slip = next((said for said, step in slips.items() if close(answer, step)), "")
        yield f"After a step of this size the correlation is {reached:.2f}, where {wanted:.2f} is right.{slip}"


@exercise("ex-longer")
def longer(difference, random):
    counts, signs = texts(random)
    lengths = counts.sum(axis=1)
    by_word = [np.mean([y * row[s] * (1 / row.sum() - 1 / lengths.mean()) for y, row in zip(signs, counts)]) for s in range(4)]
    share = signs @ (counts / lengths[:, None]) / len(signs)
    mistakes = {
        "Divide the signed frequency by the mean length of the texts.": share - signs @ counts / len(signs),
        "You summed over texts; take the mean.": len(signs) * np.array(by_word),
        "That is the signed share alone.": share,
    }
    yield from compare(difference(counts, signs), by_word, mistakes)


@exercise("ex-line-missed")
def line_missed(missed, random):
    counts, signs = texts(random)
    corpus, begin, step = Corpus(counts, signs, list("abcd")), random.normal(size=18), 3.0
    begin[12:15] = 0  # the query
    begin[15:] /= np.linalg.norm(begin[15:])
    E, _, v = parameters(begin)
    exact = -step * slopes(lambda at: loss(parameters(at), corpus), begin)[:12].reshape(4, 3) @ v
    share = np.mean([y * row / row.sum() for y, row in zip(signs, counts)], axis=0)
    mistakes = {
        "The formula has the noise of the start, too.": E @ v + exact - step / 2 * share,
        "g is 1/2 at a verdict of zero.": exact - step * share,
        "Take the formula from the exact values, not the other way round.": step / 2 * share - exact,
    }
    yield from compare(missed(E, v, counts, signs, step), exact - step / 2 * share, mistakes)
