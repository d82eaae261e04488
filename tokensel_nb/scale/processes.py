"""The processes that share a run: torchrun starts them, torch connects them, and they tell each other what all need to know."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..support.arrays import is_torch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from ..support.arrays import Array


@dataclass(frozen=True)
class Processes:
    """The processes that share the texts of a run; by default this one alone.

    Parameters
    ----------
    rank : int
        The number of this process, from 0.
    size : int
        How many there are.
    group : torch.distributed.ProcessGroup, optional
        Through which they tell each other plain values; by default the one of the sums.

    Examples
    --------
    >>> Processes().summed(np.arange(3.0)).tolist()
    [0.0, 1.0, 2.0]
    """

    rank: int = 0
    size: int = 1
    group: object = field(default=None, repr=False, compare=False)

    @staticmethod
    def joined(patience: timedelta | None = None) -> Processes:
        """Join the other processes that torchrun started, or those of torch's process group where there is one already.

        Parameters
        ----------
        patience : timedelta, optional
            How long one may let the others wait; by default as long as torch allows, half an hour between processors.

        Returns
        -------
        Processes
            This one alone, and without torch, where nothing of the kind is found.

        Examples
        --------
        >>> Processes.joined()
        Processes(rank=0, size=1)
        """
        if "torch.distributed" not in sys.modules and "TORCHELASTIC_RUN_ID" not in os.environ:
            return Processes()
        import torch
        from torch import distributed

        if not distributed.is_initialized():
            if "TORCHELASTIC_RUN_ID" not in os.environ:
                return Processes()
            if int(os.environ["LOCAL_RANK"]) < torch.cuda.device_count():
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # a GPU each: "cuda" is that one from now on
            distributed.init_process_group(**_fresh_store())  # gloo between processors, NCCL between GPUs
            atexit.register(distributed.destroy_process_group)
        group = patience and distributed.new_group(timeout=patience, backend="gloo")
        return Processes(distributed.get_rank(), distributed.get_world_size(), group)

    def summed(self, array: Array) -> Array:
        """Return the sum of what every process gives: the same numbers, to the last bit, in all of them.

        Parameters
        ----------
        array : array
            Of the same shape in every process; overwritten.

        Returns
        -------
        array
        """
        if self.size == 1:
            return array
        import torch
        from torch import distributed

        array = array.contiguous() if is_torch(array) else np.ascontiguousarray(array)
        distributed.all_reduce(array if is_torch(array) else torch.from_numpy(array))  # which shares the memory
        return array

    def each(self, value) -> Iterator:
        """Yield what every process says, by its number; all go through all of it, and none holds more than one at a time.

        Parameters
        ----------
        value : object
            What this process says: plain values, lists and dicts of them.

        Yields
        ------
        object

        Examples
        --------
        >>> list(Processes().each("good"))
        ['good']
        """
        for rank in range(self.size):
            said = [value if rank == self.rank else None]
            if self.size > 1:
                from torch import distributed

                distributed.broadcast_object_list(said, rank, self.group)
            yield said[0]

    @contextmanager
    def together(self):
        """At the end of a block wait for the others; what one of them fails with in it, all fail with.

        Raises
        ------
        RuntimeError
            It names the process that failed, and how; in that process it is the error itself.

        Examples
        --------
        >>> with Processes().together():
        ...     print("done")
        done
        """
        failure = None
        try:
            yield
        except Exception as error:
            failure = error
        told = list(self.each(failure and f"{type(failure).__name__}: {failure}"))
        if failure:
            raise failure
        for rank, reason in enumerate(told):
            if reason:
                raise RuntimeError(f"process {rank} failed: {reason}")

    def check_agreement(self, facts: dict) -> None:
        """Raise a ValueError unless all processes say the same.

        Parameters
        ----------
        facts : dict
            Plain values under their names.

        Raises
        ------
        ValueError
            It names a process, what differs, and both sides.
        """
        found = list(self.each(facts))
        for rank, others in enumerate(found):
            for name, value in found[0].items():
                if others[name] != value:
                    raise ValueError(
                        f"process {rank} has {name}={others[name]!r}, but process 0 has {value!r}; "
                        "give all processes the same corpus, start, options and checkpoint"
                    )


def _fresh_store():
    """Return where the processes of this attempt find each other.

    In the store of a torchrun that has started them anew they would find the addresses of the dead (issue 135712 of
    pytorch). One machine's torchrun counts the attempts; those of several may count differently, and want
    TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in their environment.
    """
    given = os.environ
    if given["GROUP_WORLD_SIZE"] != "1" or given.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        return {}
    from torch.distributed import PrefixStore, TCPStore

    store = TCPStore(given["MASTER_ADDR"], int(given["MASTER_PORT"]), is_master=False)
    attempt = PrefixStore(f"attempt {given['TORCHELASTIC_RESTART_COUNT']}", store)
    return dict(store=attempt, rank=int(given["RANK"]), world_size=int(given["WORLD_SIZE"]))


ALONE = Processes()
