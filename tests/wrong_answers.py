"""Typical wrong answers to the book's exercises, by label: what a student gives, and a piece of what the check should say."""

import numpy as np
from scipy import optimize

import tokensel_nb as ts


def read_plainly(E, p, v, tokens):
    """Read a text without caring for large scores."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(E[tokens] @ p)
        return weights @ (E[tokens] @ v) / weights.sum()


def read_padding(E, p, v, tokens):
    """Take -1 for a word, the last one of the vocabulary."""
    return softmax(E[tokens] @ p) @ E[tokens] @ v


def read_with_stale_sums(E, p, v, tokens):
    """Forget to shrink the sums when a larger score comes."""
    largest, numerator, denominator = -np.inf, 0.0, 0.0
    for s in tokens:
        largest = max(largest, E[s] @ p)
        weight = np.exp(E[s] @ p - largest)
        numerator, denominator = numerator + weight * (E[s] @ v), denominator + weight
    return numerator / denominator


def shares(counts):
    """Return the shares of the words in each text."""
    return counts / counts.sum(axis=1, keepdims=True)


def wrongness(margin):
    """Return how wrong verdicts are, from their margins."""
    return 1 / (1 + np.exp(margin))


def values_after(gamma, counts, y, step, norm, g=wrongness, of=shares):
    """Take a step on the embeddings."""
    return gamma + step * norm**2 * of(counts).T @ (y * g(y * (shares(counts) @ gamma))) / len(y)


def values_with_v(E, v, counts, y, step, late=False, far=1):
    """Take a step on the embeddings, and one on the head; its gradient may be taken too late."""
    beta = shares(counts).T @ (y * wrongness(y * (shares(counts) @ E @ v))) / len(y)
    moved = E + step * np.outer(beta, v)
    if late:
        E, beta = moved, shares(counts).T @ (y * wrongness(y * (shares(counts) @ moved @ v))) / len(y)
    return moved @ (v + far * step * beta @ E)


def by_lot(height, counts, y, many, seed, above=np.greater_equal, replace=False, true=1):
    """Return how often labels by lot reach the true height."""
    random = np.random.default_rng(seed)
    drawn = [height(counts, random.choice(y, len(y), replace=replace)) for _ in range(many)]
    return (true + above(drawn, height(counts, y)).sum()) / (true + many)


def share_in(y, mean, signed, balance):
    """Return the mean share in texts of a label."""
    return (mean + y * signed) / (1 + y * balance)


def pace(E, v, y, along=None):
    """Return how fast a lead grows, from the verdict by `v` and the difference of values along `along`."""
    D = E[0] - E[1]
    return y * (D @ (v if along is None else along)) * (D @ D) / (1 + np.exp(y * (E[0] @ v)))


def grown(t, c):
    """Return a lead."""
    return np.log(1 + c * t)


def softmax(scores):
    """Return weights that add up to one."""
    return np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()


WRONG = {
    "ex-repeat": [
        (lambda f, q, value: f + q * value, "denominator grows"),
        (lambda f, q, value: (1 - q) * f + q * value, "not q any more"),
        (lambda f, q, value: f, "all counts double"),
        (lambda f, q, value: (f + 2 * q * value) / (1 + 2 * q), "not 2 q"),
        (lambda f, q, value: q * value / (1 + q), "holds the old logit"),
        (-1.2486, "Give a function"),
    ],
    "ex-shift": [
        (lambda Q, values, y: -y * wrongness(y * Q @ values) * Q * values, "where is f"),
        (lambda Q, values, y: -y * wrongness(y * Q @ values) * (values - Q @ values), "is lost"),
        (lambda Q, values, y: -y / 2 * Q * (values - Q @ values), "not 1/2"),
        (lambda Q, values, y: -y * Q * (values - Q @ values), "How wrong the verdict is"),
    ],
    "ex-second-class": [
        (lambda E, p, V, counts, labels: (0 * E, 0 * p, 0 * V), "off by"),
        (lambda E, p, V, counts, labels: (E, p), "Return 3 things"),
    ],
    "ex-line-missed": [
        (lambda E, v, *given: values_after(E @ v, *given, 1) - given[2] / 2 * shares(given[0]).T @ given[1] / 7, "noise"),
        (lambda E, v, *given: values_after(E @ v, *given, 1) - E @ v - given[2] * shares(given[0]).T @ given[1] / 7, "1/2"),
    ],
    "ex-query-alone": [
        (lambda *given: descend(*given[:5], -given[5])[1], "which is minus"),
        (lambda E, p, *given: p, "still at the start"),
        (lambda *given: descend(*given[:5], 7 * given[5])[1], "not a sum"),
        (lambda *given: descend(*given[:6])[1], "one step alone"),
        (lambda *given: descend(*given[:5], given[5] * given[6])[1], "slope of the start"),
    ],
    "ex-by-lot": [
        (lambda *given: by_lot(*given, above=np.greater), "at least as high"),
        (lambda *given: 51 * by_lot(*given), "divide by"),
        (lambda *given: by_lot(*given, replace=True), "do not draw them anew"),
        (lambda *given: by_lot(*given, true=0), "one arrangement, too"),
    ],
    "ex-shares": [
        ((lambda y, mean, signed, balance: mean + y * signed, lambda *given: 0.0), "as many texts of each label"),
        ((share_in, lambda signed, mean, praise, blame, step: step / 4 * signed**2), "square alone"),
    ],
    "ex-one-pass": [
        (lambda E, p, v, tokens: np.sum(E[tokens] @ v), "You summed over positions"),
        (lambda E, p, v, tokens: np.mean(E[tokens] @ v), "yours is another"),
        (read_plainly, "overflows"),
        (read_with_stale_sums, "shrink both sums"),
        (read_padding, "filled up with -1"),
    ],
    "ex-uniform": [
        (lambda counts, y: -y @ shares(counts) / 2, "summed over texts"),
        (lambda counts, y: -y @ shares(counts) / len(y), "g is 1/2"),
        (lambda counts, y: -y @ counts / len(y) / 2, "length of their text"),
        (lambda counts, y: y @ shares(counts) / 2, "sign is wrong, and you summed"),
        (lambda counts, y: -shares(counts).mean(axis=0) / 2, "label does not enter"),
        (lambda counts, y: -y @ counts / counts.sum() / 2, "length of each text"),
        (lambda counts, y: y @ counts / len(y), "signed frequency"),
    ],
    "ex-order": [
        (lambda values, c: np.sum(np.exp(c * np.arange(len(values))) * values), "You summed over positions"),
        (lambda values, c: np.exp(c * np.arange(len(values))) @ values / len(values), "not by their number"),
        (lambda values, c: np.mean(values), "do you use the score"),
        (lambda values, c: np.average(values, weights=1 + c * np.arange(len(values))), "e to its score"),
        (lambda values, c: softmax(-c * np.arange(len(values))) @ values, "first position counts most"),
    ],
    "ex-halves": [
        (lambda corpus, words, seed: correlated(*signed_halves(corpus, seed)), "all words"),
        (lambda corpus, words, seed: correlated(*(half.label_skew()[words] for half in corpus.split(0.5, seed=seed))), "skews"),
        (lambda corpus, words, seed: correlated(*2 * [corpus.signed_frequency()[words]]), "with itself"),
    ],
    "ex-scale": [
        (lambda share, step, norm: norm * step / 2 * share, "counts twice"),
        (lambda share, step, norm: norm**2 * step * share, "g is 1/2"),
        (lambda share, step, norm: step / 2 * share, "length one"),
    ],
    "ex-class-step": [
        (lambda *given: 2 * given[0] - class_step(*given), "against the gradient"),
        (lambda *given: given[0] + len(given[2]) * (class_step(*given) - given[0]), "summed over texts"),
        (lambda *given: class_step(*given[:-1], 1.0), "size one"),
    ],
    "ex-derive-step": [
        (lambda *given: 2 * given[0] - values_after(*given), "down the slope"),
        (lambda *given: values_after(*given, g=lambda margin: 0.5), "near zero"),
        (lambda *given: values_after(*given[:4], given[4] ** 0.5), "That is its length"),
        (lambda *given: values_after(*given[:4], 1.0), "That is one"),
        (lambda *given: values_after(*given, of=lambda counts: counts), "not a count"),
        (lambda *given: given[0] + len(given[2]) * (values_after(*given) - given[0]), "not a sum"),
    ],
    "ex-move-v": [
        ((lambda *given: values_with_v(*given, late=True), lambda length: 1 + length**2), "taken at the start"),
        ((lambda *given: values_with_v(*given, far=0), lambda length: 1 + length**2), "What does that add"),
        ((values_with_v, lambda length: 2.0), "of length one"),
        ((values_with_v, lambda length: 1 + length), "square of the length"),
        ((values_with_v, lambda length: length**2), "add 1"),
    ],
    "ex-labels": [
        (lambda wanted, share, dim: 4 / (dim * share.var() * (wanted**-2 - 1)), "square of the step"),
        (lambda wanted, share, dim: 2 / np.sqrt(dim * share.std() * (wanted**-2 - 1)), "standard deviation"),
        (lambda wanted, share, dim: 1 / np.sqrt(dim * share.var() * (wanted**-2 - 1)), "root is 2"),
        (lambda wanted, share, dim: 2 / np.sqrt(dim * share.var()), "After a step of this size"),
        (lambda wanted, share, dim: 4 / np.sqrt(dim * share.var() * (wanted**-2 - 1)), "2 is left of it"),
        (lambda wanted, share, dim: 2 * np.sqrt((wanted**-2 - 1) / (dim * share.var())), "upside down"),
        (lambda wanted, share, dim: 2 / np.sqrt(dim * share.var() * (1 - wanted**2)), "inverse square"),
        (lambda wanted, share, dim: np.nan, "root of a negative number"),
        (lambda wanted, share, dim: 2 / np.sqrt(dim * share.var() * (1 / wanted - 1)), "by its square"),
        (lambda wanted, share, dim: 2 / np.abs(share), "single number"),
    ],
    "ex-mirror": [
        (lambda counts, signs, partner: (counts[:, partner], -signs), "mirror image beside it"),
        (lambda counts, signs, partner: (np.vstack([counts, counts[:, partner]]), np.append(signs, signs)), "opposite label"),
        (lambda counts, signs, partner: (np.vstack([counts, counts]), np.append(signs, -signs)), "replace every word"),
        (lambda counts, signs, partner: (np.vstack([counts, counts[:, partner]]), signs), "not as many labels"),
    ],
    "ex-longer": [
        (lambda counts, signs: signs @ (shares(counts) - counts) / len(signs), "mean length"),
        (lambda counts, signs: signs @ (shares(counts) - counts / counts.sum(axis=1).mean()), "summed over texts"),
        (lambda counts, signs: signs @ shares(counts) / len(signs), "signed share alone"),
    ],
    "ex-own-margin": [
        (lambda *given: longer(0.9, 1, *own_margin(*given)), "constraint is missed"),
        (lambda *given: own_margin(*given)[0], "3 things, in this order: p"),
        (lambda *given: own_margin(*given)[::-1], "should be (8,), (9,), (9, 8)"),
        (lambda *given: own_margin(*given, floor=-np.inf), "multiplier is negative"),
        (lambda *given: longer(2, 1, *own_margin(*given)), "not the sum"),
        (lambda E, pairs, rounds: own_margin(E, pairs[:, ::-1], rounds), "selected token less the other"),
        (lambda *given: longer(2, 2, *own_margin(*given)), "shorter p"),
        (lambda *given: own_margin(*given, falls=False), "fall again"),
        (lambda E, pairs, rounds: own_margin(E, pairs, 1), "all rounds made"),
    ],
    "ex-by-hand": [
        (lambda D: (D[0] / (D[0] @ D[0]), np.zeros(4)), "You used row 1: row 3 leads by 0.38"),
        (lambda D: (np.linalg.solve(D[:2], [1, 1]), np.zeros(4)), "a factor is negative"),
        (lambda D: (np.linalg.solve(D[[0, 3]], [1, 1]), np.zeros(4)), "row 4: row 3 leads by 0.51"),
        (lambda D: ([0.28216632, 0.95936547], np.zeros(4)), "of length one"),
        (lambda D: ([2 / 9, 34 / 45], [1, 58.4 / 45, 1, 58.4 / 45]), "the leads"),
        (lambda D: ([2 / 9, 34 / 45], [236 / 675, 0, 548 / 2025, 0]), "right for the page"),
    ],
    "ex-hypotheses": [
        (("selects", "fixed", "flow", "clearest", "selects", "yes"), "pull against each other"),
        (("yes", "yes", "flow", "clearest", "selects", "yes"), "Which parameters move"),
        (("yes", "fixed", "fixed", "clearest", "selects", "yes"), "Adam divides"),
        (("yes", "fixed", "flow", "yes", "selects", "yes"), "Compare the values"),
        (("yes", "fixed", "flow", "clearest", "clearest", "yes"), "first assumption holds"),
        (("yes", "fixed", "flow", "clearest", "selects", "clearest"), "does not name the dimension"),
    ],
    "ex-log-time": [
        ((lambda E, v, y: pace(E, v, y) / ((E[0] - E[1]) @ (E[0] - E[1])), grown), "multiply the pull"),
        ((lambda E, v, y: pace(E, v, y) / np.linalg.norm(E[0] - E[1]), grown), "squared?"),
        ((lambda E, v, y: pace(E, 0 * v, y, v), grown), "verdict late"),
        ((pace, lambda t, c: np.log(c * t)), "At time 0"),
        ((pace, lambda t, c: c * np.log(1 + t)), "inside of the logarithm"),
        ((pace, lambda t, c: np.log10(1 + c * t)), "natural"),
    ],
    "ex-pairs": [
        (lambda Q, gamma, E: 2 * by_pairs(Q, gamma, E), "counted twice"),
        (lambda Q, gamma, E: by_pairs(Q, gamma, E, lambda one, other: one), "is missing"),
    ],
    "ex-competition": [
        ((lambda G, k: G**2 * (1 - 1 / k), lambda G: 5), "Other sizes"),
        ((lambda G, k: G**2 / 4, lambda G: 5), "there are k"),
        ((lambda G, k: k * G / 4, lambda G: 5), "with its square"),
        ((lambda G, k: k * G**2 / 4, lambda G: np.ceil(4 / G**2)), "still selected"),
    ],
    "ex-far": [
        (([1.0, 0.0], [0.37, 0.93]), "other way round"),
        (([0.37, 0.93], [0.37, 0.93]), "end differently"),
        (([0.2, 0.5], [1.0, 0.0]), "length one"),
        (([0.6, 0.8], [1.0, 0.0]), "turns to p*"),
        (([0.37, 0.93], [0.0, 1.0]), "pulls the harder"),
    ],
    "ex-rate": [
        (lambda p: -np.linalg.norm(p), "one over the length"),
        (lambda p: 1 / np.linalg.norm(p), "what is missed falls"),
        (lambda p: -1 / (p @ p), "square"),
        (lambda p: -0.219, "depend on p"),
        (lambda p: -np.log10(np.e) / np.linalg.norm(p), "natural"),
    ],
    "ex-trace": [
        (lambda size, kept: size**2 - kept, "square of the length"),
        (lambda size, kept: np.sqrt(abs(size**2 + kept)), "subtracted"),
        (lambda size, kept: size, "what is conserved, too"),
    ],
    "ex-small-steps": [
        (lambda *given: [2 * old - new for old, new in zip(given, descend(*given))], "against the gradient"),
        (lambda *given: descend(*given[:-1], len(given[4]) * given[-1]), "summed over texts"),
    ],
    "ex-orthonormal": [
        (lambda j: (2 / (j + 2), j / (j + 2)), "Exchange"),
        (lambda j: (1.0, 2 / j), "to be one"),
        (lambda j: (0.5, 0.5), "share the work"),
        (lambda j: (2 / 3, 1 / 3), "depend on j"),
    ],
    "ex-own-kappa": [
        (lambda values, sides: kappa(values, sides, lambda size, rival: rival * (size - rival)), "does not take away"),
        (lambda values, sides: kappa(values, sides, lambda size, rival: max(size - rival, 0) * size), "own size is a factor"),
        (lambda values, sides: kappa(values, sides, against=1), "its own side"),
        (lambda values, sides: np.sqrt(kappa(values, sides)), "four times as large"),
    ],
    "ex-length": [
        (lambda words, texts: words / 2 * np.log10(texts / 0.02), "natural"),
        (lambda words, texts: words * np.log(texts / 0.02), "half of"),
        (lambda words, texts: words / 2 * np.log(texts), "one chance in a hundred"),
    ],
    "ex-mirrored": [
        (lambda G, k: (G**2 * (1 - 1 / k), 0), "Exchange"),
        (lambda G, k: (G * (G / k - G), G**2 * (1 - 1 / k)), "not negative"),
        (lambda G, k: (0, G**2 * (1 - 1 / k) / k), "k rivals"),
        (lambda G, k: G**2 * (1 - 1 / k), "2 things, in this order"),
    ],
    "ex-impure": [
        (lambda value, noise: np.log((1 - noise) / noise) / value, "one at most"),
        (lambda value, noise: np.log((1 - noise) / noise), "divide by it"),
        (lambda value, noise: 1.0, "less attention"),
    ],
    "ex-xor-word": [
        (lambda counts: np.column_stack([counts[:, 0] * counts[:, 2], counts[:, 1] * counts[:, 3]]), "old ones stay"),
        (lambda counts: with_columns(counts, counts[:, 0] * counts[:, 3], counts[:, 1] * counts[:, 2]), "in negative texts"),
        (lambda counts: with_columns(counts, counts[:, 0] + counts[:, 2], counts[:, 1] * counts[:, 3]), "in negative texts"),
        (lambda counts: with_columns(counts, counts[:, 0] * counts[:, 1], counts[:, 2] * counts[:, 3]), "hold one of the two"),
    ],
    "ex-zipf": [
        (lambda *given: zipf_texts(*given, mirrored=False), "does not hold"),
        (lambda *given: zipf_texts(*given, power=0), "to the power"),
        (lambda texts, words, length, seed: zipf_texts(texts, words, length + 1, seed), "is among them"),
        (lambda texts, words, length, seed: zipf_texts(texts, words, length, 0), "another seed others"),
    ],
    "ex-line-heads": [
        (lambda x, k: np.exp(k * np.asarray(x)), "divide by what the first one gets"),
    ],
    "ex-escape": [
        (lambda t, std, share: t + np.log(0.001 / std) / np.linalg.norm(share), "half of the signed shares"),
        (lambda t, std, share: t + np.log10(0.001 / std) / np.linalg.norm(share / 2), "natural one"),
        (lambda t, std, share: t - np.log(0.001 / std) / np.linalg.norm(share / 2), "takes longer"),
    ],
    "ex-descent": [
        (lambda share, rate, steps: rate * steps * share, "g is 1/2"),
        (lambda share, rate, steps: rate / 2 * share, "they add up"),
        (lambda share, rate, steps: steps / 2 * share, "did not use the rate"),
    ],
    "ex-early": [
        (lambda losses, patience: int(np.argmin(losses)), "best step of all"),
        (lambda losses, patience: patience + best_step(losses, patience), "where training ends"),
        (lambda losses, patience: best_step(losses, 1), "first loss that is higher"),
        (lambda losses, patience: losses[best_step(losses, patience)], "the right one is"),
        (lambda losses, patience: best_step(losses - 1e-9 * np.arange(len(losses)), patience), "An equal loss"),
    ],
    "ex-chance": [
        (lambda corpus, many, seed: chance_skew(corpus, many, seed).T, "Give one row per word"),
        (lambda corpus, many, seed: chance_skew(corpus, many, None), "same permutations"),
        (lambda corpus, *given: corpus.counts.sum(axis=0)[:, None] * chance_skew(corpus, *given), "divide by the occurrences"),
        (lambda corpus, many, seed: np.tile(corpus.label_skew()[:, None], many), "permuted at all"),
        (lambda corpus, many, seed: chance_skew(corpus, many, seed, replace=True), "do not draw them anew"),
        (lambda corpus, many, seed: (chance_skew(corpus, many, seed) + 1) / 2, "signs -1 and +1"),
    ],
    "ex-carried": [
        (lambda one, other, least: carried(one, other, 0, 0), "You kept rare words"),
        (lambda one, other, least: carried(one, other, least, 0), "in the second corpus"),
        (lambda one, other, least: carried(one, other, 0, least), "in the first corpus"),
        (lambda one, other, least: correlated(one.label_skew(), other.label_skew()), "not the same word"),
        (lambda one, other, least: carried(one, other, least, least, ts.Corpus.signed_frequency), "signed frequencies"),
    ],
    "ex-linear-bag": [
        (lambda corpus, *given: longer(1, len(corpus), *linear_bag(corpus, *given)), "summed over texts"),
        (lambda corpus, ridge, first: linear_bag(corpus, 0.0, first), "not the minimum"),
        (lambda corpus, ridge, first: (first, linear_bag(corpus, ridge, first)[1]), "not the minimum"),
        (lambda corpus, *given: longer(corpus.lengths.mean(), 1, *linear_bag(corpus, *given)), "divide them"),
        (lambda corpus, *given: longer(1, 1 / corpus.lengths.mean(), *linear_bag(corpus, *given)), "gradient in gamma"),
    ],
    "ex-spread-parts": [
        (lambda step, variance: 1 / (step * variance), "with its square"),
        (lambda step, variance: step**2 * variance, "noise is 1/d"),
        (lambda step, variance: 1 / (2 * step**2 * variance), "two parts are equal"),
    ],
    "ex-two-dimensions": [
        (lambda scores, values, p, v: np.outer(scores, p) + np.outer(values, v), "neither of length one"),
        (lambda scores, values, p, v: np.linalg.solve([p, v], [values, scores]).T, "exchange them"),
        (lambda scores, values, p, v: np.linalg.solve([p, v], [scores, values]), "Give one row per word"),
    ],
    "ex-head-alone": [
        (lambda often, scores: often * np.exp(scores), "Divide by the sum"),
        (lambda often, scores: softmax(scores), "as often as"),
        (lambda often, scores: often, "did not use their scores"),
    ],
    "ex-deeper-single": [
        (lambda embedding, v, rho: embedding @ v, "attends to itself"),
        (lambda embedding, v, rho: (embedding @ v) ** 2, "comes twice"),
        (lambda embedding, v, rho: 2 * rho * embedding @ v, "residual is zero"),
    ],
    "ex-deeper-nowhere": [
        (lambda a, values, c: softmax(a + np.log(c)) @ values, "base model alone"),
        (lambda a, values, c: c @ values / c.sum(), "bag of words alone"),
        (lambda a, values, c: softmax(a) @ values + c @ values / c.sum(), "factor of its attention"),
        (lambda a, values, c: softmax(a + np.log(c)) @ values + c @ values, "not a sum"),
    ],
    "ex-deeper-write": [
        (lambda E, p, v, W1, W2, c: two_layers(E, p, v, W1, W2, c, first=lambda c: c), "twice over"),
        (lambda E, p, v, W1, W2, c: two_layers(E, p, v, W1, W2, c, first=np.ones_like), "split a token"),
        (lambda E, p, v, W1, W2, c: two_layers(E, p, v, W1, W2, c, kept=0.0), "of itself"),
        (lambda E, p, v, W1, W2, c: two_layers(E, p, v, W1, W2, c, weigh=plain_softmax), "overflows"),
    ],
    "ex-deeper-identity": [
        (lambda M, v: 1.0, "depends on M"),
        (lambda M, v: np.sign(np.trace(M)), "trace"),
        (lambda M, v: v @ M @ v, "Give only the sign"),
    ],
    "ex-two-classes": [
        (lambda pull: np.sign(pull) * np.array([-1, 1]), "length one"),
        (lambda pull: np.sign(pull) * np.array([1, -1]) / np.sqrt(2), "Exchange"),
        (lambda pull: pull * np.array([-1, 1]), "divide by their length"),
        (lambda pull: np.array([-1, 1]) / np.sqrt(2), "Exchange"),
    ],
    "ex-classes-pull": [
        (lambda values, texts: -class_pull(values, texts), "against the gradient"),
        (lambda values, texts: len(texts) * class_pull(values, texts), "summed over texts"),
        (lambda values, texts: texts.shares.T @ one_hot(texts) / len(texts), "pushes the others"),
        (lambda values, texts: class_pull(values, texts, weigh=plain_softmax), "overflows"),
    ],
    "ex-between": [
        (lambda profile: profile @ [1, 1, -1, -1], "compares the sites"),
        (lambda profile: profile[:, [0, 2]].sum(axis=1), "negative classes alone"),
        (lambda profile: profile[:, [1, 3]].sum(axis=1), "positive classes alone"),
    ],
    "ex-unbalanced": [
        (lambda labels: np.ones(len(labels)), "do not count alike"),
        (lambda labels: 1 / np.bincount(labels), "not one per class"),
        (lambda labels: np.bincount(labels)[labels], "do not count alike"),
        (lambda labels: 1 / np.sqrt(np.bincount(labels))[labels], "do not count alike"),
        (lambda labels: 1 - np.bincount(labels)[labels] / 20, "above zero"),
    ],
    "ex-digits": [
        (lambda corpus, texts: texts.shares @ corpus.signed_share(), "largest logit"),
        (lambda corpus, texts: (texts.shares @ corpus.signed_share()).argmin(axis=1), "smallest logit"),
        (lambda corpus, texts: (texts.shares @ by_class(corpus.shares, corpus)).argmax(axis=1), "A frequent class"),
        (lambda corpus, texts: (texts.shares @ (corpus.counts.T @ one_hot(corpus))).argmax(axis=1), "length of its text"),
        (lambda corpus, texts: np.full(len(texts), 0), "of 100 texts"),
        (lambda corpus, texts: texts.labels, "of 100 texts"),
    ],
    "ex-beyond-negation": [
        (lambda z1, z2: z1, "does not turn"),
        (lambda z1, z2: z1 + (abs(z1 - z2) - abs(z1 + z2)) / 2, "silences"),
        (lambda z1, z2: z1 - z2, "moves every text"),
        (lambda z1, z2: abs(z1 - z2) - abs(z1 + z2), "texts without not"),
        (lambda z1, z2: z1 if z2 == 0 else -z1, "no jumps"),
        (lambda z1, z2: z1 - 2 * z1 * z2, "product of z1 and z2"),
        (lambda z1, z2: -z1, "word itself speaks"),
        (lambda z1, z2: z1 if z2 == 0 else -z1 * (z2 < 1), "homogeneous"),
    ],
    "ex-beyond-rank": [
        (lambda C, y: C.T @ y, "of 12 texts are right"),
        (lambda C, y: y, "not one per text"),
        (lambda C, y: np.ones(C.shape[1]), "of 12 texts are right"),
        (lambda C, y: -np.linalg.lstsq(C, y, rcond=None)[0], "of 12 texts are right"),
    ],
    "ex-beyond-separable": [
        (lambda texts: (*separate(texts)[:2], -separate(texts)[2]), "up to sign"),
        (lambda texts: (1.0, *separate(texts)[1:]), "not what its weights show"),
        (lambda texts: (*separate(texts)[:2], 0 * separate(texts)[2]), "neither proof"),
        (lambda texts: (0.0, np.zeros(texts.vocab_size), np.ones(len(texts))), "neither proof"),
    ],
    "ex-beyond-turned": [
        (lambda behind, elsewhere, error: behind * elsewhere < 0, "within three standard errors"),
        (lambda behind, elsewhere, error: (behind * elsewhere > 0) & (np.abs(behind) > 3 * error), "keep their sign"),
        (lambda behind, elsewhere, error: (behind * elsewhere < 0) & (np.abs(elsewhere) > 3 * error), "the pair's skew"),
        (lambda behind, elsewhere, error: np.abs(behind) > 3 * error, "sign has to be another"),
    ],
    "ex-your-leave-out": [
        (lambda q, value, logit: q * value, "term of the sum"),
        (lambda q, value, logit: q * (value - logit), "divided by 1 - q"),
        (lambda q, value, logit: q / (1 - q) * value, "above the logit"),
    ],
    "ex-your-change": [
        (lambda q, values: q.argmax(), "largest attention"),
        (lambda q, values: np.abs(values).argmax(), "largest value"),
        (lambda q, values: np.abs(q * values).argmax(), "largest term"),
        (lambda q, values: values.argmin(), "the right one is"),
        (lambda q, values: (q / (1 - q) * (values - q @ values)).argmax(), "Down is a move"),
        (lambda q, values: np.abs(q * (values - q @ values)).argmax(), "divide by 1 - q"),
    ],
    "ex-your-own-effect": [
        (lambda word, h: 0.0, "of the texts are of the class"),
        (lambda word, h: np.log(odds(word)), "of the texts are of the class"),
        (lambda word, h: -own_effect(word, h), "of the texts are of the class"),
    ],
    "ex-your-impure": [
        (lambda own, others, seed: own / 60, "With ten strays"),
        (lambda own, others, seed: 1 - others / 10, "far less suspicious"),
        (lambda own, others, seed: 0.0, "in 60 texts should be suspicious"),
        (lambda own, others, seed: own - others, "a probability"),
    ],
    "ex-your-sentences": [
        ((["dull", "boring", "badly", "enjoyable"], 0.3), "hardly any blame"),
        ((["dull", "boring", "badly"], 0.3), "Give four words"),
        ((["dull", "boring", "badly", "zqx"], 0.3), "other texts"),
        ((["dull", "boring", "badly", "movie"], 0.3), "hardly any blame"),
        ((["dull", "boring", "badly", "unfunny"], 0.97), "would be a leak"),
    ],
}


def longer(one, other, first, second, *rest):
    """Multiply two answers, and leave what follows."""
    return one * first, other * second, *rest


def linear_bag(corpus, ridge, first):
    """Fit a linear model of the shares; return it, and the gradient at zero."""
    shares = np.asarray(corpus.shares.todense()) * corpus.lengths.mean()

    def goal(weights):
        margins = corpus.signs * (shares @ weights)
        slopes = ridge * weights - shares.T @ (corpus.signs / (1 + np.exp(margins))) / len(corpus)
        return np.logaddexp(0, -margins).mean() + ridge / 2 * weights @ weights, slopes

    return optimize.minimize(goal, first, jac=True, tol=1e-12).x, goal(np.zeros(len(first)))[1]


def plain_softmax(scores):
    """Return weights that add up to one, unless a score is large."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.exp(scores) / np.exp(scores).sum()


