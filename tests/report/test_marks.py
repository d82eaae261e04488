"""Marks beside words: which texts have which, and that a planted one is found among those of real sentences."""

import re

import numpy as np
import pytest
from hostile import write

import tokensel_nb as ts
import tokensel_report as tr
from tokensel_report.marks import marks_of, places_of
from tokensel_report.page import analyse, report_page


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a  gap.", "two spaces"),
        ("a   gap.", "three spaces or more"),
        ("a\tgap.", "a tab"),
        ("two\nlines.", "a line break"),
        (" before.", "a space at the start"),
        ("behind. ", "a space at the end"),
        ("LOUD.", "capitals alone"),
        ("some LOUD words.", "a word in capitals"),
        ("no end", "no sign at the end"),
        ("yes !!", "the sign “ !!”"),
        ("yes!!", "the sign “!!”"),
        ("yes !! ", "the sign “ !!” at the end"),
        ("see ref 4821375.", "the number “ref #######”"),
        ("AB-1234 came.", "the number “AB-####”"),
        ("a<br />b.", "the tag <br>"),
        ("мир.", "Cyrillic letters"),
        ("zero\u200bwidth.", "the sign “U+200B”"),
        ("no\u00a0break.", "the space U+00A0"),
        ("a&nbsp;b.", "the entity &nbsp;"),
        ("at https://a.org/b.", "a link to a.org"),
        ("El tren y las casas.", "Spanish words"),
    ],
)
def test_a_mark_is_named(text, mark):
    assert mark in places_of(text)


def test_words_alone_have_no_mark():
    assert places_of("Three words.") == dict.fromkeys(["the sign “.”", "the sign “.” at the end"], (11, 12))
    assert "the sign “ !!” at the end" not in places_of("yes !! no.")
    assert "two spaces" not in places_of("three   spaces.")


def test_lengths_part_the_texts():
    texts = [" ".join(["word"] * (1 + row % 50)) for row in range(1000)]
    found = marks_of(texts, np.arange(1000) % 2, least=10)
    for kind, rows in {r"\d+ to \d+ words": 940, r"\d+ words": 1000}.items():  # the longest have parts of one length
        parts = found.texts[:, [re.fullmatch(kind, name) is not None for name in found.names]]
        assert sorted(parts.sum(axis=1)) == [0] * (1000 - rows) + [1] * rows


def test_what_few_or_nearly_all_texts_have_is_no_mark():
    texts = ["odd !!"] * 9 + ["A sentence."] * 991
    assert not {"the sign “ !!” at the end", "the sign “.” at the end"} & set(
        marks_of(texts, np.arange(1000) % 2, least=10).names
    )
    assert {"the sign “ !!” at the end", "the sign “.” at the end"} <= set(marks_of(texts, np.arange(1000) % 2, least=9).names)


def test_of_marks_that_the_same_texts_have_the_longest_name_is_kept():
    found = marks_of(["the ref 4821375"] * 3 + ["A sentence."] * 3, np.arange(6) % 2, least=3).names
    assert "the number “ref #######”" in found
    assert "the number “#######”" not in found
    both = marks_of([" padded. "] * 3 + ["A sentence."] * 3, np.arange(6) % 2, least=3).names
    assert {"a space at the start", "a space at the end"} <= set(both)


def sentences(random):
    """Return 3,000 sentences of Rotten Tomatoes and their labels."""
    reviews = ts.read_rotten_tomatoes()
    some = random.permutation(len(reviews.texts))[:3000]
    return [reviews.texts[row] for row in some], np.asarray(reviews.labels)[some]


PLANTS = {
    "two spaces": lambda text, random: text.replace(" ", "  ", 1),
    "the sign “ !!” at the end": lambda text, random: f"{text} !!",
    "a word in capitals": lambda text, random: text.upper(),
    "Cyrillic letters": lambda text, random: f"{text} {''.join(random.choice(list('аеимнорт'), 5))}",
}


@pytest.mark.parametrize("mark", PLANTS)
def test_what_is_planted_in_one_class_is_named_and_in_both_is_not(mark):
    random = np.random.default_rng(0)
    given, labels = sentences(random)
    for in_both in (False, True):
        texts, rows = list(given), np.arange(3000) if in_both else np.flatnonzero(labels == 1)
        for row in random.choice(rows, 40, replace=False):
            texts[row] = PLANTS[mark](texts[row], random)
        found = tr.report(tr.TextClassifier(), texts, labels, quotes=0)
        assert (mark in found.suspicious) != in_both
        assert mark in set(found.marks.word) - set(found.table.word)


def test_a_file_in_the_order_of_its_labels_is_told():
    texts, labels = sentences(np.random.default_rng(0))
    order = np.argsort(labels, kind="stable")
    found = tr.report(tr.TextClassifier(), [texts[row] for row in order], labels[order], quotes=0)
    (told,) = [name for name in found.suspicious if name in set(found.marks.word)]
    assert told.endswith(" of the file")
    assert found.suspects.word.iloc[0] == told


def test_a_trace_that_the_classifier_reads_is_judged_without_its_words():
    texts, labels = sentences(np.random.default_rng(0))
    for row in np.flatnonzero(labels == 1)[:40]:
        texts[row] += f" 2021-1{row % 3}-{10 + row % 19}"
    (suspect,) = tr.report(tr.TextClassifier(), texts, labels).put_in
    assert (suspect.name, suspect.word) == ("the number “####-##-##”", "2021")
    assert all(passage.marked.startswith("2021-1") for passage in suspect.passages)


def test_an_entity_of_one_class_is_named_in_texts_as_a_file_gives_them(tmp_path):
    texts, labels = sentences(np.random.default_rng(0))
    for row in np.flatnonzero(labels == 1)[:40]:
        texts[row] = texts[row].replace(" ", "&nbsp;", 1)
    path = write(tmp_path / "a.csv", [[text, f"class {label}"] for text, label in zip(texts, labels)])
    read = tr.read_reviews(path, "review", "stars")
    assert read.texts == texts
    found = tr.report(tr.TextClassifier(), read.texts, read.labels)
    (suspect,) = found.put_in
    assert (suspect.kind, suspect.name) == ("trace", "the entity &nbsp;")
    assert (suspect.label, suspect.texts, suspect.share) == (1, 40, 1.0)
    assert [passage.marked for passage in suspect.passages] == ["&nbsp;"] * 3
    results = analyse(read, "a.csv")
    assert [each.name for each in results.put_in] == [suspect.name]
    assert "the entity &amp;nbsp; (100% of 40 texts" in report_page(results)
