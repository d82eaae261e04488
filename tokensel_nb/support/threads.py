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
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from contextvars import copy_context
from functools import lru_cache, partial, singledispatch
from itertools import chain
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
    here = local()  # .number: of torch's threads, outside of all calls of this Python thread; .blocks: see `blocks_alone`

    def __init__(self, numbers):
        self.small = numbers < LARGE

    def __enter__(self):
        """Set the numbers of threads."""
        self.torch = sys.modules.get("torch")  # where it is not loaded, nobody computes with it
        if self.torch is not None:
            self.before, self.above = self.torch.get_num_threads(), getattr(self.here, "number", None)
            self.blocks = getattr(self.here, "blocks", None)
            self.here.blocks = None if self.small else self.blocks
            self.here.number = self.above or self.before
            self._set_torch(1 if self.small else self.here.number, self.before)
        self.settings = [_of_blas] * self.small + [_of_products] * (self.torch is not None)
        with self.lock:
            for each in self.settings:
                to_set = [(put, now, wanted) for put, now, wanted in each() if now not in (wanted, "none")]
                for put, _, wanted in to_set:  # in a nested call, too: some builds of OpenBLAS have a number for every thread
                    put(wanted)
                if not self.at_work[each]:
                    self.found[each] = to_set
                self.at_work[each] += 1

    def __exit__(self, *_):
        """Set them back, whatever happened."""
        with self.lock:
            for each in self.settings:
                self.at_work[each] = max(self.at_work[each] - 1, 0)  # 0 in a child that was forked meanwhile
                if not self.at_work[each]:
                    for put, before, _ in self.found.pop(each, ()):
                        put(before)
        if self.torch is not None:
            self._set_torch(self.before, self.torch.get_num_threads())
            self.here.number, self.here.blocks = self.above, self.blocks

    def _set_torch(self, number, now):
        if number != now:
            self.torch.set_num_threads(number)


@contextmanager
def blocks_alone():
    """Let torch compute on one thread, and only `by_blocks` on as many as it was to use.

    Torch's other threads, once they have worked, wait for more in a loop, on the cores that the next blocks need.
    """
    torch, here = sys.modules.get("torch"), threads_for.here
    number = torch.get_num_threads() if torch else 1
    if number == 1:
        yield
        return
    here.blocks = number
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(number)
        here.blocks = None


def by_blocks(function, cuts) -> list:
    """Return a function of every slice between two cuts, in order, computed by as many threads as the user lets compute.

    Each of them is one thread of BLAS and of torch, and the cuts do not depend on how many there are: neither do the results.
    Worth it for what releases Python's lock, as products of NumPy, SciPy and torch do.
    """
    slices = list(map(slice, cuts[:-1], cuts[1:]))
    workers, results, left = min(_number(), len(slices)), [None] * len(slices), deque(enumerate(slices))

    def work(context, modes):
        with threads_for(0), modes:
            try:
                for place, block in _taken(left):
                    results[place] = context.run(function, block)
            except BaseException:
                left.clear()  # nobody begins another
                raise

    with threads_for(0):
        others = []
        try:
            with suppress(RuntimeError):  # where no thread can start, as when Python ends, this one does all
                for _ in range((workers - 1) * HAS_THREADS):
                    others.append(_pool().submit(work, copy_context(), _modes()))
            work(copy_context(), nullcontext())  # with what NumPy is to warn of
        finally:
            begun = [other for other in others if not other.cancel()]
            wait(begun)  # none goes on when this is over
        for other in begun:
            other.result()  # raises what went wrong there
    return results


def _taken(left):
    """Yield the first of what is left, whoever else takes of it."""
    with suppress(IndexError):
        while True:
            yield left.popleft()


def _modes():
    """Return a context in which another thread treats tensors as this one does."""
    torch = sys.modules.get("torch")
    return torch.inference_mode(torch.is_inference_mode_enabled()) if torch else nullcontext()


@lru_cache(maxsize=1)
def _pool():
    return ThreadPoolExecutor(os.cpu_count())


def _after_fork():
    """Forget, in a child, the threads that only its parent has, and what their calls had set."""
    _pool.cache_clear()
    threads_for.lock = Lock()
    for put, before, _ in chain(*threads_for.found.values()):
        put(before)
    threads_for.at_work.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _number():
    """Return how many threads the user lets compute here: those of torch where it is loaded, else those of BLAS."""
    torch = sys.modules.get("torch")
    if torch:
        return getattr(threads_for.here, "blocks", None) or torch.get_num_threads()
    return max([each.num_threads for each in _libraries(len(sys.modules))], default=1)


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
    return [(partial(_set_precision, each), each.fp32_precision, "ieee") for each in of_kinds]


def _set_precision(backend, name):
    backend.fp32_precision = "none"  # as wide as the setting of all is: what was so before stays so
    if backend.fp32_precision != name:
        backend.fp32_precision = name


@lru_cache(maxsize=1)
def _libraries(modules):
    """Return the BLAS libraries that are loaded; looked for again when more modules are, as it takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers
