import re
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tokensel_nb import corpus_from_texts, read_imdb, sequences_from_texts
from tokensel_nb.text import CHUNK, INVISIBLE

letters = st.characters(codec="utf-8", exclude_categories=("Cs", "M"), exclude_characters=INVISIBLE)
lists = st.lists(st.text(st.one_of(st.sampled_from("ab éßΣ_1 .<>\n"), letters), max_size=40), min_size=1, max_size=6)


def counted(texts, **options):
    """The corpus of texts, whose labels do not matter."""
    return corpus_from_texts(texts, np.arange(len(texts)) % 2, class_names=("no", "yes"), **options)


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.long)])
def test_imdb_equals_count_vectorizer(every):
    """Some of the reviews; all of them differ in nothing but their number. Line breaks of HTML are the one difference."""
    texts = [text.replace("<br />", " ") for text in read_imdb().texts[::every]]
    corpus, vectorizer = counted(texts), CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    assert corpus.vocabulary.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (corpus.counts != counts).nnz == 0


@given(lists)
def test_words_and_their_order_are_those_of_a_plain_loop(texts):
    texts = [*texts, "two words"]
    corpus, labels = counted(texts), np.arange(len(texts)) % 2
    ordered = sequences_from_texts(texts, labels, longest=5, class_names=("no", "yes"))
    for text, row, places in zip(texts, corpus.counts.toarray(), ordered.tokens):
        words = re.findall(r"\w+", re.sub(r"<br\s*/?>", " ", text, flags=re.IGNORECASE))
        words = [word for each in words if len(word := normalize("NFC", each.lower())) > 1]
        assert dict(zip(corpus.vocabulary[row > 0].tolist(), row[row > 0].tolist())) == {w: words.count(w) for w in words}
        assert corpus.vocabulary[places[places >= 0]].tolist() == words[:5]


@pytest.mark.parametrize(
    "words",
    [
        ["हिन्दी", "फ़िल्म"],  # vowel signs, a dot below
        ["مُحَمَّد", "فِلْم"],  # vowels written
        ["ที่นี่", "ดีมาก"],
    ],
)
def test_marks_belong_to_their_words(words):
    assert counted([" ".join(words), words[0]]).vocabulary.tolist() == sorted(words)


@pytest.mark.parametrize(
    ("written", "word"),
    [
        (["fría", "FRI\u0301A"], "fría"),  # accents of their own, as macOS writes names
        (["δρόμος", "ΔΡΌΜΟΣ"], "δρόμος"),
        (["straße", "STRAẞE"], "straße"),
        (["İyi", "i\u0307yi"], "i̇yi"),
        (["wunderbar", "wunder\u00adbar", "Wun\u2060der\ufeffbar"], "wunderbar"),
        (["می\u200cخواهم", "میخواهم"], "میخواهم"),
    ],
)
def test_one_word_is_one_column_however_it_is_written(written, word):
    texts = [f"{each}, \u00ad {each}." for each in written]
    for corpus in (counted(texts), counted(texts, vocabulary=[written[-1], f"\u00ad{word}"])):  # of two given ones, the first
        assert corpus.counts.toarray()[:, 0].tolist() == [2] * len(texts)
    assert counted(texts).vocabulary.tolist() == [word]
    assert len(counted(texts, tokenizer=str.split).vocabulary) > 1  # what a tokenizer gives stays as it is


def test_what_chooses_how_an_emoji_is_drawn_is_no_word():
    assert counted(["good\ufe0f \u2764\ufe0f\ufe0f film", "bad"]).vocabulary.tolist() == ["bad", "film", "good"]


def test_options():
    texts = ["Good good<br />film", "bad film"]
    assert counted(texts).vocabulary.tolist() == ["bad", "film", "good"]
    assert counted(texts, min_count=2).vocabulary.tolist() == ["film", "good"]
    assert counted(texts, tokenizer=str.split).vocabulary.tolist() == ["/>film", "bad", "film", "good", "good<br"]
    assert counted(texts, max_words=1).vocabulary.tolist() == ["film"]
    words = counted(texts, vocabulary=["good", "great", "bad"], max_words=1)  # what is given is not shortened
    assert words.counts.toarray().tolist() == [[2, 0, 0], [0, 0, 1]]
    assert "1 without a known word" in repr(counted([*texts, "!"]))


def test_more_texts_than_a_chunk_keep_their_order():
    texts = [f"word{i:05d}" for i in range(2 * CHUNK + 1)]
    assert (counted(texts).counts.indices == np.arange(len(texts))).all()


@given(lists, st.integers(1, 12), st.integers(1, 3), st.randoms(use_true_random=False))
def test_max_words_keeps_the_most_frequent_and_breaks_ties_by_the_alphabet(texts, max_words, min_count, random):
    texts = [*texts, "two words", "two words", "two words"]
    whole = counted(texts, min_count=min_count)
    totals = dict(zip(whole.vocabulary.tolist(), whole.counts.sum(axis=0).tolist()))
    expected = sorted(sorted(totals, key=lambda word: (-totals[word], word))[:max_words])
    random.shuffle(texts)  # the order of the texts must not matter
    corpus = counted(texts, min_count=min_count, max_words=max_words)
    assert corpus.vocabulary.tolist() == expected
    assert corpus.counts.sum(axis=0).tolist() == [totals[word] for word in expected]


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["a b", None], {}, "text 1 is None, not a string"),
        (["good", float("nan")], {}, "text 1 is nan"),
        (["good", "bad"], {"min_count": 9}, "the vocabulary is empty: no word occurs min_count=9 times"),
        ([], {}, "there are no texts"),
    ],
)
def test_what_cannot_be_counted_is_named(texts, options, message):
    with pytest.raises(ValueError, match=message):
        counted(texts, **options)
