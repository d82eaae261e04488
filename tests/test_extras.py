import pytest

from tokensel_nb.extras import Extra, MissingExtraError


def test_a_module_is_imported_at_the_first_use_of_one_of_its_names():
    module = Extra("json", "book", "dreams need paper")
    assert module.load().loads("[1]") == module.loads("[1]") == [1]
    assert not hasattr(module, "__wrapped__")


def test_a_module_that_is_missing_is_one_sentence():
    with pytest.raises(MissingExtraError, match=r"^dreams need sleep: pip install 'tokensel-nb\[book\]'$"):
        _ = Extra("no_such_module", "book", "dreams need sleep").deep
