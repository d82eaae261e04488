"""Every figure's style, once: one palette that colour-blind readers can tell apart, one way to name words in a plot."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

# Okabe and Ito's palette: told apart with every common kind of colour vision.
NEGATIVE, POSITIVE, NEUTRAL, THEORY = "#D55E00", "#0072B2", "#8C8C8C", "#000000"


def use_book_style():
    """Set fonts, grid and colours of the book's figures; white paper, so that they read in the dark theme too."""
    sns.set_theme(style="whitegrid", palette="colorblind", font_scale=1.0)
    plt.rcParams |= {
        "figure.figsize": (7.0, 4.2),
        "figure.dpi": 110,
        "figure.facecolor": "white",
        "figure.constrained_layout.use": True,
        "savefig.facecolor": "white",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.limits": (-2, 5),  # small numbers as multiples of a power of ten: their labels stay short
        "axes.formatter.use_mathtext": True,
    }


def plot_words(ax, x, y, **style):
    """Scatter one point a word, small and pale enough that thousands of them show where they are dense."""
    # Rasterised by nature (PNG), but small: thousands of opaque markers would hide their own density.
    ax.scatter(x, y, **{"s": 9, "alpha": 0.35, "linewidths": 0, "color": POSITIVE} | style)


def name_words(ax, x, y, vocabulary, columns, *, above=()):
    """Write words beside their points.

    Parameters
    ----------
    ax : matplotlib Axes
    x, y : array, shape (vocab_size,)
    vocabulary : array of str
    columns : iterable of int
        The columns of the words to name.
    above : collection of str
        Words that are written above their point instead of to its right, where two would overlap.
    """
    for column in columns:
        word = vocabulary[column]
        offset, align = ((0, 6), "center") if word in above else ((5, 0), "left")
        ax.annotate(
            word, (x[column], y[column]), offset, textcoords="offset points", fontsize=9, ha=align, va="center_baseline"
        )


def plot_ends(ax, amounts, vocabulary, how_many=12):
    """Draw the words with the smallest and the largest amounts as horizontal bars, from one end to the other."""
    order = np.argsort(amounts)
    columns = np.concatenate([order[:how_many], order[-how_many:]])
    colours = [NEGATIVE if amounts[column] < 0 else POSITIVE for column in columns]
    ax.barh(np.arange(len(columns)), amounts[columns], color=colours)
    ax.set_yticks(np.arange(len(columns)), vocabulary[columns])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(axis="y", visible=False)


def plot_attention(ax, words, weights):
    """Draw how much attention each word of a sentence gets, as bars over the words in their order."""
    ax.bar(np.arange(len(words)), weights, color=POSITIVE, width=0.6)
    ax.set_xticks(np.arange(len(words)), words)
    ax.set_ylabel("attention $q_i$")
    ax.grid(axis="x", visible=False)
