import pytest
from helpers import written

from tokensel_nb import DataError, load_yelp, read_yelp
from tokensel_nb.datasets import yelp
from tokensel_nb.datasets.sources import RECORDED

STARRED = [("awful food", 1), ("poor food", 2), ("plain food", 3), ("good food", 4), ("great great food", 5)]
SETS = {2: "Yelp polarity", 5: "Yelp stars"}  # on the hub


@pytest.fixture
def yelp_folder(tmp_path, monkeypatch):
    (tmp_path / "yelp").mkdir()
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    return tmp_path / "yelp"


def starred(path, rows=STARRED):
    return written(path, rows, ("text", "stars"))


@pytest.fixture
def yelp_hub(hub, monkeypatch):
    """A stand-in for the hub that serves a few reviews of each set."""
    hub["Yelp/yelp_review_full"] = {"text": [text for text, _ in STARRED], "label": [0, 1, 2, 3, 4]}
    hub["fancyzhx/yelp_polarity"] = {"text": [r"Bad.\nThe food", "good food"], "label": [0, 1]}
    for rows, name in SETS.items():
        for split in ("train", "test"):
            monkeypatch.setitem(RECORDED, f"{name} {split}", (rows, None))
    return hub


@pytest.mark.parametrize("name", ["train.csv", "train.csv.gz", "train.tsv", "train.parquet"])
@pytest.mark.parametrize("kind", [int, float, str, lambda stars: str(float(stars))], ids=["int", "float", "str", "'1.0'"])
def test_yelp_from_a_folder_in_every_format(yelp_folder, capsys, name, kind):
    starred(yelp_folder / name, [(text, kind(stars)) for text, stars in STARRED])
    reviews = read_yelp()
    assert capsys.readouterr().out == f"Yelp train: 4 reviews from the folder {yelp_folder.parent}\n"
    assert reviews.texts == ["awful food", "poor food", "good food", "great great food"]
    assert reviews.labels.tolist() == [0, 0, 1, 1]
    assert reviews.class_names == ("negative", "positive")


def check_classes_of_stars():
    four, five = read_yelp(classes=4), read_yelp(classes=5)
    assert four.texts == [text for text, stars in STARRED if stars != 3]
    assert four.labels.tolist() == [0, 1, 2, 3]
    assert four.class_names == ("1 star", "2 stars", "4 stars", "5 stars")
    assert five.texts == [text for text, _ in STARRED]
    assert five.labels.tolist() == [0, 1, 2, 3, 4]
    assert five.class_names == ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")


def test_four_and_five_classes_of_a_folder(yelp_folder):
    starred(yelp_folder / "train.csv")
    check_classes_of_stars()


def test_four_and_five_classes_of_the_hub_from_one_set(yelp_hub):
    del yelp_hub["fancyzhx/yelp_polarity"]
    check_classes_of_stars()


def test_two_classes_of_the_hub_have_their_line_breaks_back(yelp_hub, capsys):
    reviews = read_yelp()
    assert capsys.readouterr().out == "Yelp train: 2 reviews from the Hugging Face hub\n"
    assert reviews.texts == ["Bad.\nThe food", "good food"]
    assert (reviews.labels.tolist(), reviews.class_names) == ([0, 1], ("negative", "positive"))


def test_a_wrong_number_of_rows_from_the_hub_is_refused(yelp_hub, monkeypatch):
    monkeypatch.setitem(RECORDED, "Yelp stars test", (38_000, None))
    with pytest.raises(DataError, match="Yelp stars test from the Hugging Face hub has 5 rows instead of 38,000"):
        read_yelp("test", classes=4)


def test_the_folder_comes_before_the_hub_and_the_hub_serves_what_it_lacks(yelp_folder, yelp_hub, capsys):
    starred(yelp_folder / "train.csv")
    assert len(read_yelp()) == 4
    assert len(read_yelp(source="hub")) == 2
    assert len(read_yelp("test")) == 2
    with pytest.raises(DataError, match=r"Yelp test could not be loaded \(folder: .* has no yelp/test"):
        read_yelp("test", source="folder")
    assert capsys.readouterr().out.count("from the folder") == 1


