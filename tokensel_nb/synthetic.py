r"""Synthetic corpora: independent tokens with a given skew, exact Assumption 1, and the ways to break it.

Texts come in mirrored pairs, one labelled +1 (the first half) and one labelled -1 (the second half), that share the random
numbers of their irrelevant tokens. So irrelevant tokens are balanced exactly, as Assumption 1 demands. If all texts were
independent, they hardly ever would be: the signed frequency of an irrelevant token would be a mean of n terms of random sign,
which is zero with a probability of order n^(-1/2).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from .corpus import Corpus, counted


def skews(vocab_size: int, signal: float) -> np.ndarray:
    r"""Return the skew P(+1|s) - P(-1|s) that `independent_tokens` gives every token, in ascending order.

    With ranks t_s = (2s + 1 - |S|)/|S|, evenly spaced from -(|S|-1)/|S| to (|S|-1)/|S|,

        skew_s = sign(t_s) · max(0, 1 - ((|S|-1)/|S| - |t_s|) / (1 - signal)).

    The outermost tokens are always complete, with skews -1 and +1. A signal of 0 gives a ramp between them. The larger the
    signal, the fewer tokens share it. From (|S|-2)/|S| on, and so at (|S|-1)/|S|, all except the outermost two have skew
    zero, because the second ranks are 2/|S| further in.

    Parameters
    ----------
    vocab_size : int
        |S| ≥ 2.
    signal : float, 0 ≤ signal < 1

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.skews(4, signal=0.0)
    array([-1. , -0.5,  0.5,  1. ])
    """
    if not 0 <= signal < 1 or vocab_size < 2:
        raise ValueError(f"signal={signal}, vocab_size={vocab_size}; give a signal from 0 to below 1, and at least two words")
    ranks = (2 * np.arange(vocab_size) + 1 - vocab_size) / vocab_size
    distances = ranks[-1] - np.abs(ranks)
    return np.sign(ranks) * np.maximum(0, np.round(1 - distances / (1 - signal), 12))


def independent_tokens(num_texts: int, vocab_size: int, length: int, signal: float, seed) -> Corpus:
    r"""Draw texts of independent tokens, whose probabilities depend on the label.

    In a text labelled y every position has token s with probability (1 + y skew_s)/|S|, independently of the other positions;
    see `skews`. This follows the spirit of the paper's generator, whose formula we don't know. Neither satisfies Assumption 1
    in general. At signal = (|S|-1)/|S| this one does, with probability (1 - (1 - 2/|S|)^T)^(n/2).

    Parameters
    ----------
    num_texts : int
        n, even.
    vocab_size, length : int
        |S| and T.
    signal : float, 0 ≤ signal < 1
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        The words are "token 0" (most negative) to "token |S|-1" (most positive); some may be missing from the texts.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.independent_tokens(100, 10, 20, 0.9, seed=0)
    Corpus(100 texts, 10 words, 2,000 tokens; -1: 50, +1: 50)
    """
    chances = (1 + skews(vocab_size, signal)) / 2
    random = np.random.default_rng(seed)
    tokens = random.integers(vocab_size, size=(_pairs(num_texts), length))
    # A mirror couple {s, |S|-1-s} has chance 2/|S| under both labels; the label only decides which of the two it is.
    # One uniform number decides it for both texts of the pair: the same way if the skew is zero.
    positive, negative = np.maximum(tokens, vocab_size - 1 - tokens), np.minimum(tokens, vocab_size - 1 - tokens)
    decides = random.random(tokens.shape)
    texts = [np.where(decides >= 1 - chance, positive, negative) for chance in (chances[positive], 1 - chances[positive])]
    return _corpus(np.concatenate(texts), [f"token {s}" for s in range(vocab_size)])


def independent_words(corpus: Corpus, seed) -> Corpus:
    """Shuffle the words of every class over its texts; the lengths, and every word's count under a label, are kept."""
    if not np.issubdtype(corpus.lengths.dtype, np.integer):
        raise ValueError("the counts are not integers; give a corpus of counted words")
    random = np.random.default_rng(seed)
    counts = corpus.counts.tocoo()
    texts, words = (np.repeat(place, counts.data) for place in counts.coords)
    for label in range(corpus.num_classes):
        places = corpus.labels[texts] == label
        words[places] = random.permutation(words[places])
    counts = sparse.csr_array((np.ones(len(texts), np.int32), (texts, words)), shape=counts.shape)
    return replace(corpus, counts=counts)


