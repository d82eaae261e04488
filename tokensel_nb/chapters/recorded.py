"""What was measured elsewhere: the paper's tables, and runs on data or machines that a reader may not have at hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..support.extras import pd
from ..support.runtime import machine

FOLDER = Path(__file__).parents[1] / "data"

# The tables on IMDB give the centres of 20 bins, rounded to two digits. Bins that begin at -1, the least skew there is, give
# these centres only if they are 29/300 wide, and so end at 14/15: a word of which 29 in 30 stood in positive reviews.
PAPER_EDGES = np.linspace(-1, 14 / 15, 21)


def paper_table(name) -> pd.DataFrame:
    """Return one of the six tables in the paper's authors' answers to their reviewers.

    Parameters
    ----------
    name : str
        "two_layer_wkq_p", "two_layer_wkq_v", "mlp_p", "mlp_v", "multiclass_yelp4_class2_v" or "multiclass_yelp4_class4_v".

    Returns
    -------
    pandas.DataFrame
        Columns ``centre`` (of the bins of the label skew) and ``mean``.

    Raises
    ------
    FileNotFoundError
        If there is no such table.

    Examples
    --------
    >>> from tokensel_nb.chapters.recorded import paper_table
    >>> paper_table("mlp_v").columns.tolist()
    ['centre', 'mean']
    """
    table = pd.read_csv(_file(f"paper/{name}.csv"))
    return table.set_axis(["centre", "mean"], axis=1)


def recorded(name) -> dict:
    """Return a recorded run: its results under their names, and under "machine" where and when it was made.

    Parameters
    ----------
    name : str
        Such as "yelp", "imdb_test" or "deeper"; the error names all that there are.

    Returns
    -------
    dict

    Raises
    ------
    FileNotFoundError
        If there is no such record.

    Examples
    --------
    >>> from tokensel_nb.chapters.recorded import recorded
    >>> sorted(recorded("yelp")["machine"])
    ['cores', 'date', 'processor', 'python', 'torch']
    """
    return json.loads(_file(f"recorded/{name}.json").read_text(encoding="utf-8"))


def record(name, results, folder=FOLDER):
    """Write results to ``recorded/<name>.json`` with the date and the machine; return the file's path.

    Parameters
    ----------
    name : str
    results : dict
        Plain values.
    folder : path
        By default that of the package.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> record("run", {"accuracy": 0.5}, folder=mkdtemp()).name
    'run.json'
    """
    path = Path(folder) / "recorded" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine()} | results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _file(name):
    path = FOLDER / name
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob(f"*{path.suffix}"))
        raise FileNotFoundError(f"there is no {path.stem!r} among what was recorded; there are {', '.join(known) or 'none'}")
    return path


def rounded(numbers, digits=4) -> list:
    """Return numbers as plain values with few digits, as records hold them.

    Parameters
    ----------
    numbers : array
    digits : int

    Returns
    -------
    list

    Examples
    --------
    >>> rounded([1 / 3])
    [0.3333]
    """
    return np.round(np.asarray(numbers, float), digits).tolist()


def or_none(numbers) -> list:
    """Return numbers with None for NaN, which JSON does not know: the mean of an empty bin, say.

    Parameters
    ----------
    numbers : list of float

    Returns
    -------
    list

    Examples
    --------
    >>> or_none([1.0, float("nan")])
    [1.0, None]
    """
    return [None if np.isnan(number) else number for number in numbers]
