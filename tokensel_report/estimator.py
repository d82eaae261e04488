"""The model as a scikit-learn classifier of counts: fit, predict, and see how far every word moves the decision."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, validate_data

from tokensel_nb.corpus import Corpus
from tokensel_nb.model import attention, classes_of_logits, logits
from tokensel_nb.parameters import Parameters, init_parameters
from tokensel_nb.training import train

from .fit import CLS
from .leaving_out import LeavingOut
from .objective import probabilities_of_logits

ACCEPTED = dict(accept_sparse="csr", dtype=np.float64)
EMPTY_WEIGHT = 0.01  # of all imaginary empty texts, as a share of the weight of the real ones


class AttentionClassifier(ClassifierMixin, BaseEstimator):
    r"""One layer of softmax attention over the words of a text, trained on counts.

    The <cls> token occurs once in every text and attends to itself as well as to the words, as in BERT. With c_s the count
    of word s in the text X, u_s = exp(E_s·p) and γ_s = E_s·v, and index 0 for <cls>, the logit of the second class is

        f(X) = (u_0 γ_0 + Σ_s c_s u_s γ_s) / (u_0 + Σ_s c_s u_s);

    for K > 2 classes v has one row, and f one logit, per class. There are two reasons for <cls>. Without it the model sees
    only the shares of words, not how many there are. And a text without a known word would have the logit zero; now its
    logit is γ_0, which should be the log-odds of the classes. Few training texts are empty. So one imaginary empty text of
    every class joins them, with a hundredth of the class' weight. Otherwise γ_0 would be whatever suits texts of hundreds of
    words, far from what an empty text needs.

    All of (E, p, v) are trained by Adam on the exact gradient of the mean logistic loss (cross-entropy for K > 2), with all
    texts in every step. So the order of texts doesn't matter, and a repeated text counts like one of twice the weight. Three
    things limit overfitting: the small number of steps; averages of E, p and v over the last three quarters of the steps,
    which swing less than single steps do; and ``alpha``.

    Parameters
    ----------
    dim : int, default=16
        Dimension d of the embeddings. It is K if there are K > ``dim`` classes, so that every class has its own direction.
    alpha : float, default=1.0
        Smoothing. Every word gets imaginary texts that contain only itself, with the total weight ``alpha`` and the classes in
        their shares. It takes many real texts to outweigh them, so rare words speak softly. They need K rows per column: use 0
        if K is large and memory is short.
    learning_rate : float, default=0.1
        About how far the numbers in E, p and v move in one step.
    max_iter : int, default=30
        Number of steps. Training stops earlier only if the loss diverges, with a warning. With many more steps, or larger ones,
        the model memorises rare words; choose ``max_iter`` by cross-validation where it matters.
    random_state : int, RandomState instance or None, default=None
        For drawing the embeddings and v at the start. Give an int to get the same result in every fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns; only if `fit` got a data frame whose column names are strings.
    n_iter_ : int
        Steps taken; after a divergence, the steps that led to the parameters that were kept.
    parameters_ : Parameters
        E (one row per column of X, the last for <cls>), p and v as float64; see `tokensel_nb.Parameters`.
    token_importance_ : ndarray of shape (n_features,) or (n_features, n_classes)
        What a word contributes to the decision: the (weighted) mean over all texts of `fit` of

            f(X) - f(X without s),

        in log-odds, where all occurrences of s are taken out. Positive: the word speaks for ``classes_[1]``, or for the class
        of the column; for K > 2 classes the rows are centred to the sum zero. A rare word has little importance, however strong
        it is. To see how strong single words are, look at the `logits` of texts of one word.

    Notes
    -----
    Any non-negative numbers can serve as counts, for example tf-idf.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"]
    >>> model = make_pipeline(CountVectorizer(), AttentionClassifier(random_state=0))
    >>> model.fit(texts, ["up", "up", "down", "down"]).predict(["bad bad film", "good"]).tolist()
    ['down', 'up']
    >>> counts, classifier = model[:-1].transform(["bad bad film", "good"]), model[-1]
    >>> classifier.logits(counts).round(1).tolist()
    [-1.7, 1.6]
    >>> classifier.predict_proba(counts).round(2).tolist()
    [[0.84, 0.16], [0.17, 0.83]]
    >>> print(classifier.attention(counts).toarray().round(2))  # to "and", "bad", "film", "good", "long", "moving"
    [[0.   0.98 0.   0.   0.   0.  ]
     [0.   0.   0.   0.59 0.   0.  ]]
    """

    def __init__(self, dim=16, *, alpha=1.0, learning_rate=0.1, max_iter=30, random_state=None):
        self.dim = dim
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train the parameters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts, not negative.
        y : array-like of shape (n_samples,)
            Labels of any kind, at least two different ones.
        sample_weight : array-like of shape (n_samples,), default=None
            How much every sample counts. A weight of 3 is like having the sample three times, and 0 is like not having it.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a count is negative, missing or infinite, or the samples of positive weight are all of one class.
        """
        if self.dim < 1 or self.max_iter < 1:
            raise ValueError(f"dim={self.dim}, max_iter={self.max_iter}; give integers of at least 1")
        X, y = validate_data(self, X, y, **ACCEPTED)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = _check_sample_weight(sample_weight, X)
        X, codes, weights = X[weights != 0], codes[weights != 0], weights[weights != 0]
        if len(set(codes.tolist())) < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes; all samples with weight are of one class")
        corpus = self._training_corpus(X, codes, weights)
        self.parameters_, self.n_iter_ = self._train(corpus)
        self.token_importance_ = self._importance(corpus, X.shape[0])[:-1]
        return self

    # Not named `decision_function`: scikit-learn tests classifiers that have one with negative data, but also wants negative
    # counts refused. Its own classifiers of counts, naive Bayes, have none either.
    def logits(self, X):
        """Return the logits f of the texts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the log-odds of ``classes_[1]``; for more, one logit per class.
        """
        corpus = self._read(X)  # `_read` checks first that the model is fitted
        return logits(self.parameters_, corpus)

    def predict_proba(self, X):
        """Return the probabilities of the classes: the sigmoid or the softmax of `logits`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return probabilities_of_logits(self.logits(X))

    def predict(self, X):
        """Return the likeliest class of every text.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = classes_of_logits(self.logits(X))  # `logits` checks first that the model is fitted
        return self.classes_[codes]

    def attention(self, X):
        """Return the attention that <cls> pays to every word of every text, all occurrences together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scipy.sparse.csr_array of shape (n_samples, n_features)
            Entry (i, s) is c_s u_s / (u_0 + Σ_t c_t u_t). What a row lacks of a sum of one, <cls> pays to itself.
        """
        corpus = self._read(X)
        return attention(self.parameters_, corpus)[:, :-1]

    def __sklearn_tags__(self):
        """Add that the input may be sparse and must not be negative."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _training_corpus(self, X, codes, weights):
        """Return the texts as a corpus, followed by imaginary ones: for every class an empty one, and one per word."""
        K, words = len(self.classes_), X.shape[1]
        of_classes = np.bincount(codes, weights, minlength=K)
        of_kinds = np.full(1 + words, self.alpha / of_classes.sum())
        of_kinds[0] = EMPTY_WEIGHT
        imaginary = sparse.vstack([sparse.csr_array((1, words)), sparse.eye_array(words)])
        if not self.alpha:
            imaginary, of_kinds = imaginary.tocsr()[:1], of_kinds[:1]
        counts = sparse.vstack([sparse.csr_array(X), *[imaginary] * K])
        codes = np.concatenate([codes, np.repeat(np.arange(K), len(of_kinds))])
        return self._corpus(counts, codes, np.concatenate([weights, np.outer(of_classes, of_kinds).ravel()]))

    def _train(self, corpus):
        """Return the mean of the parameters over the last three quarters of the steps, and the number of steps."""
        K = corpus.num_classes
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        start = init_parameters(corpus.vocab_size, max(self.dim, K), seed, num_classes=K, dtype="float64")
        skipped = self.max_iter // 4
        total = Parameters(*map(np.zeros_like, start))

        def add(step, parameters):
            if step > skipped:
                for array, value in zip(total, parameters):
                    array += value

        options = dict(learning_rate=self.learning_rate, evaluate_every=1, verbose=False)
        training = train(start, corpus, self.max_iter, watch=add, **options)
        if training.stopped == "divergence":
            return training.parameters, training.step
        return Parameters(*(array / (training.step - skipped) for array in total)), training.step

    def _importance(self, corpus, n):
        """Return the mean over the real texts of f(X) - f(X without s), by `LeavingOut`; <cls> comes last."""
        corpus = corpus[:n]
        without = LeavingOut(self.parameters_.token_scores, corpus)
        weights = corpus.mean_weights[without.rows]
        of_classes = np.atleast_2d(self.parameters_.token_values.T)
        moved = [np.bincount(without.columns, weights * without.moves(values), corpus.vocab_size) for values in of_classes]
        return moved[0] if len(moved) == 1 else np.stack(moved, axis=1) - np.mean(moved, axis=0)[:, None]

    def _read(self, X):
        """Return new texts, which need the columns of `fit`, as a corpus."""
        check_is_fitted(self)
        return self._corpus(validate_data(self, X, reset=False, **ACCEPTED))

    def _corpus(self, X, codes=None, sample_weight=None):
        """Return counts, with a column of ones for <cls>, as a corpus; without codes the labels are meaningless."""
        check_non_negative(X, type(self).__name__)
        counts = sparse.csr_array(sparse.hstack([sparse.csr_array(X), np.ones((X.shape[0], 1))]))
        codes = np.zeros(X.shape[0], int) if codes is None else codes
        words = [*getattr(self, "feature_names_in_", range(X.shape[1])), CLS]
        return Corpus(counts, codes, words, tuple(map(str, self.classes_)), sample_weight)