def one_relevant_token(num_texts: int, vocab_size: int, length: int, relevant: int, seed) -> Corpus:
    """Draw texts that satisfy Assumption 1: one relevant token per text, and irrelevant tokens that balance exactly.

    Parameters
    ----------
    num_texts : int
        n, even.
    vocab_size : int
        |S|, at least 2 relevant + 1; the last |S| - 2 relevant tokens are irrelevant.
    length : int
        T: one relevant token, and T - 1 irrelevant ones, the same in both texts of a mirrored pair.
    relevant : int
        The number of completely positive tokens; as many are completely negative. Their frequencies differ by at most one.
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        The words are "positive 0" ..., "negative 0" ... and "irrelevant 0" ...; all occur.

    Raises
    ------
    ValueError
        If a number is out of its range, or there are too few texts for every word to occur.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.check_assumption_1(ts.one_relevant_token(20, 12, 5, 2, seed=0))
    Assumption 1 holds
    """
    return several_relevant_tokens(num_texts, vocab_size, length, relevant, 1, seed)


def one_against_many(num_texts: int, vocab_size: int, length: int, relevant: int, seed) -> Corpus:
    """Draw texts of `one_relevant_token` with a single negative token, "negative": Assumption 1 with unequal sides."""
    corpus = one_relevant_token(num_texts, vocab_size + relevant - 1, length, relevant, seed)
    positive, negative, irrelevant = np.split(corpus.counts.toarray(), [relevant, 2 * relevant], axis=1)
    counts = np.hstack([positive, negative.sum(axis=1, keepdims=True), irrelevant])
    words = [*corpus.vocabulary[:relevant], "negative", *corpus.vocabulary[2 * relevant :]]
    return replace(corpus, counts=counts, vocabulary=words)


def several_relevant_tokens(num_texts: int, vocab_size: int, length: int, relevant: int, per_text: int, seed) -> Corpus:
    """Draw texts that break Assumption 1 in one way: they have ``per_text`` different relevant tokens of their label.

    Parameters
    ----------
    num_texts, vocab_size, length, relevant : int
        As in `one_relevant_token`.
    per_text : int
        From 1 to ``relevant``, and below ``length``.
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        Words as in `one_relevant_token`.

    Raises
    ------
    ValueError
        As in `one_relevant_token`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.several_relevant_tokens(20, 12, 5, relevant=3, per_text=2, seed=0)
    >>> ts.relevant_tokens(corpus).sum(axis=1).tolist() == [2] * 20
    True
    """
    random = np.random.default_rng(seed)
    pairs = _pairs(num_texts)
    if not 1 <= per_text <= relevant:
        raise ValueError(f"per_text={per_text}; give a number from 1 to relevant={relevant}")
    if per_text >= length:
        raise ValueError(f"length={length}; give more than per_text={per_text}, so that attention has a choice")
    background = 2 * relevant + _deal(vocab_size - 2 * relevant, pairs, length - per_text, random)
    if pairs * per_text < relevant:
        raise ValueError(f"num_texts={num_texts} is too small for {relevant} relevant tokens per side to occur; give more")
    # Any `per_text` neighbours in a shuffled circle of the tokens are different, and all occur equally often.
    circles = [random.permutation(relevant) for _ in range(2)]
    places = (np.arange(pairs)[:, None] * per_text + np.arange(per_text)) % relevant
    chosen = [side * relevant + circle[random.permutation(places)] for side, circle in enumerate(circles)]
    texts = [np.hstack([tokens, background]) for tokens in chosen]
    names = [f"{side} {s}" for side in ("positive", "negative") for s in range(relevant)]
    return _corpus(np.concatenate(texts), names + _irrelevant(vocab_size - 2 * relevant))


def partly_positive_tokens(num_texts: int, vocab_size: int, length: int, relevant: int, impurity: float, seed) -> Corpus:
    """Draw texts that break Assumption 1 in one way: in some, the relevant token belongs to the other label.

    Parameters
    ----------
    num_texts, vocab_size, length, relevant : int
        As in `one_relevant_token`.
    impurity : float
        The share of such texts, from 0 (Assumption 1 holds) to 0.5 (no signal).
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        Words as in `one_relevant_token`.

    Raises
    ------
    ValueError
        As in `one_relevant_token`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.partly_positive_tokens(40, 12, 5, relevant=1, impurity=0.1, seed=0)
    >>> corpus.label_skew()[:2]
    array([ 0.8, -0.8])
    """
    return _turned(num_texts, vocab_size, length, relevant, impurity, seed)[0]