@pytest.mark.parametrize("classes", [2, 4, 5])
def test_the_test_split_of_yelp_has_the_training_vocabulary_of_the_same_source(yelp_folder, yelp_hub, classes):
    starred(yelp_folder / "train.csv")
    starred(yelp_folder / "test.csv", [("great unseen food", 5), ("bad food", 1)])
    test = load_yelp("test", classes, source="folder")
    assert test.vocabulary.tolist() == load_yelp("train", classes, source="folder").vocabulary.tolist()
    assert {"awful", "great"} <= set(test.vocabulary)
    assert "unseen" not in test.vocabulary
    assert test.counts.sum() == 3  # great, food; food


def test_the_vocabulary_of_yelp_is_limited_by_default(yelp_folder, monkeypatch):
    starred(yelp_folder / "train.csv")
    assert yelp.YELP_MAX_WORDS == 5_424
    monkeypatch.setattr(yelp, "YELP_MAX_WORDS", 2)
    assert load_yelp().vocabulary.tolist() == ["food", "great"]
    assert load_yelp(max_words=3).vocabulary.tolist() == ["awful", "food", "great"]
    assert load_yelp(max_words=None).vocab_size == 5
    assert load_yelp(max_words=None, min_count=2).vocabulary.tolist() == ["food", "great"]
    assert load_yelp(vocabulary=["good", "bad", "poor"]).counts.sum() == 2


@pytest.mark.parametrize("strange", [0, 6, 3.5, "five", float("inf")])
def test_stars_that_are_none_are_refused(yelp_folder, strange):
    starred(yelp_folder / "train.csv", [("good", "5"), ("so so", strange)])
    with pytest.raises(DataError, match="the stars of a review are not 1, 2, 3, 4 or 5"):
        read_yelp()


def test_a_missing_number_of_stars_is_refused(yelp_folder):
    starred(yelp_folder / "train.csv", [("good", 5), ("bad", None)])
    with pytest.raises(DataError, match=r"train\.csv: a text or a label is missing"):
        read_yelp()


def test_a_folder_of_yelp_needs_the_column_stars(yelp_folder):
    written(yelp_folder / "train.csv")
    with pytest.raises(DataError, match=r"train.csv has no column 'stars', only 'text', 'label'"):
        read_yelp()


def test_without_yelp_one_sentence_says_what_to_do(hub_offline):
    message = (
        r"^Yelp train could not be loaded \(folder: TOKENSEL_DATA is not set; hub: HF_HUB_OFFLINE is set\); "
        r"set TOKENSEL_DATA to a folder with yelp/train.csv, whose columns are text and stars \(1 to 5\)$"
    )
    for split in ("train", "test"):
        with pytest.raises(DataError, match=message):
            load_yelp(split)


def test_other_numbers_of_classes_are_refused():
    with pytest.raises(ValueError, match="classes=3; choose 2, 4 or 5"):
        read_yelp(classes=3)


ALIEN = {  # what another file of as many rows may hold
    "a label of 7": dict(label=[0, 7]),
    "labels in words": dict(label=["0", "1"]),
    "fewer labels": dict(label=[0]),
    "no text": dict(text=[None, "good"]),
}


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("name", ALIEN)
def test_alien_rows_of_the_hub_are_refused(yelp_hub, monkeypatch, classes, name):
    address = "fancyzhx/yelp_polarity" if classes == 2 else "Yelp/yelp_review_full"
    monkeypatch.setitem(RECORDED, f"{SETS[classes]} train", (2, None))
    yelp_hub[address] = dict(text=["bad", "good"], label=[0, 1]) | ALIEN[name]
    with pytest.raises(DataError, match=r"from the Hugging Face hub: a (label is not|text or a label)"):
        read_yelp(classes=classes)


def test_columns_of_other_names_are_refused(yelp_hub):
    yelp_hub["fancyzhx/yelp_polarity"] = dict(content=["bad", "good"], label=[0, 1])
    with pytest.raises(DataError, match="has no columns text and label; use another source"):
        read_yelp()
