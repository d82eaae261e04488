"""Other processors are computed as, a moved start is moved, and what fails there is told."""

import os
import subprocess
import sys

import numpy as np
import portable
import pytest
from helpers import each_dtype

import tokensel_nb as ts

STARTS = {
    "OneLayer": {}, "TwoLayers": {}, "TwoLayers, random": dict(spread=1.0), "TwoLayersWithoutKeyQuery": {}, "WithMLP": {},
    "WithMLP, as PyTorch": dict(initial="pytorch"), "Transformer": {},
}  # fmt: skip


def draw(model, settings, dtype):
    return getattr(ts, model.split(",")[0])(**settings).start(30, 8, seed=0, num_classes=3, dtype=dtype).arrays()


def test_six_settings_are_there_and_none_says_the_same_as_another():
    assert list(portable.SETTINGS) == ["this", "avx512", "avx2", "avx", "sse", "threads"]
    assert len({str(setting) for setting in portable.SETTINGS.values()}) == 6 or len(portable.FOUND) < 2
    assert {"this", "threads"} <= set(portable.possible()) <= set(portable.SETTINGS)


def test_a_setting_changes_what_a_process_computes():
    """Of the settings that are possible here, the first and the last of those that choose other instructions."""
    names = [name for name in portable.possible() if name != "threads"]
    if len(names) == 1:
        pytest.skip("the settings name instructions of x86")
    pairs = zip(portable.computed(names[0]).split(), portable.computed(names[-1]).split())
    assert [a != b for a, b in pairs] == [True] * 4


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The starts of all models in a process that begins as the kernels do."""
    file = tmp_path_factory.mktemp("moved") / "starts.npz"
    code = f"""
import numpy as np, test_portable as here
np.savez({str(file)!r}, **{{f"{{model}}/{{dtype}}/{{name}}": array for model, settings in here.STARTS.items()
    for dtype in ("float32", "float64") for name, array in here.draw(model, settings, dtype).items()}})
"""
    path = [str(portable.ROOT / folder) for folder in ("tests/book", "tests", "book/_tools")]
    environment = portable.environment("moved")
    environment["PYTHONPATH"] = os.pathsep.join([environment["PYTHONPATH"], *path])
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return np.load(file)


def test_every_model_has_a_start_here():
    models = {name for name in dir(ts) if isinstance(getattr(ts, name), type) and issubclass(getattr(ts, name), ts.Model)}
    assert models - {"Model", "AutogradModel"} == {model.split(",")[0] for model in STARTS}


@each_dtype
@pytest.mark.parametrize("model", STARTS)
def test_every_initial_parameter_is_moved_by_one_unit(moved, model, dtype):
    for name, drawn in draw(model, STARTS[model], dtype).items():
        other, some = moved[f"{model}/{dtype}/{name}"], drawn != 0
        assert other.dtype == drawn.dtype
        assert not other[~some].any()  # zeros are exact
        up = np.nextafter(drawn, np.array(np.inf, dtype)) == other
        down = np.nextafter(drawn, np.array(-np.inf, dtype)) == other
        assert (up | down)[some].all()
        assert some.sum() < 24 or (up[some].any() and down[some].any())


def test_what_failed_is_told_and_ends_in_a_failure(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(portable, "REPORTS", tmp_path)
    monkeypatch.setattr(portable, "possible", list)
    (tmp_path / "test_it.py").write_text("def test_sound(): pass\ndef test_broken(): assert False\n", "utf-8")
    pytests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    assert portable.main(["this", "moved"], pytests) == 1  # moved: of notebooks alone, and here is none
    told = capfd.readouterr().out.split("setting")[-1]
    assert [line.split()[:3] for line in told.splitlines()[1::2]] == [["this", "1", "2"], ["moved", "1", "0"]]
    assert "test_broken" in told
    assert "status 5" in told
    assert portable.main(["this"], [*pytests, "-k", "sound"]) == 0
