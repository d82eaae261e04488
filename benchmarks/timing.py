"""How things are timed here."""

import subprocess
import sys
import time
from statistics import median

import psutil


def alternate(*contestants, rounds):
    """Time the contestants in turn, round after round; return the median seconds of each.

    A slow moment of the machine then hits all of them alike.
    """
    seconds = [[] for _ in contestants]
    for _ in range(rounds):
        for contestant, of_contestant in zip(contestants, seconds):
            start = time.perf_counter()
            contestant()
            of_contestant.append(time.perf_counter() - start)
    return [median(of_contestant) for of_contestant in seconds]


def told_by(code, *arguments):
    """Return the numbers in the last line that a Python of its own prints."""
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def peak_memory():
    """Return the largest memory that this process has held, in bytes."""
    info = psutil.Process().memory_info()
    if hasattr(info, "peak_wset"):  # Windows
        return info.peak_wset
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def row(what, value, unit, goal=None):
    """Make a row of the recorded table."""
    return {"what": what, "value": float(f"{value:.4g}"), "unit": unit} | ({"goal": goal} if goal else {})
