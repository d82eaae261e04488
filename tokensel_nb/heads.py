"""What heads look for: a word's attention compared with its lean in other texts, among words of equal frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .arrays import to_numpy
from .corpus import Corpus
from .matched import FEWEST, MIN_TEXTS, compared, correlation_at_equal
from .model import attention as attention_of
from .model import one_layer

GROUP, COMMON = 50, 1000  # words
SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "<s>", "</s>", "<pad>", "<unk>")


@dataclass(frozen=True, eq=False, repr=False)
class HeadPreferences:
    """What heads look for, over n words: the result of `head_preferences`.

    Parameters
    ----------
    signed, unsigned : ndarray, shape (layers, heads)
        Rank correlation of words' attention with their lean and with its size, among 50 words of similar frequency.
    ends : ndarray, shape (2, layers, heads)
        Attention to the twentieths of the 1,000 commonest words with the lowest and the highest lean, over the middle half.
    chance : ndarray, shape (2, layers, heads)
        The largest size of both correlations with shuffled labels.
    ceiling : ndarray, shape (2,)
        The same correlations between the leans in two halves of the texts.
    words : list
    lean : ndarray, shape (n,)
    attention : ndarray, shape (layers, heads, n)
        Divided by that of a random place.

    Examples
    --------
    >>> import numpy as np
    >>> import tokensel_nb as ts
    >>> one = np.ones((1, 1))
    >>> sizes = dict(ends=np.stack([0.8 * one, 1.2 * one]), chance=np.stack([0.1 * one, 0.1 * one]), ceiling=np.ones(2))
    >>> ts.HeadPreferences(0.5 * one, 0 * one, **sizes, words=["good"], lean=np.ones(1), attention=np.ones((1, 1, 1)))
    HeadPreferences(1 × 1 heads, 1 words; 1 tilt, 0 U; by chance ±0.10)
    """

    signed: np.ndarray
    unsigned: np.ndarray
    ends: np.ndarray
    chance: np.ndarray
    ceiling: np.ndarray
    words: list
    lean: np.ndarray
    attention: np.ndarray

    @property
    def tilts(self):
        """Which heads look for one class: signed beyond ±0.3, one end above 1.1 and the other below 1/1.1."""
        return (np.abs(self.signed) > 0.3) & (self.ends.max(0) > 1.1) & (self.ends.min(0) < 1 / 1.1)

    @property
    def horns(self):
        """Which heads look for both classes: unsigned above 0.15, both ends above 1.1."""
        return (self.unsigned > 0.15) & (self.ends.min(0) > 1.1)

    def __repr__(self):
        """Show sizes, as in ``HeadPreferences(2 × 4 heads, 380 words; 1 tilt, 3 U; by chance ±0.12)``."""
        size = f"{' × '.join(map(str, self.signed.shape))} heads, {len(self.words):,} words"
        return f"HeadPreferences({size}; {self.tilts.sum()} tilt, {self.horns.sum()} U; by chance ±{self.chance.max():.2f})"


def preferences_of_model(parameters, corpus, model=one_layer, **options) -> HeadPreferences:
    """Return the words that the heads of a model look for in a corpus.

    Give texts that the model hasn't seen: after training on shuffled labels, the training texts show preferences, too.

    Parameters
    ----------
    parameters, corpus, model
        As in `attention`. The heads are those of ``model.head_attention``; without this method there is one head.
    **options
        Of `head_preferences`: others, min_texts, permutations, seed.

    Returns
    -------
    HeadPreferences

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus, others = ts.independent_tokens(4000, 400, 40, 0.6, seed=0).split(0.5, seed=0)
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=64, seed=0), corpus, steps=20)
    >>> ts.preferences_of_model(run.parameters, others)
    HeadPreferences(1 × 1 heads, 384 words; 0 tilt, 1 U; by chance ±0.11)
    """
    of_heads = getattr(model, "head_attention", None)
    attention = attention_of(parameters, corpus, model) if of_heads is None else of_heads(parameters, corpus)
    return head_preferences(attention, corpus, **options)


def head_preferences(
    attention, texts, labels=None, *, others=None, ignore=SPECIAL, min_texts=MIN_TEXTS, permutations=5, seed=0
) -> HeadPreferences:
    """Return the words that the heads of any network look for: those of one class, those of both, or neither.

    A word's lean has to come from other texts than its attention. So a random half of the texts gives the lean and the rest
    the attention, unless ``others`` give the lean.

    Parameters
    ----------
    attention : array, shape (n, layers, heads, places), or list of n arrays, shape (layers, heads, places)
        The attention of [CLS] to all places: in transformers, ``torch.stack(outputs.attentions, 1)[:, :, :, 0]``. With a
        corpus: the result of `attention` for one head, or an array of shape (layers, heads, nnz), a number per entry of counts.
    texts : list of n lists of str or int, or Corpus
        The tokens at all places. Padding at the end may be left out.
    labels : sequence
        Of two classes, in the order of `Corpus`: words of the second one lean to the positive side. A corpus has its own.
    others : tuple of (texts, labels), or Corpus, optional
        Further texts, cut into the same tokens.
    ignore : collection of str or int
        Tokens that are not words, including all padding. Everything else is judged, even pieces of words.
    min_texts : int
        Words are judged if they occur in so many of the texts that give the lean, and in a quarter as many of either class of
        the other texts.
    permutations : int
        The number of shuffles of the labels. They show chance in reading a network; for chance in training, train it on
        shuffled labels.
    seed : int or numpy.random.Generator

    Returns
    -------
    HeadPreferences

    Raises
    ------
    ValueError
        If there are not two classes, sizes don't match, a place has no attention, or fewer than 300 words can be judged.

    Examples
    --------
    >>> import numpy as np
    >>> import tokensel_nb as ts
    >>> random, praise = np.random.default_rng(0), np.repeat([0, 1], 800)
    >>> drawn = random.beta(*np.where(praise, [[3], [2]], [[2], [3]])[..., None], (1600, 40))
    >>> tokens = (400 * drawn).astype(int)  # large ones speak for praise
    >>> attention = np.exp(np.stack([tokens, 2 * abs(tokens - 200)], axis=1) / 100)  # a head that tilts, and one with a U
    >>> preferences = ts.head_preferences(attention[:, None], tokens, praise)  # one layer
    >>> preferences, preferences.tilts, preferences.horns
    (HeadPreferences(1 × 2 heads, 316 words; 1 tilt, 1 U; by chance ±0.32), array([[ True, False]]), array([[False,  True]]))
    """
    if isinstance(attention, (list, tuple)) and any(each is None for each in attention):
        raise ValueError('attention is None: load the network with attn_implementation="eager", so that it returns attention')
    if not isinstance(texts, Corpus):
        attention, texts, others = _read(attention, texts, labels, others, set(ignore))
    elif sparse.issparse(attention):
        attention = attention.data[None, None]
    heads, random, leaning = to_numpy(attention), np.random.default_rng(seed), texts if others is None else others
    if heads.ndim != 3 or heads.shape[2] != texts.counts.nnz or not np.array_equal(leaning.vocabulary, texts.vocabulary):
        raise ValueError(f"attention has shape {heads.shape}; give a number per entry of {texts!r}, and others the same words")
    if texts.num_classes != 2:
        raise ValueError(f"the texts have {texts.num_classes} classes; give texts of two, since words lean to one of two")
    rows, order = np.arange(len(texts)), random.permutation(len(leaning))
    if others is None:
        rows, order = np.split(order, [len(texts) // 2])
    attended, leaning = texts[rows], leaning[order]
    occur = [compared(attended[attended.labels == label], max(1, min_texts // 4)) for label in (0, 1)]
    kept = np.flatnonzero(occur[0] & occur[1] & compared(leaning, min_texts))
    if len(kept) < FEWEST:
        few = f"min_texts={min_texts} leaves {len(kept)} words that occur under both labels, of {FEWEST} needed"
        raise ValueError(f"{few}; give a smaller one, or more texts")
    of_words = attention_by_word(heads[..., texts.operator.entries(rows)], attended)[..., kept]
    frequency = (texts.counts.sum(axis=0) + (0 if others is None else others.counts.sum(axis=0)))[kept]
    counts, labels = leaning.counts[:, kept], leaning.labels

    def judge(lean):
        return np.moveaxis([[judged(head, frequency, lean) for head in layer] for layer in of_words], 2, 0)

    lean = _lean(counts, labels)
    halves = np.array([_lean(counts[half::2], labels[half::2]) for half in (0, 1)])
    ceiling = np.array([correlation_at_equal(frequency, *pair, GROUP) for pair in (halves, np.abs(halves))])
    signed, unsigned, *ends = judge(lean)
    chance = [judge(_lean(counts, random.permutation(labels)))[:2] for _ in range(permutations)]
    chance = np.abs(chance).max(axis=0)
    return HeadPreferences(signed, unsigned, np.array(ends), chance, ceiling, texts.vocabulary[kept].tolist(), lean, of_words)


def attention_by_word(heads, texts) -> np.ndarray:
    """Return the words' attention relative to a random place, as the mean of both classes, from the entries' attention."""
    counts, rows = texts.counts, texts.operator.rows
    relative = heads / _sums(heads, rows, len(texts))[..., rows] * texts.lengths[rows]
    means = []
    for label in (0, 1):  # a word of only one class gets that class's mean
        of = texts.labels[rows] == label
        with np.errstate(invalid="ignore"):
            occurrences = np.bincount(counts.indices[of], counts.data[of], texts.vocab_size)
            means.append(_sums(relative[..., of], counts.indices[of], texts.vocab_size) / occurrences)
    return np.mean([np.where(np.isnan(one), other, one) for one, other in (means, means[::-1])], axis=0)


def _sums(heads, places, number):
    return np.apply_along_axis(lambda head: np.bincount(places, head, number), -1, heads)


def judged(look, frequency, lean) -> list:
    """Return a head's correlations with the lean and with its size, and its attention to both ends, relative to the middle."""
    common = np.argsort(-frequency, kind="stable")[:COMMON]
    order = common[np.argsort(lean[common], kind="stable")]
    end, quarter = len(order) // 20, len(order) // 4
    middle = look[order[quarter:-quarter]].mean()
    correlations = [correlation_at_equal(frequency, amount, look, GROUP) for amount in (lean, np.abs(lean))]
    return correlations + [look[of].mean() / middle for of in (order[:end], order[-end:])]


