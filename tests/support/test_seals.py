import ast
from pathlib import Path

import numpy as np
import pytest
from tokensel_nb.support.seals import digest, sealed, unsealed

import tokensel_nb

ARRAYS = {"ones": np.ones(2)}


def test_arrays_and_notes_come_back():
    arrays, notes = unsealed(sealed(ARRAYS, {"step": 3}))
    assert (arrays["ones"].tolist(), notes) == ([1, 1], {"step": 3})


def test_a_note_that_was_edited_is_seen():
    with pytest.raises(ValueError, match=r"^its digest is not that of its contents, which were damaged or edited$"):
        unsealed(sealed(ARRAYS, {"step": 3}).replace(b"3", b"4"))


def test_a_digest_is_of_contents_and_shapes():
    assert digest(np.zeros(2)) == digest(np.zeros(2)) != digest(np.zeros(3))
    assert digest(np.zeros(2)) != digest(np.zeros((2, 1))) != digest(np.zeros(2, "float32"))
    assert len(digest(np.zeros(2), size=4)) == 8


def test_nothing_that_is_read_is_run():
    """A model, a checkpoint or a stored corpus is data: no part of the package unpickles anything, or runs text as code."""
    called = {"eval", "exec", "compile", "__import__"}
    for path in Path(tokensel_nb.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, (ast.Import, ast.ImportFrom)) else set()
            assert not names & {"pickle", "joblib", "dill", "marshal", "shelve"}, path
            assert not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in called, path
            keywords = {each.arg: each.value for each in node.keywords} if isinstance(node, ast.Call) else {}
            assert "allow_pickle" not in keywords or keywords["allow_pickle"].value is False, path
