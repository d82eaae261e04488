"""Checks of the exercises in 10_transformers."""

import numpy as np

from .answers import compare, exercise


@exercise("ex-line-heads")
def line_heads(ratio, random):
    x, k = random.standard_normal(6), float(random.uniform(0.5, 3))
    wanted = np.exp(k * x)
    mistakes = {"That is the ratio to a word at zero; divide by what the first one gets.": wanted}
    yield from compare(ratio(x, k), wanted / wanted[0], mistakes)


@exercise("ex-escape")
def escape(leaves, random):
    share, std = random.standard_normal(50) / 100, 10.0 ** -random.uniform(3.5, 6)
    grows, decades = np.sqrt(np.square(share).sum()) / 2, np.log(0.001) - np.log(std)
    mistakes = {
        "The pull is half of the signed shares: everything grows half as fast.": 700 + decades / (2 * grows),
        "The logarithm is the natural one.": 700 + decades / np.log(10) / grows,
        "A smaller start takes longer.": 700 - decades / grows,
    }
    yield from compare(leaves(700.0, std, share), 700 + decades / grows, mistakes)
