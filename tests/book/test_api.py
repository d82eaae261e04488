"""The API pages list the whole package, and what they show is complete; checked on docstrings, without building the pages."""

import inspect
import re
from functools import cached_property
from importlib import import_module

import pytest
from notebooks import NOTEBOOKS, ROOT, prose
from numpydoc.validate import validate

import tokensel_nb as ts
import tokensel_report as tr

OVERVIEW = (ROOT / "book" / "api.md").read_text("utf-8")
NAMES = re.findall(r"file: book/api/(\w+)", (ROOT / "_toc.yml").read_text("utf-8"))
PAGES = "\n".join((ROOT / "book" / "api" / f"{name}.md").read_text("utf-8") for name in NAMES)
KINDS = "(?:Propositions?|Theorems?|Corollary|Definition)"
TITLE = re.compile(r"\{prf:\w+\} (.+)$", re.M)
MODULES = re.findall(r"automodule:: ([\w.]+)", PAGES)
EXPORTED = {name: getattr(package, name) for package in (ts, tr) for name in package.__all__}

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


def names_of(module, exported=EXPORTED):
    """Return the exported names that a module defines, and those of its classes' public members, with dots."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    found = [name for name in own if name in exported]
    classes = [name for name in found if inspect.isclass(own[name])]
    return found + [
        f"{name}.{member}" for name in classes for member, value in vars(own[name]).items() if is_public(member, value)
    ]


def faults_of(module, name):
    """Return what is wrong with a docstring, in numpydoc's words."""
    found = {code: text for code, text in validate(f"{module.__name__}.{name}")["errors"] if code in FAULTS}
    owner, _, member = name.partition(".")
    one_line = member and len(inspect.getdoc(getattr(getattr(module, owner), member)).splitlines()) == 1  # it says all
    if one_line or any(member in vars(base) for base in getattr(getattr(module, owner), "__mro__", ())[1:] if member):
        found = {code: text for code, text in found.items() if code not in ("PR01", "RT01")}  # the base class says it
    return found


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_are_complete(name):
    module = import_module(name)
    found = {name: faults for name in names_of(module) if (faults := faults_of(module, name))}
    assert inspect.getdoc(module)
    assert not found


def test_docstrings_name_theorems_of_the_book_by_their_titles():
    """A number changes as chapters move; of the paper there are numbers alone."""
    texts = [path.read_text("utf-8") for path in (ROOT / "tokensel_nb").rglob("*.py")]
    titles = {title.split(" (mirrors")[0] for path in NOTEBOOKS for title in re.findall(TITLE, prose(path))}
    named = {title for text in texts for title in re.findall(rf"{KINDS}\s+“([^”]+)”", text)}
    assert len(named) > 10
    assert {" ".join(title.split()) for title in named} <= titles
    assert not [found for text in texts for found in re.findall(rf"{KINDS}\s+\d+\.\d+", text) if "Theorem 4.3" not in found]


def test_the_overview_has_every_page_in_their_order():
    assert re.findall(r"^\.\. overview:: (\w+)$", OVERVIEW, flags=re.M) == NAMES
    assert re.findall(r"^## (.+)$", OVERVIEW, flags=re.M) == re.findall(r"^# (.+)$", PAGES, flags=re.M)


def test_every_exported_name_is_on_one_page():
    on_page = [name for module in MODULES for name in names_of(import_module(module)) if "." not in name]
    assert sorted(on_page) == sorted(EXPORTED)


def example_of(found):
    """Return the lines of code that a docstring shows."""
    return "\n".join(re.findall(r"^(?:>>>|\.\.\.).*", inspect.cleandoc(found.__doc__ or ""), flags=re.M))


def is_error(found):
    """Tell whether this is an exception, which nobody calls."""
    return inspect.isclass(found) and issubclass(found, Exception)


@pytest.mark.parametrize("name", [name for name, found in EXPORTED.items() if not is_error(found)])
def test_every_public_function_has_an_example(name):
    """That the examples run is for pytest's --doctest-modules to see."""
    assert example_of(EXPORTED[name])
