"""What has to be imported for what: seconds that a reader waits before anything happens."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

import tokensel_nb as ts

HEAVY = "anywidget numba torch pandas scipy.stats scipy.optimize sklearn matplotlib seaborn pyarrow datasets".split()


def imported_by(*blocks):
    """The heavy packages, and parts of torch, that a fresh Python has imported after each of some blocks of lines."""
    tell = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    code = "\n".join(line for block in blocks for line in (block, tell))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = [set(json.loads(line)) for line in done.stdout.splitlines()]
    assert all("tokensel_nb" in modules for modules in told)
    return [modules & {*HEAVY, "torch._dynamo", "torch.optim.adam"} for modules in told]


PACKAGE = "import tokensel_nb; dir(tokensel_nb), tokensel_nb.__version__"
CORPUS = """
import numpy as np, tokensel_nb as ts
corpus = ts.Corpus(np.eye(2), [1, -1], ["a", "b"])
repr(corpus), corpus.label_skew(), corpus.signed_frequency(), corpus.split(0.5, seed=0), corpus.balanced(seed=0)
"""
TRAINING = """
for options in ({}, {"optimizer": "gradient descent"}, {"batch_size": 2, "checkpoint": "run.safetensors"}):
    found = ts.train(ts.init_parameters(2, 4, seed=0), corpus, steps=3, **options)
    ts.logits(found.parameters, corpus), ts.attention(found.parameters, corpus), ts.gradients(found.parameters, corpus)
"""
TENSORS = """
import numpy as np, tokensel_nb as ts
corpus = ts.Corpus(np.eye(2), [1, -1], ["a", "b"])
ts.train(ts.init_parameters(2, 4, seed=0), corpus, steps=3, device="cpu")
ts.train(ts.WithMLP().start(2, 4, seed=0), corpus, steps=3, model=ts.WithMLP(), device="cpu")
"""


def test_nothing_heavy_is_imported_before_it_is_needed(tmp_path, monkeypatch):
    """Each of these needs little more than those before; so they share a Python, whose start takes longer than they do."""
    monkeypatch.chdir(tmp_path)
    assert imported_by(PACKAGE, CORPUS, TRAINING) == [set()] * 3


def test_the_command_says_that_a_file_is_not_there_before_anything_heavy_is_imported():
    assert imported_by("from tokensel_report.command import main; assert main(['report', 'gone.csv']) == 2") == [set()]


def test_training_with_torch_does_not_import_its_compiler():
    (found,) = imported_by(TENSORS)
    assert "torch" in found
    assert found <= {"torch", "torch.optim.adam"}


def test_the_oracle_of_these_tests_sees_what_is_imported():
    assert imported_by("import tokensel_nb", "import pandas")[1] >= {"pandas"}


def test_the_version_is_that_of_the_installed_package():
    assert ts.__version__ == version("tokensel-nb")
    assert ts.__version__ in ts.versions()
    with pytest.raises(AttributeError, match="no_such_name"):
        ts.no_such_name  # noqa: B018
