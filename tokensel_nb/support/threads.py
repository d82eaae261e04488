"""How many threads work is worth: small work runs on one, whatever the machine has.

NumPy's BLAS and torch cut a product of a few thousand numbers into parts, one a core. If another program occupies one of the
cores, the finished parts wait for that one until the scheduler comes round: some 8 ms, product after product, where one core
takes microseconds for the whole. So the number of threads is chosen by the size of the work, within the call, and is the user's
own again afterwards.
"""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, singledispatch
from threading import Lock, local

import numpy as np

from .arrays import is_torch
from .runtime import HAS_THREADS

LARGE = 2**23  # numbers; one core goes through so many in two milliseconds or more, and so hardly waits longer than it computes


@singledispatch
def numbers_in(thing) -> int:
    """Return how many numbers an argument brings to compute with; classes other than arrays that bring some register."""
    return math.prod(thing.shape) if isinstance(thing, np.ndarray) or is_torch(thing) else 0


class threads_for:
    """Compute on one thread if the work is small, else on as many as the user has set: ``with threads_for(how_many_numbers):``.

    Of torch, whose number belongs to a Python thread, the innermost of several nested calls decides; of BLAS, whose number
    belongs to the process, one thread is used as long as any small work goes on.
    """

    lock, at_work, limited = Lock(), 0, ()  # of BLAS: how many calls compute on one thread, and what to set back
    here = local()  # .number: of torch's threads, outside of all calls of this Python thread

    def __init__(self, numbers):
        self.small = numbers < LARGE

    def __enter__(self):
        """Set the numbers of threads."""
        self.torch = sys.modules.get("torch")  # where it is not loaded, nobody computes with it
        if self.torch is not None:
            self.before, self.above = self.torch.get_num_threads(), getattr(self.here, "number", None)
            self.here.number = self.above or self.before
            self._set_torch(1 if self.small else self.here.number, self.before)
        if self.small:
            with self.lock:
                if not threads_for.at_work:
                    libraries = _libraries(len(sys.modules))
                    threads_for.limited = [(blas, number) for blas in libraries if (number := blas.num_threads) != 1]
                    set_threads((library, 1) for library, _ in self.limited)
                threads_for.at_work += 1

    def __exit__(self, *_):
        """Set them back, whatever happened."""
        if self.small:
            with self.lock:
                threads_for.at_work -= 1
                if not threads_for.at_work:
                    set_threads(self.limited)
        if self.torch is not None:
            self._set_torch(self.before, self.torch.get_num_threads())
            self.here.number = self.above

    def _set_torch(self, number, now):
        if number != now:
            self.torch.set_num_threads(number)


def by_blocks(function, cuts) -> list:
    """Return a function of every slice between two cuts, in order, computed by as many threads as the user lets compute.

    Each of them is one thread of BLAS and of torch, and the cuts do not depend on how many there are: neither do the results.
    Worth it for what releases Python's lock, as products of NumPy, SciPy and torch do.
    """
    slices, workers = list(map(slice, cuts[:-1], cuts[1:])), _number()

    def alone(block, context):
        with threads_for(0):
            return context.run(function, block)

    with threads_for(0):
        if workers == 1 or len(slices) < 2 or not HAS_THREADS:
            return list(map(function, slices))
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(alone, slices, [copy_context() for _ in slices]))  # with what NumPy is to warn of


def _number():
    """Return how many threads the user lets compute here: those of torch where it is loaded, else those of BLAS."""
    torch = sys.modules.get("torch")
    return torch.get_num_threads() if torch else max([each.num_threads for each in _libraries(len(sys.modules))], default=1)


def set_threads(numbers):
    """Set how many threads each BLAS library uses, given pairs of a library and a number."""
    for library, number in numbers:
        library.set_num_threads(number)
        if hasattr(library, "clear_controlling_thread"):  # or only this Python thread could set it from now on
            library.clear_controlling_thread()


@lru_cache(maxsize=1)
def _libraries(modules):
    """Return the BLAS libraries that are loaded; looked for again when more modules are, as it takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers
