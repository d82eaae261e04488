r"""Training the scores and values of one attention layer directly: the logits depend on (E, p, v) only through them.

With counts c, scores a and values γ the logits are f = Σ_s c_s exp(a_s) γ_s / Σ_s c_s exp(a_s). L-BFGS on all texts
minimises their mean logistic loss plus a penalty on the values and on how far the scores move from their start. The strength
of the penalty is chosen on a tenth of the texts; then all are used. A model with d ≥ K + 1 dimensions reaches every pair of
scores and values: with E_s = (a_s, γ_s) and unit vectors for p and v.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from tokensel_nb.arrays import threads_for
from tokensel_nb.corpus import Corpus
from tokensel_nb.model import (
    WIDEST,
    accuracy_of_logits,
    attention_by_scores,
    classes_of_logits,
    log_softmax,
    loss_of_logits,
    residuals_of_logits,
    sigmoid,
)

CLS_SHARE = 0.2  # the weight of <cls> at the start, as a share of the mean weight of all words of a text
EMPTY = 0.01  # how strongly the value of <cls> is held at the log-odds of the classes
HOLD = 3.0  # strength of the penalty on scores that move, in texts
MIDDLE = 0.1  # the first strength
WEAKER, STRONGER = (0.03, 0.01, 0.003), (0.3, 1.0, 3.0, 10.0)  # tried in turn, from where the last one ended
FEWEST = 40  # texts of which a tenth is held out
SHARES = np.linspace(0, 1, 21)  # of the log-odds of the classes that may be taken out of logits
STEPS = 10  # of L-BFGS per strength, twice as many for the first one; half as many with many classes, whose steps take longer
MANY = 20


@dataclass(frozen=True, eq=False)
class Attended:
    """Scores and values in double precision, those of <cls> last, and their results on a corpus."""

    scores: np.ndarray
    values: np.ndarray

    def attention(self, corpus: Corpus) -> sparse.csr_array:
        """Return the attention to every word of every text, csr_array of float64, shape (n, vocab_size)."""
        counts, entries = corpus.counts, attention_by_scores(self.scores, corpus.operator)
        return sparse.csr_array((entries, counts.indices, counts.indptr), shape=counts.shape)

    def logits(self, corpus: Corpus) -> np.ndarray:
        """Return attention times values, shape (n,) or (n, K)."""
        return self.attention(corpus) @ self.values

    def loss(self, corpus: Corpus) -> float:
        """Return the mean logistic loss, or cross-entropy, in nats."""
        return float(loss_of_logits(self.logits(corpus), corpus))

    def accuracy(self, corpus: Corpus) -> float:
        """Return the share of the texts whose class is predicted."""
        return accuracy_of_logits(self.logits(corpus), corpus)


def probabilities_of_logits(logits) -> np.ndarray:
    """Return the probabilities of the classes: the sigmoid of one logit per text, or the softmax of K."""
    if logits.ndim == 1:
        return sigmoid(np.stack([-logits, logits], axis=1))
    return np.exp(log_softmax(logits))


def idf_scores(corpus: Corpus) -> np.ndarray:
    """Return scores log idf_s, with which attention is tf-idf divided by its sum over the text; <cls> gets a fixed share."""
    n, words = len(corpus), corpus.vocab_size - 1
    texts_with = np.bincount(corpus.counts.indices, minlength=words + 1)[:words]
    scores = np.log(1 + np.log((1 + n) / (1 + texts_with)))
    mass = corpus.counts[:, :-1] @ np.exp(scores)
    return np.append(scores, np.log(CLS_SHARE * mass.mean()))


def lbfgs(objective, point, steps, memory=5):
    """Return a point of smaller loss, by L-BFGS in the precision of the point.

    SciPy's L-BFGS works in double precision, and its own part takes longer than these losses.
    """
    loss, gradient = objective(point)
    pairs = deque(maxlen=memory)
    for _ in range(steps):
        move = -_newton(gradient, pairs)
        slope = float(gradient @ move)
        for _ in range(8):  # shorter moves, to the minimum of a parabola through the known values
            new_point = point + move
            new_loss, new_gradient = objective(new_point)
            excess = new_loss - loss - slope
            if new_loss <= loss + 1e-4 * slope:
                break
            shorter = np.float32(np.clip(-slope / (2 * excess), 0.1, 0.5))
            move, slope = shorter * move, shorter * slope
        else:
            return point
        change = new_gradient - gradient
        if (bend := float(move @ change)) > 0:
            pairs.append((move, change, bend))
        point, loss, gradient = new_point, new_loss, new_gradient
    return point


def _newton(gradient, pairs):
    """Return the gradient times the inverse Hessian, estimated from the last moves and changes of the gradient."""
    direction, shares, room = gradient.copy(), [], np.empty_like(gradient)
    for move, change, bend in reversed(pairs):
        shares.append((move @ direction) / bend)
        direction -= np.multiply(shares[-1].astype(direction.dtype), change, out=room)
    if pairs:
        _, change, bend = pairs[-1]
        direction *= (bend / (change @ change)).astype(direction.dtype)
    for (move, change, bend), share in zip(pairs, reversed(shares)):
        direction += np.multiply((share - (change @ direction) / bend).astype(direction.dtype), move, out=room)
    return direction


class Objective:
    """The penalised loss of a corpus in single precision; its start has no penalty, and ``attend=False`` fixes the scores."""

    def __init__(self, corpus: Corpus, start: np.ndarray, attend: bool):
        self.corpus, self.start, self.attend = corpus, start, attend
        self._start = start.astype(np.float32)
        self.counts = corpus.counts.astype(np.float32)
        self.columns = 1 if corpus.num_classes == 2 else corpus.num_classes
        self.prior = prior(corpus).astype(np.float32)
        weights = np.exp(start)
        attended = corpus.counts.power(2).T @ (corpus.mean_weights / (corpus.counts @ weights) ** 2)
        self.curvature = weights**2 * attended  # the mean over texts of the squared attention to every word
        self.scale = self.curvature[:-1].sum()  # of the words of a text: the unit of the penalty

    def begin(self) -> Attended:
        """Return the start: all values are zero, except that <cls> has the log-odds of the classes."""
        values = np.zeros((len(self.start), self.columns))
        values[-1] = self.prior
        return Attended(self.start, values[:, 0] if self.columns == 1 else values)

    def minimise(self, begin: Attended, l2: float, steps: int) -> Attended:
        """Return scores and values after some steps of L-BFGS from others, with a penalty of strength ``l2`` on values."""
        size, n = len(self.start), len(self.corpus)
        hold, penalty = HOLD / n, np.full((size, 1), l2 * self.scale / n, np.float32)
        penalty[-1] = EMPTY
        # Rescale all variables so that the loss has about the same curvature in each.
        of_values = 1 / np.sqrt(self.curvature[:, None] / 4 + penalty)
        of_scores = 1 / np.sqrt(hold + 1e-3 * self.curvature / self.curvature.mean())
        of_values, of_scores = of_values.astype(np.float32), of_scores.astype(np.float32)

        def objective(point):
            moved, values = point[:size] * of_scores, point[size:].reshape(size, -1) * of_values
            loss, by_score, by_value = self._loss(self._start + moved, values)
            moved[-1] = 0  # the score of <cls> has no penalty
            values[-1] -= self.prior
            pulls = penalty * values
            loss += (np.vdot(pulls, values) + hold * np.vdot(moved, moved)) / 2
            by_score = (by_score + np.float32(hold) * moved) * of_scores if self.attend else np.zeros_like(moved)
            by_value += pulls
            by_value *= of_values
            return loss, np.concatenate([by_score, by_value.ravel()])

        moved, values = (begin.scores - self.start) / of_scores, begin.values.reshape(size, -1) / of_values
        best = lbfgs(objective, np.concatenate([moved, values.ravel()]).astype(np.float32), steps).astype(np.float64)
        scores, values = self.start + best[:size] * of_scores, best[size:].reshape(size, -1) * of_values
        return Attended(scores, values[:, 0] if self.columns == 1 else values)

    def _loss(self, scores, values):
        """Return the mean loss and its derivatives in scores and values."""
        matvec, rmatvec = self._weighted(scores)
        sums = matvec(np.column_stack([np.ones_like(scores), values]))
        totals, sums = sums[:, :1], sums[:, 1:]
        logits = (sums / totals).astype(float)
        of_texts = logits[:, 0] if self.columns == 1 else logits
        residuals = residuals_of_logits(of_texts, self.corpus).reshape(logits.shape)
        loss = float(loss_of_logits(of_texts, self.corpus))
        tangents = (residuals * logits).sum(axis=1, keepdims=True)
        derivatives = rmatvec((np.hstack([residuals, tangents]) / totals).astype(np.float32))
        by_value = derivatives[:, :-1]
        return loss, (values * by_value).sum(axis=1) - derivatives[:, -1], by_value

    def _weighted(self, scores):
        """Return the products with the matrix of weights, up to a factor per text, and with its transpose."""
        if np.ptp(scores) <= WIDEST["float32"]:
            weight = np.exp(scores - scores.max())[:, None]
            return (lambda x: _product(self.counts, weight * x)), (lambda y: weight * _product(self.counts.T, y))
        weights = self.corpus.operator.weights(scores)
        matrix = sparse.csr_array((weights, self.counts.indices, self.counts.indptr), shape=self.counts.shape)
        return partial(_product, matrix), partial(_product, matrix.T)


def _product(matrix, x):
    """Return a sparse product in single precision; SciPy takes half the time if a few columns are multiplied one by one."""
    return matrix @ x if x.shape[1] > 8 else np.stack([matrix @ column for column in np.ascontiguousarray(x.T)], axis=1)


def prior(corpus: Corpus) -> np.ndarray:
    """Return the log-odds of the classes, shape (1,) or (K,); a class without a text counts as half a text."""
    shares = np.bincount(corpus.labels, corpus.mean_weights, minlength=corpus.num_classes)
    logs = np.log(np.maximum(shares, 0.5 / len(corpus)))
    return logs[1:] - logs[:1] if corpus.num_classes == 2 else logs - logs.mean()


def search(corpus: Corpus, attend: bool, l2: float | None, random_state):
    """Return scores and values, the strength of their penalty, and the results on a part held out, if there is one.

    The strength is that of the smallest loss on this part, or the given one.
    """
    start = idf_scores(corpus) if attend else np.zeros(corpus.vocab_size)
    steps = STEPS if corpus.num_classes <= MANY else STEPS // 2
    tenth, results = every_tenth(corpus, check_random_state(random_state)), {}
    with threads_for(corpus.vocab_size * (1 + corpus.num_classes)):  # numbers in a point of the search
        whole, strength = Objective(corpus, start, attend), MIDDLE if l2 is None else l2
        begin = whole.begin()
        if tenth.any():
            rest, part = Objective(corpus[~tenth], start, attend), corpus[tenth]
            begin, strength = _strength(rest, part, strength, () if l2 is not None else (WEAKER, STRONGER), steps)
            results = _measured(begin, part) | {"balance": _balance(begin.logits(part), whole.prior, part.labels)}
        return whole.minimise(begin, strength, steps), float(strength), results


def _strength(rest, part, first, paths, steps):
    """Return the scores and values of smallest loss on a part held out, and the strength that led to them."""
    best, strength = rest.minimise(rest.begin(), first, 2 * steps), first
    least = best.loss(part)
    for path in paths:
        for l2 in path:
            candidate = rest.minimise(best, l2, steps)
            loss = candidate.loss(part)
            if loss >= least:
                break
            best, least, strength = candidate, loss, l2
        if strength != first:
            break
    return best, strength


def _measured(attended, part):
    """Return the accuracy and loss on a part held out, and the accuracies without attention and of the majority class."""
    majority = float(np.bincount(part.labels, part.mean_weights).max())
    uniform = Attended(np.zeros_like(attended.scores), attended.values).accuracy(part)
    return dict(accuracy=attended.accuracy(part), majority=majority, without_attention=uniform, loss=attended.loss(part))


def _balance(logits, prior, labels):
    """Return the share of the log-odds of the classes without which the mean F1 of all classes is largest."""
    K = max(len(prior), 2)
    own, named = np.eye(K)[labels], (np.eye(K)[classes_of_logits(logits - share * prior)] for share in SHARES)
    F1 = [np.mean(2 * (own * of).sum(axis=0) / np.maximum((own + of).sum(axis=0), 1)) for of in named]
    return float(SHARES[np.isclose(F1, max(F1))].mean())  # the middle of the best


def every_tenth(corpus: Corpus, random: np.random.RandomState) -> np.ndarray:
    """Return which texts are held out to choose a setting with: a tenth of every class, or none if the texts are few."""
    order = random.permutation(len(corpus))
    order = order[np.argsort(corpus.labels[order], kind="stable")]
    held_out = np.zeros(len(corpus), bool)
    if len(corpus) >= FEWEST:
        held_out[order[5::10]] = True
        held_out &= corpus.mean_weights > 0  # texts of weight 0 measure nothing
    return held_out
