"""What the pages' playthings need of the package: trained numbers, two bytes each, as scripts that a page loads from a disk."""

from __future__ import annotations

import base64

import numpy as np


def packed(numbers, step: float) -> dict:
    """Return numbers as multiples of a step, two bytes each, all low bytes before all high ones: so they compress well.

    Parameters
    ----------
    numbers : array, shape (n,)
        At most 32,767 steps away from zero.
    step : float
        Above zero.

    Returns
    -------
    dict
        The step, and the bytes in base64; ``tokensel.unpack`` of the pages reads it.

    Raises
    ------
    ValueError
        If a number is too large for its step.

    Examples
    --------
    >>> packed([0.5, -0.25], 0.25)
    {'step': 0.25, 'bytes': 'Av8A/w=='}
    """
    steps = np.round(np.asarray(numbers, float) / step)
    if (abs(steps) > 32_767).any():
        raise ValueError(
            f"the largest number, {abs(np.asarray(numbers)).max():g}, is over 32,767 steps of {step:g}; give a larger step"
        )
    low_high = steps.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return {"step": step, "bytes": base64.b64encode(low_high.tobytes()).decode()}