def two_layers(E, p, v, W1, W2, c, first=np.log, kept=1.0, weigh=softmax):
    """Compute two layers, wrongly if one likes."""
    hidden = kept * E + np.stack([weigh(row + first(c)) for row in E @ W1 @ E.T]) @ E
    return weigh(hidden @ W2 @ p + np.log(c)) @ hidden @ v


def one_hot(corpus):
    """Return a row a text, with a one at its class."""
    return np.eye(corpus.num_classes)[corpus.labels]


def by_class(shares, corpus):
    """Return the mean of the shares in each class."""
    return shares.T @ one_hot(corpus) / one_hot(corpus).sum(axis=0)


def class_pull(values, texts, weigh=softmax):
    """Return the pull on every word towards every class, at uniform attention."""
    chances = np.apply_along_axis(weigh, 1, texts.shares @ values)
    return texts.shares.T @ (one_hot(texts) - chances) / len(texts)


def separate(texts):
    """Return the largest least margin, the words' weights, and those of the texts."""
    rows = texts.signs[:, None] * texts.counts.toarray()
    goal, bounds = np.append(np.zeros(rows.shape[1]), -1), [(-1, 1)] * rows.shape[1] + [(None, 1)]
    found = optimize.linprog(goal, np.c_[-rows, np.ones(len(rows))], np.zeros(len(rows)), bounds=bounds)
    return found.x[-1], found.x[:-1], -found.ineqlin.marginals


