"""Run calls in a process of their own, one after another, and say what came of each.

`python tests/faults/judge.py 0 1` tries every case of the salt 0, and tells those that are wrong, and how many came out how. A
forked worker prints a line of JSON before and after each case; where it hangs or dies, that is the verdict, and another
worker goes on behind it. (Processes are forked: this runs on Linux and macOS.)
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import faulthandler
import hashlib
import json
import linecache
import os
import resource
import select
import signal
import sys
import traceback
import warnings
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
os.environ |= {"TQDM_DISABLE": "1", "OMP_NUM_THREADS": "1"}
sys.path.insert(0, str(HERE))

import mutations  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import twins  # noqa: E402
from scipy import sparse  # noqa: E402

import tokensel_nb as ts  # noqa: E402

SECONDS = 10  # of the processor, for a call that takes some milliseconds
WALL = 120  # seconds without any word of a worker
ROOM = 3 << 30  # bytes more than a worker has at its start
LONGEST = 300  # characters of a message
PACKAGES = {name: str(Path(find_spec(name).origin).parent) for name in ("tokensel_nb", "sklearn")}
GOOD, COLUMNS = ("fine", "clear error"), ("raw traceback", "silent", "hang", "crash")


class TooSlowError(BaseException):
    """A call has used up its time; no `except Exception` may catch it."""


def all_cases(salts=(0,)):
    """Yield (twin, argument, number, label, salt) of every case, in their order."""
    for salt in salts:
        for name, twin in twins.twins(np.random.default_rng(salt)).items():
            for argument, kind in twin.kinds.items():
                for number, bad in enumerate(kind(twin.arguments[argument], np.random.default_rng([salt, 1]))):
                    yield name, argument, number, bad.label, salt


class Worker:
    """Makes cases and judges them; what several of them share is made once."""

    def __init__(self):
        self.salt, self.made, self.results = None, {}, {}

    def judge(self, name, argument, number, salt):
        """Return the verdict on a case, and what there is to say of it."""
        if salt != self.salt:
            self.salt, self.made, self.results = salt, twins.twins(np.random.default_rng(salt)), {}
        twin = self.made[name]
        valid = own(twin.arguments[argument]) if twin.changes else twin.arguments[argument]
        bads = twin.kinds[argument](valid, np.random.default_rng([salt, 1]))
        bad = next(bad for place, bad in enumerate(bads) if place == number)
        if name not in self.results:
            self.results[name] = called(twin, twin.arguments)
            assert self.results[name][1] is None, f"the twin {name} fails: {self.results[name][1]!r}"
        result, error = called(twin, twin.arguments, argument, bad)
        names = (*bad.names, *twin.fields.get(argument, ()), argument)
        if isinstance(result, Changed):
            return "silent", "the caller's arrays are changed"
        return verdict(bad, names, twin, self.results[name][0], result, error)


class Changed:
    """In the place of a result: what was handed over is no longer what it was."""


def called(twin, arguments, argument=None, bad=None):
    """Return the result of a call, its parts under names, and the error; the making of a bad value is part of the call."""
    kwargs = dict(arguments) if not twin.changes else {name: own(value) for name, value in arguments.items()}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings(action="ignore"):
            if bad is not None:
                kwargs[argument] = bad.make()
            before = {name: digest(value) for name, value in kwargs.items()}
            kwargs |= (
                kwargs.pop("options", {}) if isinstance(kwargs.get("options"), dict) and "options" not in twin.kinds else {}
            )
            positional = [kwargs.pop("rows")] if getattr(twin.call, "__name__", "") == "__getitem__" else []
            try:
                found, raised = parts(twin.call(*positional, **kwargs)), None
            except Exception as error:
                found, raised = None, error
        may_change = twin.changes and raised is None
        changed = not may_change and any(digest(value) != before[name] for name, value in kwargs.items() if name in before)
        return (Changed(), None) if changed else (found, raised)
    except Exception as error:  # of the making
        return None, error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def own(value):
    """Return a value whose arrays nobody else holds."""
    return value.map(lambda array: array.copy()) if isinstance(value, ts.NamedArrays) else value


def verdict(bad, names, twin, wanted, found, error):
    """Return one of `GOOD` or `COLUMNS`, and why."""
    if error is not None:
        why = fault_of(error, names, twin)
        if why:
            return "raw traceback", why
        if bad.outcome == mutations.SAME:
            return "raw traceback", f"refused, though harmless: {error}"
        return "clear error", str(error)
    if bad.outcome == mutations.ERROR:
        return "silent", "accepted"
    if bad.outcome == mutations.SAME:
        why = difference(wanted, found, bad.rounding)
        return ("silent", why) if why else ("fine", "the same")
    bound = {name for name, part in wanted.items() if isinstance(part, np.ndarray) and not np.isfinite(part).all()}
    bound |= {name for name in found for lacking in twin.undefined if lacking in name}
    strange = [name for name, part in found.items() if isinstance(part, np.ndarray) and not np.isfinite(part).all()]
    strange = [name for name in strange if name not in bound]
    return ("silent", f"{', '.join(strange)} not finite") if strange else ("fine", "finite")


def fault_of(error, names, twin):
    """Return what is wrong with an error, or nothing."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [voice for voice in twin.voices if frames[-1].filename.startswith(PACKAGES[voice])]
    message, kind = str(error if isinstance(error, OSError) else (*error.args, "")[0]), type(error).__name__
    place = f"{kind} at {Path(frames[-1].filename).name}:{frames[-1].lineno}: {message[:200]}"
    if not inside:
        return place
    if inside == ["sklearn"] and isinstance(error, (ValueError, TypeError)) and validated(frames):
        return ""  # what is asked of every estimator of scikit-learn is told in its own words
    if not linecache.getline(frames[-1].filename, frames[-1].lineno).lstrip().startswith("raise"):
        return f"{place} (not raised on purpose)"
    if not isinstance(error, twin.errors):
        return f"{place} (of this type)"
    if len(message) > LONGEST or (len(message.splitlines()) > 1 and inside == ["tokensel_nb"]):
        return f"{place} (a message of {len(message)} characters)"
    if not any(name.lower() in message.lower() for name in names):
        return f"{place} (names none of {', '.join(names)})"
    return ""


def validated(frames):
    """Whether an error comes from where scikit-learn checks what it is given, as its `check_array` does."""
    checks = ("validation.py", "_param_validation.py", "multiclass.py", "class_weight.py")
    return any(frame.filename.startswith(PACKAGES["sklearn"]) and Path(frame.filename).name in checks for frame in frames)


def parts(result, name="result"):
    """Return a result as arrays and strings under names, torch's and numpy's alike."""
    if isinstance(result, torch.Tensor):
        result = result.detach().cpu().to(torch.float64 if result.is_floating_point() else result.dtype).numpy()
    if sparse.issparse(result):
        return {f"{name} (sparse)": result.toarray().astype(float)}
    if isinstance(result, ts.NamedArrays):
        return parts(result.arrays(), name)
    if isinstance(result, ts.Corpus):
        weights = result.mean_weights if len(result) else np.ones(0)
        return parts([result.counts, result.labels, list(map(str, result.vocabulary)), result.class_names, weights], name)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        kept = {key: value for key, value in vars(result).items() if not key.startswith("_")}
        return parts(kept, f"{name}.{type(result).__name__}")
    if isinstance(result, dict):
        return {key: part for inner, value in result.items() for key, part in parts(value, f"{name}.{inner}").items()}
    if isinstance(result, np.ndarray) and result.dtype.kind in "biuf":
        return {name: result.astype(float)}
    if isinstance(result, (list, tuple, np.ndarray)):
        return {key: part for i, value in enumerate(result) for key, part in parts(value, f"{name}[{i}]").items()}
    if isinstance(result, (int, float, np.number, np.bool_)):
        return {name: np.asarray(float(result))}
    return {name: repr(result and str(result)) if result is None or isinstance(result, str) else type(result).__name__}


