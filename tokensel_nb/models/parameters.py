"""Named arrays, and the parameters (E, p, v) among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..support.arrays import dtype_name, is_torch, like, to_numpy
from ..support.checks import checked, cut, generator, one_of, real, shaped, shortened, whole_number
from ..support.extras import torch
from ..support.runtime import room_for
from ..support.threads import numbers_in

CLS = "<cls>"

if TYPE_CHECKING:
    from ..support.arrays import Array


@dataclass(frozen=True, eq=False, repr=False)
class NamedArrays:
    """Named arrays: what a model learns, or anything of that shape, such as its gradient.

    A dataclass of arrays, all numpy or all torch, of one dtype and on one device; a subclass names them as its fields.

    Raises
    ------
    ValueError
        If one isn't an array of real numbers, or they differ in kind, dtype or device.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import tokensel_nb as ts
    >>> @dataclass(frozen=True, eq=False, repr=False)
    ... class Line(ts.NamedArrays):
    ...     slope: np.ndarray
    ...     height: np.ndarray
    >>> line = Line(np.array([3.0]), np.array([1.0]))
    >>> line.to("cpu").numpy()
    Line(slope (1,), height (1,); float64, numpy)
    >>> line.map(np.negative).arrays()
    {'slope': array([-3.]), 'height': array([-1.])}
    """

    def __post_init__(self):
        """Refuse what is no array of real numbers, and arrays that cannot be computed with together."""
        for name, array in self.arrays().items():
            object.__setattr__(self, name, real(name, array))
        (first, wanted), *others = [(name, _place(array)) for name, array in self.arrays().items()]
        for name, place in others:
            if place != wanted:
                raise ValueError(f"{name} is {place}, but {first} is {wanted}; give all arrays alike")

    def arrays(self) -> dict[str, Array]:
        """Return the arrays under their names.

        Returns
        -------
        dict of str to array
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @checked(function=Callable)
    def map(self, function: Callable):
        """Return the same with a function applied to every array.

        Parameters
        ----------
        function : callable
            From an array to an array.

        Returns
        -------
        NamedArrays
            Of the type of ``self``.
        """
        return type(self)(**{name: function(array) for name, array in self.arrays().items()})

    def to(self, device):
        """Return the same as torch tensors on a device; on the CPU they share the memory of numpy arrays.

        Parameters
        ----------
        device : str or torch.device
            Such as "cpu" or "cuda".

        Returns
        -------
        NamedArrays
            Of the type of ``self``.
        """
        try:
            place = torch.empty(0, device=device)
        except (RuntimeError, AssertionError, TypeError, ValueError) as error:
            raise ValueError(f"device={shortened(device)}; give one that torch has here: {cut(str(error))}") from error
        if device is None or place.is_meta:
            raise ValueError(f"device={shortened(device)}; give one that holds numbers, such as 'cpu'")
        return self.map(lambda array: like(array, place, dtype_name(array)))

    def numpy(self):
        """Return the same as numpy arrays.

        Returns
        -------
        NamedArrays
            Of the type of ``self``.
        """
        return self.map(to_numpy)

    def __repr__(self):
        """Name shapes, dtype and device, as in ``Parameters(embeddings (3, 4), ...; float32, numpy)``."""
        arrays = self.arrays()
        shapes = ", ".join(f"{name} {tuple(array.shape)}" for name, array in arrays.items())
        return f"{type(self).__name__}({shapes}; {_place(next(iter(arrays.values())))})"


def dim_of(name, array) -> int:
    """Return the dimension of a matrix, one or more."""
    if not (dim := shaped(name, array, (None, None)).shape[1]):
        raise ValueError(f"{name} has shape {tuple(array.shape)}; give one dimension or more")
    return dim


def copied(parameters: NamedArrays) -> NamedArrays:
    """Return a copy of named arrays, without their history."""
    return parameters.map(lambda array: array.detach().clone() if is_torch(array) else array.copy())


@numbers_in.register
def _(arrays: NamedArrays):
    return max(map(numbers_in, arrays.arrays().values()))


def _place(array):
    """Name an array's dtype and where it is."""
    return f"{dtype_name(array)}, {array.device if is_torch(array) else 'numpy'}"


@dataclass(frozen=True, eq=False, repr=False)
class Parameters(NamedArrays):
    """The parameters (E, p, v), or anything of their shape: a gradient, a velocity.

    Numpy arrays or torch tensors, all three of one dtype (float32 or float64) and on one device. Functions return the kind
    that they were given.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim)
        E, one row per token.
    cls_embedding : array, shape (dim,)
        p, the query of the <cls> token.
    output_vector : array, shape (dim,) or (K, dim)
        v; for K > 2 classes one row per class.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0])).token_values.tolist()
    [1.0, -1.0]
    """

    embeddings: Array
    cls_embedding: Array
    output_vector: Array

    def __post_init__(self):
        """Refuse arrays that do not fit each other."""
        super().__post_init__()
        dim = dim_of("embeddings", self.embeddings)
        shaped("cls_embedding", self.cls_embedding, (dim,))
        shaped("output_vector", self.output_vector, (dim,) if self.output_vector.ndim == 1 else (None, dim))

    @property
    def query(self):
        """The vector by which the <cls> softmax multiplies rows: p, shape (dim,)."""
        return self.cls_embedding

    @property
    def token_scores(self):
        """The attention logits a_s = E_s·p, shape (vocab_size,); E_s·W₂p if a model has its own `query`."""
        return self.embeddings @ self.query

    @property
    def token_values(self):
        """The contributions γ_s = E_s·v to the output, shape (vocab_size,), or (vocab_size, K) with column k = E_s·v_k."""
        output = self.output_vector
        return self.embeddings @ (output.T if output.ndim == 2 else output)


DTYPES = ("float32", "float64")


START = checked(
    vocab_size=whole_number,
    dim=whole_number,
    seed=generator,
    num_classes=partial(whole_number, least=2),
    dtype=partial(one_of, allowed=DTYPES),
)


@START
def init_parameters(vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> Parameters:
    """Draw the parameters from which the theory starts: E_s ~ N(0, I/d), p = 0, ‖v‖ = 1.

    Parameters
    ----------
    vocab_size, dim : int
        |S| and d.
    seed : int or numpy.random.Generator
    num_classes : int
        K. For K > 2 the rows of v are orthonormal, so K must be at most ``dim``.
    dtype : {"float32", "float64"}

    Returns
    -------
    start : Parameters
        Numpy arrays; `Parameters.to` makes tensors of them.

    Raises
    ------
    ValueError
        If a size is not positive or there are more classes than dimensions.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> start = ts.init_parameters(vocab_size=7780, dim=64, seed=0)
    >>> print(start, f"{np.linalg.norm(start.output_vector):.3f}")
    Parameters(embeddings (7780, 64), cls_embedding (64,), output_vector (64,); float32, numpy) 1.000
    """
    room_for(vocab_size * dim, np.dtype(dtype).itemsize, vocab_size=vocab_size, dim=dim)
    if num_classes > dim:
        raise ValueError(f"num_classes={num_classes} is above dim={dim}; orthonormal rows of v need more dimensions")
    random = np.random.default_rng(seed)
    heads = 1 if num_classes == 2 else num_classes
    output = np.linalg.qr(random.standard_normal((dim, heads)))[0].T.astype(dtype)
    embeddings = random.standard_normal((vocab_size, dim), dtype=dtype)
    embeddings /= np.sqrt(dim).astype(dtype)
    return Parameters(embeddings, np.zeros(dim, dtype), output[0] if num_classes == 2 else output)
