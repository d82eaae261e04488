"""Where the textbook's way of following the flow stops: autograd through softmax, and p ← p - η g/(‖g‖ + 1e-12).

Run as ``python benchmarks/textbook_flow.py``. First the softmax rounds to 1, and its derivative loses the direction; then
the 1e-12 outgrows ‖g‖, steps shrink, and p all but stands still; where steps are long enough, ‖g‖ underflows to 0 before that.
"""

from dataclasses import dataclass

import numpy as np
import torch
from tqdm import tqdm

from tokensel_nb import embedding_step, init_parameters
from tokensel_nb.flow import gradient_flow, normalised_steps
from tokensel_nb.max_margin import max_margin
from tokensel_nb.synthetic import one_relevant_token
from tokensel_nb.textbook import textbook_logits, tokens_of


@dataclass(frozen=True)
class TextbookRun:
    """What became of p: per iteration its norm, 1 - cos to a direction, and ‖g‖."""

    norms: np.ndarray
    distances: np.ndarray
    gradient_norms: np.ndarray

    @property
    def shrinks_at(self):
        """The first iteration whose step is shorter than ordered by half, or None."""
        return first(self.gradient_norms < 1e-12)

    @property
    def stops_at(self):
        """The first iteration with a gradient of exactly zero, or None."""
        return first(self.gradient_norms == 0)


def first(where):
    return int(where.argmax()) if where.any() else None


def textbook_flow(parameters, corpus, direction, step_size, steps, dtype) -> TextbookRun:
    """Descend with normalised gradients of the padded model, until ‖g‖ is zero or all steps are taken."""
    embeddings, query, output = (torch.as_tensor(value).to(dtype) for value in vars(parameters).values())
    query = query.clone().requires_grad_()
    tokens, labels = tokens_of(corpus), torch.as_tensor(corpus.labels)
    unit = np.asarray(direction) / np.linalg.norm(direction)
    rows = []
    for _ in tqdm(range(steps), desc=f"Textbook, {dtype}", delay=2):
        mean_loss = torch.nn.functional.softplus(-labels * textbook_logits(embeddings, query, output, tokens)).mean()
        (gradient,) = torch.autograd.grad(mean_loss, query)
        norm = gradient.norm()
        point = query.detach().double().numpy()
        length = np.linalg.norm(point)
        rows.append((length, ((point / max(length, 1e-300) - unit) ** 2).sum() / 2, float(norm)))
        if norm == 0:
            break
        with torch.no_grad():
            query -= step_size * gradient / (norm + 1e-12)
    return TextbookRun(*np.array(rows).T)


def compare(texts=60, vocab_size=30, length=6, relevant=3, dim=256, rate=20.0, step_size=1.0, steps=5000, seed=0):
    """Print how far textbook, log-domain steps and the flow itself come from the same start."""
    corpus = one_relevant_token(texts, vocab_size, length, relevant, seed)
    start = embedding_step(init_parameters(vocab_size, dim, seed, dtype="float64"), corpus, rate)
    solution = max_margin(start.embeddings, corpus)
    print(corpus, solution, sep="\n")
    for dtype in (torch.float32, torch.float64):
        run = textbook_flow(start, corpus, solution.direction, step_size, steps, dtype)
        best = int(run.distances.argmin())
        print(
            f"textbook {dtype}: steps shrink at {run.shrinks_at}, gradient zero at {run.stops_at}; "
            f"ends at ‖p‖ = {run.norms[-1]:.4g}, {degrees(run.distances[-1]):.4f}° "
            f"(best {degrees(run.distances[best]):.4f}° at iteration {best})"
        )
    for name, path in (
        ("log-domain steps", normalised_steps(start, corpus, step_size, steps)),
        ("flow to ‖p‖ = 1e6", gradient_flow(start, corpus, 1e6)),
    ):
        print(f"{name}: ends at ‖p‖ = {path.norms[-1]:.4g}, {degrees(path.distance_to(solution.direction)[-1]):.2e}°")


def degrees(distance):
    """Return the angle in degrees of a given 1 - cos."""
    return np.degrees(2 * np.arcsin(np.sqrt(distance / 2)))


if __name__ == "__main__":
    compare()