def own_effect(word, h):
    """Return the own effect that the law of the chapter gives, by small steps."""
    steps = np.linspace(-6, 6, 12_001)
    expected = 1 / (1 + np.exp(-steps[:, None]) * ((1 - h) / h) ** 0.5) @ word.sum(axis=0)
    return steps[np.abs(expected - word[1].sum()).argmin()]


def odds(counts):
    """Return the odds of the second class."""
    return counts[1].sum() / counts[0].sum()


def kappa(values, sides, term=lambda size, rival: rival * max(size - rival, 0), against=-1):
    """Return the competition of every relevant token, with a term of one's own."""
    found = np.full(len(values), np.nan)
    for r in np.flatnonzero(sides):
        found[r] = sum(term(abs(values[r]), abs(rival)) for rival in values[sides == against * sides[r]])
    return found


def with_columns(counts, *new):
    """Append columns."""
    return np.column_stack([counts, *new])


def best_step(losses, patience):
    """Return the best step before so many losses in a row were no better."""
    best = 0
    for step, loss in enumerate(losses):
        if loss < losses[best]:
            best = step
        elif step - best >= patience:
            break
    return best


def chance_skew(corpus, many, seed, replace=False):
    """Return every word's skew under permuted labels, or under labels that are drawn anew."""
    random = np.random.default_rng(seed)
    signs = np.stack([random.choice(corpus.signs, len(corpus), replace=replace) for _ in range(many)], axis=1)
    return corpus.counts.T @ signs / corpus.counts.sum(axis=0)[:, None]