def xor_of_pairs(num_texts: int, vocab_size: int, length: int, seed) -> Corpus:
    """Draw texts whose label is the exclusive or of two choices: y = +1 if they contain "a" and "b", or neither.

    Every text has "a" or "not a", "b" or "not b", and irrelevant tokens. The four combinations are equally frequent, so every
    token has signed frequency zero. No parameters of one layer classify all four combinations with the same irrelevant tokens:
    the sign of f is that of Σ c_s u_s γ_s, a sum over tokens, and this sum has the same total for the two positive
    combinations as for the two negative ones.

    Parameters
    ----------
    num_texts : int
        n, a multiple of 4.
    vocab_size, length : int
        |S| ≥ 5 and T ≥ 3.
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        The words are "a", "not a", "b", "not b" and "irrelevant 0" ...; all occur.

    Raises
    ------
    ValueError
        As in `one_relevant_token`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> bool(ts.xor_of_pairs(40, 8, 4, seed=0).signed_frequency().any())
    False
    """
    random = np.random.default_rng(seed)
    if num_texts < 4 or num_texts % 4:
        raise ValueError(f"num_texts={num_texts}; give a multiple of 4, so that the four combinations balance")
    background = 4 + _deal(vocab_size - 4, num_texts // 4, length - 2, random)
    # Columns 0 "a", 1 "not a", 2 "b", 3 "not b"; the first two rows are the positive combinations.
    combinations = np.array([[0, 2], [1, 3], [0, 3], [1, 2]])
    texts = [np.hstack([np.tile(pair, (len(background), 1)), background]) for pair in combinations]
    return _corpus(np.concatenate(texts), ["a", "not a", "b", "not b", *_irrelevant(vocab_size - 4)])


def negation(num_texts: int, vocab_size: int, length: int, relevant: int, negated: float, seed) -> Corpus:
    """Draw texts in which "not" reverses the label: some have it, together with a token of the other label.

    So relevant tokens are only partly positive. And "not" occurs equally often under both labels: irrelevant by its counts,
    yet the only difference between negated texts and others.

    Parameters
    ----------
    num_texts, vocab_size, length, relevant : int
        As in `one_relevant_token`, with one more word; the negated texts are one token longer.
    negated : float
        The share of texts with "not", from 0 to 0.5.
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        The words of `one_relevant_token`, and "not".

    Raises
    ------
    ValueError
        As in `one_relevant_token`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.negation(40, 12, 5, relevant=1, negated=0.1, seed=0)
    >>> corpus.vocabulary[-1], corpus.label_skew()[[0, -1]].tolist()
    ('not', [0.8, 0.0])
    """
    corpus, turned = _turned(num_texts, vocab_size - 1, length, relevant, negated, seed)
    counts = sparse.hstack([corpus.counts, sparse.csr_array(turned[:, None].astype(corpus.counts.dtype))])
    return replace(corpus, counts=counts, vocabulary=[*corpus.vocabulary, "not"])


def _turned(num_texts, vocab_size, length, relevant, share, seed):
    """Return `one_relevant_token` with the texts of a share of the pairs swapped, and a mask of these texts."""
    if not 0 <= share <= 0.5:
        raise ValueError(f"the share {share} is out of range; give a number from 0 to 0.5")
    random = np.random.default_rng(seed)
    corpus = one_relevant_token(num_texts, vocab_size, length, relevant, random)
    pairs, rows = num_texts // 2, np.arange(num_texts)
    turned = np.isin(rows % pairs, random.choice(pairs, round(share * pairs), replace=False))
    rows[turned] = (rows[turned] + pairs) % num_texts
    return replace(corpus, counts=corpus.counts[rows]), turned


def _deal(words, texts, length, random):
    """Return a (texts, length) array of words 0 ... words-1, dealt from shuffled decks: their numbers differ by at most one."""
    if words < 1:
        raise ValueError("vocab_size leaves no irrelevant token; raise vocab_size, or lower relevant")
    if length < 1:
        raise ValueError("length leaves no room for an irrelevant token; raise length")
    if texts * length < words:
        raise ValueError(f"the texts have room for {texts * length} of {words} irrelevant tokens; give more or longer texts")
    decks = [random.permutation(words) for _ in range(-(-texts * length // words))]
    return np.concatenate(decks)[: texts * length].reshape(texts, length)


def _corpus(tokens, names):
    """Return the corpus of an array of token numbers, one row per text, the first half labelled +1."""
    return Corpus(counted(tokens, len(names)), np.repeat([1, -1], len(tokens) // 2), names)


def _irrelevant(number):
    return [f"irrelevant {s}" for s in range(number)]


def _pairs(num_texts):
    if num_texts < 2 or num_texts % 2:
        raise ValueError(f"num_texts={num_texts}; give an even number, because texts come in mirrored pairs")
    return num_texts // 2
