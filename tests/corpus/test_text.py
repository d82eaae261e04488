import re
import sys
from threading import get_ident

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tokensel_nb import corpus_from_texts, read_imdb
from tokensel_nb.corpus.text import CHUNK, SEPARATORS, split_words, strings

# Python's lower-casing may turn one character into two ("İ"), pyarrow's never does: such letters are left out.
letters = st.characters(codec="utf-8", exclude_categories=("Cs", "M"), exclude_characters="İ").filter(
    lambda character: len(character.lower()) == 1
)
texts = st.lists(st.text(st.one_of(st.sampled_from("ab éß_1 .<>\n"), letters), max_size=40), min_size=1, max_size=6)


def same_as_sklearn(corpus, texts, **options):
    vectorizer = CountVectorizer(**options)
    counts = vectorizer.fit_transform(texts)
    assert corpus.vocabulary.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (corpus.counts != counts).nnz == 0


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
def test_imdb_equals_count_vectorizer(every):
    """Every fifth review; all of them differ in nothing but their number."""
    reviews = read_imdb()
    texts, labels = reviews.texts[::every], reviews.labels[::every]
    same_as_sklearn(corpus_from_texts(texts, labels, separators=r"[^\p{L}\p{N}_]"), texts)


@given(st.lists(st.text("aAbé_1 .,!\n-", max_size=40), min_size=1, max_size=6))
def test_any_text_equals_count_vectorizer(texts):
    texts = [*texts, "two words"]
    same_as_sklearn(corpus_from_texts(texts, np.ones(len(texts)), separators=r"[^\p{L}\p{N}_]"), texts)


@given(texts)
def test_the_default_equals_a_plain_loop(texts):
    texts = [*texts, "two words"]
    corpus = corpus_from_texts(texts, np.ones(len(texts)))
    for text, row in zip(texts, corpus.counts.toarray()):
        words = re.findall(r"\w\w+", re.sub(r"<br\s*/?>", " ", text.lower()))
        assert dict(zip(corpus.vocabulary[row > 0].tolist(), row[row > 0].tolist())) == {w: words.count(w) for w in words}


@pytest.mark.parametrize(
    "words",
    [
        ["हिन्दी", "फ़िल्म"],  # vowel signs, a dot below
        ["ide\u0301e", "e\u0301te\u0301"],  # accents of their own, as macOS writes names
        ["مُحَمَّد", "فِلْم"],  # vowels written
        ["தமிழ்", "படம்"],
        ["ที่นี่", "ดีมาก"],
    ],
)
def test_marks_belong_to_their_words(words):
    assert corpus_from_texts([" ".join(words), words[0]], [1, -1]).vocabulary.tolist() == sorted(words)


def test_what_chooses_how_an_emoji_is_drawn_is_no_word():
    corpus = corpus_from_texts(["good\ufe0f \u2764\ufe0f\ufe0f film", "bad"], [1, -1])
    assert corpus.vocabulary.tolist() == ["bad", "film", "good"]


def check_the_quick_way(texts):
    quick, plain = (corpus_from_texts(texts, np.ones(len(texts)), separators=s) for s in (SEPARATORS, f"(?:{SEPARATORS})"))
    assert quick.vocabulary.tolist() == plain.vocabulary.tolist()
    assert (quick.counts != plain.counts).nnz == 0
    for lowercase in (True, False):  # the same lists, down to the empty word of a text that begins or ends with a separator
        quick, plain = (split_words(strings(texts), s, lowercase=lowercase) for s in (SEPARATORS, f"(?:{SEPARATORS})"))
        assert quick.to_pylist() == plain.to_pylist()


@given(st.lists(st.text("aB1_ <br/>\t\n\xa0É·", max_size=20), max_size=6))
def test_the_default_goes_a_quick_way_to_the_same_words(texts):
    check_the_quick_way([*texts, "<br>two<BR />words<br\n/>"])


def test_the_quick_way_splits_at_the_same_characters():
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    check_the_quick_way(["ab".join(characters[start : start + 1000]) for start in range(0, len(characters), 1000)])


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([1, -1, 1], ("-1", "+1")),
        ([1, 0, 1], ("0", "1")),
        ([True, False, True], ("0", "1")),
        (["pos", "neg", "pos"], ("neg", "pos")),
    ],
)
def test_every_way_to_label_two_classes(labels, names):
    corpus = corpus_from_texts(["good film", "bad film", "good good"], labels)
    assert (corpus.labels.tolist(), corpus.class_names) == ([1, 0, 1], names)
    assert corpus.signs.tolist() == [1, -1, 1]


def test_words_in_the_order_of_the_class_names():
    corpus = corpus_from_texts(["good", "bad", "fair"], ["pos", "neg", "mid"], class_names=("neg", "mid", "pos"))
    assert corpus.labels.tolist() == [2, 0, 1]


