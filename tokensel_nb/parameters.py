"""The parameters (E, p, v), and where they start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arrays import dtype_name, is_torch


class Parameters(NamedTuple):
    """The parameters (E, p, v), or anything of their shape, such as a gradient: numpy arrays or tensors.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim)
        E, a row for every word; float32 or float64, like the others.
    cls_embedding : array, shape (dim,)
        p, the query of <cls>.
    output_vector : array, shape (dim,), or (K, dim) for K > 2 classes
        v, the head.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0]))
    Parameters(embeddings (2, 2), cls_embedding (2,), output_vector (2,); float64, numpy)
    >>> ts.Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0])).token_values
    array([ 1., -1.])
    """

    embeddings: Any
    cls_embedding: Any
    output_vector: Any

    @property
    def token_scores(self):
        """The attention logits a_s = E_s·p, shape (vocab_size,)."""
        return self.embeddings @ self.cls_embedding

    @property
    def token_values(self):
        """The contributions γ_s = E_s·v to the output, shape (vocab_size,), or (vocab_size, K) with column k = E_s·v_k."""
        v = self.output_vector
        return self.embeddings @ (v if v.ndim == 1 else v.T)

    def __repr__(self):
        """Show shapes, dtype and device, as in ``Parameters(embeddings (3, 4), ...; float32, numpy)``."""
        shapes = ", ".join(f"{name} {tuple(array.shape)}" for name, array in self._asdict().items())
        return f"{type(self).__name__}({shapes}; {dtype_name(self[0])}, {self[0].device if is_torch(self[0]) else 'numpy'})"


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
    `Parameters`
        Numpy arrays; `to_device` makes tensors of them.

    Raises
    ------
    ValueError
        If there are more classes than dimensions.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> start = ts.init_parameters(vocab_size=7780, dim=64, seed=0)
    >>> print(start, f"{np.linalg.norm(start.output_vector):.3f}")
    Parameters(embeddings (7780, 64), cls_embedding (64,), output_vector (64,); float32, numpy) 1.000
    """
    heads = 1 if num_classes == 2 else num_classes
    if heads > dim:
        raise ValueError(f"num_classes={num_classes} is above dim={dim}; raise dim, since the rows of v are orthonormal")
    random = np.random.default_rng(seed)
    v = np.linalg.qr(random.standard_normal((dim, heads)))[0].T.astype(dtype)
    E = random.standard_normal((vocab_size, dim), dtype=dtype)
    E /= np.sqrt(dim).astype(dtype)
    return Parameters(E, np.zeros(dim, dtype), v[0] if heads == 1 else v)


def rows_with_values(values) -> Parameters:
    """Return parameters with the rows E_s = e_s + γ_s v of given values, orthonormal but for v, and p = 0.

    e_s is the vector of word s in the standard basis, and v the last one: E = [I, γ].

    Parameters
    ----------
    values : array, shape (vocab_size,)
        γ.

    Returns
    -------
    `Parameters`
        Numpy arrays of float64, of dimension vocab_size + 1.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.rows_with_values([2.0, -1.0]).token_values
    array([ 2., -1.])
    """
    values = np.asarray(values, float)
    every = np.eye(len(values) + 1)
    return Parameters(np.column_stack([every[:-1, :-1], values]), np.zeros(len(every)), every[-1])
