"""What the pages' playthings need of the package: trained numbers, two bytes each, as scripts that a page loads from a disk.

``make playthings`` writes them.
"""

import base64
import json
import sys
from functools import cache
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters import classes
from tokensel_nb.chapters.pairs import skews_behind, words_and_pairs
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.chapters.reviews import SETTINGS, binned_run

from . import curves, front_page, scale, stills, transformers, your_data
from .recording import amounts, rounded

FOLDER = Path("book/_static/playthings")
STAGES = (0, 1, 5, 20, 150)  # the steps of training whose values and scores are shown: the run ends with the last
# Of the front page's cloud, with true labels and with labels permuted among the reviews: between them, dots move linearly.
FRAMES, SHUFFLED_FRAMES = (0, 1, 2, 3, 5, 8, 10, 12, 15, 20), (0, 5, 10, 20)
# What values and scores are rounded to. Values lie up to 56 from zero, so that an error in a score weighs more: the logits of
# all reviews move by less than 0.01.
ROUNDING = {"values": 0.006, "scores": 0.0005}
SHUFFLED_MAP, COARSE = (20, 150), {"values": 0.1, "scores": 0.02}  # of 04_reviews's map with shuffled labels

# Of 07_classes's cloud: from how many occurrences on a word is common, below how many rare, words that it has in any case, and
# the three directions, praise, Rotten Tomatoes and the rest, in which it shows the four classes.
COMMON, RARE, NAMED = 200, 15, "the worst wonderful film is engaging feels episode best awful".split()
CONTRASTS = np.array([[-1, 1, -1, 1], [-1, -1, 1, 1], [1, -1, -1, 1]]).T / 2

# Of 10_transformers's heads: the networks, words that occur so often where attention is looked at, and how many steps of
# rounding double it; a letter a number, from ^ to ~.
NETWORKS, SEEN, FINE, LETTERS = ("free 1", "line 1", "free 2", "free 4"), 3, 4, (94, 126)

MANY = 600  # of 02_one_step's plane: the most frequent words, whose scores it shows

LEANS = 0.2  # 05_beyond asks where "not" takes "good", and then the words whose skew is beyond this, the clearest first


def packed(numbers, step: float) -> dict:
    """Return numbers as multiples of a step, two bytes each, all low bytes before all high ones: so they compress well."""
    steps = np.round(np.asarray(numbers, float) / step)
    if (largest := np.abs(numbers).max()) > 32_767.5 * step:
        raise ValueError(f"the largest number, {largest:g}, is over 32,767 steps of {step:g}; give a larger step")
    low_high = steps.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return {"step": step, "bytes": base64.b64encode(low_high.tobytes()).decode()}  # tokensel.unpack of the pages reads it


@cache
def trained_words(stages=STAGES) -> dict:
    """Train as 04_reviews does, and return what each word has at some steps, and how often it occurs in either class."""
    corpus, held_out = front_page.parts()
    seen = {}

    def look(step, parameters):
        if step in {*stages, *FRAMES}:
            seen[step] = amounts(ts.as_numpy(parameters))

    history = binned_run(corpus, 0, held_out, watch=look, steps=stages[-1], evaluate_every=1).training.history
    words = {kind: [seen[step][kind] for step in stages] for kind in ("values", "scores")}
    words |= {"right": history.held_out_accuracies[list(stages)].tolist()}  # the share of held-out reviews read rightly
    words |= {"frames": [seen[step] for step in FRAMES if step in seen]}
    return words | {"counts": np.stack([corpus.counts[corpus.labels == label].sum(axis=0) for label in (0, 1)])}


def shuffled(steps) -> list[dict]:
    """Train with labels that mean nothing, and return what each word has at some steps."""
    _, seen = front_page.shuffled(*front_page.parts(), front_page.PERMUTATIONS[0], steps=steps[-1], keep=steps)
    return [seen[step] for step in steps]


