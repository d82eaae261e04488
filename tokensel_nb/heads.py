"""What heads look for: a word's attention against its lean in other texts, among words of equal frequency."""

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
    """What each head looks for, over n words, as `head_preferences` finds it.

    Parameters
    ----------
    signed, unsigned : ndarray, shape (layers, heads)
        Rank correlation of words' attention with their lean and with its size, among 50 words of similar frequency.
    ends : ndarray, shape (2, layers, heads)
        Attention to the twentieths of the 1,000 commonest words with the lowest and the highest lean, over the middle half.
    chance : ndarray, shape (2, layers, heads)
        The largest size of both correlations with shuffled labels.
    ceiling : ndarray, shape (2,)
        The same of the lean in half of the texts that tell it with that in the other half.
    words : list
    lean : ndarray, shape (n,)
    attention : ndarray, shape (layers, heads, n)
        Over that of a place at random.

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
        """Name sizes, as in ``HeadPreferences(2 × 4 heads, 380 words; 1 tilt, 3 U; by chance ±0.12)``."""
        size = f"{' × '.join(map(str, self.signed.shape))} heads, {len(self.words):,} words"
        return f"HeadPreferences({size}; {self.tilts.sum()} tilt, {self.horns.sum()} U; by chance ±{self.chance.max():.2f})"


def preferences_of_model(parameters, corpus, model=one_layer, **options) -> HeadPreferences:
    """Return which words each head of a model looks for in a corpus.

    Give texts that the model hasn't seen: after training on shuffled labels, the texts trained on show preferences, too.

    Parameters
    ----------
    parameters, corpus, model
        As in `attention`. The heads are those of ``model.head_attention`` where it has one; else there is one head.
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
    find = getattr(model, "head_attention", None)
    found = attention_of(parameters, corpus, model) if find is None else find(parameters, corpus)
    return head_preferences(found, corpus, **options)


