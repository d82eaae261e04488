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
PLACES = {
    "flow": ["theory/flow"],
    "arguments": ["faults/test_arguments.py"],
    "damage": ["faults/test_damage.py"],
    "kills": ["faults/test_kills.py"],
    "processes": ["scale/test_distributed.py"],
    "pages": ["site"],
}
PARTS = [*PLACES, "rest"]


def selection(part: str) -> list[str]:
    """Return pytest's arguments for a part; the rest is what lies nowhere else, so that no test is left out."""
    if part == "rest":
        return [str(TESTS), *(f"--ignore={TESTS / place}" for places in PLACES.values() for place in places)]
    return [str(TESTS / place) for place in PLACES[part]]


def run(part: str) -> bool:
    """Run a part on all cores, say how long it took, and record that if every test passed."""
    began = time.monotonic()
    command = f"{sys.executable} -m pytest -m long -n {os.cpu_count()} --dist worksteal --durations 10".split()
    passed = subprocess.run([*command, *selection(part)]).returncode == 0
    minutes = round((time.monotonic() - began) / 60, 1)
    print(f"long tests, {part}: {minutes} minutes, {'passed' if passed else 'FAILED'}", flush=True)
    if passed:
        record(part, minutes)
    return passed


def record(part: str, minutes: float) -> None:
    """Write down how long a part took on this machine."""
    sys.path.append(str(TESTS.parent))
    from experiments.machine import machine

    times = json.loads(TIMES.read_text("utf-8")) if TIMES.exists() else {}
    times[part] = {"minutes": minutes} | machine() | {"cores": os.cpu_count()}
    TIMES.write_text(json.dumps({name: times[name] for name in PARTS if name in times}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(not all([run(part) for part in sys.argv[1:] or PARTS]))
