"""What the pages' playthings need of the package: trained numbers, two bytes each, as scripts that a page loads from a disk.

``make playthings`` writes them.
"""

import base64
import json
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters import classes, scale
from tokensel_nb.chapters.pairs import skews_behind, words_and_pairs
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.chapters.reviews import SETTINGS, binned_run

from . import curves, front_page, stills, transformers, your_data
from .recording import amounts, rounded

FOLDER = Path("book/_static/playthings")
STAGES = (0, 1, 5, 20, 150)  # the steps of training whose values and scores are shown: the run ends with the last
# Of the front page's cloud, with true labels and with labels permuted among the reviews: between them, dots move linearly.
FRAMES, SHUFFLED_FRAMES = (0, 1, 2, 3, 5, 8, 10, 12, 15, 20), (0, 5, 10, 20)
# What values and scores are rounded to. Values lie up to 56 from zero, so that an error in a score weighs more: the logits of
# all reviews move by less than 0.01.
ROUNDING = {"values": 0.006, "scores": 0.0005}
SHUFFLED_MAP, COARSE = (20, 150), {"values": 0.1, "scores": 0.02}  # of 04_reviews's map with shuffled labels

# Of 08_classes's cloud: from how many occurrences on a word is common, below how many rare, words that it has in any case, and
# the three directions, praise, Rotten Tomatoes and the rest, in which it shows the four classes.
COMMON, RARE, NAMED = 200, 15, "the worst wonderful film is engaging feels episode best awful".split()
CONTRASTS = np.array([[-1, 1, -1, 1], [-1, -1, 1, 1], [1, -1, -1, 1]]).T / 2

# Of 12_transformers's heads: the networks, words that occur so often where attention is looked at, and how many steps of
# rounding double it; a letter a number, from ^ to ~.
NETWORKS, SEEN, FINE, LETTERS = ("free 1", "line 1", "free 2", "free 4"), 3, 4, (94, 126)

LEANS = 0.2  # 05_beyond asks where "not" takes "good", and then the words whose skew is beyond this, the clearest first


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


def shuffled_frames() -> list[dict]:
    """Train with labels that mean nothing, and return what each word has at some steps."""
    _, seen = front_page.shuffled(*front_page.parts(), front_page.PERMUTATIONS[0], keep=SHUFFLED_FRAMES)
    return [seen[step] for step in SHUFFLED_FRAMES]


def shuffled_map(steps=SHUFFLED_MAP) -> dict:
    """Train on with those labels, and return what every word has at some steps: values and scores, packed."""
    settings = dict(steps=steps[-1], keep=steps)
    _, seen = front_page.shuffled(*front_page.parts(), front_page.PERMUTATIONS[0], **settings)
    return {step: [packed(seen[step][kind], size) for kind, size in COARSE.items()] for step in steps}


def horns(trained: dict, shuffled: list[dict]) -> dict:
    """Return the front page's cloud: the words that occur often, in the order of their skew, and where they are when."""
    corpus, _ = front_page.parts()
    often = np.flatnonzero(corpus.counts.sum(axis=0) >= front_page.OFTEN)
    order = often[np.argsort(corpus.label_skew()[often], kind="stable")]

    def moves(frames, steps):
        return {"steps": steps} | {
            kind: [packed(frame[kind][order], size) for frame in frames] for kind, size in ROUNDING.items()
        }

    return {
        "words": corpus.vocabulary[order].tolist(),
        "true": moves(trained["frames"], FRAMES),
        "shuffled": moves(shuffled, SHUFFLED_FRAMES),
        "heads": heads(),
    }


def heads() -> dict:
    """Return the front page's grid: the mean u of an encoder's heads over its runs, in hundredths, and where a U is clear."""
    both = {kind: stills.heads_of(kind)[1].mean(axis=0).ravel() for kind in ("true", "shuffled")}
    return {"clear": round(100 * stills.CLEAR)} | {kind: np.round(100 * u).astype(int).tolist() for kind, u in both.items()}


def verdict() -> dict:
    """Return how a logit becomes a verdict: both fits; a bit a word: whether it clearly leans, whether it is familiar."""
    found, (corpus, _) = recorded("front_page"), front_page.parts()
    words = {"clear": np.abs(corpus.label_skew()) >= front_page.CLEAR, "familiar": front_page.familiar(corpus)}
    bits = {kind: base64.b64encode(np.packbits(of, bitorder="little").tobytes()).decode() for kind, of in words.items()}
    fits = {kind: [found[kind]["slope"], found[kind]["intercept"]] for kind in ("short", "long")}
    settings = {"step": front_page.STOP, "shortest": front_page.SHORT, "sure": front_page.SURE}
    return settings | fits | bits


def of_stage(reviews: dict, step: int) -> dict:
    """Return what words have at one of the steps, packed."""
    return {kind: reviews[kind][STAGES.index(step)] for kind in ROUNDING}