def head_preferences(
    attention, texts, labels=None, *, others=None, ignore=SPECIAL, min_texts=MIN_TEXTS, permutations=5, seed=0
) -> HeadPreferences:
    """Return which words each head of any network looks for: those of one class, those of both, or neither.

    A word's lean has to come from other texts than its attention. So a random half of the texts tells the lean and the rest
    the attention, unless ``others`` tell the lean.

    Parameters
    ----------
    attention : array, shape (n, layers, heads, places), or list of n arrays, shape (layers, heads, places)
        What [CLS] pays to each place: in transformers, ``torch.stack(outputs.attentions, 1)[:, :, :, 0]``. With a corpus:
        what `attention` returns of one head, or an array of shape (layers, heads, nnz), a number for each entry of its counts.
    texts : list of n lists of str or int, or Corpus
        What stands at each place. Padding at the end may be left out.
    labels : sequence
        Of two classes, in the order of `Corpus`: words of the second one lean to the positive side. A corpus has its own.
    others : tuple of (texts, labels), or Corpus, optional
        Further texts, cut into the same tokens.
    ignore : collection of str or int
        Tokens that are no words, all padding among them. All else is judged, pieces of words as well.
    min_texts : int
        Words are judged that stand in so many texts of those that tell the lean, and in a quarter of it in each class of the
        rest.
    permutations : int
        How often labels are shuffled. This is chance in reading a network. For that in training, train it on shuffled labels.
    seed : int or numpy.random.Generator

    Returns
    -------
    HeadPreferences

    Raises
    ------
    ValueError
        If there are not two classes, sizes don't fit, a place has no attention, or fewer than 300 words can be judged.

    Examples
    --------
    >>> import numpy as np
    >>> import tokensel_nb as ts
    >>> random, praise = np.random.default_rng(0), np.repeat([0, 1], 800)
    >>> drawn = random.beta(*np.where(praise, [[3], [2]], [[2], [3]])[..., None], (1600, 40))
    >>> tokens = (400 * drawn).astype(int)  # large ones speak for praise
    >>> attention = np.exp(np.stack([tokens, 2 * abs(tokens - 200)], axis=1) / 100)  # of a head that tilts, and of a U
    >>> found = ts.head_preferences(attention[:, None], tokens, praise)  # one layer
    >>> found, found.tilts, found.horns
    (HeadPreferences(1 × 2 heads, 316 words; 1 tilt, 1 U; by chance ±0.32), array([[ True, False]]), array([[False,  True]]))
    """
    if not isinstance(texts, Corpus):
        attention, texts, others = _read(attention, texts, labels, others, set(ignore))
    elif sparse.issparse(attention):
        attention = attention.data[None, None]
    heads, random, told_by = to_numpy(attention), np.random.default_rng(seed), texts if others is None else others
    if heads.ndim != 3 or heads.shape[2] != texts.counts.nnz or not np.array_equal(told_by.vocabulary, texts.vocabulary):
        raise ValueError(f"attention has shape {heads.shape}; give a number for each entry of {texts!r}; others has its words")
    if texts.num_classes != 2:
        raise ValueError(f"the texts have {texts.num_classes} classes; words lean to one of two")
    looked, order = np.arange(len(texts)), random.permutation(len(told_by))
    if others is None:
        looked, order = np.split(order, [len(texts) // 2])
    seen, told = texts[looked], told_by[order]
    stands = [compared(seen[seen.labels == label], max(1, min_texts // 4)) for label in (0, 1)]
    kept = np.flatnonzero(stands[0] & stands[1] & compared(told, min_texts))
    if len(kept) < FEWEST:
        few = f"min_texts={min_texts} leaves {len(kept)} words of {FEWEST} under each label"
        raise ValueError(f"{few}; give a smaller one, or more texts")
    looks = attention_by_word(heads[..., texts.operator.entries(looked)], seen)[..., kept]
    frequency = (texts.counts.sum(axis=0) + (0 if others is None else others.counts.sum(axis=0)))[kept]
    told_counts = told.counts[:, kept]

    def judge(lean):
        return np.moveaxis([[judged(head, frequency, lean) for head in layer] for layer in looks], 2, 0)

    lean = _lean(told_counts, told.labels)
    halves = np.array([_lean(told_counts[half::2], told.labels[half::2]) for half in (0, 1)])
    ceiling = np.array([correlation_at_equal(frequency, *pair, GROUP) for pair in (halves, np.abs(halves))])
    signed, unsigned, *ends = judge(lean)
    chance = [judge(_lean(told_counts, random.permutation(told.labels)))[:2] for _ in range(permutations)]
    chance = np.abs(chance).max(axis=0)
    return HeadPreferences(signed, unsigned, np.array(ends), chance, ceiling, texts.vocabulary[kept].tolist(), lean, looks)


def attention_by_word(heads, texts) -> np.ndarray:
    """Return a word's attention over that of a place at random, the mean of both classes, from that of the texts' entries."""
    counts, rows = texts.counts, texts.operator.rows
    relative = heads / _sums(heads, rows, len(texts))[..., rows] * texts.lengths[rows]
    found = []
    for label in (0, 1):  # a word that one class alone has gets what it gets there
        of = texts.labels[rows] == label
        with np.errstate(invalid="ignore"):
            occurrences = np.bincount(counts.indices[of], counts.data[of], texts.vocab_size)
            found.append(_sums(relative[..., of], counts.indices[of], texts.vocab_size) / occurrences)
    return np.mean([np.where(np.isnan(one), other, one) for one, other in (found, found[::-1])], axis=0)


def _sums(heads, places, number):
    return np.apply_along_axis(lambda head: np.bincount(places, head, number), -1, heads)


def judged(look, frequency, lean) -> list:
    """Return a head's correlations with the lean and with its size, and its attention to both ends over the middle."""
    common = np.argsort(-frequency, kind="stable")[:COMMON]
    order = common[np.argsort(lean[common], kind="stable")]
    end, quarter = len(order) // 20, len(order) // 4
    middle = look[order[quarter:-quarter]].mean()
    correlations = [correlation_at_equal(frequency, amount, look, GROUP) for amount in (lean, np.abs(lean))]
    return correlations + [look[of].mean() / middle for of in (order[:end], order[-end:])]


def _lean(counts, labels) -> np.ndarray:
    """Return the share of the second class in a word's occurrences less that of the first, as if both had as many texts."""
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
        raise ValueError(f"attention has {len(attention)} arrays for {n} texts; give each text one")
    heads = [_by_word(row, to_numpy(attention[row]), columns[row], corpus.vocabulary) for row in range(n)]
    return np.concatenate(heads, axis=2), corpus[:n], corpus[n:] if others else None


def _by_word(row, attention, columns, words) -> np.ndarray:
    """Return a text's attention to each of its words in their order, shape (layers, heads, words of the text)."""
    known = columns >= 0
    if attention.shape[2] < len(known) or attention[..., len(known) :].any():
        raise ValueError(f"attention[{row}] has {attention.shape[2]} places, but the text {len(known)} tokens; give each one")
    attention = attention[..., : len(known)][..., known]
    if not (alive := attention.any(axis=(0, 1))).all():
        word = words[columns[known][alive.argmin()]]
        raise ValueError(f"attention[{row}] pays nothing to {word!r} in any head; if that is padding, name it in ignore")
    found, at = np.unique(columns[known], return_inverse=True)
    return attention @ np.eye(len(found))[at]
