"""A model trained on a corpus: any model, gradient descent or Adam, on any device, safe against being killed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from ..corpus.corpus import Corpus
from ..models.base import Model
from ..models.one_layer import OneLayer
from ..models.optimizers import OPTIMIZERS
from ..models.options import Options
from ..models.parameters import NamedArrays
from ..scale.distributed import shared
from ..scale.processes import ALONE, Processes
from ..scale.stored import StoredCorpus
from ..support.arrays import dtype_name, is_torch, like, to_numpy
from ..support.checks import changed, instance
from ..support.runtime import default_device
from ..support.seals import digest
from ..support.threads import numbers_in, threads_for
from .checkpoint import Checkpoint, describe

DIVERGED = 100.0  # times log K, the loss of knowing nothing: no run that still learns gets there


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

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.train(corpus, dim=4, steps=20, evaluate_every=10).history.steps.tolist()
    [0, 10, 20]
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
    parameters : NamedArrays
        Those after the last step; with ``patience`` those of the lowest held-out loss; after a divergence the best that
        there were. Of the type and kind of the start: numpy arrays, unless that held tensors.
    history : History
    step : int
        After how many steps the returned parameters were reached.
    stopped : {"all steps", "patience", "divergence"}
        Why training ended.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.train(corpus, dim=4, steps=20)
    Training(20 steps, loss 0.008; all steps)
    """

    parameters: NamedArrays
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
    corpus: Corpus | StoredCorpus,
    model: Model = OneLayer(),  # noqa: B008
    options: Options | None = None,
    *,
    held_out: Corpus | StoredCorpus | None = None,
    start: NamedArrays | None = None,
    **changes,
) -> Training:
    """Minimise a model's loss over all its parameters, or over some of them.

    Parameters
    ----------
    corpus : Corpus or StoredCorpus
        What to learn from, as `load_imdb`, `load_reviews` or `corpus_from_texts` return it; what memory does not hold as
        `store_corpus` does.
    model : Model
        By default one layer of attention, whose gradients are exact and in closed form.
    options : Options, optional
        How to train; by default ``model.options``.
    held_out : Corpus or StoredCorpus, optional
        Texts that are evaluated and never trained on, of the same words.
    start : NamedArrays, optional
        Where to begin, unchanged by training; by default ``model.start``, in float32.
    **changes
        Options that differ from those, by name: see `Options`.

    Returns
    -------
    Training

    Raises
    ------
    TypeError
        If an option does not exist, or an argument is of another type.
    ValueError
        If an argument is out of range, all texts have one label, there are fewer texts than classes, no text holds a
        known word, or processes that share the texts were not given the same.
    CheckpointError
        If the checkpoint is damaged, or of another corpus, other shapes or other options.
    MemoryError
        If a batch needs too much; the message names a smaller one.

    Warns
    -----
    RuntimeWarning
        If the loss diverges (training stops and the best parameters are kept), a class has no text, or a checkpoint cannot
        be written (training goes on, and the last good one stays).

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["a good film", "good and moving", "a bad film", "bad and long"], [1, 1, -1, -1])
    >>> training = ts.train(corpus, dim=8, steps=30, learning_rate=0.1)
    >>> training.parameters.token_values[corpus.column("good")] > 0
    np.True_
    """
    _check_kinds(corpus=corpus, model=model, options=options, held_out=held_out, start=start)
    options = changed(options or model.options, changes)
    _check(corpus, held_out, options)
    start = start or model.start(corpus.vocab_size, options.dim, options.seed, num_classes=corpus.num_classes)
    processes = Processes.joined() if options.distributed else ALONE
    run = _Run(model, options, corpus, held_out, start, processes)
    file = None
    if options.checkpoint is not None:
        file = Checkpoint(options.checkpoint, run.identity())
        run.restore(file.read(run.shapes(), options.steps))
    first = processes.rank == 0  # of the processes, which all do the same: the one that is heard of
    if processes.size > 1:
        processes.check_agreement(run.identity() | {"steps": options.steps, "step": run.step})
    batches = _batches(corpus, options.batch_size, options.seed, run.step)
    bar = dict(total=options.steps, initial=min(run.step, options.steps), desc="Training", unit="step", delay=2)
    few = threads_for(max(numbers_in(start), numbers_in(corpus) if options.batch_size is None else 0))  # models look at a batch
    # What overflows shows in the loss, and gets one warning there, for numpy as for torch.
    with few, np.errstate(all="ignore"), tqdm(**bar, disable=None if options.verbose and first else True) as progress:
        while True:
            if run.due():
                run.evaluate()
                progress.set_postfix(loss=f"{run.rows[-1][1]:.4f}", refresh=False)  # a refresh would undo the delay
                if options.watch is not None and first:
                    options.watch(run.step, run.parameters)
                if file is not None and first:
                    file.write(run.state, run.notes(), at_last=run.ended())
            if run.ended():
                return run.result()
            run.take_step(next(batches))
            progress.update()