def difference(wanted, found, rounding):
    """Return where two results differ, or nothing."""
    if wanted.keys() != found.keys():
        return f"other parts: {sorted(wanted.keys() ^ found.keys())[:3]}"
    for name, part in wanted.items():
        other = found[name]
        if isinstance(part, str) or isinstance(other, str):
            if part != other:
                return f"{name} is {other[:40]}, not {part[:40]}"
        elif part.shape != other.shape:
            return f"{name} has shape {other.shape}, not {part.shape}"
        elif not np.allclose(
            part, other, rtol=rounding, atol=rounding * max(1, np.abs(part[np.isfinite(part)]).max(initial=0)), equal_nan=True
        ):
            return f"{name} differs: {other.ravel()[:3]}, not {part.ravel()[:3]}"
    return ""


def digest(value):
    """Return a digest of all numbers that a value holds."""
    if isinstance(value, torch.Tensor):
        return (
            digest(value.detach().to(torch.float64).numpy()) if value.layout == torch.strided and not value.is_complex() else ""
        )
    if isinstance(value, np.ndarray):
        return hashlib.sha256(value.tobytes() if value.dtype != object else ascii(value.tolist()).encode()).hexdigest()
    if sparse.issparse(value):
        arrays = (getattr(value, part, None) for part in ("data", "indices", "indptr", "row", "col"))
        return [digest(array) for array in arrays if isinstance(array, np.ndarray)]
    if isinstance(value, ts.NamedArrays):
        return digest(list(value.arrays().values()))
    if isinstance(value, ts.Corpus):
        return digest([value.counts, value.labels, value.weights])
    return [digest(each) for each in value] if isinstance(value, (list, tuple)) else ""


def work(cases, out):
    """Judge cases, one line of JSON before and one after each."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    if size:
        resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
    signal.signal(signal.SIGPROF, too_slow)
    worker = Worker()
    for name, argument, number, _, salt in cases:
        print(json.dumps(["begin"]), file=out, flush=True)
        try:
            found = worker.judge(name, argument, number, salt)
        except TooSlowError:
            found = "hang", f"more than {SECONDS} s"
        print(json.dumps([*found]), file=out, flush=True)


def too_slow(*_):
    raise TooSlowError


def judged(cases):
    """Yield every case with its verdict; a worker that dies or falls silent is replaced."""
    cases = list(cases)
    done = 0
    while done < len(cases):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            faulthandler.disable()
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1), os.dup2(silence, 2)
            try:
                with os.fdopen(writer, "w") as out:
                    work(cases[done:], out)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answers:
            while done < len(cases):
                ready, _, _ = select.select([answers], [], [], WALL)
                line = answers.readline() if ready else ""
                if line == "":
                    os.kill(child, signal.SIGKILL)
                    yield (*cases[done], "hang" if not ready else "crash", f"worker {child}")
                    done += 1
                    break
                told = json.loads(line)
                if told != ["begin"]:
                    yield (*cases[done], *told)
                    done += 1
        os.waitpid(child, 0)


def main():
    """Judge all cases of some salts, and print what is wrong, and how often what came."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("only", nargs="*", help="of these names alone")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    cases = [case for case in all_cases(range(asked.first, asked.last)) if not asked.only or case[0] in asked.only]
    tally = collections.Counter()
    for *case, found, why in judged(cases[:: asked.every]):
        tally[found] += 1
        if found not in GOOD:
            name, argument, _, label, salt = case
            print(f"{found:14} {name}({argument}: {label}; {salt}): {why}")
    print(json.dumps(dict(tally) | {"cases": len(cases)}))


if __name__ == "__main__":
    main()
