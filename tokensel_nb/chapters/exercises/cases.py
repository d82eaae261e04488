"""Small texts and parameters that the checks of several chapters draw."""

import numpy as np

from ...parameters import Parameters


def texts(random, n=7, words=4):
    """Return the counts and the labels of a few texts of unequal length; the first two words lean to either side."""
    signs = np.where(np.arange(n) % 3, 1, -1)
    counts = random.integers(1, 5, size=(n, words))
    counts[:, 0] += 3 * (signs > 0)
    counts[:, 1] += 4 * (signs < 0)
    return counts, signs


def parameters(flat):
    """Return parameters of four words in three dimensions, made of 18 numbers."""
    return Parameters(flat[:12].reshape(4, 3), flat[12:15], flat[15:])


def flat(arrays):
    """Return the numbers of several arrays as one array."""
    return np.concatenate([np.ravel(array) for array in arrays])
