"""The state of a training run: all that its next step depends on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..models.optimizers import OPTIMIZERS, GradientDescent
from ..models.parameters import copied
from ..support.arrays import dtype_name, is_torch, like, to_numpy
from ..support.runtime import default_device

if TYPE_CHECKING:
    from ..models.options import Options
    from ..models.parameters import NamedArrays
    from ..support.arrays import Array


@dataclass
class State:
    """What a run has reached, from `begun` on; a checkpoint keeps what `save` returns, and `load` sets it back."""

    parameters: NamedArrays
    optimizer: GradientDescent
    best: NamedArrays  # the parameters of the row that was best
    best_row: int = 0
    rows: list[tuple] = field(default_factory=list)  # of the history: step, loss, accuracy, and the same held out
    stopped: str | None = None

    @classmethod
    def begun(cls, start: NamedArrays, options: Options, needs_torch: bool) -> State:
        """Return the state before the first step: copies of the start where it is computed with."""
        if options.device is not None or (needs_torch and not is_torch(start.embeddings)):
            start = start.to(default_device() if options.device == "auto" else options.device or "cpu")
        parameters = copied(start)
        arrays = parameters.arrays()
        if unknown := set(options.trained or ()) - arrays.keys():
            raise ValueError(f"trained names {', '.join(sorted(unknown))}; the model has {', '.join(arrays)}")
        # In the model's order, whatever that of the names was.
        trained = {name: array for name, array in arrays.items() if name in (options.trained or arrays)}
        return cls(parameters, OPTIMIZERS[options.optimizer](trained, options.learning_rate), copied(parameters))

    @property
    def step(self) -> int:
        """The number of steps taken."""
        return self.optimizer.steps

    def arrays(self) -> dict[str, Array]:
        """Return all arrays, but the history's, under their names in a checkpoint."""
        best = {f"best.{name}": array for name, array in self.best.arrays().items()}
        moments = {f"optimizer.{name}": array for name, array in self.optimizer.state.items()}
        return self.parameters.arrays() | best | moments

    def shapes(self) -> dict[str, tuple[str, tuple]]:
        """Return the dtype and the shape of each of `arrays`."""
        return {name: (dtype_name(array), tuple(array.shape)) for name, array in self.arrays().items()}

    def save(self) -> tuple[dict[str, np.ndarray], dict]:
        """Return the state as numpy arrays, with plain notes."""
        arrays = {name: to_numpy(array) for name, array in self.arrays().items()} | {"history": np.array(self.rows)}
        return arrays, {"step": self.step, "best_row": self.best_row, "stopped": self.stopped}

    def load(self, stored: dict[str, np.ndarray], notes: dict, evaluate_every: int) -> None:
        """Set the state to one that `save` returned; a last row out of turn is dropped, as a longer run would not have it."""
        for name, array in self.arrays().items():
            array[...] = like(stored[name], array)
        self.rows = [(int(row[0]), *row[1:]) for row in stored["history"].tolist()]
        self.optimizer.steps, self.best_row, self.stopped = notes["step"], notes["best_row"], notes["stopped"]
        if self.stopped is None and self.step % evaluate_every:
            self.rows.pop()

    def due(self, options: Options) -> bool:
        """Return whether this step is to be evaluated, and has not been."""
        evaluated = bool(self.rows) and self.rows[-1][0] == self.step
        in_turn = self.step % options.evaluate_every == 0
        return self.stopped is None and not evaluated and (in_turn or self.step >= options.steps)

    def ended(self, options: Options) -> bool:
        """Return whether no step follows."""
        return self.stopped is not None or self.step >= options.steps

    def keep_if_best(self, column: int, patience: int | None) -> None:
        """Keep the parameters of the last row if none is lower in a column; else stop once patience is lost."""
        last = len(self.rows) - 1
        if self.rows[last][column] < self.rows[self.best_row][column]:
            self.best, self.best_row = copied(self.parameters), last
        elif patience is not None and last - self.best_row >= patience:
            self.stopped = "patience"
