import bz2
import gzip
import io
import json
import lzma
import tracemalloc
import zipfile
from contextlib import contextmanager

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import ROWS, written

from tokensel_nb import DataError, load_reviews, read_reviews
from tokensel_nb.datasets.read.characters import found_encoding


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.gz"])
def test_every_format_gives_the_same_corpus(tmp_path, name):
    corpus = load_reviews(written(tmp_path / name))
    assert corpus.labels.tolist() == [1, 0, 1]
    assert corpus.class_names == ("neg", "pos")
    assert corpus.counts.toarray().tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 2]]


def test_columns_classes_and_options_can_be_chosen(tmp_path):
    path = written(tmp_path / "a.csv", [("good", 1), ("bad", 5), ("so so", 3), ("good", 5)], ("review", "stars"))
    corpus = load_reviews(path, text="review", label="stars", min_count=2)
    assert (corpus.class_names, corpus.vocabulary.tolist()) == (("1", "3", "5"), ["good", "so"])
    assert load_reviews(written(tmp_path / "b.csv"), class_names=["pos", "neg"]).labels.tolist() == [0, 1, 0]


def test_words_that_look_like_missing_values_are_texts(tmp_path):
    reviews = read_reviews(written(tmp_path / "a.csv", [("None", 0), ("NA", 1), ("null", 1)]))
    assert reviews.texts == ["None", "NA", "null"]
    assert reviews.class_names == ("0", "1")


def test_empty_texts_are_dropped_and_counted(tmp_path, capsys):
    rows = [*ROWS, ("", "pos"), ("  ", "neg"), (None, "")]
    for name in ("a.csv", "a.parquet"):
        assert len(read_reviews(written(tmp_path / name, rows))) == 3
        assert f"{name}: 3 of 6 rows have an empty text and are dropped" in capsys.readouterr().out


def test_other_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nun été,1\nmauvais,0\n".encode("latin-1"))
    assert read_reviews(path, encoding="latin-1").texts[0] == read_reviews(path).texts[0] == "un été"
    with pytest.raises(DataError, match=r"a.csv: its text is not utf-8 .*; leave encoding out to have it detected"):
        read_reviews(path, encoding="utf-8")
    path.write_bytes("text,label\ngood,1\nbad,0\n".encode("utf-16")[:-1])
    with pytest.raises(DataError, match=r"a.csv: cannot be read \('utf-16-le' codec .* truncated data\); repair or replace it"):
        read_reviews(path)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (ROWS, {"text": "body"}, r"there is no column 'body'; it has 'text', 'label'"),
        (ROWS, {"label": "stars"}, r"there is no column 'stars'"),
        ([*ROWS, ("fine", None)], {}, r"row 4 \(without the header\) has no label; fill it in or drop the row"),
        ([("a", 0.0), ("b", 1.0), ("c", float("nan"))], {}, r"row 3 .* has no label"),
        ([*ROWS, ("fine", "so-so")], {"class_names": ["neg", "pos"]}, r"row 4 .* has the label 'so-so'; it must be one of"),
        ([("good", 1), ("fine", 1)], {}, "every label is '1'; at least two classes are needed"),
        ([("good", 1), ("fine", 1)], {"class_names": [0, 2]}, "row 1 .* has the label '1'; it must be one of '0', '2'"),
        ([(f"text {i}", i) for i in range(30)], {}, "30 different labels; name the right column"),
        ([("", 1), (" ", 0)], {}, "there is no text at all; name the column that holds the texts"),
    ],
)
def test_bad_contents_get_one_sentence(tmp_path, rows, options, message):
    with pytest.raises(DataError, match=message) as caught:
        read_reviews(written(tmp_path / "a.csv", rows), **options)
    assert "a.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.parquet", b"PAR1 and no more"),
        ("a.jsonl", b'{"text": "good", "label"'),
        ("a.csv", b'text,label\n"never closed, yes,1\n'),
        ("a.csv.gz", gzip.compress(b"text,label\n" * 1000, mtime=0)[:30]),
        ("a.csv.xz", b"\xfd7zXZ\x00garbage"),
        ("a.csv.zip", b"PK\x03\x04garbage"),
        ("a.bz2", b"BZhgarbage"),
        ("a.png", bytes(range(256))),
        ("a.json", b"[" * 100_000),
        ("a.json", b"[]"),
        ("a.jsonl", b'{"text": "good", "label": 1}\n[1]\n'),
        ("a.zip", b"PK\x05\x06" + bytes(18)),
        ("a.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nstream\n\x80\x90\xff\nendstream\n"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)),
        ("a.jpg", b"\xff\xd8\xff\xe0\x10JFIF\x01\x02\n\x03"),
        ("a.xls", b"<html><table><tr><td>text</td></tr></table></html>"),
        ("a.xml", b"<?xml version='1.0'?>\n<r>good</r>"),
        ("a.bin", b"\x01\x02\x03" + bytes(512)),
    ],
    ids="parquet jsonl quote gzip xz zip bz2 png deep-json empty-json in-jsonl empty-zip pdf doc jpg html xml zeros".split(),
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, contents):
    (tmp_path / name).write_bytes(contents)
    for label in ("auto", None):
        with pytest.raises(DataError, match=r"cannot be read \(.*\); repair or replace it"):
            read_reviews(tmp_path / name, label=label)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no.csv: there is no such file; give the path of a CSV"):
        read_reviews(tmp_path / "no.csv")


@pytest.mark.parametrize(
    ("values", "names"),
    [((-1, 1), ("-1", "1")), ((0, 1), ("0", "1")), ((1.0, 2.0), ("1", "2")), (("bad", "good"), ("bad", "good"))],
    ids=["signs", "0 and 1", "1.0 and 2.0", "words"],
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_every_way_to_write_two_classes(tmp_path, name, values, names):
    rows = [("fine", values[1]), ("awful", values[0]), ("great", values[1])]
    reviews, corpus = read_reviews(written(tmp_path / name, rows)), load_reviews(tmp_path / name)
    assert (reviews.labels.tolist(), reviews.class_names) == ([1, 0, 1], names)
    assert (corpus.labels.tolist(), corpus.class_names) == ([1, 0, 1], names)


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: pa.compress(data, "zstd", asbytes=True)]
)
def test_a_packed_file_is_known_by_its_first_bytes(tmp_path, pack):
    (tmp_path / "a.csv").write_bytes(pack(b"text,label\ngood,1\nbad,0\n"))
    assert read_reviews(tmp_path / "a.csv").texts == ["good", "bad"]


def archive(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "text,label\ngood,1\nbad,0\n")
    return path


def test_archives(tmp_path):
    assert len(read_reviews(archive(tmp_path / "a.zip", "a.csv", "__MACOSX/a.csv"))) == 2
    with pytest.raises(DataError, match="it is an archive of 2 files; unpack it"):
        read_reviews(archive(tmp_path / "b.zip", "a.csv", "b.csv"))
    with pytest.raises(DataError, match=r"it is a workbook .*; save it there as CSV"):
        read_reviews(archive(tmp_path / "b.xlsx", "[Content_Types].xml", "x.xml"))


def test_a_large_file_is_not_held_whole_while_its_encoding_is_sought():
    data = b"a good film\n" * 2_000_000  # 24 MB
    tracemalloc.start()
    try:
        assert found_encoding(lambda: io.BytesIO(data)) == ("utf-8", "strict")
        assert tracemalloc.get_traced_memory()[1] < len(data) / 4
    finally:
        tracemalloc.stop()


