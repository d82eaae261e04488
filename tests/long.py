"""Run the tests that `make test` leaves out, part by part, and record how long each part takes.

python tests/long.py [part ...]        (default: all, one after another)
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent
TIMES = TESTS.parent / "data" / "long_times.json"
PLACES = {"flow": TESTS / "theory" / "flow", "pages": TESTS / "site"}
PARTS = [*PLACES, "rest"]  # what lies nowhere else, so that no test is left out


def run(part: str) -> bool:
    """Run a part on all cores, say how long it took, and record that if every test passed."""
    began = time.monotonic()
    places = [PLACES[part]] if part in PLACES else [TESTS, *(f"--ignore={place}" for place in PLACES.values())]
    command = f"{sys.executable} -m pytest -p no:nbval -m long -n {os.cpu_count()} --dist worksteal --durations 10".split()
    passed = subprocess.run([*command, *places]).returncode == 0
    minutes = round((time.monotonic() - began) / 60, 1)
    print(f"long tests, {part}: {minutes} minutes, {'passed' if passed else 'FAILED'}", flush=True)
    if passed:
        record(part, minutes)
    return passed


def record(part: str, minutes: float) -> None:
    """Write down how long a part took on this machine."""
    sys.path.append(str(TESTS.parent))
    from experiments.machine import machine

    times = json.loads(TIMES.read_text("utf-8")) | {part: {"minutes": minutes} | machine() | {"cores": os.cpu_count()}}
    TIMES.write_text(json.dumps({name: times[name] for name in PARTS if name in times}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(not all([run(part) for part in sys.argv[1:] or PARTS]))
