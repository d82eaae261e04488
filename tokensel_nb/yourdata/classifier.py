"""A scikit-learn classifier of raw texts that is one layer of softmax attention over words and n-grams."""

from __future__ import annotations

import re
import warnings
from os import PathLike
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..corpus.corpus import Corpus
from ..corpus.phrases import Phrases
from ..models.base import classes_of_logits, probabilities_of_logits
from ..models.parameters import CLS, Parameters
from ..support.checks import first_few, instance, listed, number, shortened, whole_number
from ..support.files import atomic, read_once, shown
from ..support.seals import sealed, unsealed
from ..support.threads import threads_for
from .saved import restored, written
from .scores import Attended, Objective, idf_scores

FILE = "model.safetensors"
MIDDLE = 0.1  # the strength of the penalty that is tried first
WEAKER, STRONGER = (0.03, 0.01, 0.003), (0.3, 1.0, 3.0, 10.0)  # each from where the last one led
FEWEST = 40  # texts of which a tenth is held out
STEPS = 10  # of L-BFGS for each strength, twice as many for the first; half of that with many classes, as each takes longer
MANY = 20


class TextClassifier(ClassifierMixin, BaseEstimator):
    r"""One layer of softmax attention over the words and n-grams of a raw text.

    With c_s how often phrase s stands in a text, the logit of class k is

        f_k = Σ_s w_s γ_sk / Σ_s w_s,    w_s = (1 + log c_s) exp(a_s),

    where <cls> is one of the s and stands once in every text. The scores a_s = E_s·p and the values γ_sk = E_s·v_k are all
    that the logits know of (E, p, v), and every pair of them has such parameters (`parameters_`), so they are trained
    themselves. Nothing stands beside the one softmax layer.

    Training starts from the mean of values with the weights of tf-idf, a_s = log idf_s, and minimises the mean logistic
    loss (cross-entropy for K > 2 classes), plus penalties on values and on scores that leave their start. A
    tenth of the texts is held out to find the strength of the penalty on values; then all are used.
    <cls> starts with a fifth of the attention of a text of average length, and its value is held near the log-odds of the
    classes, so it draws short texts, and those of unknown words, towards the shares of the classes.

    Parameters
    ----------
    ngrams : int, default=2
        Most words in a phrase.
    min_texts : int, default=2
        The least number of texts of `fit` that a phrase must stand in.
    l2 : float or None, default=None
        Strength of the penalty; None finds it on the part held out.
    class_weight : None, "balanced" or dict, default=None
        How much a text of each class counts; "balanced" lets all classes count alike, as in scikit-learn.
    attend : bool, default=True
        False keeps p = 0: all scores are zero, and the logit is the mean of values. The control for what attention does.
    without : collection of str, default=()
        Words and n-grams to leave out of the vocabulary; with a word also the n-grams that hold it.
    tokenizer : callable or None, default=None
        From a text to its words. By default words are runs of letters, marks, digits and underscores in lower case, and
        "n't"; an emoji is a word, and so is each character of a script without spaces.
    random_state : int, RandomState instance or None, default=0
        Of the part held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    vocabulary_ : ndarray of str, shape (vocab_size,)
        Words, then n-grams, whose words are joined by single spaces; without <cls>.
    scores_ : ndarray of float64, shape (vocab_size + 1,)
        a_s; the last is of <cls>.
    values_ : ndarray of float64, shape (vocab_size + 1,) or (vocab_size + 1, n_classes)
        γ_s; the last row is of <cls>.
    l2_ : float
        The strength of the penalty that was used.
    held_out_ : dict of str to float
        What was found on the part held out: ``accuracy``, that of the ``majority`` class, ``without_attention`` (the same
        values with p = 0, all scores zero), and the mean ``loss``. Empty where no part was held out.

    Examples
    --------
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 5
    >>> model = TextClassifier().fit(texts, ["up", "up", "down", "down"] * 5)
    >>> model.predict(["bad bad film", "good"]).tolist()
    ['down', 'up']
    >>> model.predict_proba(["good"]).shape, model.read(["a good film"])
    ((1, 2), Corpus(1 texts, 16 words, 6 tokens; down: 1, up: 0))

    Attention times values is the logit:

    >>> shares = model.attention(["not a good film"])
    >>> bool(abs(shares @ model.values_ - model.logits(["not a good film"])).max() < 1e-12)
    True

    A folder keeps the model:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder)
    ...     TextClassifier.load(folder).predict(["bad"]).tolist()
    ['down']
    """

    def __init__(
        self,
        *,
        ngrams=2,
        min_texts=2,
        l2=None,
        class_weight=None,
        attend=True,
        without=(),
        tokenizer=None,
        random_state=0,
    ):
        self.ngrams = ngrams
        self.min_texts = min_texts
        self.l2 = l2
        self.class_weight = class_weight
        self.attend = attend
        self.without = without
        self.tokenizer = tokenizer
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Choose the vocabulary and train scores and values.

        Parameters
        ----------
        X : sequence of str, length n
            Texts.
        y : sequence, length n
            Labels of any kind, two different ones at least.
        sample_weight : sequence of float, length n, optional
            How much each text counts.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a text is not a string or there is none, the labels are of one class or not one a text, a label is missing, or
            no phrase stands in ``min_texts`` texts.

        Warns
        -----
        UserWarning
            If the classifier is no better than the majority class on the part held out, or the texts are mostly in a script
            without spaces and no ``tokenizer`` was given.
        """
        return self._fit_counts(*self._counted(X, y), sample_weight)

    def read(self, texts, labels=None) -> Corpus:
        """Return texts as the counts that the model sees.

        Parameters
        ----------
        texts : sequence of str, length n
        labels : sequence, optional
            Of the classes of `fit`. Without them every text is given the first class.

        Returns
        -------
        Corpus
            Over ``[*vocabulary_, "<cls>"]``: 1 + log c_s for a phrase that stands c_s times, and 1 for <cls>. These times
            exp(score), divided by their sum, are the attention.
        """
        check_is_fitted(self)
        return self._read_counts(_damped(self._phrases.count(_listed(texts))), labels)

    def _read_counts(self, counts, labels):
        if labels is None:
            return self._corpus(counts, np.zeros(counts.shape[0], np.int64))
        labels = np.asarray(labels)
        check_consistent_length(counts, labels)
        codes = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        if (unknown := self.classes_[codes] != labels).any():
            row, known = int(unknown.argmax()), first_few(map(shortened, self.classes_), 5)
            raise ValueError(f"labels[{row}] is {shortened(labels[row])}, no class of this model; they are {known}")
        return self._corpus(counts, codes)

    def words(self, text) -> list[tuple[int, int, int]]:
        """Return where in a text the phrases of the vocabulary stand.

        Parameters
        ----------
        text : str

        Returns
        -------
        list of (int, int, int)
            First character, the one after the last, and column, in the order of the text; n-grams overlap their words. What
            a tokenizer gives but the text does not hold in this form is left out.

        Examples
        --------
        >>> model = TextClassifier().fit(["a good film", "a bad film"] * 9, ["up", "down"] * 9)
        >>> text = "A very GOOD film"
        >>> [(text[start:end], model.vocabulary_[column]) for start, end, column in model.words(text)]
        [('A', 'a'), ('GOOD', 'good'), ('GOOD film', 'good film'), ('film', 'film')]
        """
        check_is_fitted(self)
        if not isinstance(text, str):
            raise ValueError(f"text is {text!r}, not a string")
        return self._places([text])[0]

    def _places(self, texts):
        """Return what `words` does, for each of some texts."""
        return self._phrases.find(_listed(texts))

    def attention(self, texts) -> sparse.csr_array:
        """Return the attention of <cls> to each phrase of each text, all occurrences together, and to itself.

        Parameters
        ----------
        texts : sequence of str, length n

        Returns
        -------
        csr_array of float64, shape (n, vocab_size + 1)
            Every row sums to one; the last column is <cls>. Times ``values_`` it is `logits`.
        """
        corpus = self.read(texts)
        return Attended(self.scores_, self.values_).attention(corpus)

    def logits(self, texts):
        """Return the logits of texts: `attention` times ``values_``.

        Parameters
        ----------
        texts : sequence of str, length n

        Returns
        -------
        ndarray of float64, shape (n,) or (n, n_classes)
            Two classes: the log-odds of ``classes_[1]``. More: one logit a class.
        """
        return self.attention(texts) @ self.values_

    def predict_proba(self, X):
        """Return the probabilities of the classes: the sigmoid or the softmax of `logits`.

        Parameters
        ----------
        X : sequence of str, length n
            Texts.

        Returns
        -------
        ndarray of float64, shape (n, n_classes)
        """
        return probabilities_of_logits(self.logits(X))

    def predict(self, X):
        """Return the likeliest class of every text.

        Parameters
        ----------
        X : sequence of str, length n
            Texts.

        Returns
        -------
        ndarray of shape (n,)
        """
        found = classes_of_logits(self.logits(X))  # which asks first whether it was fitted
        return self.classes_[found]

    @property
    def parameters_(self) -> Parameters:
        """Parameters (E, p, v) with these scores and values: E_s is (a_s, γ_s), p and v are unit vectors."""
        check_is_fitted(self)
        embeddings = np.column_stack([self.scores_, self.values_])
        directions = np.eye(embeddings.shape[1])
        return Parameters(embeddings, directions[0], directions[1] if self.values_.ndim == 1 else directions[1:])

    def save(self, folder):
        """Write the model as one file, ``model.safetensors``, whole or not at all.

        Parameters
        ----------
        folder : path
            Made where it is missing. A model saved there before is replaced in one moment.

        Raises
        ------
        ValueError
            If a label is neither a number, a truth value nor a string.

        Notes
        -----
        The file holds numbers and JSON, and a digest of all of them, by which `load` tells a damaged file; it does not stop a
        forger, who can write a new digest, too. A tokenizer is code and is not saved: give it to `load` again.
        """
        check_is_fitted(self)
        data = sealed(*written(self))
        with atomic(_file(folder)) as file:
            file.write(data)

    @classmethod
    def load(cls, folder, *, tokenizer=None) -> TextClassifier:
        """Return a model that `save` wrote; its logits are the same to the last bit.

        Parameters
        ----------
        folder : path
        tokenizer : callable, optional
            The one that the model was trained with, if there was one.

        Returns
        -------
        TextClassifier

        Raises
        ------
        ValueError
            If the folder holds no whole model, or the model needs a ``tokenizer``.
        """
        file = _file(folder)
        try:
            arrays, notes = unsealed(read_once(file))
            model = restored(cls, arrays, notes, tokenizer)
        except (OSError, KeyError, TypeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"{shown(folder)}: no whole model of this package ({reason})") from error
        if (name := notes["tokenizer"]) and tokenizer is None:
            raise ValueError(f"{shown(folder)}: the model was trained with a tokenizer, {name}; give it as tokenizer=")
        return model

    def __sklearn_tags__(self):
        """Say that the input is texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags

    def _check_settings(self):
        whole_number("ngrams", self.ngrams), whole_number("min_texts", self.min_texts)
        if self.l2 is not None:
            number("l2", self.l2, 0, np.inf, allowed="a finite number of at least zero, or None")
        if isinstance(self.without, str):
            raise ValueError(f"without is one string, {self.without!r}; give a list of words")

    def _weighted(self, codes, sample_weight):
        K = len(self.classes_)
        of_classes = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        weights = of_classes[codes]
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight, dtype=np.float64)
            if sample_weight.shape != codes.shape or not (sample_weight >= 0).all() or not np.isfinite(sample_weight).all():
                raise ValueError(f"sample_weight must be {len(codes)} finite numbers, none negative")
            weights = weights * sample_weight
        if np.count_nonzero(np.bincount(codes, weights, minlength=K)) < 2:
            raise ValueError("only one class has texts of positive weight; two classes at least are needed")
        return weights

    def _counted(self, texts, labels):
        """Return the phrases that stand in enough texts, 1 + log of how often each stands in each, and the labels."""
        self._check_settings()
        texts = _listed(texts)
        labels = _checked_labels(texts, labels)
        if self.tokenizer is None:
            _warn_without_spaces(texts)
        phrases, counts = Phrases.learn(
            texts, longest=self.ngrams, min_texts=self.min_texts, without=self.without, tokenizer=self.tokenizer
        )
        return phrases, _damped(counts), labels

    def _fit_counts(self, phrases, counts, labels, sample_weight=None):
        """Do what `fit` does with texts whose phrases are counted."""
        if not counts.shape[1]:
            raise ValueError(f"no word stands in min_texts={self.min_texts} of the {len(labels)} texts; lower min_texts")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weights = self._weighted(codes, sample_weight)
        self._phrases, self.vocabulary_ = phrases, phrases.names
        corpus = self._corpus(counts, codes, weights)
        with threads_for(corpus.vocab_size * (1 + corpus.num_classes)):  # a point of the search: scores and values
            self._train(corpus)
        return self

    def _corpus(self, counts, codes, weights=None):
        of_cls = sparse.csr_array(np.ones((counts.shape[0], 1)))  # sparse, so that nothing has to be sorted anew
        with_cls = sparse.hstack([counts, of_cls], format="csr")
        return Corpus(with_cls, codes, [*self.vocabulary_, CLS], tuple(map(str, self.classes_)), weights)

    def _train(self, corpus):
        """Find the strength of the penalty on a part held out, then train on all texts."""
        start = idf_scores(corpus) if self.attend else np.zeros(corpus.vocab_size)
        whole = Objective(corpus, start, self.attend)
        steps = STEPS if corpus.num_classes <= MANY else STEPS // 2
        held_out = every_tenth(corpus, check_random_state(self.random_state))
        self.held_out_, self.l2_ = {}, float(MIDDLE if self.l2 is None else self.l2)
        found = whole.begin()
        if held_out.any():
            found = self._search(Objective(corpus[~held_out], start, self.attend), corpus[held_out], steps)
            self._judge(found, corpus[held_out])
        found = whole.minimise(found, self.l2_, steps)
        self.scores_, self.values_ = found.scores, found.values

    def _search(self, rest, part, steps):
        """Return what has the least loss on a part held out, over ever weaker penalties, or ever stronger ones."""
        found = rest.minimise(rest.begin(), self.l2_, 2 * steps)
        least = found.loss(part)
        for path in (WEAKER, STRONGER) if self.l2 is None else ():
            for l2 in path:
                candidate = rest.minimise(found, l2, steps)
                loss = candidate.loss(part)
                if loss >= least:
                    break
                found, least, self.l2_ = candidate, loss, l2
            if self.l2_ != MIDDLE:
                break
        return found

    def _judge(self, found, part):
        """Keep what the model reaches on the part held out, and warn if that is little."""
        accuracy = found.accuracy(part)
        majority = float(np.bincount(part.labels, part.mean_weights).max())
        uniform = Attended(np.zeros_like(found.scores), found.values).accuracy(part)
        self.held_out_ = dict(accuracy=accuracy, majority=majority, without_attention=uniform, loss=found.loss(part))
        if accuracy <= majority:
            warnings.warn(
                f"on {len(part)} texts held out the classifier is right in {accuracy:.1%}, "
                f"no more than the majority class is ({majority:.1%})",
                UserWarning,
                stacklevel=5,
            )


