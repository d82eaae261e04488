"""On which machine something was recorded."""

import os
import platform
from datetime import date
from pathlib import Path

from tokensel_nb.arrays import gpu
from tokensel_nb.extras import device_name, installed


def machine() -> dict:
    """Return what a reader needs to know of this machine: processor, cores used, GPU, versions, today's date."""
    cores = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())
    facts = {"processor": processor(), "cores": cores, "python": platform.python_version()}
    if gpu():
        facts["gpu"] = device_name()
    return facts | installed("torch") | {"date": date.today().isoformat()}


def processor() -> str:
    """Name the processor, as Linux does where it can."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
