"""All of (E, p, v) trained from counts: gradient descent or Adam, on any device, safe against being killed.

The loop is `minimise`. It knows named tensors and a `Problem`, which fills their gradients and evaluates them, and nothing
of the model; `train` gives it the base model in closed form.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import safetensors
import torch
from safetensors.torch import save
from tqdm import tqdm

from .corpus import Corpus
from .files import atomic
from .model import Parameters, evaluate, fill_gradients_, init_parameters
from .runtime import default_device

NAMES = ("embeddings", "cls_embedding", "output_vector")
OPTIMISERS = {
    "adam": lambda tensors, rate: torch.optim.Adam(tensors, lr=rate, fused=True),
    "gradient descent": lambda tensors, rate: torch.optim.SGD(tensors, lr=rate),
}
DIVERGED = 100.0  # times log K, the loss of knowing nothing: no run that still learns gets there
CHECKPOINT_SECONDS = 10.0  # between two checkpoints; the last state is always written


class CheckpointError(ValueError):
    """A checkpoint that is damaged, or of another run; the message names the file and both sides."""


@dataclass(frozen=True, repr=False)
class History:
    """What was measured along the way, one entry an evaluation.

    Parameters
    ----------
    steps : ndarray of int64
        Gradient steps taken before the evaluation; the first is 0.
    losses, accuracies : ndarray of float64
        Mean loss and share of right labels on the training corpus.
    held_out_losses, held_out_accuracies : ndarray of float64
        The same on the held-out corpus; NaN where there is none.
    """

    steps: np.ndarray
    losses: np.ndarray
    accuracies: np.ndarray
    held_out_losses: np.ndarray
    held_out_accuracies: np.ndarray

    def __len__(self):
        """Return the number of evaluations."""
        return len(self.steps)


@dataclass(frozen=True, repr=False)
class Training:
    """What `train` returns.

    Parameters
    ----------
    parameters : Parameters
        Numpy arrays: those after the last step; with ``patience`` those of the lowest held-out loss; after a divergence the
        best that there were.
    history : History
    step : int
        After how many steps the returned parameters were reached.
    stopped : {"all steps", "patience", "divergence"}
        Why training ended.
    """

    parameters: Parameters
    history: History
    step: int
    stopped: str

    def __repr__(self):
        """Name the end, as in ``Training(40 steps, loss 0.213, held-out accuracy 0.888; all steps)``."""
        row = int(np.flatnonzero(self.history.steps == self.step)[0])
        held_out = self.history.held_out_accuracies[row]
        note = "" if np.isnan(held_out) else f", held-out accuracy {held_out:.3f}"
        return f"Training({self.step:,} steps, loss {self.history.losses[row]:.3f}{note}; {self.stopped})"


def train(
    corpus: Corpus,
    *,
    dim: int = 64,
    steps: int = 100,
    learning_rate: float = 0.05,
    optimiser: str = "adam",
    start: Parameters | None = None,
    trained: Sequence[str] = NAMES,
    batch_size: int | None = None,
    held_out: Corpus | None = None,
    patience: int | None = None,
    evaluate_every: int = 5,
    watch: Callable[[int, Parameters], None] | None = None,
    checkpoint=None,
    seed: int = 0,
    device: str = "auto",
) -> Training:
    """Minimise the loss over E, p and v, or over some of them, with exact gradients from counts.

    Parameters
    ----------
    corpus : Corpus
        What to learn from, as `load_imdb`, `load_reviews` or `corpus_from_texts` return it.
    dim : int
        d; ignored where ``start`` is given.
    steps : int
        Gradient steps at most.
    learning_rate : float
        Size of a step; the default suits Adam at this dimension.
    optimiser : {"adam", "gradient descent"}
        Adam with PyTorch's defaults, or plain gradient descent.
    start : Parameters, optional
        Where to begin, unchanged by training; by default `init_parameters` with ``seed``, in float32.
    trained : sequence of str
        Which of "embeddings", "cls_embedding", "output_vector" are trained; the others stay as they are.
    batch_size : int, optional
        Texts a step, drawn without replacement epoch by epoch; by default all, so that each step is exact.
    held_out : Corpus, optional
        Texts that are evaluated and never trained on, of the same words.
    patience : int, optional
        Stop after this many evaluations in a row without a lower held-out loss, and return the best parameters.
    evaluate_every : int
        Steps between two evaluations.
    watch : callable, optional
        Called as ``watch(step, parameters)`` at every evaluation of this run, with tensors that must not be changed.
    checkpoint : path, optional
        A ``.safetensors`` file, written whole or not at all. If it is there, training goes on from it, to the same
        parameters as a run that was never interrupted (on one machine). More ``steps`` than before are welcome; all else
        must be as it was.
    seed : int
        Of the start and of the batches.
    device : str
        "auto" is a GPU where there is one; or a name such as "cpu", "cuda:1".

    Returns
    -------
    Training

    Raises
    ------
    ValueError
        If an argument is out of range, all texts have one label, or no text holds a known word.
    CheckpointError
        If the checkpoint is damaged, or of another corpus, other shapes or other settings.

    Warns
    -----
    RuntimeWarning
        If the loss diverges (training stops and the best parameters are kept), or a checkpoint cannot be written (training
        goes on, and the last good one stays).
    """
    return minimise(
        _ClosedForm(),
        corpus,
        start or init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes),
        steps=steps,
        learning_rate=learning_rate,
        optimiser=optimiser,
        trained=trained,
        batch_size=batch_size,
        held_out=held_out,
        patience=patience,
        evaluate_every=evaluate_every,
        watch=watch,
        checkpoint=checkpoint,
        seed=seed,
        device=device,
    )


class Problem(Protocol):
    """What the loop must know of a model.

    Attributes
    ----------
    settings : dict
        Plain values that a checkpoint must agree with.
    """

    settings: dict

    def fill_gradients_(self, found, parameters, texts):
        """Write the gradient of the mean loss over some texts into tensors that are there already.

        Parameters
        ----------
        found : dict of str to tensor
            Under the names of the trained parameters, in their shapes; overwritten.
        parameters : dataclass
            Tensors.
        texts : Corpus
        """

    def evaluate(self, parameters, corpus):
        """Return the mean loss and the accuracy on a corpus.

        Parameters
        ----------
        parameters : dataclass
            Tensors.
        corpus : Corpus

        Returns
        -------
        (float, float)
        """


class _ClosedForm:
    """The base model, with gradients in closed form."""

    settings = {}  # noqa: RUF012 - empty for ever

    def fill_gradients_(self, found, parameters, texts):
        fill_gradients_(found, parameters, texts)

    def evaluate(self, parameters, corpus):
        return evaluate(parameters, corpus)


def minimise(
    problem: Problem,
    corpus: Corpus,
    start,
    *,
    steps,
    learning_rate,
    optimiser,
    trained,
    batch_size,
    held_out,
    patience,
    evaluate_every,
    watch,
    checkpoint,
    seed,
    device,
) -> Training:
    """Minimise a problem's loss from a start: the loop behind `train`.

    Parameters
    ----------
    problem : Problem
    corpus : Corpus
    start : dataclass
        `Parameters`, or another dataclass of arrays with a method ``numpy``; a field may be None.
    steps, learning_rate, optimiser, trained, batch_size, held_out, patience, evaluate_every, watch, checkpoint, seed, device
        As in `train`.

    Returns
    -------
    Training
        Its parameters are of the type of ``start``.

    Raises
    ------
    ValueError, CheckpointError
        As `train` does.
    """
    names = tuple(_named(start))
    _check(corpus, steps, learning_rate, optimiser, trained, names, batch_size, held_out, patience, evaluate_every)
    place = default_device() if device == "auto" else device
    trained = [name for name in names if name in trained]
    make_optimiser = OPTIMISERS[optimiser]
    run = _Run(problem, corpus, start, trained, make_optimiser, learning_rate, held_out, patience, evaluate_every, place)
    file = None
    if checkpoint is not None:
        settings = dict(learning_rate=learning_rate, optimiser=optimiser, trained=trained, batch_size=batch_size, seed=seed)
        settings |= dict(patience=patience, evaluate_every=evaluate_every, start=_digest(*_named(start.numpy()).values()))
        file = _Checkpoint(checkpoint, problem.settings | settings, corpus, held_out)
        file.read_into(run)
    batches = _batches(corpus, batch_size, seed, run.step)
    with tqdm(total=steps, initial=min(run.step, steps), desc="Training", unit="step", delay=2) as progress:
        while True:
            if run.due(steps):
                run.evaluate()
                progress.set_postfix(loss=f"{run.rows[-1][1]:.4f}")
                if watch is not None:
                    watch(run.step, run.parameters)
                if file is not None:
                    file.write(run, at_last=run.stopped is not None or run.step >= steps)
            if run.stopped is not None or run.step >= steps:
                return run.result()
            run.take_step(next(batches))
            progress.update()


def _named(parameters):
    """Return the arrays of a dataclass under their names; a model leaves out what it does not have."""
    return {name: value for name, value in vars(parameters).items() if value is not None}


def _check(corpus, steps, learning_rate, optimiser, trained, names, batch_size, held_out, patience, evaluate_every):
    for name, value in dict(steps=steps, evaluate_every=evaluate_every, batch_size=batch_size, patience=patience).items():
        if value is not None and (value < 1 or value != int(value)):
            raise ValueError(f"{name}={value}; give a whole number of at least 1")
    if not (np.isfinite(learning_rate) and learning_rate > 0):
        raise ValueError(f"learning_rate={learning_rate}; give a positive number")
    if optimiser not in OPTIMISERS:
        raise ValueError(f"optimiser={optimiser!r}; choose one of {', '.join(map(repr, OPTIMISERS))}")
    if not set(trained) or not set(trained) <= set(names):
        raise ValueError(f"trained={tuple(trained)}; name at least one of {', '.join(map(repr, names))}")
    if len(np.unique(corpus.labels)) < 2:
        raise ValueError(f"every one of the {len(corpus)} texts has the same label; training needs two classes at least")
    _check_classes(corpus)
    if not corpus.counts.nnz:
        raise ValueError(f"none of the {len(corpus)} texts holds a known word; read them with another vocabulary")
    if patience is not None and held_out is None:
        raise ValueError("patience needs held_out: texts whose loss says when to stop")
    if held_out is not None and not np.array_equal(held_out.vocabulary, corpus.vocabulary):
        raise ValueError("held_out has other words than the corpus; read it with vocabulary=corpus.vocabulary")


def _check_classes(corpus):
    if len(corpus) < corpus.num_classes:
        raise ValueError(f"there are {len(corpus)} texts of {corpus.num_classes} classes; give at least one text a class")
    seen = set(corpus.labels.tolist())
    missing = [name for label, name in corpus._label_names() if label not in seen]
    if missing and len(seen) > 1:
        warnings.warn(f"no text is of the class {', '.join(missing)}; it will never be predicted", RuntimeWarning, stacklevel=5)


def _batches(corpus, batch_size, seed, skip):
    """Yield the texts of every step for ever, those of step number ``skip`` first: the whole corpus, or parts of it."""
    if batch_size is None or batch_size >= len(corpus):
        while True:
            yield corpus
    rows = np.flatnonzero(corpus.mean_weights)  # texts that weigh nothing could fill a whole batch, which has no mean then
    in_epoch = -(-len(rows) // batch_size)
    epoch, begun = divmod(skip, in_epoch)
    while True:
        # The order depends on nothing but seed and epoch, so that a run may begin in the middle of one.
        order = rows[np.random.default_rng([seed, epoch]).permutation(len(rows))]
        for part in range(begun, in_epoch):
            yield corpus[np.sort(order[part * batch_size : (part + 1) * batch_size])]
        epoch, begun = epoch + 1, 0


class _Run:
    """The state of a training run: everything that the next step depends on, and nothing else."""

    def __init__(self, problem, corpus, start, trained, make_optimiser, learning_rate, held_out, patience, every, device):
        self.problem, self.corpus, self.held_out, self.patience, self.every = problem, corpus, held_out, patience, every
        self.kind = type(start)
        self.named = {name: torch.as_tensor(value).to(device, copy=True) for name, value in _named(start).items()}
        self.parameters = self.kind(**self.named)
        tensors = [self.named[name] for name in trained]
        self.gradients = {name: torch.empty_like(self.named[name]) for name in trained}
        for tensor, gradient in zip(tensors, self.gradients.values()):
            tensor.grad = gradient
        self.optimiser = make_optimiser(tensors, learning_rate)
        self.step, self.stopped = 0, None
        self.rows = []  # of the history
        self.best, self.best_row = None, 0

    def take_step(self, texts):
        self.problem.fill_gradients_(self.gradients, self.parameters, texts)
        self.optimiser.step()
        self.step += 1

    def due(self, steps):
        """Whether this step is to be evaluated, and has not been."""
        seen = bool(self.rows) and self.rows[-1][0] == self.step
        return self.stopped is None and not seen and (self.step % self.every == 0 or self.step >= steps)

    def evaluate(self):
        """Add a row to the history, remember the best parameters, and decide whether to stop."""
        missing = (np.nan, np.nan)
        row = (self.step, *self.problem.evaluate(self.parameters, self.corpus))
        row += missing if self.held_out is None else self.problem.evaluate(self.parameters, self.held_out)
        self.rows.append(row)
        judged = 1 if self.held_out is None else 3  # the column that says what is best
        limit = DIVERGED * np.log(self.corpus.num_classes)
        sane = row[1] <= limit and (self.held_out is None or row[3] <= limit)
        if not sane and self.step == 0:
            raise ValueError(f"the loss at the start is {row[judged]:.3g}; begin from smaller, finite parameters")
        if not sane:
            self.stopped = "divergence"
            best = self.rows[self.best_row]
            warnings.warn(
                f"training diverged: the loss is {row[judged]:.3g} at step {self.step}; the parameters of step {best[0]} "
                f"(loss {best[judged]:.3g}) are kept; choose a smaller learning_rate",
                RuntimeWarning,
                stacklevel=3,
            )
        elif self.step % self.every:
            pass  # a last step out of turn, which a run with more steps would not have judged by
        elif self.best is None or row[judged] < self.rows[self.best_row][judged]:
            self.best_row = len(self.rows) - 1
            self.best = {name: value.clone() for name, value in self.named.items()}
        elif self.patience is not None and len(self.rows) - 1 - self.best_row >= self.patience:
            self.stopped = "patience"

    def result(self):
        keep_best = self.stopped == "divergence" or self.patience is not None
        columns = map(np.array, zip(*self.rows))
        return Training(
            self.kind(**(self.best if keep_best else self.named)).numpy(),
            History(*columns),
            self.rows[self.best_row][0] if keep_best else self.step,
            self.stopped or "all steps",
        )

    def tensors(self):
        """Return all tensors of the state under names, as they must be stored."""
        found = dict(self.named)
        found |= {f"best.{name}": value for name, value in self.best.items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            found |= {f"optimiser.{number}.{name}": value for name, value in state.items() if value is not None}
        found["history"] = torch.tensor(self.rows, dtype=torch.float64)
        return found

    def restore(self, tensors, notes):
        """Set the state to a stored one."""
        for name, value in self.named.items():
            value.copy_(tensors[name])
        self.best = {name: tensors[f"best.{name}"].to(value.device) for name, value in self.named.items()}
        stored = self.optimiser.state_dict()
        stored["state"] = {}
        for name, value in tensors.items():
            if name.startswith("optimiser."):
                _, number, entry = name.split(".")
                stored["state"].setdefault(int(number), {})[entry] = value
        self.optimiser.load_state_dict(stored)
        self.rows = [(int(row[0]), *row[1:]) for row in tensors["history"].tolist()]
        if notes["stopped"] is None and self.rows[-1][0] % self.every:
            self.rows.pop()  # see `evaluate`
        self.step, self.best_row, self.stopped = notes["step"], notes["best_row"], notes["stopped"]


class _Checkpoint:
    """One file with the whole state of a run, and with what the run was of."""

    def __init__(self, path, settings, corpus, held_out):
        self.path = Path(path)
        self.settings = settings
        self.corpora = [_name(corpus), held_out and _name(held_out)]
        self.written = time.monotonic()

    def write(self, run, at_last):
        """Write the file anew, unless it is too young; a disk that is full costs a warning, not the run."""
        if not at_last and time.monotonic() - self.written < CHECKPOINT_SECONDS:
            return
        notes = dict(settings=self.settings, corpora=self.corpora, step=run.step, best_row=run.best_row, stopped=run.stopped)
        stored = {name: value.detach().cpu().contiguous() for name, value in run.tensors().items()}
        try:
            with atomic(self.path) as file:
                file.write(save(stored, {"tokensel_nb": json.dumps(notes)}))
        except OSError as error:
            reason = error.strerror or str(error)
            warnings.warn(
                f"{self.path}: the checkpoint of step {run.step} could not be written ({reason}); the last one stays",
                RuntimeWarning,
                stacklevel=3,
            )
        self.written = time.monotonic()

    def read_into(self, run):
        """Set a run to the state in the file, if there is one."""
        if not self.path.exists():
            return
        try:
            with safetensors.safe_open(self.path, "pt") as file:
                notes = json.loads((file.metadata() or {})["tokensel_nb"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}
        except (safetensors.SafetensorError, KeyError, ValueError, OSError) as error:
            raise CheckpointError(
                f"{self.path}: no whole checkpoint of this package ({error}); remove it, or name another file"
            ) from error
        self._compare(tensors, notes, run)
        run.restore(tensors, notes)

    def _compare(self, tensors, notes, run):
        if missing := run.named.keys() - tensors.keys():
            raise CheckpointError(f"{self.path}: it holds no {', '.join(sorted(missing))}; it is of another model")
        for name, value in run.named.items():
            if tensors[name].shape != value.shape or tensors[name].dtype != value.dtype:
                found, wanted = (f"{array.dtype} of shape {tuple(array.shape)}" for array in (tensors[name], value))
                raise CheckpointError(f"{self.path}: its {name} is {found}, but this run's is {wanted}; name another file")
        for found, wanted in zip(notes["corpora"], self.corpora):
            if found != wanted:
                raise CheckpointError(f"{self.path}: made with {found}, but this run is on {wanted}; name another file")
        for name, wanted in self.settings.items():
            if (found := notes["settings"].get(name)) != wanted:
                raise CheckpointError(f"{self.path}: made with {name}={found!r}, not {wanted!r}; name another file")


def _name(corpus):
    """Return a corpus' description with a digest of all that it holds."""
    counts = corpus.counts
    words = np.frombuffer("\n".join(map(str, corpus.vocabulary)).encode(), np.uint8)
    digest = _digest(counts.indptr, counts.indices, counts.data, corpus.labels, corpus.mean_weights, words)
    return f"{corpus!r} (digest {digest})"


def _digest(*arrays):
    """Return a short digest of arrays."""
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
