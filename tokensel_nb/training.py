"""Training: the loop with history, snapshots, patience, a stop on divergence, progress, and checkpoints."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from .arrays import gpu, like, threads_for, to_device
from .descent import State, descent
from .model import evaluate, one_layer

DIVERGED = 100.0  # times log K, the loss of pure guessing: no run that still learns reaches it
SECONDS = 10.0  # between two checkpoints; the last state is always written


class History(NamedTuple):
    """The measurements during training, one entry per evaluation; see `Training`.

    Parameters
    ----------
    steps : ndarray of int64
        Gradient steps taken before the evaluation; the first is 0.
    losses, accuracies : ndarray of float64
        Mean loss and share of right labels on the training corpus.
    held_out_losses, held_out_accuracies : ndarray of float64
        The same on the held-out corpus; NaN if there is none.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> history = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20, evaluate_every=10).history
    >>> history.steps, history.losses.round(3)
    (array([ 0, 10, 20]), array([0.604, 0.11 , 0.008]))
    """

    steps: np.ndarray
    losses: np.ndarray
    accuracies: np.ndarray
    held_out_losses: np.ndarray
    held_out_accuracies: np.ndarray


@dataclass(frozen=True, repr=False)
class Training:
    """A training run: the result of `train`, which can also continue it.

    Parameters
    ----------
    last : NamedTuple of arrays
        The parameters after the last step, from which training continues.
    state : State
        Of the optimizer, after the last step.
    rows : list of tuple
        The history, row by row: see `Training.history`.
    snapshots : dict of int to NamedTuple of arrays
        The parameters after the steps that you asked to keep.
    best : (int, NamedTuple of arrays)
        The step of the lowest loss in the history (held-out loss, if there are such texts), and its parameters.
    stopped : {"all steps", "patience", "divergence"}
        Why training ended.
    patient : bool
        Whether ``patience`` was given.
    settings : dict
        Of `descent`, such as the model; a continued run keeps them, unless it gets others.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20, evaluate_every=10)
    >>> run, run.history.steps.tolist()
    (Training(20 steps, loss 0.008; all steps), [0, 10, 20])
    """

    last: Any
    state: State | None = None
    rows: list[tuple] = field(default_factory=list)
    snapshots: dict[int, Any] = field(default_factory=dict)
    best: tuple[int, Any] | None = None
    stopped: str = "all steps"
    patient: bool = False
    settings: dict = field(default_factory=dict)

    @property
    def _chosen(self):
        return self.best if self.patient or self.stopped == "divergence" else (self.state.step, self.last)

    @property
    def parameters(self):
        """The last parameters; those of the lowest loss if training was patient or diverged."""
        return self._chosen[1]

    @property
    def step(self) -> int:
        """The number of steps that led to the `parameters`."""
        return self._chosen[0]

    @property
    def history(self) -> History:
        """The measurements, one entry per evaluation."""
        return History(*map(np.array, zip(*self.rows)))

    def __repr__(self):
        """Show the end, as in ``Training(40 steps, loss 0.213, held-out accuracy 0.888; all steps)``."""
        _, loss, _, _, held_out = _row_of(self.rows, self.step)
        note = "" if np.isnan(held_out) else f", held-out accuracy {held_out:.3f}"
        return f"Training({self.step:,} steps, loss {loss:.3f}{note}; {self.stopped})"


def train(
    start,
    corpus,
    steps=100,
    *,
    held_out=None,
    evaluate_every=5,
    patience=None,
    keep=(),
    watch=None,
    checkpoint=None,
    device=None,
    verbose=True,
    **settings,
) -> Training:
    """Train a model and record how its loss falls; a progress bar appears after two seconds.

    Parameters
    ----------
    start : NamedTuple of arrays, or Training
        The start, unchanged by training, or a run to continue: its ``settings``, moments and number of steps are kept. Give
        everything else again, such as ``held_out`` and ``evaluate_every``.
    corpus : Corpus
        The training texts.
    steps : int
        The total number of steps, including those of a continued run.
    held_out : Corpus, optional
        Texts with the same words that are evaluated but never trained on.
    evaluate_every : int
        Steps between two evaluations.
    patience : int, optional
        Stop after this many evaluations in a row without a lower held-out loss, and return the best parameters so far.
    keep : collection of int
        Steps whose parameters are kept as snapshots, from the start to ``steps``.
    watch : callable, optional
        Called as ``watch(step, parameters)`` at every evaluation; these arrays never change afterwards.
    checkpoint : path, optional
        A ``.safetensors`` file, written atomically. If it exists, training continues from it, with bit for bit the result of
        an uninterrupted run; snapshots are not in it. You may ask for more ``steps`` than before.
    device : str, optional
        Where to compute, such as "cuda"; "auto" is a GPU if there is one. The results have the kind of the start. By default
        the device of the start.
    verbose : bool
        Whether to show progress.
    **settings
        Of `descent`: model, learning_rate, optimizer, batch_size, seed, trained.

    Returns
    -------
    Training

    Raises
    ------
    ValueError
        If the held-out texts have other words, ``patience`` comes without ``held_out``, ``keep`` names a step that is never
        taken, the loss at the start is not finite, or the checkpoint was made with other settings, another start or other
        texts.

    Warns
    -----
    RuntimeWarning
        If the loss diverges; training then stops.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 1, 0], [0, 1, 1]], ["down", "up"], ["bad", "film", "good"])
    >>> half = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=10)
    >>> ts.train(half, corpus, steps=20, learning_rate=0.01)
    Training(20 steps, loss 0.067; all steps)
    """
    _check(corpus, held_out, patience)
    run = start if isinstance(start, Training) else Training(start)
    begun = run.state.step if run.state else 0
    if missed := {step for step in keep if not begun <= step <= steps} - set(run.snapshots):
        raise ValueError(f"keep names step {min(missed)}, but training goes from step {begun} to step {steps}")
    settings = run.settings | settings
    if isinstance(settings.get("model"), str):
        raise ValueError(f"the loaded run knows only the name of its model, {settings['model']}; give the model as model=")
    kind, device = run.last[0], gpu() if device == "auto" else device
    if device is not None:
        run = _converted(run, to_device(run.last, device)[0])
    if checkpoint is not None:
        from .checkpoint import identity_of, load, save  # imported here: few runs write files

        options = settings | {"patience": patience, "evaluate_every": evaluate_every}
        identity = identity_of(run.last, corpus, held_out, options)
        if Path(checkpoint).exists():
            run = load(checkpoint, run.last, identity)
            if run.state.step < steps:  # a longer run has no extra evaluation at the old end
                run = replace(run, rows=[row for row in run.rows if row[0] % evaluate_every == 0])
    texts, written, first = [corpus, *([] if held_out is None else [held_out])], time.monotonic(), corpus.rank == 0
    work = 0 if settings.get("batch_size") else sum(math.prod(array.shape) for array in run.last)
    runs = _continued(run, texts, steps, evaluate_every, patience, set(keep), settings)
    bar = dict(total=steps, initial=run.state.step if run.state else 0, desc="Training", unit="step", delay=2)
    with threads_for(work), tqdm(**bar, disable=None if verbose and first else True) as progress:
        for run, evaluated in runs:
            progress.update(run.state.step - progress.n)
            if evaluated:
                progress.set_postfix(loss=f"{run.rows[-1][1]:.4f}", refresh=False)  # a refresh would undo the delay
                if watch is not None and first:
                    watch(run.state.step, run.last)
            if checkpoint is not None and first and time.monotonic() - written > SECONDS:
                save(checkpoint, run, identity)
                written = time.monotonic()
    if checkpoint is not None and first:
        save(checkpoint, run, identity)
    return run if device is None else _converted(run, kind)


def _continued(run, texts, steps, evaluate_every, patience, keep, settings):
    """Yield the run after every step, and whether it was evaluated, up to its end."""
    if run.stopped == "divergence":
        yield run, False
        return
    judged = 2 * len(texts) - 1  # the column of the loss that decides: the last one
    best, rows, snapshots, stopped = run.best, list(run.rows), dict(run.snapshots), "all steps"
    for step, parameters, state in descent(run.last, texts[0], state=run.state, **settings):
        ended, due = step >= steps, step % evaluate_every == 0
        if step in keep:
            snapshots[step] = parameters
        if evaluated := (due or ended) and not (rows and rows[-1][0] == step):
            figures = [figure for corpus in texts for figure in evaluate(parameters, corpus, settings.get("model", one_layer))]
            rows.append((step, *figures, *[np.nan] * (4 - len(figures))))
            lowest = _row_of(rows, best[0])[judged] if best else np.nan
            if beyond := [loss for loss in figures[::2] if not loss <= DIVERGED * np.log(texts[0].num_classes)]:
                if not best:
                    raise ValueError(f"the loss at the start is {beyond[0]:.3g}; start from smaller, finite parameters")
                stopped = "divergence"
                warnings.warn(
                    f"training diverged: the loss is {beyond[0]:.3g} at step {step}; the parameters of step {best[0]} "
                    f"(loss {lowest:.3g}) are kept; choose a smaller learning_rate",
                    RuntimeWarning,
                    stacklevel=3,
                )
            elif due and not rows[-1][judged] >= lowest:  # true if there is no lowest loss yet (NaN)
                best = step, parameters
        if patience is not None and sum(row[0] > best[0] and row[0] % evaluate_every == 0 for row in rows) >= patience:
            stopped = "patience" if stopped == "all steps" else stopped
        yield Training(parameters, state, rows, snapshots, best, stopped, patience is not None, settings), evaluated
        if ended or stopped != "all steps":
            return


def _row_of(rows, step):
    return next(row for row in rows if row[0] == step)


def _converted(run, reference):
    """Return a run with arrays of the kind and on the device of a reference."""
    convert = lambda arrays: [like(array, reference) for array in arrays]
    named = lambda parameters: type(parameters)(*convert(parameters))
    state = run.state and State(run.state.step, {name: tuple(convert(of)) for name, of in run.state.moments.items()})
    snapshots = {step: named(parameters) for step, parameters in run.snapshots.items()}
    best = run.best and (run.best[0], named(run.best[1]))
    return replace(run, last=named(run.last), state=state, snapshots=snapshots, best=best)


def _check(corpus, held_out, patience):
    if patience is not None and held_out is None:
        raise ValueError(f"patience={patience} without held_out; give held-out texts, whose loss decides when to stop")
    if len(np.unique(corpus.labels)) < 2:
        raise ValueError(f"all {len(corpus)} texts have the same label; give texts of at least two classes")
    same = held_out is None or np.array_equal(held_out.vocabulary, corpus.vocabulary)
    if not same or (held_out is not None and held_out.class_names != corpus.class_names):
        raise ValueError("held_out has other words or classes than the corpus; read it with vocabulary=corpus.vocabulary")