def _lean(counts, labels) -> np.ndarray:
    """Return the difference of the classes' shares in a word's occurrences, as if both classes had equally many texts."""
    rates = [counts[labels == label].sum(axis=0) / max(1, (labels == label).sum()) for label in (0, 1)]
    return ((rates[1] - rates[0]) / np.maximum(rates[0] + rates[1], np.finfo(float).tiny)).round(12)  # ties stay ties


def _read(attention, tokens, labels, others, ignored):
    """Return the attention to every entry of the texts, the texts, and the others, both of the same words."""
    codes, (more, more_labels) = {}, others or ((), ())
    plain = [row.tolist() if hasattr(row, "tolist") else row for row in (*tokens, *more)]
    columns = [np.array([-1 if word in ignored else codes.setdefault(word, len(codes)) for word in row], int) for row in plain]
    rows, every = np.repeat(np.arange(len(columns)), [len(row) for row in columns]), np.concatenate(columns)
    known = every >= 0
    counts = sparse.coo_array((known[known].astype(int), (rows[known], every[known])), (len(columns), len(codes)))
    corpus, n = Corpus(counts, [*labels, *more_labels], list(codes)), len(tokens)
    if len(attention) != n:
        raise ValueError(f"attention has {len(attention)} arrays for {n} texts; give one per text")
    heads = [_by_word(row, to_numpy(attention[row]), columns[row], corpus.vocabulary) for row in range(n)]
    return np.concatenate(heads, axis=2), corpus[:n], corpus[n:] if others else None


def _by_word(row, attention, columns, words) -> np.ndarray:
    """Return a text's attention to its words in their order, shape (layers, heads, words of the text)."""
    known = columns >= 0
    if attention.shape[2] < len(known) or attention[..., len(known) :].any():
        raise ValueError(f"attention[{row}] has {attention.shape[2]} places for {len(known)} tokens; give one per token")
    attention = attention[..., : len(known)][..., known]
    if not (alive := attention.any(axis=(0, 1))).all():
        word = words[columns[known][alive.argmin()]]
        raise ValueError(f"attention[{row}] is zero at {word!r} in all heads; if that is padding, add it to ignore")
    distinct, at = np.unique(columns[known], return_inverse=True)
    return attention @ np.eye(len(distinct))[at]
