"""Where the textbook's way of following the flow stops: autograd through softmax, and p ← p - η g/(‖g‖ + 1e-12).

First the softmax rounds to 1, and its derivative loses the direction; then
the 1e-12 outgrows ‖g‖, steps shrink, and p all but stands still; where steps are long enough, ‖g‖ underflows to 0 before that.
"""

import json
from dataclasses import dataclass

import numpy as np
import torch
from tqdm import tqdm

from tokensel_nb import embedding_step, init_parameters
from tokensel_nb.flow import gradient_flow, normalised_steps
from tokensel_nb.max_margin import max_margin
from tokensel_nb.models.textbook import textbook_logits, tokens_of
from tokensel_nb.synthetic import one_relevant_token

from .timing import row


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
    embeddings, query, output = (torch.as_tensor(value).to(dtype) for value in parameters.arrays().values())
    query = query.clone().requires_grad_()
    tokens, labels = tokens_of(corpus), torch.from_numpy(corpus.signs)
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


def main():
    """Follow one corpus by the textbook, by log-domain steps and by the flow itself; print where each ends."""
    corpus = one_relevant_token(60, 30, 6, 3, 0)
    start = embedding_step(init_parameters(30, 256, 0, dtype="float64"), corpus, 20.0)
    direction = max_margin(start.embeddings, corpus).direction
    rows = []
    for dtype in (torch.float32, torch.float64):
        run, name = textbook_flow(start, corpus, direction, 1.0, 5000, dtype), f"textbook flow, {str(dtype).split('.')[1]}"
        rows.append(row(f"{name}: iteration at which steps shrink", run.shrinks_at, ""))
        rows.append(row(f"{name}: angle to p* after 5,000 iterations", degrees(run.distances[-1]), "degrees"))
    steps = normalised_steps(start, corpus, 1.0, 5000)
    rows.append(row("log-domain steps: angle to p* after 5,000", degrees(steps.distance_to(direction)[-1]), "degrees"))
    path = gradient_flow(start, corpus, 1e6)
    rows.append(row("gradient_flow to ‖p‖ = 10⁶: angle to p*", degrees(path.distance_to(direction)[-1]), "degrees"))
    print(json.dumps(rows))


def degrees(distance):
    """Return the angle in degrees of a given 1 - cos."""
    return np.degrees(2 * np.arcsin(np.sqrt(distance / 2)))


if __name__ == "__main__":
    main()