def shuffled_map() -> dict:
    """Return what every word has at some of these steps: values and scores, packed."""
    return {
        step: [packed(seen[kind], size) for kind, size in COARSE.items()]
        for step, seen in zip(SHUFFLED_MAP, shuffled(SHUFFLED_MAP))
    }


def reviews() -> dict:
    """Return what words have at all stages, packed, and the share of held-out reviews read rightly."""
    trained = trained_words()
    words = {kind: [packed(numbers, size) for numbers in trained[kind]] for kind, size in ROUNDING.items()}
    return {"stages": STAGES, "right": rounded(trained["right"])} | words


def stopped() -> dict:
    """Return what words have where the front page stops, packed."""
    words, at = reviews(), STAGES.index(front_page.STOP)
    return {kind: words[kind][at] for kind in ROUNDING}


def horns() -> dict:
    """Return the front page's cloud: the words that occur often, in the order of their skew, and where they are when."""
    corpus, _ = front_page.parts()
    often = np.flatnonzero(corpus.counts.sum(axis=0) >= front_page.OFTEN)
    order = often[np.argsort(corpus.label_skew()[often], kind="stable")]

    def moves(frames, steps):
        of = {kind: [packed(frame[kind][order], size) for frame in frames] for kind, size in ROUNDING.items()}
        return {"steps": steps} | of

    return {
        "words": corpus.vocabulary[order].tolist(),
        "true": moves(trained_words()["frames"], FRAMES),
        "shuffled": moves(shuffled(SHUFFLED_FRAMES), SHUFFLED_FRAMES),
    }


def verdict() -> dict:
    """Return how a logit becomes a verdict: both fits; a bit a word: whether it clearly leans, whether it is familiar."""
    found, (corpus, _) = recorded("front_page"), front_page.parts()
    words = {"clear": np.abs(corpus.label_skew()) >= front_page.CLEAR, "familiar": front_page.familiar(corpus)}
    bits = {kind: base64.b64encode(np.packbits(of, bitorder="little").tobytes()).decode() for kind, of in words.items()}
    fits = {kind: [found[kind]["slope"], found[kind]["intercept"]] for kind in ("short", "long")}
    settings = {"step": front_page.STOP, "shortest": front_page.SHORT, "sure": front_page.SURE}
    return settings | fits | bits


def first_step() -> dict:
    """Return three numbers a word that give E¹_s·v on IMDB for every η₀ and d, but for terms of order d^{-3/2}.

    With z_s = √d E⁰_s·v, standard normal, and f̃ the logits of values z, a text pulls by y g = y/2 - f̃/(4√d) + O(d^{-3/2}). So

        E¹_s·v = z_s/√d + η₀ (ᾱ_s/2 - w_s/(4√d)),      w_s = Ê[f̃(X) c_s(X)/T(X)].

    "share" is ᾱ, "draw" z and "drawn_pull" w; "shuffled" is ᾱ under shuffled labels, of which w knows nothing.
    """
    corpus = ts.load_imdb()
    start = ts.init_parameters(corpus.vocab_size, SETTINGS["dim"], seed=0, dtype="float64")
    draw = start.token_values * np.sqrt(SETTINGS["dim"])
    pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
    share, by_chance = corpus.signed_share(), ts.shuffle_labels(corpus, seed=0).signed_share()
    return {"share": share, "draw": draw, "drawn_pull": pull, "shuffled": by_chance}