def zipped(data):
    with zipfile.ZipFile(whole := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.csv", data)
    return whole.getvalue()


PACK = {
    "zip": zipped,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
TOO_LARGE = "it unpacks to more than 17 MB, from 0.. MB; unpack and split it"


@contextmanager
def little_memory():
    """So little as it takes to refuse an archive before any of its rows is kept; xz alone takes 8 MB."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", PACK)
def test_an_archive_made_to_fill_the_memory_is_refused_before_it_does(tmp_path, kind):
    path = tmp_path / f"a.csv.{kind}"
    path.write_bytes(PACK[kind](b"text,label\n" + b"good film,1\n" * 1_500_000))
    assert path.stat().st_size < 10**5
    read_reviews(archive(tmp_path / "small.zip", "a.csv"))  # what is imported then takes memory, too
    with little_memory(), pytest.raises(DataError, match=TOO_LARGE):
        read_reviews(path)


@pytest.mark.parametrize("kind", PACK)
def test_what_packs_well_but_is_small_is_read(tmp_path, kind):
    (tmp_path / "a.csv").write_bytes(PACK[kind](b"text,label\n" + b"good film,1\nbad film,0\n" * 10_000))
    assert len(read_reviews(tmp_path / "a.csv")) == 20_000


def test_a_parquet_file_of_the_same_row_over_and_over_is_refused(tmp_path):
    same = pa.repeat(pa.scalar(1), 3_000_000)
    pq.write_table(pa.table({"text": pa.repeat("good film", 3_000_000), "label": same}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=TOO_LARGE):
        read_reviews(tmp_path / "a.parquet")


WRITTEN = {
    "cp1252": ["un été très chaud, déjà", "une fille, généreuse et naïve", "Mädchen", "El niño comió mañana"],
    "cp1251": ["Очень хороший фильм", "Плохой фильм, не рекомендую"],
    "koi8-r": ["Очень хороший фильм", "Плохой фильм, не рекомендую"],
    "cp1253": ["πολύ καλή ταινία", "κακή ταινία"],
    "cp932": ["とても良い映画でした。面白い", "つまらない"],
    "euc-jp": ["とても良い映画でした。面白い", "つまらない"],
    "gb18030": ["这部电影非常好看，推荐给大家", "不好看"],
    "big5": ["這部電影非常好看，推薦給大家", "不好看"],
    "cp949": ["아주 좋은 영화였습니다", "나쁜 영화"],
    "utf-16-be": ["Ein schöner Film, but mostly ASCII", "bad"],
}


@pytest.mark.parametrize("encoding", WRITTEN)
def test_encodings_are_found_and_told(tmp_path, capsys, encoding):
    rows = [(text, number % 2) for number, text in enumerate(WRITTEN[encoding])]
    (tmp_path / "a.csv").write_bytes(pd.DataFrame(rows, columns=["text", "label"]).to_csv(index=False).encode(encoding))
    assert read_reviews(tmp_path / "a.csv").texts == WRITTEN[encoding]
    assert ("its encoding was detected as" in capsys.readouterr().out) == (not encoding.startswith("utf"))


ENGLISH = "it’s a good film|naïve, but fine|Señor £5|costs £5|a café|über cool|€5 each|20° – “warm”|1½ stars|a cliché… no"


@pytest.mark.parametrize("times", [1, 200])
@pytest.mark.parametrize("text", ENGLISH.split("|"))
def test_a_few_characters_beyond_ascii_do_not_change_the_encoding(tmp_path, capsys, text, times):
    texts = [f"{text if i < times else 'a plain film'} {i}" for i in range(200)]
    table = pd.DataFrame({"text": texts, "label": [i % 2 for i in range(200)]})
    table.to_csv(tmp_path / "a.csv", index=False, encoding="cp1252")
    assert read_reviews(tmp_path / "a.csv").texts == texts
    assert "detected as cp1252; encoding=" in capsys.readouterr().out


OTHERS = {
    "mac_roman": "ein schöner Film für Mädchen|it’s a good “film”|un été très chaud, déjà où",
    "cp850": "ein schöner Film für Mädchen|a café for £5|un été très chaud, déjà où",
    "cp1250": "bardzo dobry film, zażółć gęślą jaźń|příliš žluťoučký kůň|nagyon jó film, őszintén szép, árvíztűrő",
    "cp1254": "çok güzel bir film şahane ığdır kötü değil",
    "cp866": "Очень хороший фильм, не рекомендую плохой",
    "koi8-r": "Очень хороший фильм, не рекомендую плохой",
}


@pytest.mark.parametrize("plain", [0, 20], ids=["alone", "beside plain lines"])
@pytest.mark.parametrize("encoding", OTHERS)
def test_another_encoding_is_found_where_cp1252_would_be_strange_or_its_letters_are_many(tmp_path, encoding, plain):
    for text in OTHERS[encoding].split("|"):
        texts = [f"{text} {i}" for i in range(10)] + [f"a plain film {i}" for i in range(plain)]
        table = pd.DataFrame({"text": texts, "label": [i % 2 for i in range(len(texts))]})
        table.to_csv(tmp_path / "a.csv", index=False, encoding=encoding)
        assert read_reviews(tmp_path / "a.csv").texts == texts


def test_a_few_odd_bytes_in_utf8_are_read_as_cp1252(tmp_path, capsys):
    (tmp_path / "a.csv").write_bytes("text,label\nun été très beau été\u201d,1\n".encode() + b"caf\xe9,0\n")
    assert read_reviews(tmp_path / "a.csv").texts == ["un été très beau été\u201d", "café"]
    assert "utf-8, but for a few bytes, which are read as cp1252" in capsys.readouterr().out


@pytest.mark.parametrize(("valid", "as_utf8"), [(6, True), (5, False)])
def test_odd_bytes_are_few_up_to_one_beside_more_than_five_letters_of_utf8(tmp_path, capsys, valid, as_utf8):
    (tmp_path / "a.csv").write_bytes(f"text,label\n{'é' * valid},1\n".encode() + b"caf\xe9,0\n")
    assert (read_reviews(tmp_path / "a.csv").texts == ["é" * valid, "café"]) == as_utf8
    assert ("utf-8, but for a few bytes" in capsys.readouterr().out) == as_utf8


RECORDS = [{"text": "good", "label": 1}, {"text": "bad", "label": 0}]


@pytest.mark.parametrize(
    "contents",
    [
        RECORDS,
        {"text": ["good", "bad"], "label": [1, 0]},
        {"text": {"0": "good", "1": "bad"}, "label": {"0": 1, "1": 0}},
        {"version": 1, "data": RECORDS},
        {"data": RECORDS},
    ],
    ids=["records", "columns", "pandas", "beside other things", "under a name"],
)
def test_json(tmp_path, contents):
    (tmp_path / "a.json").write_text(json.dumps(contents))
    reviews = read_reviews(tmp_path / "a.json")
    assert (reviews.texts, reviews.labels.tolist(), reviews.class_names) == (["good", "bad"], [1, 0], ("0", "1"))


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a"])
@pytest.mark.parametrize(
    "contents", [json.dumps(RECORDS, indent=1), "\n".join(map(json.dumps, RECORDS))], ids=["list", "lines"]
)
def test_json_under_another_name(tmp_path, name, contents):
    (tmp_path / name).write_text(contents)
    assert read_reviews(tmp_path / name).texts == read_reviews(tmp_path / name, label=None).texts == ["good", "bad"]


def test_json_lines_with_strange_texts(tmp_path, capsys):
    lines = ['\ufeff{"text": "half \\ud83d", "label": 1}', '{"text": null, "label": 0}', "", '{"text": 5, "label": 0}']
    (tmp_path / "a.json").write_text("\n".join(lines), encoding="utf-8")
    assert read_reviews(tmp_path / "a.json").texts == ["half \ufffd", "5"]
    assert "1 of 3 rows has an empty text and is dropped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ("foo,bar", {}, "it is not clear which column holds the texts; name it as text=...; it has 'foo', 'bar'"),
        ("text,bar", {}, "it is not clear which column holds the labels; name it as label=..., or label=None for texts"),
        ("review,comment,label", {}, "2 columns could hold the texts"),
        ("text,stars,sentiment", {}, "2 columns could hold the labels"),
        ("text,text,label", {}, "2 columns could hold the texts"),
        ("text,text,label", {"text": "text"}, "there are 2 columns 'text'"),
        ("text,label", {"label": "text"}, "text and label are both 'text'; name two columns"),
        (
            ",".join(map("x{}".format, range(1000))),
            {"text": "y", "label": "x1"},
            "there is no column 'y'; it has 'x0', .* and 980 more",
        ),
    ],
)
def test_columns_that_are_not_clear(tmp_path, names, options, message):
    width = names.count(",") + 1
    (tmp_path / "a.csv").write_text(f"{names}\n{','.join('a' * width)}\n{','.join('b' * width)}\n")
    with pytest.raises(DataError, match=message):
        read_reviews(tmp_path / "a.csv", **options)


def test_columns_that_were_found_are_told(tmp_path, capsys):
    read_reviews(written(tmp_path / "a.csv", columns=("reviewText", "overall")))
    assert capsys.readouterr().out == "a.csv: texts from column 'reviewText' and labels from column 'overall'\n"


def test_texts_without_labels(tmp_path):
    for reviews in (read_reviews(written(tmp_path / "a.csv"), label=None), read_reviews(([text for text, _ in ROWS], None))):
        assert (reviews.texts, reviews.labels, reviews.class_names) == ([text for text, _ in ROWS], None, ())
        assert "3 texts, without labels" in repr(reviews)
    (tmp_path / "a.txt").write_text("a good film, yes\r\n\r\nbad; film\r\n")
    assert read_reviews(tmp_path / "a.txt", label=None).texts == ["a good film, yes", "bad; film"]
    (tmp_path / "b.csv").write_text('text\ngood, film\n"bad"\n')
    assert read_reviews(tmp_path / "b.csv", label=None).texts == ["good, film", "bad"]
    with pytest.raises(DataError, match=r"a.txt: it holds one text per line and no labels; give label=None"):
        read_reviews(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="label=None; words are counted by label here"):
        load_reviews(tmp_path / "a.txt", label=None)


def test_what_the_way_through_files_left_is_mended(tmp_path, capsys):
    rows = [(r"Bad.\nThe \"food\"\tis", 0), ("fish &amp; chips &#39;here&#39;, rock&regular", 1), (r"C:\\new", 1), ("plain", 0)]
    path = written(tmp_path / "a.parquet", rows)
    assert read_reviews(path).texts == ['Bad.\nThe "food"\tis', "fish & chips 'here', rock&regular", r"C:\\new", "plain"]
    assert "texts with line breaks as \\n or signs as &amp;: 2, restored; clean=str leaves them" in capsys.readouterr().out
    assert read_reviews(path, clean=str).texts == [text for text, _ in rows]
    assert read_reviews(path, clean=str.upper).texts[-1] == "PLAIN"
    with pytest.raises(ValueError, match="clean returns"):
        read_reviews(path, clean=len)


def test_repeated_and_disputed_texts_are_told(tmp_path, capsys):
    rows = [("a", 0), ("b", 1), ("a", 0), ("a", 1), ("b", 1)]
    assert len(read_reviews(written(tmp_path / "a.csv", rows))) == 5
    assert capsys.readouterr().out == (
        "a.csv: texts that repeat an earlier one with its label: 2 (row 3, row 5), kept; drop_duplicates=True drops them\n"
        "a.csv: texts that occur with two labels: 1 (row 1 and row 4), kept\n"
    )
    reviews = read_reviews(tmp_path / "a.csv", drop_duplicates=True)
    assert (reviews.texts, reviews.labels.tolist()) == (["a", "b", "a"], [0, 1, 1])
    assert "2 (row 3, row 5), dropped" in capsys.readouterr().out