def _check_kinds(**given):
    texts = (Corpus, StoredCorpus)
    kinds = dict(corpus=texts, model=Model, options=Options, held_out=texts, start=NamedArrays)
    for name, value in given.items():
        if value is not None or name in ("corpus", "model"):
            instance(name, value, kinds[name])


def _check(corpus, held_out, options):
    seen = np.unique(corpus.labels)
    if len(seen) < 2:
        raise ValueError(f"every one of the {len(corpus)} texts has the same label; training needs two classes at least")
    if len(corpus) < corpus.num_classes:
        raise ValueError(f"there are {len(corpus)} texts of {corpus.num_classes} classes; give at least one text a class")
    if len(seen) < corpus.num_classes:
        missing = ", ".join(name for label, name in enumerate(corpus.class_names) if label not in seen)
        warnings.warn(f"no text is of the class {missing}; it will never be predicted", RuntimeWarning, stacklevel=3)
    if isinstance(corpus, Corpus) and not corpus.counts.nnz:  # a stored one has words
        raise ValueError(f"none of the {len(corpus)} texts holds a known word; read them with another vocabulary")
    if options.patience is not None and held_out is None:
        raise ValueError("patience needs held_out: texts whose loss says when to stop")
    if held_out is not None and not len(held_out):
        raise ValueError("held_out holds no text; give at least one, or leave it out")
    if held_out is not None and not np.array_equal(held_out.vocabulary, corpus.vocabulary):
        raise ValueError("held_out has other words than the corpus; read it with vocabulary=corpus.vocabulary")
    if held_out is not None and held_out.class_names != corpus.class_names:
        raise ValueError(f"held_out has the classes {held_out.class_names}, but the corpus {corpus.class_names}")


