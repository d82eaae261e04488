r"""When attention is certain to select the relevant tokens: a condition on the values, and a certificate for a path.

With γ = 0 for all irrelevant tokens and orthonormal rows but for v (the limit d → ∞), a relevant token r is selected in its
texts from every start if

    κ(r) = Σ |γ_r'| (|γ_r| - |γ_r'|)₊ ≤ 1,

the sum over the relevant tokens r' of the other label. The second result holds for any start, and for any rows for which some
query selects the relevant token of every text. If this token speaks most for the label, it is selected once the loss is below

    Σ μ_X ℓ(y γ_r) + min_X μ_X (ℓ(max_s y γ_s) - ℓ(y γ_r)),

where s runs over the other tokens of X. The book proves both (Theorem “Selection from every start, in the limit”, Theorem
“A low loss is a certificate”).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from .arrays import to_numpy
from .assumption import complete_tokens, relevant_tokens
from .corpus import Corpus
from .flow import Flow
from .margin import NotSeparableError, max_margin, selected_pairs
from .model import exact_parameters, softplus
from .parameters import Parameters
from .sharp import SharpAttention

EPS = np.finfo(np.float64).eps  # twice the largest relative error of one operation


def competition(token_values, corpus, irrelevant_value=0.0, *, both_labels=False) -> np.ndarray:
    """Return κ(r), how strongly the other label competes with a relevant token, or κ̄(r), how strongly both labels do.

    With κ(r) up to 1, the token is selected from every start; κ(r) > 1 alone does not mean that it is lost: that depends on
    the start and on the number of irrelevant tokens. This needs rows E_s = e_s + γ_s v with orthonormal e_s and v, as returned
    by `rows_with_values`, one relevant token per text, and the same value for all other tokens. If v is trained, too, κ̄(r)
    says whether the head learns r faster than the slowest texts: see `head_growth`. No condition is checked.

    Parameters
    ----------
    token_values : array, shape (vocab_size,)
        γ_s = E_s·v.
    corpus : Corpus
        Two classes.
    irrelevant_value : float
        γ₀, the value of all irrelevant tokens.
    both_labels : bool
        Whether the sum is over the relevant tokens of both labels, which gives κ̄.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)
        NaN for tokens that are not relevant.

    Raises
    ------
    ValueError
        If the value of a relevant token speaks against its own label.

    Examples
    --------
    One strong token against two weak ones, 2 · 1 · (2 - 1):

    >>> import tokensel_nb as ts
    >>> texts = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> corpus = ts.Corpus(texts, [1, 1, -1, -1], ["good", "fine", "bad", "film"])
    >>> ts.competition([1.0, 1.0, -2.0, 0.0], corpus)
    array([ 0.,  0.,  2., nan])
    >>> ts.competition([1.0, 0.5, -2.0, 0.0], corpus, both_labels=True)
    array([0.25, 0.  , 1.75,  nan])
    """
    labels, speaks = _leanings(token_values, corpus, irrelevant_value)
    strengths = np.full(len(labels), np.nan)
    for label in (1, -1):
        own, others = speaks[labels == label], speaks[labels != 0 if both_labels else labels == -label]
        strengths[labels == label] = (others * np.maximum(own[:, None] - others, 0)).sum(axis=1)
    return strengths


def head_growth(token_values, corpus) -> np.ndarray:
    """Return γ̂_r = lim yγ_r / log t: how fast the head learns a relevant token when v and p are trained together.

    All relevant tokens are assumed to be selected. With rows E_s = e_s + γ_s v(0), as returned by `rows_with_values`, v/log t
    converges to the shortest v̂ with y E_r·v̂ ≥ 1 for all relevant tokens r. It has y E_r·v̂ = max(1, |γ_r| w), where

        w = Σ |γ_r| (1 - |γ_r| w)₊,

    and this exceeds 1 if and only if κ̄(r) > 1 (`competition` with both labels). The texts of such a token are fitted so fast
    that their pull on p ends.

    Parameters
    ----------
    token_values : array, shape (vocab_size,)
        γ_s = E_s·v at the start; those of irrelevant tokens are taken as zero.
    corpus : Corpus
        Two classes, with one relevant token per text; this isn't checked.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)
        NaN for tokens that are not relevant.

    Raises
    ------
    ValueError
        If the value of a relevant token speaks against its own label.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> corpus = ts.Corpus(texts, [1, 1, -1, -1], ["good", "fine", "bad", "film"])
    >>> ts.head_growth([1.0, 1.0, -2.0, 0.0], corpus)
    array([1.        , 1.        , 1.33333333,        nan])
    """
    labels, speaks = _leanings(token_values, corpus)
    sizes = np.sort(speaks[labels != 0])
    # If |γ| w < 1 for the m smallest sizes, w = Σ |γ| / (1 + Σ γ²) over them; another size raises this if and only if its
    # own |γ| w < 1.
    slope = (np.cumsum(sizes) / (1 + np.cumsum(sizes**2))).max(initial=0)
    return np.where(labels != 0, np.maximum(1, speaks * slope), np.nan)


def _leanings(token_values, corpus, irrelevant_value=0.0):
    """Return the labels of relevant tokens (0 for others), and by how much the values speak for them; refuse negative ones."""
    labels = complete_tokens(corpus)
    speaks = labels * (to_numpy(token_values).astype(float) - irrelevant_value)
    if (wrong := (labels != 0) & ~(speaks > 0)).any():
        raise ValueError(f"the value of the relevant token {corpus.vocabulary[wrong.argmax()]!r} speaks against its label")
    return labels, speaks


@dataclass(frozen=True, eq=False, repr=False)
class SelectionCertificate:
    """The loss below which attention is certain to select the relevant token of every text, wherever the path goes.

    Parameters
    ----------
    parameters : Parameters
        E and v; numpy arrays of float64.
    corpus : Corpus
    threshold : float
        The loss; minus infinity if a condition of the theorem fails.
    lead : float
        The smallest y (γ_r - γ_s) of a relevant token over another one of its text.
    fails : str
        Which condition fails, in words; empty if none does.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.limit_parameters(corpus, 10.0)
    >>> certificate = ts.selection_certificate(start, corpus)
    >>> certificate
    SelectionCertificate(certain below a loss of 0.4725; smallest y(γ_r - γ_s) 1.25)
    >>> [round(certificate.room(query), 3) for query in ([-5.0, 0.0, 0.0, 0.0], np.zeros(4))]  # attention on film; even
    [-0.086, 0.044]
    >>> path = ts.gradient_flow(start, corpus, 10.0)
    >>> certificate.certain_from(path) < 1, certificate.verdict(path)
    (True, 'certified')
    """

    parameters: Parameters
    corpus: Corpus
    threshold: float
    lead: float
    fails: str = ""

    def __repr__(self):
        """Show the threshold, or the condition that fails."""
        if self.fails:
            return f"SelectionCertificate(none: {self.fails})"
        return f"SelectionCertificate(certain below a loss of {self.threshold:.4g}; smallest y(γ_r - γ_s) {self.lead:.3g})"

    def room(self, cls_embedding) -> float:
        """Return how far the loss is below the threshold, minus rounding errors; if positive, selection is certain.

        Parameters
        ----------
        cls_embedding : array, shape (dim,)
            p, a point of the path.

        Returns
        -------
        float
            Minus infinity if a condition of the theorem fails.
        """
        if self.fails:
            return -np.inf
        query = to_numpy(cls_embedding).astype(float)
        loss = SharpAttention(self.parameters.embeddings @ query, self.parameters.token_values, self.corpus).loss()
        return float(self.threshold - loss - self._rounding(np.linalg.norm(query)))

    def certain_from(self, path: Flow) -> float:
        """Return the arc length after which a path is certain to end in selection; infinity if there is none.

        This is certain for the exact flow from the recorded point on. Whether the point lies on the path from the start depends
        on the accuracy of the solver.

        Parameters
        ----------
        path : Flow
            Of these parameters and this corpus.

        Returns
        -------
        float
        """
        certain = (length for length, query in zip(path.arc_lengths, path.cls_embeddings) if self.room(query) > 0)
        return float(next(certain, np.inf))

    def verdict(self, path: Flow) -> str:
        """Return whether a path ends certified, lost (a measurement, not a proof) or undecided.

        Parameters
        ----------
        path : Flow
            Of these parameters and this corpus.

        Returns
        -------
        {"certified", "lost", "undecided"}
            "lost": at the end, the smallest lead in score of a relevant token over another one of its text is negative, and
            still falls.
        """
        if self.room(path.cls_embedding) > 0:
            return "certified"
        before, last = path.leads(self.parameters.embeddings, selected_pairs(self.corpus))[-2:].min(axis=1)
        return "lost" if last < min(before, 0) else "undecided"

    def _rounding(self, norm):
        """Bound the sum of the errors of threshold and loss: a product x·y of d terms has an error of at most d eps ‖x‖ ‖y‖."""
        rows, counts = self.parameters.embeddings, self.corpus.counts
        longest, words = np.linalg.norm(rows, axis=1).max(), np.diff(counts.indptr).max()
        of_score = rows.shape[1] * EPS * longest * norm
        of_value = rows.shape[1] * EPS * longest * np.linalg.norm(self.parameters.output_vector)
        logarithms = longest * norm + np.abs(np.log(counts.data)).max() + words
        of_share = np.expm1(2 * of_score + 8 * EPS * (logarithms + 1))  # relative, of the attention on a token
        largest = np.abs(self.parameters.token_values).max()
        of_logit = of_value + 2 * largest * of_share + words * EPS * largest
        return of_logit + 2 * of_value + (len(self.corpus) + 8) * EPS * (1 + largest)


def selection_certificate(parameters, corpus) -> SelectionCertificate:
    """Return the loss below which the flow of p, or gradient descent in small steps, is certain to select the relevant tokens.

    It holds from any start and in any dimension, under two conditions. Every text has one relevant token, which speaks more for
    the label than all others of the text. And some query selects all of these tokens, such as that of `max_margin`.

    Parameters
    ----------
    parameters : Parameters
        E and v; p doesn't matter. Numpy or torch, of any float dtype.
    corpus : Corpus
        Two classes.

    Returns
    -------
    SelectionCertificate
        If a condition fails, it has no threshold and names the condition.

    Raises
    ------
    ValueError
        If a parameter is not finite or has the wrong shape.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> on_a_line = ts.Parameters(np.array([[1.0], [-1.0], [0.0]]), np.zeros(1), np.ones(1))
    >>> ts.selection_certificate(on_a_line, corpus)
    SelectionCertificate(none: no query seems to select the relevant token of every text)
    """
    exact, relevant, counts = exact_parameters(parameters, corpus), relevant_tokens(corpus), corpus.operator
    without = partial(SelectionCertificate, exact, corpus, -np.inf)
    if (np.diff(relevant.indptr) != 1).any():
        return without(np.nan, "a text does not have exactly one relevant token")
    # y γ of every entry; of the relevant token of each text, and the largest of its others.
    speaks = corpus.signs[counts.rows] * exact.token_values[counts.columns]
    is_relevant = counts.columns == relevant.indices[counts.rows]
    chosen, others = speaks[is_relevant], counts.each(np.maximum, np.where(is_relevant, -np.inf, speaks), -np.inf)
    lead = float((chosen - others).min())
    doubt = 4 * exact.embeddings.shape[1] * EPS * np.linalg.norm(exact.embeddings, axis=1).max()
    if lead <= doubt * np.linalg.norm(exact.output_vector):
        return without(lead, "another token of a text speaks as much for its label")
    if np.isinf(lead):
        return without(lead, "no text has a second token")
    if not _separable(exact.embeddings, corpus, doubt):
        return without(lead, "no query seems to select the relevant token of every text")
    weights = corpus.mean_weights
    price = weights * (softplus(-others) - softplus(-chosen))
    threshold = float(weights @ softplus(-chosen) + price[np.isfinite(others)].min())
    return SelectionCertificate(exact, corpus, threshold, lead)


def _separable(rows, corpus, doubt):
    """Return whether a query gives every relevant token a lead, beyond the rounding errors of ``doubt`` times its norm."""
    try:
        found = max_margin(rows, corpus)
    except NotSeparableError:
        return False
    leads = np.subtract(*(rows @ found.direction)[found.pairs.T])
    return bool(leads.min() > doubt * np.linalg.norm(found.direction))