def second_step() -> dict:
    """Return what gives the limit of scores after a step on p, for every η₀, up to the third order of the logits.

    The logits are f = η₀ F/2. With y g = y/2 - f/4, a common word's b_s is η₀ "own" + η₀² "bent", of which η₀ "price" is
    what being common takes off; and h is η₀² tilt[0] + η₀³ tilt[1], or tilt[2] if verdicts had no "lean", the mean of F.
    "praised" are the parts of verdicts on praise and on blame that are positive, with the lean and without.
    """
    corpus = ts.load_imdb()
    share, shares, y = corpus.signed_share(), corpus.shares, corpus.signs
    verdicts = shares @ share
    both = verdicts, verdicts - verdicts.mean()
    spread = shares @ share**2 - verdicts**2
    mean = lambda weights: shares.T @ weights / len(y)
    common = np.argsort(corpus.counts.sum(axis=0), kind="stable")[::-1][:MANY]
    return {
        "common": common.tolist(),
        "own": (share**2 - mean(y * verdicts))[common] / 4,
        "bent": (mean(verdicts**2) - share * mean(verdicts))[common] / 16,
        "price": mean(np.ones(len(y)))[common] * (y * verdicts).mean() / 4,
        "tilt": [(y * spread).mean() / 8, *(-(each * spread).mean() / 32 for each in both)],
        "lean": verdicts.mean(),
        "praised": [[(each[y == label] > 0).mean() for label in (1, -1)] for each in both],
    }


def lean() -> dict:
    """Return common and rare words of four classes of film reviews, and how far one step moves them, in `CONTRASTS`."""
    corpus, _ = classes.film_reviews()
    start = ts.init_parameters(corpus.vocab_size, classes.DIM, 0, num_classes=4)
    moves = {"plain": corpus.signed_share(), "Adam": ts.adam_values(start, corpus, 0.01) - start.token_values}
    counts = np.asarray(corpus.counts.sum(axis=0)).ravel()
    common, rare = np.flatnonzero(counts >= COMMON), np.flatnonzero(counts < RARE)
    named = [corpus.column(word) for word in NAMED]
    spread = [words[np.linspace(0, len(words) - 1, 296).astype(int)] for words in (common, rare)]
    chosen = np.unique([*named, *np.concatenate(spread)])
    kept = {step: move[chosen] @ CONTRASTS for step, move in moves.items()}
    rounding = {"plain": 30_000, "Adam": 120}
    return {
        "words": corpus.vocabulary[chosen].tolist(),
        "counts": counts[chosen].astype(int).tolist(),
        "rare": RARE - 1,
        "classes": ["IMDB bad", "IMDB good", "RT bad", "RT good"],
        "moves": {step: packed(move.ravel(), np.abs(move).max() / rounding[step]) for step, move in kept.items()},
    }


def pairs() -> dict:
    """Return the words behind "not" on IMDB, their skews elsewhere and behind it, in hundredths, and the line through them."""
    found = skews_behind(ts.load_imdb(tokenizer=words_and_pairs), "not")
    words, lean = found["words"], np.abs(found["elsewhere"])
    slope, level = np.polyfit(found["elsewhere"], found["behind"], 1, w=np.sqrt(found["often"]))
    clear = [int(s) for s in np.argsort(-lean, kind="stable") if lean[s] > LEANS]
    hundredths = {kind: np.round(100 * found[kind]).astype(int).tolist() for kind in ("elsewhere", "behind")}
    counts = {"words": words, "often": found["often"].astype(int).tolist()}
    return counts | hundredths | {"line": rounded([level, slope], 3), "asked": [words.index("good"), *clear]}


