"""The page *Build on it* runs from top to bottom, as a reader would copy it."""

import re

import matplotlib
import pytest
from notebooks import ROOT

PAGE = (ROOT / "book" / "build_on_it.md").read_text("utf-8")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_runs(capsys):
    matplotlib.use("Agg")
    exec(compile("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S)), "build_on_it", "exec"), {"__name__": "reader"})
    told = capsys.readouterr().out
    right = [float(number) for number in re.findall(r"(?:sentences|batches): (0\.\d+)", told)]
    assert len(right) == 3
    assert min(right) > 0.6
    true, shuffled = re.search(r"one_layer .*\[ *(-?[\d.]+) +(-?[\d.]+)", told).groups()
    assert float(true) > float(shuffled)
