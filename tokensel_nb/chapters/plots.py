"""The style of all figures: a palette that colour-blind readers can distinguish, and ways to plot and name words."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from ..extras import colors, plt, sns

# Okabe and Ito's palette: distinct with all common kinds of colour vision.
NEGATIVE, POSITIVE, NEUTRAL, THEORY = "#D55E00", "#0072B2", "#8C8C8C", "#000000"

LOUD = 30  # about the largest value of a word after training on reviews


def use_book_style():
    """Set fonts and colours of the book's figures; white paper, so that they read in the dark theme too."""
    sns.set_theme(style="whitegrid", palette="colorblind", font_scale=1.0)
    plt.rcParams |= {
        "figure.figsize": (7.0, 4.2),
        "figure.dpi": 110,
        "figure.facecolor": "white",
        "figure.constrained_layout.use": True,
        "savefig.facecolor": "white",
        "axes.grid": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.limits": (-2, 5),  # powers of ten keep the labels of small numbers short
        "axes.formatter.use_mathtext": True,
    }


def plot_words(ax, x, y, **style):
    """Scatter one point per word, small and pale enough to show the density of thousands of them."""
    ax.scatter(x, y, **{"s": 9, "alpha": 0.35, "linewidths": 0, "color": POSITIVE} | style)


def name_words(ax, x, y, vocabulary, columns, *, above=()):
    """Write words next to their points."""
    for column in columns:
        word = vocabulary[column]
        offset, align = ((0, 6), "center") if word in above else ((5, 0), "left")
        ax.annotate(
            word, (x[column], y[column]), offset, textcoords="offset points", fontsize=9, ha=align, va="center_baseline"
        )


def plot_bins(ax, bins, **style):
    """Draw the means of `Bins` as points with error bars of one standard deviation; empty bins stay empty."""
    style = {"fmt": "o-", "markersize": 4, "linewidth": 1.5, "elinewidth": 1.0, "capsize": 2, "color": POSITIVE} | style
    ax.errorbar(bins.centres, bins.means, bins.spreads, **style)


def plot_runs(ax, steps, runs, color, label):
    """Draw the mean of several runs over steps as a line, with a band from the lowest to the highest."""
    runs = np.asarray(runs)
    ax.plot(steps, runs.mean(axis=0), color=color, label=label)
    ax.fill_between(steps, runs.min(axis=0), runs.max(axis=0), color=color, alpha=0.25, linewidth=0)


def name_line(ax, x, y, name, color):
    """Write the name of a line to the right of one of its points, in its colour, in place of a legend."""
    ax.annotate(name, (x, y), (5, 0), textcoords="offset points", color=color, va="center", annotation_clip=False)


def plot_ends(ax, amounts, vocabulary, how_many=12):
    """Draw the words with the smallest and the largest amounts as horizontal bars, from one end to the other."""
    order = np.argsort(amounts)
    columns = np.concatenate([order[:how_many], order[-how_many:]])
    colours = [NEGATIVE if amounts[column] < 0 else POSITIVE for column in columns]
    ax.barh(np.arange(len(columns)), amounts[columns], color=colours)
    ax.set_yticks(np.arange(len(columns)), vocabulary[columns])
    ax.axvline(0, color="black", linewidth=0.8)


def plot_plane(ax, words, parameters):
    """Draw a sentence in the plane: its words, p and v, lines of equal score, and the output of a layer of attention."""
    # Discs grow with the attention; the diamond is the attended average of the words.
    rows, (p, v) = parameters.embeddings, (parameters.cls_embedding, parameters.output_vector)
    weights = softmax(parameters.token_scores)
    spots = np.concatenate([rows, [p, v, [0, 0]]])
    sides = [np.linspace(low - 0.4, high + 0.7, 50) for low, high in zip(spots.min(axis=0), spots.max(axis=0))]
    x, y = np.meshgrid(*sides)
    scores = p[0] * x + p[1] * y
    levels = ax.contour(x, y, scores, np.arange(np.ceil(scores.min()), scores.max()), colors=NEUTRAL, linewidths=0.6)
    ax.clabel(levels, fmt="score %.0f", fontsize=8)
    for name, tip in (("$p$", p), ("$v$", v)):
        ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": THEORY})
        ax.annotate(name, tip, (4, -2), textcoords="offset points")
    colours = [POSITIVE if value > 0 else NEGATIVE for value in parameters.token_values]
    ax.scatter(*rows.T, s=12 + 260 * weights, color=colours, alpha=0.6, linewidths=0)
    for word, spot, weight in zip(words, rows, weights):
        side, align = (1, "left") if spot[0] > 0 else (-1, "right")  # away from the arrows
        ax.annotate(word, spot, (side * (6 + 8 * weight), 0), textcoords="offset points", fontsize=9, ha=align, va="center")
    seen = weights @ rows
    ax.plot(*seen, "D", color=THEORY, markersize=5)
    ax.annotate("seen", seen, (-30, -3), textcoords="offset points", fontsize=9)
    ax.set(xlabel="first coordinate", ylabel="second coordinate", aspect="equal")


def plot_attention(ax, words, weights):
    """Draw the attention to the words of a sentence as bars over the words."""
    ax.bar(np.arange(len(words)), weights, color=POSITIVE, width=0.6)
    ax.set_xticks(np.arange(len(words)), words)
    ax.set_ylabel("attention $q_i$")


def plot_reading(ax, words, weights, values):
    """Draw the attention to the words of a sentence, coloured by value: blue praise, orange blame, grey nothing."""
    # Bars above 1.5 times the equal share, and above a tenth, also have signs, for readers who don't see colours.
    plot_attention(ax, words, weights)
    for at, (bar, weight, value) in enumerate(zip(ax.patches, weights, values)):
        says, sign = (NEGATIVE, "▼") if value < 0 else (POSITIVE, "▲")
        loud = min(1, (abs(value) / LOUD) ** 0.5)
        bar.set_color(loud * np.array(colors.to_rgb(says)) + (1 - loud) * np.array(colors.to_rgb(NEUTRAL)))
        if weight >= max(0.1, 1.5 / len(words)):
            ax.annotate(f"{sign}{weight:.0%}", (at, weight), (0, 2), textcoords="offset points", ha="center", fontsize=9)
