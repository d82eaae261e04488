"""Record all that the book shows recorded: what is left of it, part by part, as many at once as there are cores.

    python -m experiments [part ...]        (these parts, in this process; default: all that are left)

A run that was interrupted goes on where it stopped: the parts that are done stand in `_build/recording` until all are.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from .recording import run

MODULES = (
    "reviews review_controls ablations controls deeper_reviews classes pairs your_data scale error_level "
    "trained_head from_zero dimension several outliers two_heads front_page transformers small_start first_steps "
    "language_first language_training encoder_heads others"
)
ALONE = {"scale_tensors", "others"}  # what measures time has the machine to itself
PROGRESS = Path(__file__).parents[1] / "_build" / "recording"


def parts() -> dict:
    """Return every part by its name: a function without arguments that returns what is recorded."""
    return {name: part for module in MODULES.split() for name, part in import_module(f"experiments.{module}").RECORDS.items()}


def record_part(name) -> bool:
    """Record a part in a process of its own, and say how it went; its output goes to a file."""
    log, done = PROGRESS / f"{name}.log", PROGRESS / f"{name}.done"
    with log.open("w", encoding="utf-8") as file:
        failed = subprocess.run([sys.executable, "-m", "experiments", name], stdout=file, stderr=file).returncode
    if failed:
        print(f"{name} FAILED: see {log.relative_to(PROGRESS.parents[1])}", flush=True)
    else:
        done.touch()
        print(f"{name} is recorded", flush=True)
    return not failed


def record_rest(names, cores) -> bool:
    """Record all parts that are not done, and return whether all is recorded now."""
    PROGRESS.mkdir(parents=True, exist_ok=True)
    left = [name for name in names if not (PROGRESS / f"{name}.done").exists()]
    print(f"{len(left)} of {len(names)} parts are left, on {cores} cores", flush=True)
    with ThreadPoolExecutor(cores) as pool:
        went = list(pool.map(record_part, [name for name in left if name not in ALONE]))
    went += [record_part(name) for name in left if name in ALONE]
    if recorded := all(went):
        shutil.rmtree(PROGRESS)
    return recorded


def main(names) -> int:
    """Record what is named, or the rest of all."""
    known = parts()
    if unknown := sorted(set(names) - known.keys()):
        print(f"error: there is no part {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if names:
        run(known, names)
        return 0
    return int(not record_rest(known, os.cpu_count()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
