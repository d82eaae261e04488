"""What has to be imported for what: seconds that a reader waits before anything happens."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

import tokensel_nb as ts

HEAVY = ["torch", "pandas", "scipy.stats", "scipy.optimize", "sklearn", "matplotlib", "seaborn", "pyarrow", "datasets"]


def imported_by(code):
    """The heavy packages, and parts of torch, that a fresh Python has imported after some lines."""
    last = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + last], capture_output=True, text=True, check=True)
    modules = set(json.loads(done.stdout.splitlines()[-1]))
    assert "tokensel_nb" in modules
    return {name for name in [*HEAVY, "torch._dynamo", "torch.optim.adam"] if name in modules}


def test_the_package_alone_imports_nothing_heavy():
    assert imported_by("import tokensel_nb; dir(tokensel_nb), tokensel_nb.__version__") == set()


def test_the_version_is_that_of_the_installed_package():
    assert ts.__version__ == version("tokensel-nb")
    assert ts.__version__ in ts.versions()
    with pytest.raises(AttributeError, match="no_such_name"):
        ts.no_such_name  # noqa: B018


def test_reading_a_table_imports_no_pandas(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("text,label\ngood,1\nbad,0\n")
    code = "import tokensel_nb; tokensel_nb.load_reviews('a.csv'), tokensel_nb.read_reviews({'text': ['a']}, label=None)"
    assert imported_by(code) <= {"pyarrow"}


def test_a_corpus_of_ones_own_needs_nothing_heavy():
    code = """
import numpy as np, tokensel_nb as ts
corpus = ts.Corpus(np.eye(2), [1, -1], ["a", "b"])
repr(corpus), corpus.label_skew(), corpus.signed_frequency(), corpus.split(0.5, seed=0), corpus.balanced(seed=0)
"""
    assert imported_by(code) == set()


def test_training_with_numpy_imports_no_torch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = """
import numpy as np, tokensel_nb as ts
corpus = ts.Corpus(np.eye(2), [1, -1], ["a", "b"])
for options in ({}, {"optimizer": "gradient descent"}, {"batch_size": 2, "checkpoint": "run.safetensors"}):
    found = ts.train(corpus, dim=4, steps=3, **options)
    ts.logits(found.parameters, corpus), ts.attention(found.parameters, corpus), ts.gradients(found.parameters, corpus)
"""
    assert imported_by(code) == set()


def test_training_with_torch_does_not_import_its_compiler():
    code = """
import numpy as np, tokensel_nb as ts
for model in (ts.OneLayer(), ts.WithMLP()):
    ts.train(ts.Corpus(np.eye(2), [1, -1], ["a", "b"]), model, dim=4, steps=3, device="cpu")
"""
    found = imported_by(code)
    assert "torch" in found
    assert "torch._dynamo" not in found
    assert found <= {"torch", "torch.optim.adam"}


def test_the_classifier_imports_no_torch():
    code = """
import numpy as np, tokensel_nb as ts
model = ts.AttentionClassifier(random_state=0).fit(np.eye(2), [0, 1])
model.predict_proba(np.eye(2)), model.attention(np.eye(2)), model.token_importance_
"""
    assert imported_by(code) & {"torch", "matplotlib", "seaborn", "datasets"} == set()


def test_the_oracle_of_these_tests_sees_what_is_imported():
    assert "pandas" in imported_by("import tokensel_nb, pandas")
