"""Run every benchmark, each in a process of its own, one after the other; print a table, and record it.

    python -m benchmarks [NAME [OPTION ...]]

With a name, that benchmark runs alone, here, and its rows are printed as JSON.

Times on a shared machine wander; the *ratios* of things timed side by side, round by round, do much less. Each benchmark
therefore alternates its contestants and reports medians.
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from experiments.machine import machine

# A process each, so that one's peak memory is not the other's.
PARTS = "reading step size training margin scale site front".split()
OUTPUT = Path("data/benchmarks.json")


def main():
    rows = []
    for part in PARTS:
        print(f"{part} ...", flush=True)
        done = subprocess.run([sys.executable, "-m", "benchmarks", part], stdout=subprocess.PIPE, text=True, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
    width = max(len(row["what"]) for row in rows)
    for row in rows:
        goal = f"   goal {row['goal']}" if "goal" in row else ""
        print(f"{row['what']:{width}}  {row['value']:>12,.4g} {row['unit']}{goal}")
    OUTPUT.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"recorded in {OUTPUT}")


if __name__ == "__main__":
    if sys.argv[1:]:
        name, *options = sys.argv[1:]
        print(json.dumps(import_module(f"benchmarks.{name}").measure(*options)))
    else:
        main()
