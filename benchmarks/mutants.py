"""Whether the tests notice small faults in the core: mutants of it, drawn by a seed, each against the tests of its module.

    nice python -m benchmarks.mutants

mutmut 2.5.1, in an environment of its own, makes the mutants; the project's `.venv` runs the tests. Two kinds are skipped, and
others drawn: what is no Python, and what changes only an annotation or what an error says. A test that hangs for five minutes
notices its mutant, too. Who survives here may still fail another module's tests, or change nothing that anybody sees.
"""

import ast
import difflib
import random
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path

from mutmut import Context, list_mutations, mutate

SEED, NUMBER = 20261129, 300
TESTS = {  # the cheapest first: what a test notices ends the run
    "arrays": "tests/test_counts.py tests/models/test_one_layer.py",
    "assumption": "tests/theory/test_assumption.py tests/corpus/test_synthetic.py",
    "bins": "tests/theory/test_bins.py",
    "checkpoint": "tests/training/test_checkpoint.py",
    "corpus": "tests/test_arguments.py tests/corpus/test_sequences.py tests/corpus/test_corpus.py",
    "counts": "tests/test_counts.py tests/models/test_one_layer.py",
    "descent": "tests/test_arguments.py tests/models/test_optimizers.py tests/training/test_train.py",
    "flow": "tests/theory/flow/test_path.py tests/theory/flow/test_joint.py",
    "margin": "tests/theory/test_max_margin.py",
    "matched": "tests/theory/test_matched.py",
    "model": "tests/test_arguments.py tests/models/test_own_model.py tests/models/test_one_layer.py",
    "one_step": "tests/theory/test_alignment.py tests/theory/test_first_step.py",
    "parameters": "tests/test_arguments.py tests/models/test_one_layer.py tests/theory/test_alignment.py",
    "sharp": "tests/theory/flow/test_sharp.py tests/theory/flow/test_path.py",
    "text": "tests/corpus/test_sequences.py tests/corpus/test_text.py",
    "training": "tests/test_arguments.py tests/training/test_traps.py tests/training/test_train.py",
}
PYTEST = "timeout 300 .venv/bin/python -m pytest -x -n 0 -m 'not long' -p no:nbval -p no:cacheprovider -c pyproject.toml"


def meaning(source):
    """Return what a program does, without its annotations and what its errors say."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        vars(node).update(dict.fromkeys({"annotation", "returns", "exc"} & set(vars(node))))
    return ast.dump(tree)


def mutants():
    """Yield (number, module, mutated source, change), without those to skip, in the order that the seed draws."""
    sources = {module: Path(f"tokensel_nb/{module}.py").read_text("utf-8") for module in TESTS}
    places = [(module, place) for module in TESTS for place in list_mutations(Context(sources[module], filename=module))]
    for number, (module, place) in enumerate(random.Random(SEED).sample(places, len(places)), 1):
        mutated, _ = mutate(Context(sources[module], place, filename=module))
        change = difflib.unified_diff(sources[module].splitlines(), mutated.splitlines(), lineterm="", n=0)
        with suppress(SyntaxError):
            if meaning(mutated) != meaning(sources[module]):
                yield number, module, mutated, "\n".join([*change][2:])


def killed(module, source=None):
    """Return whether a test fails with this source of the module, in a copy of the package that is imported first."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", "-r", "tokensel_nb", folder], check=True)
        changed = Path(folder, "tokensel_nb", f"{module}.py")
        changed.write_text(source or changed.read_text("utf-8"), "utf-8")
        command = f"PYTHONPATH={folder} {PYTEST} -o 'pythonpath={folder} . tests' --doctest-modules {changed} {TESTS[module]}"
        return subprocess.run(command, shell=True, capture_output=True).returncode != 0


if __name__ == "__main__":
    drawn, survived = list(islice(mutants(), NUMBER)), 0
    with ThreadPoolExecutor(2) as pool:
        assert not any(pool.map(killed, TESTS)), "a test fails with nothing changed"
        for (_, module, _, change), dead in zip(drawn, pool.map(lambda mutant: killed(*mutant[1:3]), drawn)):
            survived += not dead
            print(module, "killed" if dead else "SURVIVED", change, flush=True)
    print(f"{NUMBER} drawn, {drawn[-1][0] - NUMBER} skipped, {survived} survived")
