"""Checks of the exercises in 04_reviews."""

import numpy as np

from ...corpus import Corpus
from .answers import close, compare, exercise, shaped


@exercise("ex-early")
def early(best_step, random):
    for patience in 10 * (1, 3, 5):
        losses = np.round(np.abs(random.normal(size=60)) + np.linspace(1, 0, 60), 1)  # some are equal
        lowest = np.minimum.accumulate(losses)
        first = [int(np.argmax(losses == low)) for low in lowest]  # where the lowest so far was seen
        last = [int(np.flatnonzero(losses[: step + 1] == low)[-1]) for step, low in enumerate(lowest)]
        ends = [step for step in range(60) if step - first[step] >= patience]
        ends_late = [step for step in range(60) if step - last[step] >= patience]
        answer = best_step(losses, patience)
        mistakes = {
            "An equal loss is not below the best.": last[(*ends_late, 59)[0]],
            "That is the best step of all; training had ended before.": int(losses.argmin()),
            "That is where training ends; the best step came before.": ends[0],
            "With patience it does not end at the first loss that is higher.": first[int(np.argmax(np.diff(losses) > 0))],
            f"Your place is {answer}; the right one is {first[ends[0]]}.": answer,
        }
        yield from compare(answer, first[ends[0]], mistakes, tolerance=1e-9)


@exercise("ex-chance")
def chance(chance_skew, random):
    counts = random.multinomial(10, np.full(12, 1 / 12), size=150)  # texts of one length
    corpus = Corpus(counts, np.repeat([1, -1], [80, 70]), [f"word {s}" for s in range(12)])
    n, mean, seed = len(corpus), corpus.signs.mean(), int(random.integers(100))
    drawn = chance_skew(corpus, 2_000, seed)
    yield from shaped(drawn, (12, 2_000), {"Give one row per word and one column per permutation.": (2_000, 12)})
    if not close(drawn, chance_skew(corpus, 2_000, seed)):
        yield "The same seed should draw the same permutations."
    if np.abs(drawn).max() > 1:
        yield "A skew lies between -1 and 1: divide by the occurrences of the word."
    if drawn.min() >= 0:
        yield "The labels are 0 and 1 there; a skew is made of the signs -1 and +1."
    if not close(counts.sum(axis=0) @ drawn, np.full(2_000, counts.sum(axis=1) @ corpus.signs), 0.3):
        yield "The labels do not stay as many: permute them; do not draw them anew."
    weights = counts / counts.sum(axis=0)
    squares = (weights**2).sum(axis=0)
    wanted = (1 - mean**2) * n / (n - 1) * (squares - 1 / n)
    if drawn.std(axis=1).max() < 1e-9:
        yield "Every permutation gives the same: are the labels permuted at all?"
    yield from compare(drawn.var(axis=1), wanted, {}, tolerance=0.15)
    yield from compare(drawn.mean(axis=1), np.full(12, mean), {}, tolerance=0.15)


@exercise("ex-carried")
def carried(carried, random):
    least, names = 25, np.array(list("abcdefghijklmnopqrstuvwx"))
    corpora = []
    for words in (names[:20], random.permutation(names[4:])):
        rates = random.permutation(np.geomspace(0.15, 2, 20))
        counts = np.column_stack([random.poisson(rates, size=(80, 20)), np.ones(80, int)])
        corpora.append(Corpus(counts, np.resize([1, -1, -1], 80), [*words, "the"]))

    def agreement(often=(least, least), of=Corpus.label_skew):
        pairs = []
        for word in [*names[4:20], "the"]:
            places = [list(corpus.vocabulary).index(word) for corpus in corpora]
            if all(corpus.counts[:, [place]].sum() >= enough for corpus, place, enough in zip(corpora, places, often)):
                pairs.append([of(corpus)[place] for corpus, place in zip(corpora, places)])
        return np.corrcoef(pairs, rowvar=False)[0, 1]

    mistakes = {
        "You kept rare words: a word has to occur that often in each of the two.": agreement((0, 0)),
        "It has to occur that often in the second corpus as well.": agreement((least, 0)),
        "It has to occur that often in the first corpus as well.": agreement((0, least)),
        "Those are signed frequencies; the skews are to be compared.": agreement(of=Corpus.signed_frequency),
        "The words of one place are not the same word.": np.corrcoef(*map(Corpus.label_skew, corpora))[0, 1],
    }
    yield from compare(carried(*corpora, least), agreement(), mistakes)


@exercise("ex-by-lot")
def by_lot(chance, random):
    counts, y, heard = random.integers(4, size=(16, 3)), np.repeat([1, -1], [9, 7]), []

    def height(counts, labels):
        heard.append((list(labels), labels @ counts[:, 0] // 6))
        return heard[-1][1]

    answer, true = chance(height, counts, y, 50, int(random.integers(100))), y @ counts[:, 0] // 6
    if any(sorted(labels) != sorted(y) for labels, _ in heard):
        yield "The labels do not stay as many: permute them; do not draw them anew."
    found = np.array([one for labels, one in heard if labels != list(y)])  # the true ones may be asked for more than once
    wanted = (51 - np.sum(found < true)) / 51
    mistakes = {
        "A height that is the same is at least as high.": (1 + np.sum(found > true)) / 51,
        "The true labels are one arrangement, too: with 50 shuffles there are 51.": np.sum(found >= true) / 50,
        "That is a number of arrangements; divide by how many there are.": 51 * wanted,
    }
    yield from compare(answer, wanted, mistakes)