def test_options():
    texts, labels = ["Good good<br />film", "bad film"], [1, -1]
    assert corpus_from_texts(texts, labels).vocabulary.tolist() == ["bad", "film", "good"]
    assert corpus_from_texts(texts, labels, lowercase=False).vocabulary.tolist() == ["Good", "bad", "film", "good"]
    assert corpus_from_texts(texts, labels, min_count=2).vocabulary.tolist() == ["film", "good"]
    assert corpus_from_texts(texts, labels, tokenizer=str.split).vocabulary.tolist() == [
        "/>film",
        "bad",
        "film",
        "good",
        "good<br",
    ]
    assert corpus_from_texts(texts, labels, max_words=1).vocabulary.tolist() == ["film"]
    given_words = corpus_from_texts(texts, labels, vocabulary=["good", "great", "bad"])
    assert given_words.counts.toarray().tolist() == [[2, 0, 0], [0, 0, 1]]
    assert "1 without a known word" in repr(corpus_from_texts([*texts, "!"], [1, -1, 1]))


@pytest.mark.parametrize("size", [1, 2, 128, 2**21 + 1])
def test_the_size_of_a_vocabulary_changes_no_count(size):
    texts = ["a 0 9", *["9"] * 1022, "a 9 9"]  # the number of the last text and word needs one bit more than 31
    words = ["a", *map(str, range(10, 8 + size)), "9"][:size]
    counts = corpus_from_texts(texts, np.ones(1024), vocabulary=words).counts
    assert counts[[0, 1023]][:, [0]].toarray().tolist() == [[1], [1]]
    assert counts[:, [size - 1]].sum() == (1025 if size > 1 else 2)
    assert counts.nnz == (1026 if size > 1 else 2)


def test_more_texts_than_a_chunk_keep_their_order():
    texts = [f"word{i:04d}" for i in range(3000)]
    corpus = corpus_from_texts(texts, np.ones(3000))
    assert (corpus.counts.indices == np.arange(3000)).all()


@given(texts, st.integers(1, 12), st.integers(1, 3), st.randoms(use_true_random=False))
def test_max_words_keeps_the_most_frequent_and_breaks_ties_by_the_alphabet(texts, max_words, min_count, random):
    texts = [*texts, "two words", "two words", "two words"]
    whole = corpus_from_texts(texts, np.ones(len(texts)), min_count=min_count)
    totals = dict(zip(whole.vocabulary.tolist(), whole.counts.sum(axis=0).tolist()))
    expected = sorted(sorted(totals, key=lambda word: (-totals[word], word))[:max_words])
    random.shuffle(texts)  # the order of the texts must not matter
    corpus = corpus_from_texts(texts, np.ones(len(texts)), min_count=min_count, max_words=max_words)
    assert corpus.vocabulary.tolist() == expected
    assert corpus.counts.sum(axis=0).tolist() == [totals[word] for word in expected]


def test_a_given_vocabulary_is_not_shortened():
    corpus = corpus_from_texts(["good", "bad"], [1, -1], vocabulary=["good", "bad"], max_words=1)
    assert corpus.vocabulary.tolist() == ["good", "bad"]


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["a b", None], {}, "text 1 is None, not a string"),
        (["good", float("nan")], {}, "text 1 is nan"),
        (["good"], {"min_count": 9}, "the vocabulary is empty: no word occurs min_count=9 times"),
        (["good"], {"vocabulary": []}, "the vocabulary is empty"),
        (["good"], {"separators": " ", "tokenizer": str.split}, "separators and tokenizer both say what a word is; give one"),
        (["good", "\ud800"], {}, "holds half a character"),
        (["good"], {"max_words": 0}, "max_words=0; give a whole number of at least 1"),
        (["good"], {"separators": "("}, r"separators='\(' is not a regular expression of RE2"),
        ([], {}, "there are no texts"),
    ],
)
def test_bad_input_gets_one_sentence(texts, options, message):
    with pytest.raises(ValueError, match=message):
        corpus_from_texts(texts, np.ones(len(texts)), **options)


@pytest.mark.parametrize(("returned", "shown"), [("word", "'word'"), (3, "3"), (["good", None], "['good', None]")])
def test_what_is_no_list_of_words_is_shown_though_it_comes_late(returned, shown):
    with pytest.raises(ValueError, match=re.escape(f"tokenizer returned {shown}; it must return the words of a text")):
        corpus_from_texts(["good", "bad"], [1, -1], tokenizer={"good": ["good"], "bad": returned}.get)


def test_a_tokenizer_is_called_by_one_thread():
    callers = set()

    def tokenizer(text):
        callers.add(get_ident())
        return text.split()

    corpus_from_texts(["good film"] * (2 * CHUNK + 1), [1, -1] * CHUNK + [1], tokenizer=tokenizer)
    assert callers == {get_ident()}


def test_an_error_inside_a_tokenizer_is_shown_as_it_is():
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        corpus_from_texts(["good", "bad"], [1, -1], tokenizer=lambda: [])


def test_as_many_labels_as_texts():
    with pytest.raises(ValueError, match="2 texts and 1 labels"):
        corpus_from_texts(["good", "bad"], [1])
