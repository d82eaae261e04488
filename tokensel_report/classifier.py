"""A scikit-learn classifier of raw texts that is one layer of softmax attention over words and n-grams."""

from __future__ import annotations

from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tokensel_nb.corpus import Corpus
from tokensel_nb.model import classes_of_logits

from .fit import Counted, damped, fit, read_counts
from .given import labels_of, listed_texts
from .objective import Attended, probabilities_of_logits
from .saved import restored, write


class TextClassifier(ClassifierMixin, BaseEstimator):
    r"""One layer of softmax attention over the words and n-grams of a raw text.

    If phrase s occurs c_s times in a text, the logit of class k is

        f_k = Σ_s w_s γ_sk / Σ_s w_s,    w_s = (1 + log c_s) exp(a_s),

    where <cls> is one of the s and occurs once in every text. The logits depend on (E, p, v) only through scores a_s = E_s·p
    and values γ_sk = E_s·v_k. Any scores and values are possible: take E_s = (a_s, γ_s), with unit vectors for p and v. So
    scores and values are trained directly. There is nothing besides the one softmax layer.

    Training starts from the tf-idf weighted mean of values, a_s = log idf_s, and minimises the mean logistic loss
    (cross-entropy for K > 2 classes), plus penalties on values and on scores that leave their start. A tenth of the texts is
    held out to choose the strength of the penalty on values; then all texts are used. <cls> starts with a fifth of the
    attention in a text of average length, and its value is held near the log-odds of the classes. So it draws short texts,
    and texts of unknown words, towards the shares of the classes.

    Parameters
    ----------
    ngrams : int, default=2
        The largest number of words in a phrase.
    min_texts : int, default=2
        The least number of texts of `fit` that a phrase must occur in.
    l2 : float or None, default=None
        Strength of the penalty; None chooses it on held-out texts.
    balance : float or None, default=0.0
        The share of the log-odds of the classes that is taken off every value, and so off every logit: rare classes are named
        more often. 1 judges as if all classes had as many texts; None chooses the share of the best macro-F1 on held-out texts.
    attend : bool, default=True
        False keeps p = 0: all scores are zero, and the logit is the mean of values. A control for what attention does.
    without : collection of str, default=()
        Words and n-grams to leave out of the vocabulary. Leaving out a word also leaves out the n-grams that contain it.
    tokenizer : callable or None, default=None
        From a text to its words, which are taken as they are. By default words are runs of letters, marks, digits and
        underscores, and "n't"; every emoji is a word, and every character of a script without spaces. Spellings that differ
        only in case, in how an accent is encoded, or in invisible characters, such as soft hyphens, are one word. The
        vocabulary has its most frequent lower-case form.
    random_state : int, RandomState instance or None, default=0
        For choosing the held-out texts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; strings of digits are sorted as numbers.
    vocabulary_ : ndarray of str, shape (vocab_size,)
        Words, then n-grams, whose words are joined by single spaces; without <cls>.
    phrases_ : Phrases
        The vocabulary and the parts of its n-grams; it counts and locates phrases in texts.
    scores_ : ndarray of float64, shape (vocab_size + 1,)
        a_s; the last is of <cls>.
    values_ : ndarray of float64, shape (vocab_size + 1,) or (vocab_size + 1, n_classes)
        γ_s; the last row is of <cls>.
    l2_ : float
        The strength of the penalty that was used.
    balance_ : float
        The share of the log-odds of the classes that was taken off.
    held_out_ : dict of str to float
        Results on the held-out texts, before balancing: ``accuracy``, that of the ``majority`` class, that
        ``without_attention`` (the same values with p = 0, all scores zero), the mean ``loss``, and the ``balance`` of the best
        macro-F1. Empty if no text was held out.

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

    def __init__(self, *, ngrams=2, min_texts=2, l2=None, balance=0.0, attend=True, without=(), tokenizer=None, random_state=0):
        self.ngrams = ngrams
        self.min_texts = min_texts
        self.l2 = l2
        self.balance = balance
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
            Labels of any kind, at least two different ones.
        sample_weight : sequence of float, length n, optional
            How much every text counts.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a text is not a string or there is none, all labels are of one class, there isn't one label per text, a label is
            missing, or no phrase occurs in ``min_texts`` texts.

        Warns
        -----
        UserWarning
            If the classifier is no better than the majority class on the held-out texts, or the texts are mostly in a script
            without spaces and no ``tokenizer`` was given.
        """
        return fit(self, Counted.of(self, X, y), sample_weight)

    def read(self, texts, labels=None) -> Corpus:
        """Return texts as the counts that the model is given.

        Parameters
        ----------
        texts : sequence of str, length n
        labels : sequence, optional
            Labels among the classes of `fit`. Without them every text gets the first class.

        Returns
        -------
        Corpus
            Over ``[*vocabulary_, "<cls>"]``: 1 + log c_s for a phrase that occurs c_s times, and 1 for <cls>. Multiply these by
            exp(score) and divide by the sum to get the attention.
        """
        check_is_fitted(self)
        counts = damped(self.phrases_.count(listed_texts(texts)))
        return read_counts(self, counts, None if labels is None else labels_of(texts, labels))

    def words(self, text) -> list[tuple[int, int, int]]:
        """Return where the phrases of the vocabulary occur in a text.

        Parameters
        ----------
        text : str

        Returns
        -------
        list of (int, int, int)
            First character, the one after the last, and column, in the order of the text; n-grams overlap their words. A
            word that a tokenizer returns but that doesn't occur in the text in this form is left out.

        Examples
        --------
        >>> model = TextClassifier().fit(["a good film", "a bad film"] * 9, ["up", "down"] * 9)
        >>> text = "A very GOOD film"
        >>> [(text[start:end], model.vocabulary_[column]) for start, end, column in model.words(text)]
        [('A', 'a'), ('GOOD', 'good'), ('GOOD film', 'good film'), ('film', 'film')]
        """
        check_is_fitted(self)
        return self.phrases_.find(listed_texts([text]))[0]

    def attention(self, texts) -> sparse.csr_array:
        """Return the attention of <cls> to every phrase of every text, all occurrences together, and to itself.

        Parameters
        ----------
        texts : sequence of str, length n

        Returns
        -------
        csr_array of float64, shape (n, vocab_size + 1)
            Every row sums to one; the last column is <cls>. Multiplied by ``values_`` it gives `logits`.
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
            For two classes the log-odds of ``classes_[1]``; for more, one logit per class.
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
        codes = classes_of_logits(self.logits(X))  # `logits` checks first that the model is fitted
        return self.classes_[codes]

    def save(self, folder):
        """Write the model as one file, ``model.safetensors``.

        Parameters
        ----------
        folder : path
            It is created if it doesn't exist. An older model in it is replaced all at once.

        Raises
        ------
        TypeError
            If a label is not a number, a boolean or a string.

        Notes
        -----
        The file contains numbers and JSON. A tokenizer is code and isn't saved: give it to `load` again.
        """
        check_is_fitted(self)
        write(self, folder)

    @classmethod
    def load(cls, folder, *, tokenizer=None) -> TextClassifier:
        """Return a model that `save` wrote; its logits are the same to the last bit.

        Parameters
        ----------
        folder : path
        tokenizer : callable, optional
            The tokenizer that the model was trained with, if any.

        Returns
        -------
        TextClassifier

        Raises
        ------
        ValueError
            If the folder doesn't contain a complete model, or the model needs a ``tokenizer``.
        """
        return restored(cls, folder, tokenizer)

    def __sklearn_tags__(self):
        """Tell scikit-learn that the input is texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags
