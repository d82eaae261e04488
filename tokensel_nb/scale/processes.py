"""The processes that share a run: torchrun starts them, torch connects them, and they tell each other what all need to know."""

from __future__ import annotations

import atexit
import os
import platform
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..support.arrays import is_torch
from ..support.extras import torch
from ..support.runtime import default_device

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from ..support.arrays import Array


@dataclass(frozen=True)
class Processes:
    """The processes that share the texts of a run; by default this one alone."""

    rank: int = 0
    size: int = 1
    group: object = field(default=None, repr=False, compare=False)  # of plain values; None stands for the one of the sums

    @staticmethod
    def joined(patience: timedelta | None = None) -> Processes:
        """Join the processes of torchrun, or of torch's group; ``patience`` is how long they wait for each other's values."""
        launched, loaded = "TORCHELASTIC_RUN_ID" in os.environ, sys.modules.get("torch.distributed")
        if not launched and not (loaded and loaded.is_initialized()):
            return Processes()  # without importing torch
        if not torch.distributed.is_initialized():
            if int(os.environ["LOCAL_RANK"]) < torch.cuda.device_count():
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # a GPU each: "cuda" is that one from now on
            torch.distributed.init_process_group(**fresh_store())  # gloo between processors, NCCL between GPUs
            atexit.register(torch.distributed.destroy_process_group)
        group = patience and torch.distributed.new_group(timeout=patience, backend="gloo")
        return Processes(torch.distributed.get_rank(), torch.distributed.get_world_size(), group)

    def summed(self, array: Array) -> Array:
        """Return the sum of an array over all processes, the same to the last bit in each; the array is overwritten."""
        if self.size == 1:
            return array
        array = array.contiguous() if is_torch(array) else np.ascontiguousarray(array)
        tensor = array if is_torch(array) else torch.from_numpy(array)  # which shares the memory
        sums = tensor.cuda() if torch.distributed.get_backend() == "nccl" else tensor  # a group of the user's, for GPUs alone
        torch.distributed.all_reduce(sums)
        if sums is not tensor:
            tensor.copy_(sums)
        return array

    def each(self, value) -> Iterator:
        """Yield the plain value that each process gives, by rank; all go through all of them, and hold one at a time."""
        for rank in range(self.size):
            values = [value if rank == self.rank else None]
            if self.size > 1:
                torch.distributed.broadcast_object_list(values, rank, self.group)
            yield values[0]

    @contextmanager
    def together(self):
        """Wait for the others at the end of a block; if one fails in it all fail, the others with its rank and reason."""
        failure = None
        try:
            yield
        except Exception as error:
            failure = error
        reasons = list(self.each(failure and f"{type(failure).__name__}: {failure}"))
        if failure:
            raise failure
        for rank, reason in enumerate(reasons):
            if reason:
                raise RuntimeError(f"process {rank} failed: {reason}")

    def check_devices(self, device: str) -> None:
        """Raise a ValueError if two processes would compute on one GPU, where NCCL cannot connect them."""
        place, device = self.rank, default_device() if device == "auto" else device
        if self.size > 1 and device.startswith("cuda"):
            index, known = torch.device(device).index, map(os.environ.get, ("GROUP_RANK", "CUDA_VISIBLE_DEVICES"))
            place = platform.node(), *known, torch.cuda.current_device() if index is None else index
        if len(set(self.each(place))) < self.size:
            advice = "start at most one for each (torchrun --nproc-per-node), or give device='cpu'"
            raise ValueError(f"two of the {self.size} processes would compute on the same GPU; {advice}")

    def check_agreement(self, facts: dict) -> None:
        """Raise a ValueError that names what differs, unless all processes give the same plain values under the same names."""
        first, *others = self.each(facts)
        for rank, theirs in enumerate(others, 1):
            for name, value in first.items():
                if theirs[name] != value:
                    difference = f"process {rank} has {name}={theirs[name]!r}, but process 0 has {value!r}"
                    raise ValueError(f"{difference}; give all processes the same corpus, start, options and checkpoint")


def fresh_store():
    """Return the arguments by which the processes of this attempt find each other."""
    # In the store of a torchrun that has started them anew they would find the addresses of the dead. One machine's torchrun
    # counts the attempts; those of several may count differently, and want TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1.
    given = os.environ
    if given["GROUP_WORLD_SIZE"] != "1" or given.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        return {}
    from torch.distributed import PrefixStore, TCPStore

    store = TCPStore(given["MASTER_ADDR"], int(given["MASTER_PORT"]), is_master=False)
    attempt = PrefixStore(f"attempt {given['TORCHELASTIC_RESTART_COUNT']}", store)
    return dict(store=attempt, rank=int(given["RANK"]), world_size=int(given["WORLD_SIZE"]))


ALONE = Processes()
