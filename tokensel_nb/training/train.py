"""Train a model on a corpus: any model, by gradient descent or Adam, on any device, safe if the process is killed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import chain

import numpy as np
from tqdm import tqdm

from ..corpus.corpus import Corpus
from ..models.base import Model
from ..models.one_layer import OneLayer
from ..models.options import Options
from ..models.parameters import NamedArrays
from ..scale.distributed import shared
from ..scale.processes import ALONE, Processes
from ..scale.stored import StoredCorpus
from ..support.arrays import like
from ..support.checks import changed, instance
from ..support.threads import numbers_in, threads_for
from .checkpoint import Checkpoint, identity_of
from .state import State

DIVERGED = 100.0  # times log K, the loss of knowing nothing: no run that still learns gets there


@dataclass(frozen=True, repr=False)
class History:
    """What was measured during training, one entry per evaluation.

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
        The parameters after the last step; with ``patience`` those of the lowest held-out loss; after a divergence the best so
        far. They have the type and kind of the start: numpy arrays, unless the start had tensors.
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
    """Minimise a model's loss over all of its parameters, or over some.

    Parameters
    ----------
    corpus : Corpus or StoredCorpus
        The training texts, as `load_imdb`, `load_reviews` or `corpus_from_texts` return them, or, if they exceed the memory, as
        `store_corpus` does.
    model : Model
        By default one layer of attention, with exact gradients in closed form.
    options : Options, optional
        How to train; by default ``model.options``.
    held_out : Corpus or StoredCorpus, optional
        Texts with the same words that are evaluated and never trained on.
    start : NamedArrays, optional
        Where to begin, unchanged by training; by default ``model.start``, in float32.
    **changes
        Options that should differ from these, by name: see `Options`.

    Returns
    -------
    Training

    Raises
    ------
    TypeError
        If an option does not exist, or an argument is of another type.
    ValueError
        If an argument is out of range, all texts have one label, there are fewer texts than classes, no text has a known word,
        or the processes that share the texts got different arguments, or would share a GPU.
    CheckpointError
        If the checkpoint is damaged, or belongs to another corpus, other shapes or other options.
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
    _check(corpus, model, options, held_out, start)
    options = changed(options or model.options, changes)
    if options.patience is not None and held_out is None:
        raise ValueError("patience needs held_out: texts whose loss says when to stop")
    start = start or model.start(corpus.vocab_size, options.dim, options.seed, num_classes=corpus.num_classes)
    few = threads_for(max(numbers_in(start), numbers_in(corpus) if options.batch_size is None else 0))  # models look at a batch
    processes = Processes.joined() if options.distributed else ALONE  # before anything is placed: each has its own GPU
    processes.check_devices(options.device or str(getattr(start.embeddings, "device", "cpu")))
    state = State.begun(start, options, model.needs_torch)
    trained = tuple(state.optimizer.arrays)
    file = None
    if options.checkpoint is not None or processes.size > 1:
        identity = identity_of(model, options, trained, start, corpus, held_out)
        if options.checkpoint is not None:
            file = Checkpoint(options.checkpoint, identity)
            if stored := file.read(state.shapes(), options.steps):
                state.load(*stored, options.evaluate_every)
        if processes.size > 1:
            processes.check_agreement(identity | {"steps": options.steps, "step": state.step})
    first = processes.rank == 0  # of the processes, which all do the same: the one that is heard of
    evaluated = [shared(each, None, processes) for each in (corpus, held_out) if each is not None]
    batches = _batches(corpus, options.batch_size, options.seed, state.step)
    texts = (evaluated[0] if rows is None else shared(corpus, rows, processes) for rows in batches)
    bar = dict(total=options.steps, initial=min(state.step, options.steps), desc="Training", unit="step", delay=2)
    # What overflows shows in the loss, and gets one warning there, for numpy as for torch.
    with few, np.errstate(all="ignore"), tqdm(**bar, disable=None if options.verbose and first else True) as progress:
        while True:
            if state.due(options):
                _evaluate(state, model, options, evaluated)
                progress.set_postfix(loss=f"{state.rows[-1][1]:.4f}", refresh=False)  # a refresh would undo the delay
                if options.watch is not None and first:
                    options.watch(state.step, state.parameters)
                if file is not None and first:
                    file.write(state.save, at_last=state.ended(options))
            if state.ended(options):
                return _result(state, options, start)
            state.optimizer.step(model.step_gradients(state.parameters, next(texts), trained))
            progress.update()


def _check(corpus, model, options, held_out, start):
    texts = (Corpus, StoredCorpus)
    for name, value, kinds in (("corpus", corpus, texts), ("model", model, Model)):
        instance(name, value, kinds)
    for name, value, kinds in (("options", options, Options), ("held_out", held_out, texts), ("start", start, NamedArrays)):
        if value is not None:
            instance(name, value, kinds)
    labels = np.unique(corpus.labels)
    if len(labels) < 2:
        raise ValueError(f"every one of the {len(corpus)} texts has the same label; training needs at least two classes")
    if len(corpus) < corpus.num_classes:
        raise ValueError(f"there are {len(corpus)} texts of {corpus.num_classes} classes; give at least one text per class")
    if len(labels) < corpus.num_classes:
        missing = ", ".join(name for label, name in enumerate(corpus.class_names) if label not in labels)
        warnings.warn(f"no text is of the class {missing}; it will never be predicted", RuntimeWarning, stacklevel=3)
    if isinstance(corpus, Corpus) and not corpus.counts.nnz:  # a stored one has words
        raise ValueError(f"none of the {len(corpus)} texts holds a known word; read them with another vocabulary")
    if held_out is None:
        return
    if not len(held_out):
        raise ValueError("held_out holds no text; give at least one, or leave it out")
    if not np.array_equal(held_out.vocabulary, corpus.vocabulary):
        raise ValueError("held_out and the corpus have different words; read it with vocabulary=corpus.vocabulary")
    if held_out.class_names != corpus.class_names:
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


def _evaluate(state, model, options, corpora):
    """Add a row to the history; stop a run that diverged, or keep the parameters if they are the best."""
    measured = [model.evaluate(state.parameters, texts) for texts in corpora]  # loss and accuracy; the held-out ones last
    row = [state.step, *chain.from_iterable(measured)]
    state.rows.append((*row, *[np.nan] * (5 - len(row))))
    judged = 2 * len(corpora) - 1  # the column that says what is best: the last loss
    losses = [loss for loss, _ in measured]
    limit = DIVERGED * np.log(corpora[0].num_classes)
    beyond = [loss for loss in losses if not loss <= limit]  # NaN is below no limit
    if beyond and state.step == 0:
        raise ValueError(f"the loss at the start is {beyond[0]:.3g}; begin from smaller, finite parameters")
    if beyond:
        state.stopped = "divergence"
        best = state.rows[state.best_row]
        warnings.warn(
            f"training diverged: the loss is {beyond[0]:.3g} at step {state.step}; the parameters of step {best[0]} "
            f"(loss {best[judged]:.3g}) are kept; choose a smaller learning_rate",
            RuntimeWarning,
            stacklevel=3,
        )
    elif state.step % options.evaluate_every == 0:  # a longer run would be evaluated, and judged, here too
        state.keep_if_best(judged, options.patience)


def _result(state, options, start):
    keep_best = state.stopped == "divergence" or options.patience is not None
    kept, step = (state.best, state.rows[state.best_row][0]) if keep_best else (state.parameters, state.step)
    history = History(*map(np.array, zip(*state.rows)))
    return Training(kept.map(lambda array: like(array, start.embeddings)), history, step, state.stopped or "all steps")
