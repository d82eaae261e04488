"""Every figure's style, once: one palette that colour-blind readers can tell apart, one way to name words in a plot."""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path

import numpy as np
from scipy.special import softmax

from ..support.extras import colors, display, plt, sns

# Okabe and Ito's palette: told apart with every common kind of colour vision.
NEGATIVE, POSITIVE, NEUTRAL, THEORY = "#D55E00", "#0072B2", "#8C8C8C", "#000000"

LOUD = 30  # about the largest value that training on reviews gives a word

# What makes sliders move; every figure with a slider carries it.
SLIDER_SCRIPT = Path(__file__).with_name("slider.js")


def use_book_style():
    """Set fonts, grid and colours of the book's figures; white paper, so that they read in the dark theme too.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> with plt.rc_context():  # a notebook leaves the context out
    ...     plots.use_book_style()
    ...     plt.rcParams["figure.facecolor"]
    'white'
    """
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
    """Scatter one point a word, small and pale enough that thousands of them show where they are dense.

    Parameters
    ----------
    ax : matplotlib Axes
    x, y : array, shape (vocab_size,)
    **style
        Of ``Axes.scatter``, such as ``color`` or ``s``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_words(ax, [0.0, 1.0], [1.0, 2.0], s=4)
    >>> len(ax.collections[0].get_offsets())
    2
    >>> plt.close(figure)
    """
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

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.name_words(ax, [0.0, 1.0], [1.0, 2.0], ["bad", "good"], [1])
    >>> [text.get_text() for text in ax.texts]
    ['good']
    >>> plt.close(figure)
    """
    for column in columns:
        word = vocabulary[column]
        offset, align = ((0, 6), "center") if word in above else ((5, 0), "left")
        ax.annotate(
            word, (x[column], y[column]), offset, textcoords="offset points", fontsize=9, ha=align, va="center_baseline"
        )


def plot_bins(ax, bins, **style):
    """Draw the means of `Bins` as points with one standard deviation within each bin to both sides; empty bins stay empty.

    Parameters
    ----------
    ax : matplotlib Axes
    bins : Bins
    **style
        Of ``Axes.errorbar``, such as ``color``, ``label``, ``fmt``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_bins(ax, ts.binned([0.0, 0.2, 0.9], [1.0, 3.0, 5.0], [0, 0.5, 1]))
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 5.0]
    >>> plt.close(figure)
    """
    style = {"fmt": "o-", "markersize": 4, "linewidth": 1.5, "elinewidth": 1.0, "capsize": 2, "color": POSITIVE} | style
    ax.errorbar(bins.centres, bins.means, bins.spreads, **style)


def plot_control(ax, bins, label="shuffled labels"):
    """Draw the band of shuffled labels' bin means, grey, behind what `plot_bins` draws of true ones.

    Parameters
    ----------
    ax : matplotlib Axes
    bins : ControlledBins
    label : str
        Of the band.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import plots
    >>> halves = ts.independent_tokens(400, 40, 12, 0.5, seed=0).split(0.5, seed=0)
    >>> found = ts.with_control(*halves, lambda half: {"share": half.signed_share()})
    >>> figure, ax = plt.subplots()
    >>> plots.plot_control(ax, found["share"]["held out"])
    >>> len(ax.collections)  # the band, then the bars of the true labels
    2
    >>> plt.close(figure)
    """
    low, high = bins.band
    ax.fill_between(bins.true.centres, low, high, color=NEUTRAL, alpha=0.45, linewidth=1.5, zorder=1, label=label)
    plot_bins(ax, bins.true, label="true labels: mean ± std")


def plot_runs(ax, steps, runs, color, label):
    """Draw the mean of several runs over steps as a line, with a band from the lowest to the highest.

    Parameters
    ----------
    ax : matplotlib Axes
    steps : array, shape (m,)
    runs : array, shape (number of runs, m)
        One row a seed.
    color, label : str

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_runs(ax, [0, 10], [[0.5, 0.7], [0.5, 0.9]], plots.POSITIVE, "accuracy")
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.8]
    >>> plt.close(figure)
    """
    runs = np.asarray(runs)
    ax.plot(steps, runs.mean(axis=0), color=color, label=label)
    ax.fill_between(steps, runs.min(axis=0), runs.max(axis=0), color=color, alpha=0.25, linewidth=0)


def plot_ends(ax, amounts, vocabulary, how_many=12):
    """Draw the words with the smallest and the largest amounts as horizontal bars, from one end to the other.

    Parameters
    ----------
    ax : matplotlib Axes
    amounts : array, shape (vocab_size,)
    vocabulary : array of str
    how_many : int
        Words at either end.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_ends(ax, np.array([0.1, -2.0, 3.0]), np.array(["film", "bad", "good"]), how_many=1)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['bad', 'good']
    >>> plt.close(figure)
    """
    order = np.argsort(amounts)
    columns = np.concatenate([order[:how_many], order[-how_many:]])
    colours = [NEGATIVE if amounts[column] < 0 else POSITIVE for column in columns]
    ax.barh(np.arange(len(columns)), amounts[columns], color=colours)
    ax.set_yticks(np.arange(len(columns)), vocabulary[columns])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(axis="y", visible=False)


def plot_plane(ax, words, parameters):
    """Draw a sentence in the plane: its words, p and v, lines of equal score, and what a layer of attention sees of it.

    Discs grow with the attention; the diamond is the average of the words under it.

    Parameters
    ----------
    ax : matplotlib Axes
    words : sequence of str, length m
    parameters : Parameters
        Of as many words, with ``dim=2``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> by_hand = ts.Parameters(np.array([[2.0, -1.5], [0.4, 0.2]]), np.array([1.0, -0.5]), np.array([0.0, 1.0]))
    >>> plots.plot_plane(ax, ["bad", "film"], by_hand)
    >>> [label.get_text() for label in ax.texts[-3:]]
    ['bad', 'film', 'seen']
    >>> plt.close(figure)
    """
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
    ax.grid(visible=False)
    ax.set(xlabel="first coordinate", ylabel="second coordinate", aspect="equal")


def plot_attention(ax, words, weights):
    """Draw how much attention each word of a sentence gets, as bars over the words in their order.

    Parameters
    ----------
    ax : matplotlib Axes
    words : sequence of str, length m
    weights : array, shape (m,)

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_attention(ax, ["a", "good", "film"], [0.1, 0.8, 0.1])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['a', 'good', 'film']
    >>> plt.close(figure)
    """
    ax.bar(np.arange(len(words)), weights, color=POSITIVE, width=0.6)
    ax.set_xticks(np.arange(len(words)), words)
    ax.set_ylabel("attention $q_i$")
    ax.grid(axis="x", visible=False)


def plot_reading(ax, words, weights, values):
    """Draw the attention on each word of a sentence, in the colour of what it says: blue praise, orange blame, grey nothing.

    Bars of half as much again as an equal share, and of a tenth at least, say the same in signs, for those who see no colours.

    Parameters
    ----------
    ax : matplotlib Axes
    words : sequence of str, length m
    weights, values : array, shape (m,)

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figure, ax = plt.subplots()
    >>> plots.plot_reading(ax, ["a", "good", "film"], [0.1, 0.8, 0.1], [0, 20, -1])
    >>> [label.get_text() for label in ax.texts]
    ['▲80%']
    >>> plt.close(figure)
    """
    plot_attention(ax, words, weights)
    for at, (bar, weight, value) in enumerate(zip(ax.patches, weights, values)):
        says, sign = (NEGATIVE, "▼") if value < 0 else (POSITIVE, "▲")
        loud = min(1, (abs(value) / LOUD) ** 0.5)
        bar.set_color(loud * np.array(colors.to_rgb(says)) + (1 - loud) * np.array(colors.to_rgb(NEUTRAL)))
        if weight >= max(0.1, 1.5 / len(words)):
            ax.annotate(f"{sign}{weight:.0%}", (at, weight), (0, 2), textcoords="offset points", ha="center", fontsize=9)


def slider(figures, notes, label, alt, *, shown=-1) -> display.HTML:
    """Return pictures with a slider that goes through them: it needs no kernel and no network.

    Where no script runs (on paper, on GitHub) there is no slider, and one picture with its note.

    Parameters
    ----------
    figures : iterable of matplotlib Figure
        All of one size; each is closed once it is drawn.
    notes : sequence of str
        One a figure, plain text, short: the value that the slider shows and a screen reader says.
    label : str
        What the slider changes.
    alt : sequence of str
        The alternative text of every picture.
    shown : int
        The place of the picture that is seen first, and the only one without a script.

    Returns
    -------
    IPython.display.HTML

    Raises
    ------
    ValueError
        If the pictures differ in size, or not each has its note and text.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from tokensel_nb.chapters import plots
    >>> figures = [plt.figure(figsize=(1, 1)) for _ in range(3)]
    >>> plots.slider(figures, ["0", "1", "2"], "Steps", ["first", "second", "third"]).data.count("<img")
    3
    """
    pictures, sizes = [], set()
    for figure, text in zip(figures, alt, strict=True):
        picture, size = _webp(figure)
        sizes.add(size)
        pictures.append(f'<img src="{picture}" alt="{html.escape(text)}" {size} {_FITS}')
    if len(notes) != len(pictures):
        raise ValueError(f"{len(notes)} notes for {len(pictures)} figures; give one each")
    if len(sizes) > 1:
        raise ValueError(f"the figures differ in size, so the page would jump: {', '.join(sorted(sizes))}")
    shown = range(len(pictures))[shown]
    hidden = ["" if place == shown else " hidden" for place in range(len(pictures))]
    return display.HTML(
        _SLIDER.format(
            frames="\n".join(f"{picture}{off}>" for picture, off in zip(pictures, hidden)),
            label=html.escape(label),
            last=len(pictures) - 1,
            shown=shown,
            notes="".join(f"<span{off}>{html.escape(note)}</span>" for note, off in zip(notes, hidden)),
            script=SLIDER_SCRIPT.read_text("utf-8"),
        )
    )


def _webp(figure, dpi=120):
    """Close a figure; return it as an address that holds its pixels, and its size as attributes."""
    buffer = io.BytesIO()
    # Lossless: as small as a lossy picture where there is much paper, and without smears around letters.
    figure.savefig(buffer, format="webp", dpi=dpi, pil_kwargs={"lossless": True, "method": 6})
    plt.close(figure)
    width, height = (figure.get_size_inches() * dpi).astype(int)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f"data:image/webp;base64,{data}", f'width="{width}" height="{height}"'


# The styles are for JupyterLab and the like; the book's style sheet adds to them.
_FITS = 'style="max-width:100%;height:auto" decoding="sync"'
_SLIDER = """<div class="frame-slider">
<div class="frames">
{frames}
</div>
<label style="display:block">{label}
<input type="range" min="0" max="{last}" value="{shown}" autocomplete="off" style="width:100%;height:44px" hidden></label>
<output aria-live="off">{notes}</output>
<script class="frame-slider-script">
{script}</script>
</div>"""
