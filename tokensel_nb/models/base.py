"""What every model offers, whatever it computes: a start, logits, loss, gradients, and attention where there is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..corpus.counts import placed
from ..scale.distributed import mean_over
from ..support.arrays import dtype_name, like, log_softmax, namespace, sigmoid, softplus, to_numpy
from ..support.checks import finite, shortened
from ..support.threads import threads_for
from .optimizers import LowRank
from .options import Options
from .parameters import init_parameters

if TYPE_CHECKING:
    from scipy import sparse

    from ..corpus.corpus import Corpus
    from ..scale.distributed import Parts
    from ..support.arrays import Array
    from .parameters import NamedArrays


class Model(ABC):
    """A function from texts to logits, with parameters that `train` finds.

    A model is a frozen dataclass of its settings. What it learns are `NamedArrays`: `start` draws them, and every other method
    takes them. If torch can differentiate a model, write it more simply as an `AutogradModel`.

    Attributes
    ----------
    options : Options
        How it is trained by default.
    needs_torch : bool
        Whether it always computes with torch, even on numpy arrays.
    own_places : int
        How many places attention looks at beside a text's words, such as that of <cls>.
    learns : tuple of types of NamedArrays
        What it learns. Parameters with other arrays are refused, unless it is empty.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> model = ts.OneLayer()
    >>> start = model.start(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> print(model.logits(start, corpus).round(2), *model.attention(start, corpus).toarray())
    [ 0.54 -0.19] [0.  0.5 0.5] [0.5 0.5 0. ]
    >>> f"{model.loss(start, corpus):.3f}", model.accuracy(start, corpus)
    ('0.532', 1.0)
    >>> model.evaluate(start, corpus) == (model.loss(start, corpus), model.accuracy(start, corpus))
    True
    >>> print(model.gradients(start, corpus).output_vector.round(2))
    [0.07 0.02 0.12 0.09]
    >>> print(model.step_gradients(start, corpus, ["output_vector"])["output_vector"].round(2))  # of what is trained alone
    [0.07 0.02 0.12 0.09]
    """

    options: ClassVar[Options] = Options()
    needs_torch: ClassVar[bool] = False
    own_places: ClassVar[int] = 0
    learns: ClassVar[tuple[type[NamedArrays], ...]] = ()

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> NamedArrays:
        """Draw parameters to start from: (E, p, v), unless a model has others.

        Parameters
        ----------
        vocab_size, dim, seed, num_classes, dtype
            As in `init_parameters`.

        Returns
        -------
        NamedArrays
            Of numpy arrays.
        """
        return init_parameters(vocab_size, dim, seed, num_classes=num_classes, dtype=dtype)

    @abstractmethod
    def logits(self, parameters: NamedArrays, corpus: Corpus) -> Array:
        """Return f(X) of every text; zero for a text without a known word.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus

        Returns
        -------
        array, shape (n,), or (n, K) for K > 2 classes

        Raises
        ------
        ValueError
            If the parameters do not fit the corpus.
        """

    @abstractmethod
    def step_gradients(self, parameters: NamedArrays, texts: Corpus | Parts, names) -> dict[str, Array | LowRank]:
        """Return the gradient of the mean loss over some texts, as an optimizer takes it.

        Parameters
        ----------
        parameters : NamedArrays
        texts : Corpus or Parts
            If the model takes means by `mean_over`, several processes can share the work.
        names : collection of str
            Of the arrays whose gradient is wanted.

        Returns
        -------
        dict of str to array or LowRank
        """

    def gradients(self, parameters: NamedArrays, corpus: Corpus) -> NamedArrays:
        """Return the gradient of the mean loss in every parameter.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus

        Returns
        -------
        NamedArrays
            Of the type, shapes, dtype and kind of ``parameters``.
        """
        by_name = self.step_gradients(parameters, corpus, parameters.arrays().keys())
        arrays = {name: array.written_out() if isinstance(array, LowRank) else array for name, array in by_name.items()}
        return type(parameters)(**arrays)

    def attention(self, parameters: NamedArrays, corpus: Corpus) -> sparse.csr_array:
        """Return the attention that <cls> pays to each word of each text, all occurrences together.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus

        Returns
        -------
        scipy.sparse.csr_array, shape (n, vocab_size)
            A row sums to one, or to zero if the text has no known word.

        Raises
        ------
        TypeError
            If the model has no attention.
        """
        raise TypeError(f"{type(self).__name__} has no attention")

    def loss(self, parameters: NamedArrays, corpus: Corpus) -> float:
        """Return the mean loss over the texts; see `loss_of_logits`.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus

        Returns
        -------
        float
        """
        return self.evaluate(parameters, corpus)[0]

    def accuracy(self, parameters: NamedArrays, corpus: Corpus) -> float:
        """Return the share of texts whose label f predicts: the sign of f, or the class of the largest logit.

        A logit of exactly zero predicts the first class. Texts count by their weights.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus

        Returns
        -------
        float, from 0 to 1
        """
        return self.evaluate(parameters, corpus)[1]

    def evaluate(self, parameters: NamedArrays, corpus: Corpus | Parts) -> tuple[float, float]:
        """Return `loss` and `accuracy` from one pass.

        Parameters
        ----------
        parameters : NamedArrays
        corpus : Corpus or Parts

        Returns
        -------
        (float, float)
        """

        def evaluated(part):
            logits = self.logits(parameters, part)
            right = classes_of_logits(logits) == part.labels
            return [np.array([float(loss_of_logits(logits, part)), np.average(right, weights=part.weights)])]

        return tuple(mean_over(corpus, evaluated)[0].tolist())


def loss_of_logits(logits, texts):
    """Return the mean logistic loss Ê log(1 + exp(-y f(X))), or the mean cross-entropy for K > 2 classes."""
    weights = placed(texts, "mean_weights", logits)
    if logits.ndim == 1:
        losses = softplus(-placed(texts, "signs", logits) * logits)
    else:
        labels = like(texts.labels, logits, "int64")
        losses = -namespace(logits).take_along_axis(log_softmax(logits), labels[:, None], axis=1)[:, 0]
    with threads_for(0):  # or its last digit would depend on their number
        return losses @ weights


def losses_and_residuals(logits, texts):
    """Return the loss of every text, and the derivative of their weighted mean in every logit, from one exponential."""
    xp, weights = namespace(logits), placed(texts, "mean_weights", logits)
    if logits.ndim == 1:
        against = -placed(texts, "signs", logits)
        margins = against * logits
        return softplus(margins), against * weights * sigmoid(margins)
    classes = xp.arange(logits.shape[1], dtype=logits.dtype, device=logits.device)
    wanted = xp.astype(placed(texts, "labels", logits)[:, None] == classes, logits.dtype)
    logits = logits - xp.max(logits, axis=1, keepdims=True)
    powers = xp.exp(logits)
    sums = xp.sum(powers, axis=1)
    return xp.log(sums) - xp.vecdot(wanted, logits), (powers / sums[:, None] - wanted) * weights[:, None]


def classes_of_logits(logits) -> np.ndarray:
    """Return the likeliest class of every text; a logit of exactly zero gives the first."""
    return to_numpy(logits > 0 if logits.ndim == 1 else logits.argmax(1)).astype(np.int64)


def probabilities_of_logits(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of the classes: the sigmoid of one logit a text, or the softmax of K."""
    if logits.ndim == 1:
        return sigmoid(np.stack([-logits, logits], axis=1))
    return np.exp(log_softmax(logits))


def check_finite(result, parameters: NamedArrays, **others):
    """Return a result if all of it is finite; else say which of the parameters are not, or that they are too large."""
    results = result.arrays().values() if hasattr(result, "arrays") else [np.asarray(result) if np.isscalar(result) else result]
    if all(namespace(array).isfinite(array).all() for array in results):
        return result
    for name, array in parameters.arrays().items():  # only now, so that nothing is looked at twice where all is well
        finite(name, array)
    named = ", ".join([*(f"{name}={shortened(value)}" for name, value in others.items()), *parameters.arrays()])
    kind = dtype_name(next(iter(parameters.arrays().values())))
    raise ValueError(f"{named}: the result overflows {kind}; give smaller numbers")


def check_kind(model: Model, parameters: NamedArrays) -> None:
    """Raise a TypeError unless parameters have the arrays that a model learns."""
    arrays = parameters.arrays().keys()
    if model.learns and arrays not in [kind.__dataclass_fields__.keys() for kind in model.learns]:
        both = f"{type(model).__name__} learns {model.learns[0].__name__}, but the parameters are {type(parameters).__name__}"
        raise TypeError(f"{both}; give the model that they belong to")


def check_fit(model: Model, parameters: NamedArrays, corpus: Corpus) -> None:
    """Raise an error unless parameters are those of a model and have the shapes that a corpus asks for."""
    check_kind(model, parameters)
    arrays = parameters.arrays()
    vocab_size, dim = arrays["embeddings"].shape
    if vocab_size != corpus.vocab_size:
        raise ValueError(f"embeddings has {vocab_size} rows, but the corpus has {corpus.vocab_size} words; give one per word")
    wanted = {"cls_embedding": (dim,), "output_vector": (dim,) if corpus.num_classes == 2 else (corpus.num_classes, dim)}
    for name in wanted.keys() & arrays.keys():
        if tuple(arrays[name].shape) != wanted[name]:
            raise ValueError(f"{name} has shape {tuple(arrays[name].shape)}; this corpus and E need {wanted[name]}")