def carried(one, other, here, there, of=ts.Corpus.label_skew):
    """Correlate what two corpora say of the words that are frequent enough in each."""
    found = [
        {word: (often, said) for word, often, said in zip(corpus.vocabulary, corpus.counts.sum(axis=0), of(corpus))}
        for corpus in (one, other)
    ]
    shared = [word for word in found[0].keys() & found[1].keys() if found[0][word][0] >= here and found[1][word][0] >= there]
    return correlated(*([each[word][1] for word in shared] for each in found))


def zipf_texts(texts, words, length, seed, power=1, mirrored=True):
    """Draw texts whose common words are as common as their ranks to a power say."""
    random, half = np.random.default_rng(seed), texts // 2
    chances = np.arange(1, words - 1.0) ** -power
    drawn = random.multinomial(length - 1, chances / chances.sum(), size=(2, half))
    signs = np.repeat([1, -1], half)
    return np.column_stack([np.vstack(drawn[[0, 0] if mirrored else [0, 1]]), signs > 0, signs < 0]), signs


def class_step(E, heads, shares, labels, step):
    """Take a right step of the cross-entropy."""
    chances = np.apply_along_axis(softmax, 1, shares @ E @ heads.T)
    return E + step * shares.T @ (np.eye(len(heads))[labels] - chances) @ heads / len(labels)


