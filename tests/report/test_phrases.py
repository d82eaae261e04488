import re
from collections import Counter
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokensel_report.phrases import Phrases, _form, _key, split

# Characters that have gone wrong somewhere: lengths that change with case, marks, joiners, apostrophes, tags.
ODD = st.text(st.sampled_from(list("aBnt'’ʼ ./<>br_7sßẞİıΣςσçe\u0301नहीं\u200d\u00ad\ufeff️😀👍🏽ไทย漢字\n\t\x00")), max_size=40)
TEXTS = st.lists(st.text(max_size=30) | ODD, min_size=1, max_size=6)


def words_of(texts):
    """Words as they are shown."""
    return [[form for form in map(_form, words) if form] for words in split(texts).to_pylist()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It isn't good", ["it", "is", "n't", "good"]),
        ("isn’t, N'T, can't!", ["is", "n't", "n't", "ca", "n't"]),
        ("a<br />b<BR>c", ["a", "b", "c"]),
        ("नहीं है", ["नहीं", "है"]),  # vowel signs are marks
        ("ที่นี่", ["ที่", "นี่"]),
        ("很好！Café・コーヒー", ["很", "好", "café", "コー", "ヒー"]),
        ("so😀😀 good👍🏽", ["so", "😀", "😀", "good", "👍"]),  # without its tone
        ("لَيْسَ جيدًا", ["لَيْسَ", "جيدًا"]),
        ("gut❤️schlecht", ["gut", "❤", "schlecht"]),
        ("7/10 snake_case re-read", ["7", "10", "snake_case", "re", "read"]),
        ("STRAẞE İstanbul ΔΡΌΜΟΣ", ["straße", "i̇stanbul", "δρόμος"]),
        ("fri\u0301a か\u3099 \u1112\u1161\u11ab", ["fría", "が", "한"]),
        (
            "wun\u00adder\u00ad\u00adbar \u00ad می\u200cخواهم ශ්\u200dරී \ufeffa\u2060b\u200bc",
            ["wunderbar", "میخواهم", "ශ්රී", "ab", "c"],
        ),
        ("👩\u200d❤️\u200d👩 ok\u200d", ["👩", "❤", "👩", "ok"]),
        ("", []),
    ],
)
def test_words(text, words):
    assert words_of([text]) == [words]


def test_emoji_and_characters_are_words_but_no_single_mark_or_underscore():
    assert Phrases.learn(["很 👍 _ \u0301 a 7 ½"] * 2)[0].words.tolist() == ["7", "a", "½", "很", "👍"]


def test_phrases_stand_in_enough_texts():
    texts = ["not good at all", "not good", "good not", "not not"]
    phrases, counts = Phrases.learn(texts, longest=3)
    assert phrases.names.tolist() == ["good", "not", "not good"]
    assert counts.toarray().tolist() == [[1, 1, 1], [1, 1, 1], [1, 1, 0], [0, 2, 0]]
    assert Phrases.learn(texts * 2, longest=3)[0].names.tolist()[-2:] == ["good at all", "not good at"]


def test_no_phrase_reaches_into_the_next_text():
    assert Phrases.learn(["a good", "film", "a good", "film"])[0].names.tolist() == ["a", "film", "good", "a good"]


def test_words_left_out_leave_a_hole():
    texts = ["a not good film"] * 3
    assert Phrases.learn(texts, without=["not"])[0].names.tolist() == ["a", "film", "good", "good film"]
    names = Phrases.learn(texts, without=["not good", "n't"])[0].names.tolist()
    assert "not good" not in names
    assert {"not", "good", "a not", "good film"} <= set(names)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 3))