def _batches(corpus, batch_size, seed, skip):
    """Yield the rows of every step's texts for ever, those of step number ``skip`` first; None for the whole corpus."""
    if batch_size is None or batch_size >= len(corpus):
        while True:
            yield None
    rows = np.flatnonzero(corpus.mean_weights)  # texts that weigh nothing could fill a whole batch, which has no mean then
    in_epoch = -(-len(rows) // batch_size)
    epoch, begun = divmod(skip, in_epoch)
    while True:
        # The order depends on nothing but seed and epoch, so that a run may begin in the middle of one.
        order = rows[np.random.default_rng([seed, epoch]).permutation(len(rows))]
        for part in range(begun, in_epoch):
            yield np.sort(order[part * batch_size : (part + 1) * batch_size])
        epoch, begun = epoch + 1, 0


class _Run:
    """The state of a training run: everything that the next step depends on, and nothing else."""

    def __init__(self, model, options, corpus, held_out, start, processes):
        self.model, self.options, self.corpus, self.held_out, self.start = model, options, corpus, held_out, start
        self.processes, self.whole = processes, shared(corpus, None, processes)
        self.unseen = None if held_out is None else shared(held_out, None, processes)
        self.parameters = _placed(start, options.device, model.needs_torch)
        self.arrays = self.parameters.arrays()
        if unknown := set(options.trained or ()) - set(self.arrays):
            raise ValueError(f"trained names {', '.join(sorted(unknown))}; the model has {', '.join(self.arrays)}")
        trained = {name: array for name, array in self.arrays.items() if name in (options.trained or self.arrays)}
        self.trained = tuple(trained)  # in the model's order, whatever that of the names was
        self.optimizer = OPTIMIZERS[options.optimizer](trained, options.learning_rate)
        self.step, self.stopped = 0, None
        self.rows = []  # of the history
        self.best, self.best_row = None, 0

    def take_step(self, rows):
        texts = self.whole if rows is None else shared(self.corpus, rows, self.processes)
        self.optimizer.step(self.model.step_gradients(self.parameters, texts, self.trained))
        self.step += 1

    def ended(self):
        return self.stopped is not None or self.step >= self.options.steps

    def due(self):
        """Whether this step is to be evaluated, and has not been."""
        seen = bool(self.rows) and self.rows[-1][0] == self.step
        return self.stopped is None and not seen and (self.in_turn(self.step) or self.ended())

    def in_turn(self, step):
        """Whether a run with more steps would be evaluated, and judged, at this step too."""
        return step % self.options.evaluate_every == 0

    def evaluate(self):
        """Add a row to the history, remember the best parameters, and decide whether to stop."""
        missing = (np.nan, np.nan)
        row = (self.step, *self.model.evaluate(self.parameters, self.whole))
        row += missing if self.unseen is None else self.model.evaluate(self.parameters, self.unseen)
        self.rows.append(row)
        judged = 1 if self.held_out is None else 3  # the column that says what is best
        limit = DIVERGED * np.log(self.corpus.num_classes)
        losses = row[1:2] if self.held_out is None else row[1:4:2]
        beyond = [loss for loss in losses if not loss <= limit]  # NaN is below no limit
        if beyond and self.step == 0:
            raise ValueError(f"the loss at the start is {beyond[0]:.3g}; begin from smaller, finite parameters")
        if beyond:
            self.stopped = "divergence"
            best = self.rows[self.best_row]
            warnings.warn(
                f"training diverged: the loss is {beyond[0]:.3g} at step {self.step}; the parameters of step {best[0]} "
                f"(loss {best[judged]:.3g}) are kept; choose a smaller learning_rate",
                RuntimeWarning,
                stacklevel=3,
            )
        elif not self.in_turn(self.step):
            pass
        elif self.best is None or row[judged] < self.rows[self.best_row][judged]:
            self.best, self.best_row = _copy(self.parameters), len(self.rows) - 1
        elif self.options.patience is not None and len(self.rows) - 1 - self.best_row >= self.options.patience:
            self.stopped = "patience"

    def result(self):
        keep_best = self.stopped == "divergence" or self.options.patience is not None
        found, step = (self.best, self.rows[self.best_row][0]) if keep_best else (self.parameters, self.step)
        history = History(*map(np.array, zip(*self.rows)))
        kept = found.map(lambda array: like(array, self.start.embeddings))
        return Training(kept, history, step, self.stopped or "all steps")

    def identity(self):
        """Return all that a run that goes on from a checkpoint must agree with."""
        model = {"model": type(self.model).__name__} | {f"model.{name}": value for name, value in vars(self.model).items()}
        start = digest(*self.start.numpy().arrays().values())
        corpora = {"corpus": _described(self.corpus), "held_out": _described(self.held_out)}
        return model | self.options.identity() | {"dim": None, "trained": list(self.trained), "start": start} | corpora

    def shapes(self):
        """Return dtype and shape of every array of the state, but the history's, under its name in a checkpoint."""
        found = self.arrays | {f"best.{name}": array for name, array in self.arrays.items()}
        found |= {f"optimizer.{name}": array for name, array in self.optimizer.state.items()}
        return {name: (dtype_name(array), tuple(array.shape)) for name, array in found.items()}

    def notes(self):
        return {"step": self.step, "best_row": self.best_row, "stopped": self.stopped}

    def state(self):
        """Return all arrays of the state under names, as numpy."""
        found = self.arrays | {f"best.{name}": array for name, array in self.best.arrays().items()}
        found |= {f"optimizer.{name}": array for name, array in self.optimizer.state.items()}
        return {name: to_numpy(array) for name, array in found.items()} | {"history": np.array(self.rows)}

    def restore(self, stored):
        """Set the state to a stored one, if there is one."""
        if stored is None:
            return
        arrays, notes = stored
        for name, array in (self.arrays | {f"optimizer.{name}": each for name, each in self.optimizer.state.items()}).items():
            array[...] = like(arrays[name], array)
        self.best = type(self.start)(**{name: like(arrays[f"best.{name}"], array) for name, array in self.arrays.items()})
        self.rows = [(int(row[0]), *row[1:]) for row in arrays["history"].tolist()]
        if notes["stopped"] is None and not self.in_turn(self.rows[-1][0]):
            self.rows.pop()
        self.step = self.optimizer.steps = notes["step"]
        self.best_row, self.stopped = notes["best_row"], notes["stopped"]


def _described(corpus):
    return corpus.description() if isinstance(corpus, StoredCorpus) else describe(corpus)


def _placed(start, device, needs_torch):
    """Return a copy of the start where it is computed with."""
    if device is None and (is_torch(start.embeddings) or not needs_torch):
        return _copy(start)
    place = default_device() if device == "auto" else device or "cpu"
    return _copy(start.to(place))


def _copy(parameters):
    return parameters.map(lambda array: array.clone() if is_torch(array) else array.copy())