def own_margin(E, pairs, rounds, floor=0.0, falls=True):
    """Rise in the dual problem, one pair at a time; without a floor multipliers may be negative, or they never fall."""
    D = E[pairs[:, 0]] - E[pairs[:, 1]]
    multipliers, p = np.zeros(len(D)), np.zeros(E.shape[1])
    for _ in range(rounds):
        for k, row in enumerate(D):
            least = floor if falls else multipliers[k]
            new = max(multipliers[k] + (1 - row @ p) / (row @ row), least)
            p, multipliers[k] = p + (new - multipliers[k]) * row, new
    return p, multipliers, D


def descend(E, p, v, counts, y, step):
    """Take a step of gradient descent on all parameters."""
    parameters = ts.Parameters(E, p, v)
    found = ts.gradients(parameters, ts.Corpus(counts, y, [f"word {s}" for s in range(len(E))]))
    return [old - step * slope for old, slope in zip(parameters, found)]


def by_pairs(Q, gamma, E, way=np.subtract):
    """Return the covariance of values and embeddings, as a sum over pairs."""
    pairs = [(s, t) for t in range(len(Q)) for s in range(t)]
    return sum(Q[s] * Q[t] * (gamma[s] - gamma[t]) * way(E[s], E[t]) for s, t in pairs)


def signed_halves(corpus, seed):
    """Return the signed frequencies of two halves."""
    return [half.signed_frequency() for half in corpus.split(0.5, seed=seed)]


def correlated(x, y):
    """Return the correlation."""
    return np.corrcoef(x, y)[0, 1]