def lettered(numbers) -> str:
    """Return whole numbers, of which 0 is in the middle, as a letter each."""
    return "".join(map(chr, np.clip(np.round(numbers).astype(int) + sum(LETTERS) // 2, *LETTERS)))


def head_looks(networks=NETWORKS) -> dict:
    """Train transformers as the first runs on tweets; return their curves, and how much each head looks at each word."""
    data = {"moments": transformers.MOMENTS, "fine": FINE, "looks": {}, "curves": {}}
    _, others, looked_at = transformers.sequences("tweets", transformers.FIRST)
    words = np.flatnonzero(np.asarray(looked_at.counts.sum(axis=0)).ravel() >= SEEN)
    lean = np.nan_to_num(others.label_skew()[words])
    data |= {"vocabulary": others.vocabulary[words].tolist(), "lean": lettered(10 * lean)}
    for network in networks:
        moments = list(transformers.followed("tweets", *network.split(), transformers.FIRST))
        logs = np.log2([moment.looks[..., words] for moment in moments])
        data["looks"][network] = [[[lettered(FINE * head) for head in layer] for layer in moment] for moment in logs]
        curves_of = np.array([moment.of_heads(transformers.curve) for moment in moments])
        data["curves"][network] = rounded(curves_of.reshape(*logs.shape[:3], -1, 2).mean(axis=-1), 2)  # of 20 groups, 10
    return data


def planted() -> dict:
    """Return 14_your_data's recorded reports: by how many negative and positive ones have the mark, and of chance."""
    found = recorded("planted")
    runs = {" ".join(map(str, run.pop("marked"))): run for run in found["runs"]}
    settings = {"mark": your_data.MARK, "bad": your_data.MARKED, "good": your_data.STRAY}
    return settings | {"runs": runs, "shuffled": found["shuffled"]}


def costs() -> dict:
    """Return what the plaything of costs begins with: a trillion tokens, what is recorded of an entry, and machines."""
    imdb, tensors, gpu = ts.load_imdb(), recorded("scale_tensors"), scale.H200
    seconds, per_token = tensors["seconds of an entry"], imdb.counts.nnz / int(imdb.lengths.sum())
    size = scale.Size(texts=5 * 10**9, entries=10**12 * per_token, words=10**6, dim=64)
    enough = scale.on_paper(size, gpu, 1, scale.TWO_COPIES)["enough"]
    core = gpu._replace(units=2, bandwidth=tensors["bandwidth"], memory=8e9, link=10e9)
    machines = {"2 cores": core._asdict() | {"share": tensors["share"]}}
    for units in (1, 8, enough):
        many = gpu._replace(units=units, feed=min(units, 8) * gpu.feed)
        machines[f"{units} H200"] = many._asdict() | {"share": tensors["gpu"]["share"]}
    begin = {"texts": size.texts, "tokens": 10**12 // size.texts, "words": size.words, "dim": size.dim}
    begin["entry"] = scale.TWO_COPIES
    return {"begin": begin, "entries": per_token, "preparing": seconds["disk"] - seconds["memory"], "machines": machines}


def finely(numbers) -> dict:
    """Return the arrays of a dict packed, as finely as two bytes allow."""
    pack = lambda of: packed(of, np.abs(of).max() / 30_000) if isinstance(of, np.ndarray) else of
    return {name: pack(of) for name, of in numbers.items()}


def script(name: str, value) -> str:
    """Return a script that hands a value to the playthings under a name: pages on a disk may load scripts, and nothing else."""
    return f"tokensel.{name} = {json.dumps(value, separators=(',', ':'))};\n"


def main(files) -> None:
    """Write some of the files, or all, and the pictures of the front page."""
    for file in files or FILES:
        name, made = FILES[file]
        (FOLDER / f"{file}.js").write_text(script(name, made()), "utf-8")
    stills.main()


FILES = {  # by what name a page's scripts know it, and what makes it
    "words": ("vocabulary", lambda: ts.load_imdb().vocabulary.tolist()),
    "reviews": ("reviews", reviews),
    "stopped": ("stopped", stopped),
    "verdict": ("verdictData", verdict),
    "horns_data": ("horns", horns),
    "map_shuffled": ("mapShuffled", shuffled_map),
    "lean_data": ("lean", lean),
    "map_data": ("counts", lambda: trained_words()["counts"].astype(int).tolist()),
    "stop_data": ("stopping", curves.stopping),
    "luck_data": ("luck", curves.luck),
    "step_data": ("firstStep", lambda: finely(first_step()) | {"second": finely(second_step())}),
    "not_data": ("pairs", pairs),
    "plant_data": ("planted", planted),
    "cost_data": ("costs", costs),
    "heads_data": ("heads", head_looks),
}

if __name__ == "__main__":
    main(sys.argv[1:])
