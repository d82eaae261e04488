"""The numbers of the front page: its cloud of words, its control, and how often a verdict as clear as the one shown is right.

The protocol, committed before the official run; trials had folds drawn with seed 1 and permutations of seeds 1 and 2.

run        That of 04_reviews (d = 2048, rate 0.007) on 20,000 reviews, read at step `STOP`: starts 0 to 4, of which the page
           shows the first. It shows words that occur `OFTEN` times or more. "sides": of these, the share whose value has the
           sign of their label skew after step `EARLY`. "right": of the 5,000 reviews held out, the share read rightly.
control    The same start, 0, with labels permuted among the reviews learnt from, and among those held out: `PERMUTATIONS`, of
           which the page shows the first. "height": of the cloud, the range of its scores, over that with true labels.
verdict    P(praise) = σ(a f + b) of the logit f at step `STOP` (Platt). Short texts, of up to `SHORT` known words: a and b are
           fitted on Rotten Tomatoes' sentences in which the model knows a word; all others: on the reviews held out. What
           counts is P out of fold, five folds drawn with `FOLDS`. "error": the mean distance, in ten bins of equal width, of P
           from the share of praise (weighted by texts), and that of σ(f). "sure": the share with P or 1 - P over `SURE`, and of
           these the wrong ones. "clear": texts with half of the attention or more on words of an absolute skew of `CLEAR` or
           more; the others get no verdict. "tenths": for those that do, what is said ("about 8 times in 10"; over `SURE` it is
           "more than 9") beside the share that is right.
           Later, after a reader typed German, the box got one more rule: no verdict where half of a text's words or more are
           unknown or occur less than `FAMILIAR` times. The numbers above are without it; it takes 4% of the sentences away.
long run   The same sentences at step 150: how many have a probability over `CERTAIN`, and how many of these are read wrongly.

Targets stand in the register, among those that begin with ``front-``.
"""

from functools import cache

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import tokensel_nb as ts
from tokensel_nb.chapters import reviews

from .recording import amounts, rounded

STOP, EARLY, OFTEN = 20, 5, 1_000
SHORT, SURE, CLEAR, CERTAIN = 60, 0.9, 0.15, 0.999
FAMILIAR = 100
STARTS, PERMUTATIONS, FOLDS = range(5), range(20261126, 20261131), 20261126
SENTENCES = (
    "The story is slow, but the music is wonderful.",
    "The film was not bad.",
    "the the the the",
    "Nobody can call this film boring.",
    "today",
)


@cache
def parts() -> tuple[ts.Corpus, ts.Corpus]:
    """Return the reviews learnt from, and those held out."""
    return ts.load_imdb().split(reviews.HELD_OUT, seed=0)


def familiar(corpus) -> np.ndarray:
    """Say of every word whether it occurs often enough to be known well."""
    return np.asarray(corpus.counts.sum(axis=0)).ravel() >= FAMILIAR


def run(corpus, held_out, start, steps=STOP, keep=(EARLY, STOP)):
    """Train, and return the history, evaluated at the steps that are kept, and what every word has there."""
    seen = {}

    def look(step, parameters):
        if step in keep:
            seen[step] = amounts(ts.as_numpy(parameters))

    return reviews.run(corpus, start, held_out, steps=steps, watch=look, evaluate_every=1).history, seen


def weights(scores) -> np.ndarray:
    """Return what attention is shared out by."""
    return np.exp(scores - scores.max())


def logits(counts, words) -> np.ndarray:
    """Return the logits of texts, counts, from words' scores and values."""
    shares = weights(words["scores"])
    return counts @ (shares * words["values"]) / (counts @ shares)


def on_clear_words(counts, words, skew) -> np.ndarray:
    """Return how much of the attention falls on words that clearly lean to a side."""
    shares = weights(words["scores"])
    return counts @ (shares * (np.abs(skew) >= CLEAR)) / (counts @ shares)


def platt(found, labels) -> tuple[float, float]:
    """Return a and b of P(1) = σ(a f + b), of the highest likelihood."""
    fitted = LogisticRegression(C=1e9).fit(found[:, None], labels)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def out_of_fold(found, labels, folds=5, seed=FOLDS) -> np.ndarray:
    """Return P(1) of every text, fitted without its fold."""
    order, likely = np.random.default_rng(seed).permutation(len(found)), np.empty(len(found))
    for fold in range(folds):
        told = order[fold::folds]
        rest = np.setdiff1d(order, told)
        slope, intercept = platt(found[rest], labels[rest])
        likely[told] = expit(slope * found[told] + intercept)
    return likely


def error(likely, labels, bins=10) -> float:
    """Return the mean distance of probabilities from shares, in bins of equal width, weighted by texts."""
    of = np.minimum((likely * bins).astype(int), bins - 1)
    gaps = [abs(np.sum(likely[of == at] - labels[of == at])) for at in range(bins)]
    return float(np.sum(gaps) / len(labels))