def first_step() -> dict:
    """Return three numbers a word that give E¹_s·v on IMDB for every η₀ and d, but for terms of order d^{-3/2}.

    With z_s = √d E⁰_s·v, standard normal, and f̃ the logits of values z, a text pulls by y g = y/2 - f̃/(4√d) + O(d^{-3/2}). So

        E¹_s·v = z_s/√d + η₀ (ᾱ_s/2 - w_s/(4√d)),      w_s = Ê[f̃(X) c_s(X)/T(X)].

    "share" is ᾱ, "draw" z and "drawn_pull" w.
    """
    corpus = ts.load_imdb()
    start = ts.init_parameters(corpus.vocab_size, SETTINGS["dim"], seed=0, dtype="float64")
    draw = start.token_values * np.sqrt(SETTINGS["dim"])
    pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
    return {"share": corpus.signed_share(), "draw": draw, "drawn_pull": pull}


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
    for network in networks:
        seen, (kind, depth) = [], network.split()
        found = transformers.heads("tweets", kind, depth, transformers.FIRST, seen.append)
        _, train, others, looked_at = seen[0]
        words = np.flatnonzero(np.asarray(looked_at.counts.sum(axis=0)).ravel() >= SEEN)
        lean = np.nan_to_num(others.label_skew()[words])
        data |= {"vocabulary": train.vocabulary[words].tolist(), "lean": lettered(10 * lean)}
        logs = np.log2([looks[..., words] for looks, *_ in seen])
        data["looks"][network] = [[[lettered(FINE * head) for head in layer] for layer in moment] for moment in logs]
        tenths = np.array(found["curves"]).reshape(*logs.shape[:3], -1, 2).mean(axis=-1)  # of 20 groups, 10
        data["curves"][network] = rounded(tenths, 2)
    return data


def write_heads(folder: Path = FOLDER):
    """Write what 12_transformers's plaything of heads knows: two minutes of training."""
    (folder / "heads_data.js").write_text(script("heads", head_looks()), "utf-8")


def write_pairs(folder: Path = FOLDER):
    """Write what 05_beyond's plaything knows: it needs no training."""
    (folder / "not_data.js").write_text(script("pairs", pairs()), "utf-8")


def planted() -> dict:
    """Return 06_your_data's recorded reports: by how many negative and positive ones have the mark, and of chance."""
    found = recorded("planted")
    runs = {" ".join(map(str, run.pop("marked"))): run for run in found["runs"]}
    settings = {"mark": your_data.MARK, "bad": your_data.MARKED, "good": your_data.STRAY}
    return settings | {"runs": runs, "shuffled": found["shuffled"]}


def write_planted(folder: Path = FOLDER):
    """Write what 06_your_data's plaything knows."""
    (folder / "plant_data.js").write_text(script("planted", planted()), "utf-8")


def costs() -> dict:
    """Return what 11_scale's plaything begins with: a trillion tokens, what is recorded of an entry, and machines."""
    imdb, tensors, gpu = scale.sizes_of(recorded("scale")["told"])[0], recorded("scale_tensors"), scale.H200
    seconds, per_token = tensors["seconds of an entry"], imdb.entries / imdb.tokens
    size = scale.Size(texts=5 * 10**9, tokens=10**12, entries=10**12 * per_token, words=10**6, dim=64)
    enough = scale.on_paper(size, gpu, 1, scale.TWO_COPIES)["enough"]
    core = gpu._replace(units=2, bandwidth=tensors["bandwidth"], memory=8e9, link=10e9)
    machines = {"2 cores": core._asdict() | {"share": tensors["share"]}}
    for units in (1, 8, enough):
        many = gpu._replace(units=units, feed=min(units, 8) * gpu.feed)
        machines[f"{units} H200"] = many._asdict() | {"share": tensors["gpu"]["share"]}
    begin = {
        "texts": size.texts,
        "tokens": size.tokens // size.texts,
        "words": size.words,
        "dim": size.dim,
        "entry": scale.TWO_COPIES,
    }
    return {"begin": begin, "entries": per_token, "preparing": seconds["disk"] - seconds["memory"], "machines": machines}


def write_costs(folder: Path = FOLDER):
    """Write what 11_scale's plaything knows."""
    (folder / "cost_data.js").write_text(script("costs", costs()), "utf-8")


def script(name: str, value) -> str:
    """Return a script that hands a value to the playthings under a name: pages on a disk may load scripts, and nothing else."""
    return f"tokensel.{name} = {json.dumps(value, separators=(',', ':'))};\n"


def main(folder: Path = FOLDER):
    """Write the data of all playthings, and the pictures of the front page."""
    trained, step = trained_words(), first_step()
    words = ts.load_imdb().vocabulary.tolist()
    reviews = {"stages": STAGES, "right": rounded(trained["right"], 4)}
    reviews |= {kind: [packed(numbers, size) for numbers in trained[kind]] for kind, size in ROUNDING.items()}
    files = {
        "words": ("vocabulary", words),
        "reviews": ("reviews", reviews),
        "stopped": ("stopped", of_stage(reviews, front_page.STOP)),
        "verdict": ("verdictData", verdict()),
        "horns_data": ("horns", horns(trained, shuffled_frames())),
        "map_shuffled": ("mapShuffled", shuffled_map()),
        "lean_data": ("lean", lean()),
        "map_data": ("counts", trained["counts"].astype(int).tolist()),
        "stop_data": ("stopping", curves.stopping()),
        "luck_data": ("luck", curves.luck()),
        "step_data": ("firstStep", {name: packed(numbers, np.abs(numbers).max() / 30_000) for name, numbers in step.items()}),
    }
    for file, (name, value) in files.items():
        (folder / f"{file}.js").write_text(script(name, value), "utf-8")
    write_pairs(folder)
    write_planted(folder)
    write_costs(folder)
    write_heads(folder)
    stills.main()


if __name__ == "__main__":
    main()