def test_phrases_are_counted_as_by_hand(texts, longest):
    phrases, counts = Phrases.learn(texts, longest=longest, min_texts=1)
    names = phrases.names.tolist()
    assert len(set(map(_key, names))) == len(names)
    often = Counter(word for words in words_of(texts) for word in words)
    shown = {_key(word): word for word in sorted(often, key=lambda word: (-often[word], word), reverse=True)}
    for text, row in zip(texts, counts.toarray()):
        words = [shown[_key(word)] for word in words_of([text])[0]]
        keep = [len(word) > 1 or re.match("[^\\W_]|[\u2600-\u27bf\u2b50\U0001f000-\U0001faff]", word) for word in words]
        wanted = {}
        for length in range(1, longest + 1):
            for i in range(len(words) - length + 1):
                if all(keep[i : i + length]):
                    name = " ".join(words[i : i + length])
                    wanted[name] = wanted.get(name, 0) + 1
        assert {names[k]: row[k] for k in np.flatnonzero(row)} == wanted
    assert (phrases.count(texts) != counts).nnz == 0


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_spans_point_at_the_words(texts):
    phrases, counts = Phrases.learn(texts, longest=2, min_texts=1)
    there, wanted = [], []
    for text, found, row in zip(texts, phrases.find(texts), counts.toarray()):
        assert np.array_equal(np.bincount([column for _, _, column in found], minlength=len(row)), row)
        assert all(0 <= start < end <= len(text) for start, end, _ in found)
        there += [text[start:end] for start, end, _ in found]
        wanted += [phrases.names[column] for *_, column in found]
    # What stands there, read alone, is the phrase again.
    assert [_key(" ".join(words)) for words in words_of(there)] == list(map(_key, wanted))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (["STRASSE", "Straße", "straße", "STRAẞE", "stra\u00adße"], "straße"),
        (["straße", "Strasse", "STRASSE"], "strasse"),
        (["Straße", "STRASSE"], "strasse"),  # as often: the first in the alphabet
        (["δρόμος", "ΔΡΌΜΟΣ", "δρόμοσ"], "δρόμος"),
        (["fría", "FRI\u0301A"], "fría"),
        (["İyi", "I\u0307yi", "i\u0307yi"], "i̇yi"),
        (["n't", "N’T"], "n't"),
    ],
)
def test_one_word_is_one_phrase_however_it_is_written(written, shown):
    phrases, counts = Phrases.learn(written, longest=1)
    assert phrases.names.tolist() == [shown]
    assert counts.toarray().tolist() == [[1]] * len(written)
    assert phrases.find([f"({word})" for word in written]) == [[(1, 1 + len(word), 0)] for word in written]
    assert Phrases.learn([*written, "other"], without=written[:1], min_texts=1)[0].names.tolist() == ["other"]
    own = Phrases.learn(written, min_texts=1, tokenizer=str.split)[0]
    assert sorted(own.names) == sorted(written)  # a tokenizer's words stay as they are


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_composed_and_decomposed_texts_are_one(texts):
    composed, decomposed = (words_of([normalize(form, text) for text in texts]) for form in ("NFC", "NFD"))
    assert composed == decomposed


def test_a_tokenizer_decides_what_a_word_is():
    phrases, _ = Phrases.learn(["我爱你", "我恨你"], min_texts=1, tokenizer=list)
    assert set(phrases.names) == {"你", "恨", "我", "爱", "我 爱", "爱 你", "我 恨", "恨 你"}
    assert phrases.find(["我!你"]) == [[(0, 1, phrases.names.tolist().index("我")), (2, 3, phrases.names.tolist().index("你"))]]


def test_a_word_that_a_tokenizer_makes_up_stands_nowhere():
    phrases, _ = Phrases.learn(["running", "running"], tokenizer=lambda text: ["to run"])
    assert phrases.names.tolist() == ["to run"]
    assert phrases.find(["running"]) == [[]]


WORDS = st.lists(st.text("abc", min_size=1, max_size=1), max_size=12).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=8), st.integers(1, 3), st.data())
def test_what_stands_in_some_texts_is_a_part_of_what_stands_in_all(texts, longest, data):
    phrases, counts = Phrases.learn(texts, longest=longest)
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, unique=True))
    of_some = counts[rows]
    some, columns = phrases.only(np.bincount(of_some.indices, minlength=len(phrases.names)) >= 2)
    anew, counted = Phrases.learn([texts[row] for row in rows], longest=longest)
    assert some.names.tolist() == anew.names.tolist()
    np.testing.assert_array_equal(of_some[:, columns].toarray(), counted.toarray())
    np.testing.assert_array_equal(some.count(texts).toarray(), counts[:, columns].toarray())


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=8), st.integers(1, 3), st.sets(st.sampled_from(["a", "b", "a b", "b c", "c c a"])))
def test_leaving_out_phrases_is_learning_without_them(texts, longest, without):
    phrases, counts = Phrases.learn(texts, longest=longest)
    some, columns = phrases.only(~np.isin(phrases.names, list(without)))
    anew, counted = Phrases.learn(texts, longest=longest, without=without)
    assert some.names.tolist() == anew.names.tolist()
    np.testing.assert_array_equal(counts[:, columns].toarray(), counted.toarray())
