"""Run tests as six processors would compute, and notebooks once more from a start moved by one unit in the last place.

    python book/_tools/portable.py [--as SETTING] ... COMMAND       (of pytest; all that differ, where none is named)

Processors add in other orders and round elementary functions differently: numpy, OpenBLAS, torch and MKL choose by the
processor what they run. They can be told to choose otherwise, so that one machine computes as several would. Digests of what
each setting computes are shown first, for a processor may ignore some. What is stored or tested must not hang on any of them.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REPORTS = ROOT / "_build" / "portable"
INSTRUCTIONS = np.show_config(mode="dicts")["SIMD Extensions"]  # by numpy's names
FOUND = INSTRUCTIONS.get("found", [])  # here, beyond those that every processor of the kind has
BEYOND_SSE, BEYOND_AVX2 = " ".join(FOUND), " ".join(name for name in FOUND if name != "X86_V3")

SETTINGS = {
    "this": dict(),
    "avx512": dict(OPENBLAS_CORETYPE="SKYLAKEX", ATEN_CPU_CAPABILITY="avx512", MKL_CBWR="AVX512"),
    "avx2": dict(
        OPENBLAS_CORETYPE="HASWELL", ATEN_CPU_CAPABILITY="avx2", MKL_CBWR="AVX2", NPY_DISABLE_CPU_FEATURES=BEYOND_AVX2
    ),
    "avx": dict(  # no fused multiplication and addition
        OPENBLAS_CORETYPE="SANDYBRIDGE", ATEN_CPU_CAPABILITY="default", MKL_CBWR="AVX", NPY_DISABLE_CPU_FEATURES=BEYOND_SSE
    ),
    "sse": dict(
        OPENBLAS_CORETYPE="NEHALEM", ATEN_CPU_CAPABILITY="default", MKL_CBWR="COMPATIBLE", NPY_DISABLE_CPU_FEATURES=BEYOND_SSE
    ),
    "threads": dict(OMP_NUM_THREADS="3"),
}  # fmt: skip
NEEDED = dict(avx512="X86_V4", avx2="X86_V3", avx="X86_V2", sse="X86_V2")  # or the setting's instructions do not run here
MOVED = dict(moved=dict(PYTHONPATH=str(HERE / "moved_start")))  # see there; for notebooks alone


class Outcome(NamedTuple):
    """What a setting's tests came to."""

    ran: int
    failed: list[str]
    seconds: float


def possible() -> list[str]:
    """Return the names of the settings that this processor can compute as."""
    return [name for name in SETTINGS if name not in NEEDED or NEEDED[name] in INSTRUCTIONS["baseline"] + FOUND]


def environment(name: str) -> dict[str, str]:
    """Return the environment of a setting's processes."""
    return os.environ | {"OMP_NUM_THREADS": "1"} | (SETTINGS | MOVED)[name]


def digests() -> list[str]:
    """Return a digest each of what numpy's functions, its products and sums, torch's functions, its products and sums give."""
    import torch

    random = np.random.default_rng(0)
    x, A = random.standard_normal(200_000), random.standard_normal((1000, 1000))  # large enough for several threads
    t, T = torch.tensor(x), torch.tensor(A)
    told = (
        [np.exp(x), np.tanh(x), np.exp(x.astype("f4"))],
        [A @ A, A @ A[0], A.astype("f4") @ A.astype("f4"), x @ x, x.sum()],
        [t.exp(), t.float().exp(), T.softmax(0)],
        [T @ T, T @ T[0], T.float() @ T.float(), t @ t, t.sum()],
    )
    return [hashlib.sha1(b"".join(np.ascontiguousarray(each).tobytes() for each in group)).hexdigest()[:6] for group in told]


def computed(name: str) -> str:
    """Return the digests of what a process computes under a setting."""
    command = [sys.executable, "-c", "import portable; print(*portable.digests())"]
    done = subprocess.run(command, cwd=HERE, env=environment(name), stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def different(names: list[str]) -> list[str]:
    """Print what each setting computes, and return those that compute as none before them does."""
    found, kept = {name: computed(name) for name in names}, {}
    print("digests of numpy's functions, its products, torch's functions, its products:")
    for name, digest in found.items():
        same = kept.setdefault(digest, name)
        print(f"  {name:8} {digest}" + (f"  as {same}" if same != name else ""))
    print(f"{len(kept)} of {len(SETTINGS)} settings compute differently on this processor", flush=True)
    return list(kept.values())


def run(name: str, command: list[str]) -> Outcome:
    """Run tests under a setting."""
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    began = time.monotonic()
    command = [*command, f"--junitxml={report}", *(["-k", "ipynb and not test_"] if name in MOVED else [])]
    status = subprocess.run(command, cwd=ROOT, env=environment(name)).returncode
    cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    failed = [
        f"{case.get('classname')}: {case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return Outcome(len(cases), failed or [f"pytest ended with status {status}"] * bool(status), time.monotonic() - began)


def main(names: list[str], command: list[str]) -> int:
    """Run tests under settings, those that differ where none is named, and print what failed; return 1 if anything did."""
    own = different(possible())
    outcomes = {}
    for name in names or [*own, *MOVED]:
        print(f"== {name}", flush=True)
        outcomes[name] = run(name, command)
    print(f"{'setting':8} {'failed':>6} {'of':>6} {'seconds':>8}")
    for name, (ran, failed, seconds) in outcomes.items():
        print(f"{name:8} {len(failed):6} {ran:6,} {seconds:8.0f}", *failed, sep="\n    ")
    return int(any(outcome.failed for outcome in outcomes.values()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--as", dest="names", action="append", choices=[*possible(), *MOVED])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    raise SystemExit(main(given.names or [], given.command))
