"""Which words follow which: windows of whole words, the tables of the first step, and what texts say about the next word."""

import numpy as np

import tokensel_nb as ts

WORDS, LONGEST = 2000, 64
LAGS = range(3, 17)  # from a word that attention reaches two places back or more, to the word that is to be guessed
COMMON, NEIGHBOURS = 400, 20


def windows(seed, longest=LONGEST):
    """Return words of half of IMDB's training reviews, and of the other half: rows of 1 + longest, commonest word first.

    Reviews stand in an order that the seed draws, with the 2,000 commonest words alone; the others leave no gap. A window
    begins with the word that ends the last one of its review, and what is left at the end of a review is not read.
    """
    given = ts.read_imdb()
    texts = ts.sequences_from_texts(given.texts, given.labels, longest=2000, max_words=WORDS)
    frequency = np.asarray(texts.counts.sum(axis=0)).ravel()
    order = np.argsort(-frequency, kind="stable")
    ranks = np.append(np.argsort(order), -1)  # -1 stays -1
    rows = ranks[texts.tokens][np.random.default_rng(seed).permutation(len(texts))]
    parts = [cut_to_windows(part, longest) for part in np.array_split(rows, 2)]
    return *parts, texts.vocabulary[order]


def cut_to_windows(rows, longest):
    """Return all full windows of texts that end in -1, in their order."""
    starts = range(0, rows.shape[1] - longest, longest)
    found = np.stack([rows[:, start : start + longest + 1] for start in starts], 1).reshape(-1, longest + 1)
    return found[found[:, -1] >= 0]


def shuffled(nexts, seed):
    """Return next words permuted among all places."""
    return np.random.default_rng(seed).permutation(nexts.ravel()).reshape(nexts.shape)


def frequencies(windows, words=WORDS):
    """Return each word's share, of all words to be guessed and one more of each, so that none has a share of zero."""
    counts = 1 + np.bincount(windows[:, 1:].ravel(), minlength=words)
    return counts / counts.sum()


def tables(windows, words=WORDS):
    """Return C, how often k follows s, and M, the sum of the shares of s in what was read up to a place followed by k."""
    read, nexts = windows[:, :-1], windows[:, 1:]
    later, earlier = np.tril_indices(read.shape[1])
    pairs, shares = read[:, earlier] * words + nexts[:, later], np.broadcast_to(1 / (later + 1), (len(read), len(later)))
    bigrams = np.bincount((read * words + nexts).ravel(), minlength=words**2)
    return bigrams.reshape(words, words), np.bincount(pairs.ravel(), shares.ravel(), words**2).reshape(words, words)


def centred(table, frequency):
    """Return what a table has beyond what frequency says: every row sums to zero."""
    return table - table.sum(axis=1, keepdims=True) * frequency


def row_correlations(found, table):
    """Return the correlation of each row with that of a table, of rows that are not constant."""
    found, table = (each - each.mean(axis=1, keepdims=True) for each in (found, table))
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(table, axis=1)
    return (found * table).sum(axis=1)[lengths > 0] / lengths[lengths > 0]


def double_centred(table):
    """Take off the means of rows and of columns."""
    return table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()


def association(windows, common=COMMON):
    """Return log(observed/expected) of neighbours among the commonest words, half a pair added to both, double-centred."""
    read, nexts = windows[:, :-1].ravel(), windows[:, 1:].ravel()
    inside = (read < common) & (nexts < common)
    counts = np.bincount(read[inside] * common + nexts[inside], minlength=common**2).reshape(common, common)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return double_centred(np.log((counts + 0.5) / (expected + 0.5)))


def swapped(words, seed, neighbours=NEIGHBOURS):
    """Return an order of the words, sorted by frequency, that swaps each within its group of neighbours."""
    groups = np.arange(words) // neighbours
    return np.lexsort((np.random.default_rng(seed).random(words), groups))


def information(windows, words=WORDS, lags=LAGS):
    """Return how much each word says about the one 3 to 16 places later: χ², without its own return, unbiased by two halves."""
    frequency = frequencies(windows, words)
    beyond = []
    for half in np.array_split(windows, 2):
        pairs = [half[:, :-lag] * words + half[:, lag:] for lag in lags]
        counts = sum(np.bincount(each.ravel(), minlength=words**2) for each in pairs).reshape(words, words).astype(float)
        np.fill_diagonal(counts, 0)
        usual = np.tile(frequency, (words, 1))
        np.fill_diagonal(usual, 0)
        usual /= usual.sum(axis=1, keepdims=True)
        beyond.append(counts / counts.sum(axis=1, keepdims=True) - usual)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nansum(beyond[0] * beyond[1] / usual, axis=1)
