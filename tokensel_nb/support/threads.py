"""How many threads work is worth: small work runs on one, whatever the machine has. And that torch multiplies exactly.

NumPy's BLAS and torch cut a product of a few thousand numbers into parts, one a core. If another program occupies one of the
cores, the finished parts wait for that one until the scheduler comes round: some 8 ms, product after product, where one core
takes microseconds for the whole. So the number of threads is chosen by the size of the work, within the call, and is the user's
own again afterwards.

Torch can be set to multiply float32 in TF32 or bfloat16, with 10 or 7 bits behind the point, and some containers for GPUs do
so. No result may depend on that, nor how a run goes on from a checkpoint: each call sets it to float32, and then back.
"""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import lru_cache, partial, singledispatch
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
    belongs to the process, one thread is used as long as any small work goes on. So are products exact, in the whole process.
    """

    lock, at_work, found = Lock(), Counter(), {}  # of settings of the process: how many calls need each, and what was set
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
        self.settings = [_of_blas] * self.small + [_of_products] * (self.torch is not None)
        with self.lock:
            for each in self.settings:
                if not self.at_work[each]:
                    self.found[each] = [(put, now, wanted) for put, now, wanted in each() if now not in (wanted, "none")]
                    for put, _, wanted in self.found[each]:
                        put(wanted)
                self.at_work[each] += 1

    def __exit__(self, *_):
        """Set them back, whatever happened."""
        with self.lock:
            for each in self.settings:
                self.at_work[each] -= 1
                if not self.at_work[each]:
                    for put, before, _ in self.found[each]:
                        put(before)
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
    slices = list(map(slice, cuts[:-1], cuts[1:]))
    workers, results, left = min(_number(), len(slices)), [None] * len(slices), iter(enumerate(slices))

    def work(context):
        with threads_for(0):
            for place, block in left:  # whoever is free takes the next
                results[place] = context.run(function, block)

    with threads_for(0):
        others = [_pool().submit(work, copy_context()) for _ in range(workers - 1)] if HAS_THREADS else []
        try:
            work(copy_context())  # with what NumPy is to warn of
        finally:
            begun = [other for other in others if not other.cancel()]
            wait(begun)  # none goes on when this is over
        for other in begun:
            other.result()  # raises what went wrong there
    return results


@lru_cache(maxsize=1)
def _pool():
    return ThreadPoolExecutor(os.cpu_count())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # it would wait for threads that only its parent has


def _number():
    """Return how many threads the user lets compute here: those of torch where it is loaded, else those of BLAS."""
    torch = sys.modules.get("torch")
    return torch.get_num_threads() if torch else max([each.num_threads for each in _libraries(len(sys.modules))], default=1)


def set_threads(library, number):
    """Set how many threads a BLAS library uses."""
    library.set_num_threads(number)
    if hasattr(library, "clear_controlling_thread"):  # or only this Python thread could set it from now on
        library.clear_controlling_thread()


def _of_blas():
    """Return functions that set something, what it is, and what it shall be; "none" is nobody's wish, and all right."""
    return [(partial(set_threads, library), library.num_threads, 1) for library in _libraries(len(sys.modules))]


def _of_products():
    backends = sys.modules["torch"].backends
    if not hasattr(backends, "fp32_precision"):  # before torch 2.9, which forbids to mix both names
        return [(partial(setattr, backends.cuda.matmul, "allow_tf32"), backends.cuda.matmul.allow_tf32, False)]
    of_kinds = backends.cuda.matmul, backends.mkldnn.matmul
    return [(partial(setattr, each, "fp32_precision"), each.fp32_precision, "ieee") for each in of_kinds]


@lru_cache(maxsize=1)
def _libraries(modules):
    """Return the BLAS libraries that are loaded; looked for again when more modules are, as it takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers
