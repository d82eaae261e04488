"""Where the textbook's way of following the flow stops: autograd through softmax, and p ← p - η g/(‖g‖ + 1e-12).

First the softmax rounds to 1, and its derivative loses the direction; then
the 1e-12 outgrows ‖g‖, steps shrink, and p all but stands still; where steps are long enough, ‖g‖ underflows to 0 before that.
"""

import numpy as np
import torch
from tokensel_nb.corpus.synthetic import one_relevant_token
from tokensel_nb.models.textbook import textbook_logits, tokens_of
from tokensel_nb.theory.flow.path import gradient_flow, normalised_steps
from tokensel_nb.theory.max_margin import max_margin
from tqdm import tqdm

from tokensel_nb import embedding_step, init_parameters

from .timing import row

STEPS, STEP_SIZE = 5000, 1.0
TINY = 1e-12  # beside a gradient of this norm a step is shorter than ordered by half


def textbook_flow(parameters, corpus, direction, dtype):
    """Descend with normalised gradients of the padded model, until ‖g‖ is zero or all steps are taken.

    Returns the iteration from which on steps shrink, and 1 - cos of the last p to the direction.
    """
    embeddings, query, output = (torch.as_tensor(value).to(dtype) for value in parameters.arrays().values())
    query = query.clone().requires_grad_()
    tokens, labels = tokens_of(corpus), torch.from_numpy(corpus.signs)
    unit = np.asarray(direction) / np.linalg.norm(direction)
    norms = []
    for _ in tqdm(range(STEPS), desc=f"Textbook, {dtype}", delay=2):
        mean_loss = torch.nn.functional.softplus(-labels * textbook_logits(embeddings, query, output, tokens)).mean()
        (gradient,) = torch.autograd.grad(mean_loss, query)
        norms.append(float(gradient.norm()))
        point = query.detach().double().numpy()
        if norms[-1] == 0:
            break
        with torch.no_grad():
            query -= STEP_SIZE * gradient / (norms[-1] + TINY)
    shrinks = np.array(norms) < TINY
    distance = ((point / max(np.linalg.norm(point), 1e-300) - unit) ** 2).sum() / 2
    return int(shrinks.argmax()) if shrinks.any() else None, distance


def measure():
    """Follow one corpus by the textbook, by log-domain steps and by the flow itself; print where each ends."""
    corpus = one_relevant_token(60, 30, 6, 3, 0)
    start = embedding_step(init_parameters(30, 256, 0, dtype="float64"), corpus, 20.0)
    direction = max_margin(start.embeddings, corpus).direction
    rows = []
    for dtype in (torch.float32, torch.float64):
        name = f"textbook flow, {str(dtype).split('.')[1]}"
        shrinks_at, distance = textbook_flow(start, corpus, direction, dtype)
        rows.append(row(f"{name}: iteration at which steps shrink", shrinks_at, ""))
        rows.append(row(f"{name}: angle to p* after 5,000 iterations", degrees(distance), "degrees"))
    steps = normalised_steps(start, corpus, STEP_SIZE, STEPS)
    rows.append(row("log-domain steps: angle to p* after 5,000", degrees(steps.distance_to(direction)[-1]), "degrees"))
    path = gradient_flow(start, corpus, 1e6)
    rows.append(row("gradient_flow to ‖p‖ = 10⁶: angle to p*", degrees(path.distance_to(direction)[-1]), "degrees"))
    return rows


def degrees(distance):
    """Return the angle in degrees of a given 1 - cos."""
    return np.degrees(2 * np.arcsin(np.sqrt(distance / 2)))
