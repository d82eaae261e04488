"""The API page lists the whole package, and what it shows is complete; checked on docstrings, without building the page."""

import inspect
import pkgutil
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.validate import validate

import tokensel_nb as ts

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "book" / "api.md").read_text("utf-8")
MODULES = re.findall(r"automodule:: tokensel_nb\.([\w.]+)", PAGE)

# numpydoc's checks of what a reader misses. Its others ask for more (an example, "See Also"), or for another style.
FAULTS = {
    "GL06",  # a section that numpydoc does not know
    "GL07",  # sections out of order
    "GL08",  # no docstring
    "SS01",  # no first sentence
    "SS02",  # it does not begin with a capital letter
    "SS03",  # it does not end with a full stop
    "SS06",  # it does not fit a line
    "PR01",  # a parameter that is not described
    "PR02",  # a description of no parameter
    "PR03",  # parameters out of order
    "PR10",  # a parameter and its type run together
    "RT01",  # a result that is not described
}


def is_public(name, value):
    """Tell whether someone wrote this function, class, method or property for others (scikit-learn adds some of its own)."""
    described = (property, cached_property, classmethod, staticmethod)
    written = inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value)) or isinstance(value, described)
    return written and not name.startswith("_") and not re.fullmatch("set_[a-z]+_request", name)


def names_of(module):
    """Return the public names that a module defines, and those of its classes' members, with dots."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    found = [name for name, value in own.items() if is_public(name, value)]
    classes = [name for name in found if inspect.isclass(own[name])]
    return found + [
        f"{name}.{member}" for name in classes for member, value in vars(own[name]).items() if is_public(member, value)
    ]


def faults_of(module, name):
    """Return what is wrong with a docstring, in numpydoc's words."""
    found = {code: text for code, text in validate(f"{module.__name__}.{name}")["errors"] if code in FAULTS}
    if getattr(getattr(module, name, None), "_is_protocol", False):
        found.pop("PR01", None)  # a protocol is never called, whatever its inherited signature says
    return found


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_are_complete(name):
    module = import_module(f"tokensel_nb.{name}")
    found = {name: faults for name in names_of(module) if (faults := faults_of(module, name))}
    assert inspect.getdoc(module)
    assert not found


def test_every_public_module_is_on_the_page_in_the_order_of_the_staircase():
    public = {module.name for module in pkgutil.iter_modules(ts.__path__) if not module.name.startswith("_")}
    steps = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.M)
    assert set(steps) == public
    assert [name for name in MODULES if "." not in name] == steps
    assert re.findall(r"^\| \{py:mod\}`(\w+)` \| \{idea\}`(\w+)` ", PAGE, flags=re.M) == [(step, step) for step in steps]
    assert re.findall(r"^## (\w+)$", PAGE, flags=re.M) == steps


def test_every_exported_name_is_on_the_page():
    on_page = {name for module in MODULES for name in names_of(import_module(f"tokensel_nb.{module}"))}
    assert set(ts.__all__) <= on_page


def test_the_links_to_the_source_lead_to_the_definitions(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    source_lines = import_module("tokensel_api").source_lines
    for module in [import_module(f"tokensel_nb.{name}") for name in MODULES]:
        text = Path(module.__file__).read_text("utf-8").split("\n")
        for name in names_of(module):
            first, last = source_lines(module, name)
            pattern = rf"\b(?:def|class) {name.split('.')[-1]}\b"
            assert re.search(pattern, "\n".join(text[first - 1 : last])), (module.__name__, name)


def test_the_link_of_a_constant_leads_to_its_line(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    module = import_module("tokensel_nb.text")
    first, last = import_module("tokensel_api").source_lines(module, "SEPARATORS")
    assert first == last
    assert Path(module.__file__).read_text("utf-8").split("\n")[first - 1].startswith("SEPARATORS = ")


def test_bars_are_escaped_except_in_code(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    lines = ["|S| words, not ``a | b``::", "", "    |S|", "", "and |S|"]
    import_module("tokensel_api").escape_bars(None, "function", "name", None, {}, lines)
    assert lines == [r"\|S\| words, not ``a | b``::", "", "    |S|", "", r"and \|S\|"]


# ------------------------------------------------------------------------------- planted faults are found


def undocumented(a):
    return a


def without_parameter(a, b):
    """Do something.

    Parameters
    ----------
    a : int
    """


def with_another(a):
    """Do something.

    Parameters
    ----------
    a, b : int
    """


def without_full_stop():
    """Do something"""


def without_result():
    """Do something."""
    return 1


PLANTED = {
    undocumented: "GL08",
    without_parameter: "PR01",
    with_another: "PR02",
    without_full_stop: "SS03",
    without_result: "RT01",
}


@pytest.mark.parametrize(("function", "code"), PLANTED.items(), ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_fault_is_found(function, code):
    here = import_module(__name__)
    assert function.__name__ in names_of(here)
    assert list(faults_of(here, function.__name__)) == [code]