def _file(folder):
    return Path(instance("folder", folder, (str, PathLike))) / FILE


def _checked_labels(texts, labels):
    """Return labels as an array, one a text, of two classes at least."""
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"labels has {labels.ndim} dimensions; give one label a text")
    if not texts:
        raise ValueError("there are no texts; give at least two, of two classes")
    if len(labels) != len(texts):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels; give one label a text")
    if any(missing := list(map(_is_missing, labels.tolist()))):
        raise ValueError(f"labels[{missing.index(True)}] is missing; give every text a label, or drop it")
    if labels.dtype.kind == "f" and (parts := labels % 1 != 0).any():
        row = int(parts.argmax())
        raise ValueError(f"labels[{row}] is {labels[row]}, an amount; where such numbers name classes, give labels.astype(str)")
    check_classification_targets(labels)
    if len(set(labels.tolist())) < 2:
        raise ValueError(f"every label is {labels.tolist()[0]!r}; two classes at least are needed")
    return labels


def _is_missing(label):
    """Whether a label is None, NaN, or what pandas has in their place."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA is neither
        return True


def _damped(counts):
    return sparse.csr_array((1 + np.log(counts.data), counts.indices, counts.indptr), shape=counts.shape)


def every_tenth(corpus: Corpus, random: np.random.RandomState) -> np.ndarray:
    """Return which texts are held out to choose a setting by: a tenth of every class, or none where the texts are few.

    Parameters
    ----------
    corpus : Corpus
        Of its texts those without weight are never held out.
    random : numpy.random.RandomState

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"] * 20, [1, -1] * 20)
    >>> corpus[every_tenth(corpus, np.random.RandomState(0))]
    Corpus(4 texts, 3 words, 8 tokens; -1: 2, +1: 2)
    """
    order = random.permutation(len(corpus))
    order = order[np.argsort(corpus.labels[order], kind="stable")]
    mask = np.zeros(len(corpus), bool)
    if len(corpus) >= FEWEST:
        mask[order[5::10]] = True
        mask &= corpus.mean_weights > 0
    return mask


def _listed(texts):
    """Return texts as a list of strings that can be written as UTF-8."""
    if isinstance(texts, (str, bytes)):
        raise ValueError(f"texts is one string, {texts[:40]!r}; give a list of texts")
    return [_clean(text) if isinstance(text, str) else text for text in listed("texts", texts)]


def _clean(text):
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair, as broken decoding leaves it
        return text.encode("utf-8", "replace").decode()
    return text


def _warn_without_spaces(texts):
    step = max(len(texts) // 1000, 1)
    sample = "".join(text[:500] for text in texts[::step] if isinstance(text, str))
    unspaced = len(re.findall("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]", sample))
    if unspaced > len(sample) / 2:
        warnings.warn(
            "the texts are mostly in a script without spaces between words, so each character is a word; "
            "a tokenizer= may find better ones",
            UserWarning,
            stacklevel=4,
        )