def calibrated(found, labels) -> tuple[dict, np.ndarray]:
    """Fit to all, and return what the page needs, and how far it errs; and P out of fold."""
    likely = out_of_fold(found, labels)
    slope, intercept = platt(found, labels)
    fit = {"texts": len(labels), "slope": round(slope, 4), "intercept": round(intercept, 4)}
    errors = {"error": round(error(likely, labels), 4), "uncalibrated": round(error(expit(found), labels), 4)}
    return fit | errors, likely


def said(certainty) -> np.ndarray:
    """Return how many times in ten a verdict is said to be right: 10 stands for "more than 9", 5 gets no verdict."""
    return np.where(certainty > SURE, 10, np.minimum(np.floor(10 * certainty + 0.5), 9)).astype(int)


def verdicts(likely, labels, clear) -> dict:
    """Return how often verdicts are right: of those that are sure, with and without a clear word, and by what is said."""
    certainty, right = np.maximum(likely, 1 - likely), (likely > 0.5) == labels
    sure, shown = certainty > SURE, clear >= 0.5
    tenths = [(each, (said(certainty) == each) & shown) for each in range(5, 11)]
    return {
        "sure": rounded(sure.mean()),
        "sure, wrong": rounded(1 - right[sure].mean()),
        "without a clear word": rounded(1 - shown.mean()),
        "right without": rounded(right[~shown].mean()),
        "right with": rounded(right[shown].mean()),
        "tenths": [[each, int(of.sum()), rounded(right[of].mean())] for each, of in tenths],
    }


def of_sentence(text, words, vocabulary) -> dict:
    """Return the logit of a sentence, and the attention of each of its words, the highest first."""
    counts = ts.corpus_from_texts([text], [1], vocabulary=vocabulary).counts.toarray()[0]
    attention = counts * weights(words["scores"])
    attention /= attention.sum()
    order = [int(word) for word in np.argsort(-attention, kind="stable") if counts[word]]
    shares = {str(vocabulary[word]): rounded(attention[word]) for word in order}
    return {"logit": rounded(logits(counts[None], words)[0], 3), "attention": shares}


def shuffled(corpus, held_out, seed, steps=STOP, keep=(STOP,)):
    """Return a run with labels permuted in both parts."""
    return run(ts.shuffle_labels(corpus, seed), ts.shuffle_labels(held_out, seed), STARTS[0], steps, keep)


def controls(corpus, held_out, often, height, vocabulary) -> dict:
    """Return what permuted labels give: how much is right on own and on new reviews, the cloud's height, its loudest words."""
    found = {"own": [], "new": [], "height": [], "loudest": []}
    for seed in PERMUTATIONS:
        history, seen = shuffled(corpus, held_out, seed)
        scores = seen[STOP]["scores"][often]
        found["own"].append(rounded(history.accuracies[-1]))
        found["new"].append(rounded(history.held_out_accuracies[-1]))
        found["height"].append(rounded(np.ptp(scores) / height))
        found["loudest"].append(vocabulary[often][np.argsort(-scores)[:8]].tolist())
    return found


def front_page() -> dict:
    """Return all numbers of the front page."""
    corpus, held_out = parts()
    vocabulary, skew = corpus.vocabulary, corpus.label_skew()
    often = np.flatnonzero(corpus.counts.sum(axis=0) >= OFTEN)
    last = reviews.SETTINGS["steps"]
    history, seen = run(corpus, held_out, STARTS[0], last, (EARLY, STOP, last))
    words, later = seen[STOP], seen[last]
    right = [history.held_out_accuracies[STOP]]
    right += [run(corpus, held_out, start)[0].held_out_accuracies[STOP] for start in STARTS[1:]]
    sentences = ts.load_rotten_tomatoes(vocabulary=vocabulary.tolist())
    sentences = sentences[np.flatnonzero(sentences.counts.sum(axis=1))]
    short, likely = calibrated(logits(sentences.counts, words), sentences.labels)
    long, _ = calibrated(logits(held_out.counts, words), held_out.labels)
    at_last = logits(sentences.counts, later)
    certain = expit(np.abs(at_last)) > CERTAIN
    return {
        "words": len(often),
        "the": rounded((corpus.counts[:, [corpus.column("the")]].toarray() > 0).mean()),
        "sides": rounded((np.sign(seen[EARLY]["values"]) == np.sign(skew))[often].mean()),
        "right": rounded(right),
        "sentences": {text: of_sentence(text, words, vocabulary) for text in SENTENCES},
        "control": controls(corpus, held_out, often, np.ptp(words["scores"][often]), vocabulary),
        "short": short,
        "long": long,
        "verdicts": verdicts(likely, sentences.labels, on_clear_words(sentences.counts, words, skew)),
        "at step 150": {
            "certain": rounded(certain.mean()),
            "certain, wrong": rounded(((at_last > 0) != sentences.labels)[certain].mean()),
        },
    }


RECORDS = {"front_page": front_page}
