"""What the pages' playthings need of the package: trained numbers, two bytes each, as scripts that a page loads from a disk.

``make playthings`` writes them.
"""

import base64
import json
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters.plots import plot_reading, use_book_style
from tokensel_nb.chapters.reviews import HELD_OUT, OPTIONS, binned_run
from tokensel_nb.support.extras import plt

from .recording import amounts, rounded

FOLDER = Path("book/_static/playthings")
PICTURE = Path("book/images/try.png")
STAGES = (0, 1, 5, 25, 150)  # the steps of training whose values and scores are shown: `OPTIONS` end with the last
# What values and scores are rounded to. Values lie up to 56 from zero, so that an error in a score weighs more: the logits of
# all reviews move by less than 0.01.
ROUNDING = {"values": 0.006, "scores": 0.0005}
SENTENCE = "the story is slow but the music is wonderful".split()  # of the picture in the place of the text box


def packed(numbers, step: float) -> dict:
    """Return numbers as multiples of a step, two bytes each, all low bytes before all high ones: so they compress well."""
    steps = np.round(np.asarray(numbers, float) / step)
    if (abs(steps) > 32_767).any():
        raise ValueError(
            f"the largest number, {abs(np.asarray(numbers)).max():g}, is over 32,767 steps of {step:g}; give a larger step"
        )
    low_high = steps.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return {"step": step, "bytes": base64.b64encode(low_high.tobytes()).decode()}  # tokensel.unpack of the pages reads it


def trained_words(stages=STAGES) -> dict:
    """Train as 04_reviews does, and return what each word has at some steps, and how often it occurs in either class."""
    corpus, held_out = ts.load_imdb().split(HELD_OUT, seed=0)
    words = {"values": [], "scores": []}

    def look(step, parameters):
        if step in stages:
            for name, numbers in amounts(parameters.numpy()).items():
                words[name].append(numbers)

    history = binned_run(corpus, 0, held_out, watch=look, steps=stages[-1], evaluate_every=1).training.history
    right = history.held_out_accuracies[list(stages)].tolist()  # the share of held-out reviews read rightly
    return words | {"right": right, "counts": np.stack([corpus.counts[corpus.labels == label].sum(axis=0) for label in (0, 1)])}


def first_step() -> dict:
    """Return three numbers a word that give E¹_s·v on IMDB for every η₀ and d, but for terms of order d^{-3/2}.

    With z_s = √d E⁰_s·v, standard normal, and f̃ the logits of values z, a text pulls by y g = y/2 - f̃/(4√d) + O(d^{-3/2}). So

        E¹_s·v = z_s/√d + η₀ (ᾱ_s/2 - w_s/(4√d)),      w_s = Ê[f̃(X) c_s(X)/T(X)].

    "share" is ᾱ, "draw" z and "drawn_pull" w.
    """
    corpus = ts.load_imdb()
    start = ts.init_parameters(corpus.vocab_size, OPTIONS.dim, seed=0, dtype="float64")
    draw = start.token_values * np.sqrt(OPTIONS.dim)
    pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
    return {"share": corpus.signed_share(), "draw": draw, "drawn_pull": pull}


def draw_try(trained: dict, vocabulary, path: Path, shown=(0, 5, 150)) -> None:
    """Draw what stands in the place of the playthings' text box where no script runs: one sentence at some of the stages."""
    use_book_style()
    columns = [list(vocabulary).index(word) for word in SENTENCE]
    figure, axes = plt.subplots(len(shown), 1, figsize=(6.4, 5), sharex=True, sharey=True)
    for ax, step in zip(axes, shown):
        values, scores = (np.array(trained[key][STAGES.index(step)])[columns] for key in ("values", "scores"))
        plot_reading(ax, SENTENCE, np.exp(scores) / np.exp(scores).sum(), values)
        ax.set(ylabel="attention", ylim=(0, 0.8), title=f"after {step} steps" if step else "before training")
    figure.savefig(path, metadata={"Software": None})


def script(name: str, value) -> str:
    """Return a script that hands a value to the playthings under a name: pages on a disk may load scripts, and nothing else."""
    return f"tokensel.{name} = {json.dumps(value, separators=(',', ':'))};\n"


def main(folder: Path = FOLDER, picture: Path = PICTURE):
    """Write the data of all playthings, and the picture in the place of the first."""
    trained, step = trained_words(), first_step()
    words = ts.load_imdb().vocabulary.tolist()
    reviews = {"stages": STAGES, "right": rounded(trained["right"], 4)}
    reviews |= {kind: [packed(numbers, size) for numbers in trained[kind]] for kind, size in ROUNDING.items()}
    files = {
        "words": ("vocabulary", words),
        "reviews": ("reviews", reviews),
        "map_data": ("counts", trained["counts"].astype(int).tolist()),
        "step_data": ("firstStep", {name: packed(numbers, np.abs(numbers).max() / 30_000) for name, numbers in step.items()}),
    }
    for file, (name, value) in files.items():
        (folder / f"{file}.js").write_text(script(name, value), "utf-8")
    draw_try(trained, words, picture)


if __name__ == "__main__":
    main()
