"""Checks of the exercises in 02_one_step."""

import numpy as np

from ...corpus import Corpus
from ...model import loss
from .answers import close, compare, exercise, flat, parameters, shaped, slopes, texts


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


@exercise("ex-own-loop", "E", "p", "v")
def own_loop(descended, random):
    counts, signs = texts(random)
    corpus, begin, step, steps = Corpus(counts, signs, list("abcd")), random.normal(size=18), 0.2, int(random.integers(4, 9))

    def after(steps, begin):
        return flat(descended(parameters(begin), corpus, step, steps))

    one, move = after(1, begin), step * slopes(lambda at: loss(parameters(at), corpus), begin)
    mistakes = {
        "A step goes against the gradient.": begin + move,
        "After one step you are still at the start.": begin,
        "After one step p and v have to be elsewhere, too.": np.append(begin[:12] - move[:12], begin[12:]),
        "The gradients are of a mean over texts already.": begin - move / len(signs),
        "You did not use the size of the step.": begin - move / step,
    }
    yield from compare(one, begin - move, mistakes)
    mistakes = {
        "That is one step alone. The next begins where it ends.": one,
        "Every step took the gradients of the start; each needs those where it begins.": begin - steps * move,
    }
    yield from compare(after(steps, begin), after(steps - 1, one), mistakes)
