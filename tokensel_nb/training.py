"""Training, with what wraps its loop: history, snapshots, patience, an end when it diverges, progress, checkpoints."""

from __future__ import annotations

import copy
import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from .arrays import gpu, like, threads_for, to_device
from .checkpoint import identity_of, load_arrays, save_arrays
from .descent import State, descent
from .model import evaluate, one_layer

DIVERGED = 100.0  # times log K, the loss of knowing nothing: no run that still learns gets there
SECONDS = 10.0  # between two checkpoints; the last state is always written


class History(NamedTuple):
    """What was measured during training, one entry per evaluation.

    Parameters
    ----------
    steps : ndarray of int64
        Gradient steps taken before the evaluation; the first is 0.
    losses, accuracies : ndarray of float64
        Mean loss and share of right labels on the training corpus.
    held_out_losses, held_out_accuracies : ndarray of float64
        The same on the held-out corpus; NaN if there is none.
    """

    steps: np.ndarray
    losses: np.ndarray
    accuracies: np.ndarray
    held_out_losses: np.ndarray
    held_out_accuracies: np.ndarray


@dataclass(frozen=True, repr=False)
class Training:
    """What `train` returns, and may go on from.

    Parameters
    ----------
    parameters : NamedTuple of arrays
        After the last step; with ``patience`` those of the lowest held-out loss; after a divergence the best so far.
    step : int
        After how many steps they were reached.
    stopped : {"all steps", "patience", "divergence"}
        Why training ended.
    rows : list of tuple
        The history, row by row: see `Training.history`.
    snapshots : dict of int to NamedTuple of arrays
        The parameters after the steps that you asked to keep.
    last : NamedTuple of arrays
        The parameters after the last step, from which training goes on.
    state : State
        Of the optimizer, after the last step.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20, evaluate_every=10)
    >>> run, run.history.steps.tolist()
    (Training(20 steps, loss 0.008; all steps), [0, 10, 20])
    """

    parameters: Any
    step: int = 0
    stopped: str = "all steps"
    rows: list[tuple] = field(default_factory=list)
    snapshots: dict[int, Any] = field(default_factory=dict)
    last: Any = None
    state: State | None = None

    @property
    def history(self) -> History:
        """What was measured, one entry per evaluation."""
        return History(*map(np.array, zip(*self.rows)))

    def __repr__(self):
        """Name the end, as in ``Training(40 steps, loss 0.213, held-out accuracy 0.888; all steps)``."""
        _, loss, _, _, held_out = next(row for row in self.rows if row[0] == self.step)
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
    """Train a model, and write down how its loss falls; a bar shows progress after two seconds.

    Parameters
    ----------
    start : NamedTuple of arrays, or Training
        Where to begin, unchanged by training, or a run to go on with: its moments and its count of steps are kept.
    corpus : Corpus
        The training texts.
    steps : int
        How many steps are taken in all, those of a former run included.
    held_out : Corpus, optional
        Texts of the same words that are evaluated and never trained on.
    evaluate_every : int
        Steps between two evaluations.
    patience : int, optional
        Stop after this many evaluations in a row without a lower held-out loss, and return the best parameters so far.
    keep : collection of int
        Steps of which snapshots are kept.
    watch : callable, optional
        Called as ``watch(step, parameters)`` at every evaluation; these arrays never change afterwards.
    checkpoint : path, optional
        A ``.safetensors`` file, written whole or not at all. If it exists, training goes on from it, and ends with the bits of
        a run that was never stopped; snapshots are not in it. You may ask for more ``steps`` than before.
    device : str, optional
        Where to compute, such as "cuda"; "auto" is a GPU where there is one. The results have the kind of the start. By default
        where the start lies.
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
        If the held-out texts have other words, ``patience`` has nothing to judge by, the loss at the start is not finite, or
        the checkpoint was made with other settings, another start or other texts.

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
    run = start if isinstance(start, Training) else Training(start, last=start)
    kind, device = run.last[0], gpu() if device == "auto" else device
    run = replace(run, last=run.last if device is None else to_device(run.last, device), state=copy.deepcopy(run.state))
    if checkpoint is not None:
        identity = identity_of(run.last, corpus, held_out, descent.__kwdefaults__ | settings | {"patience": patience})
        if Path(checkpoint).exists():
            run = load(checkpoint, run.last, identity)
    texts, written = [corpus] if held_out is None else [corpus, held_out], time.monotonic()
    runs = _followed(run, texts, steps, evaluate_every, patience, set(keep), settings)
    work = run.last[0].shape[-1] * corpus.vocab_size if settings.get("batch_size") is None else 0
    quiet = not verbose or corpus.rank > 0
    bar = dict(total=steps, initial=run.state.step if run.state else 0, desc="Training", unit="step", delay=2)
    with threads_for(work), tqdm(**bar, disable=quiet or None) as progress:
        for run, evaluated in runs:
            progress.update(run.state.step - progress.n)
            if evaluated:
                progress.set_postfix(loss=f"{run.rows[-1][1]:.4f}", refresh=False)  # a refresh would undo the delay
                if watch is not None and corpus.rank == 0:
                    watch(run.state.step, run.last)
            if checkpoint is not None and corpus.rank == 0 and time.monotonic() - written > SECONDS:
                save(checkpoint, run, identity)
                written = time.monotonic()
    if checkpoint is not None and corpus.rank == 0:
        save(checkpoint, run, identity)
    if device is None:
        return run
    back = lambda parameters: type(parameters)(*(like(array, kind) for array in parameters))
    snapshots = {step: back(parameters) for step, parameters in run.snapshots.items()}
    return replace(run, parameters=back(run.parameters), last=back(run.last), snapshots=snapshots)


def _followed(run, texts, steps, evaluate_every, patience, keep, settings):
    """Yield the run after every step, and whether it was evaluated there, up to its end."""
    judged = 2 * len(texts) - 1  # the column that says what is best: the last loss
    best, rows, snapshots = run, list(run.rows), dict(run.snapshots)
    for step, parameters, state in descent(run.last, texts[0], state=run.state, **settings):
        now = replace(run, parameters=parameters, step=step, rows=rows, snapshots=snapshots, last=parameters, state=state)
        ended, due = step >= steps, step % evaluate_every == 0
        if step in keep:
            snapshots[step] = parameters
        if evaluated := (due or ended) and not (rows and rows[-1][0] == step):
            row = [step, *(figure for corpus in texts for figure in evaluate(parameters, corpus, settings.get("model", one_layer)))]
            rows.append((*row, *[np.nan] * (5 - len(row))))
            losses = rows[-1][1 : 2 * len(texts) : 2]
            if not max(losses) <= DIVERGED * np.log(texts[0].num_classes):
                yield _diverged(now, best, judged), True
                return
        if due and (best.step == step or not rows[:-1] or rows[-1][judged] < _loss_at(rows, best.step, judged)):
            best = now
        if patience is not None:
            since = sum(row[0] > best.step and row[0] % evaluate_every == 0 for row in rows)
            stopped = "patience" if since >= patience else "all steps"
            now = replace(now, parameters=best.parameters, step=best.step, stopped=stopped)
            ended = ended or since >= patience
        yield now, evaluated
        if ended:
            return


def _loss_at(rows, step, judged):
    return next(row[judged] for row in rows if row[0] == step)


def _diverged(now, best, judged):
    step, loss = now.rows[-1][0], now.rows[-1][judged]
    if not best.rows:
        raise ValueError(f"the loss at the start is {loss:.3g}; begin from smaller, finite parameters")
    warnings.warn(
        f"training diverged: the loss is {loss:.3g} at step {step}; the parameters of step {best.step} "
        f"(loss {_loss_at(now.rows, best.step, judged):.3g}) are kept; choose a smaller learning_rate",
        RuntimeWarning,
        stacklevel=4,
    )
    return replace(now, parameters=best.parameters, step=best.step, stopped="divergence")


def _check(corpus, held_out, patience):
    if patience is not None and held_out is None:
        raise ValueError("patience needs held_out: texts whose loss says when to stop")
    if len(np.unique(corpus.labels)) < 2:
        raise ValueError(f"every one of the {len(corpus)} texts has the same label; training needs at least two classes")
    same = held_out is None or np.array_equal(held_out.vocabulary, corpus.vocabulary)
    if not same or (held_out is not None and held_out.class_names != corpus.class_names):
        raise ValueError("held_out has other words or classes than the corpus; read it with vocabulary=corpus.vocabulary")


def save(path, run, identity=None):
    """Write a run to a safetensors file, under a temporary name that then takes the place of the old one.

    Parameters
    ----------
    path : path
    run : Training
        Snapshots are left out.
    identity : dict, optional
        What a run must agree with to go on from the file; `train` gives its settings, start and texts.

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.save(f"{folder}/run.safetensors", run)
    ...     ts.load(f"{folder}/run.safetensors")
    Training(20 steps, loss 0.008; all steps)
    """
    arrays = run.last._asdict()
    if run.step != run.state.step:
        arrays |= {f"best.{name}": array for name, array in run.parameters._asdict().items()}
    arrays |= {f"{name}.{place}": array for name, moments in run.state.moments.items() for place, array in enumerate(moments)}
    notes = {"step": run.step, "last": run.state.step, "stopped": run.stopped, "rows": run.rows, "trained": [*run.state.moments]}
    save_arrays(path, arrays, notes | {"identity": identity or {}})


def load(path, start=None, identity=None) -> Training:
    """Read a run from a safetensors file.

    Parameters
    ----------
    path : path
    start : NamedTuple of arrays, optional
        Of what type the parameters are, and with arrays of what kind; by default `Parameters` of numpy arrays.
    identity : dict, optional
        What the run must agree with.

    Returns
    -------
    Training

    Raises
    ------
    ValueError
        If it does not agree; the message names what differs.
    """
    from .model import Parameters

    arrays, notes = load_arrays(path, identity)
    kind, of_kind = (Parameters, lambda array: array) if start is None else (type(start), lambda array: like(array, start[0]))
    named = lambda prefix: kind(*(of_kind(arrays[prefix + name]) for name in kind._fields))
    last, step = named(""), notes["step"]
    moments = {}
    for name in notes["trained"]:
        places = sum(other.rpartition(".")[0] == name for other in arrays)
        moments[name] = tuple(of_kind(arrays[f"{name}.{place}"]) for place in range(places))
    best = last if step == notes["last"] else named("best.")
    rows = [tuple(row) for row in notes["rows"]]
    return Training(best, step, notes["stopped"], rows, last=last, state=State(notes["last"], moments))
