import json
import zipfile

import datasets
import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

import tokensel_report as tr
from tokensel_report.read import read_probabilities

ROWS = [("good film, really", "up"), ("bad film", "down"), ("so so; fine", "up"), ("a slow start", "down")]
TABLE = pd.DataFrame(ROWS, columns=["text", "label"])


def pairs(reviews):
    return [(text, reviews.class_names[code]) for text, code in zip(reviews.texts, reviews.labels)]


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a text, or bytes, to a file and reads it."""

    def read(content, text=None, label="auto", name="a.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tr.read_reviews(path, text, label, **options)

    return read


# Sources


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.csv.zip", "a.jsonl", "a.json", "a.json.xz", "a.parquet"])
def test_files(tmp_path, capsys, name):
    path = tmp_path / name
    if ".csv" in name or ".tsv" in name:
        TABLE.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    elif "json" in name:
        TABLE.to_json(path, orient="records", lines="jsonl" in name)
    else:
        TABLE.to_parquet(path)
    reviews = tr.read_reviews(path)
    assert pairs(reviews) == ROWS
    assert (reviews.class_names, reviews.rows.tolist(), reviews.number) == (("down", "up"), [0, 1, 2, 3], 4)
    assert reviews.labels.dtype == np.int64
    assert reviews.source == str(path)
    assert capsys.readouterr().out.count("\n") == (".tsv" in name)


def test_a_home_folder_and_an_address(tmp_path, monkeypatch):
    TABLE.to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert pairs(tr.read_reviews("~/a.csv")) == pairs(tr.read_reviews((tmp_path / "a.csv").as_uri())) == ROWS


@pytest.mark.parametrize("dtype", ["object", "string", "category", "string[pyarrow]"])
def test_frames(dtype):
    assert pairs(tr.read_reviews(TABLE.astype({"text": "object" if dtype == "category" else dtype, "label": dtype}))) == ROWS


def test_tables_of_other_libraries():
    names = datasets.ClassLabel(names=["down", "up"])
    features = datasets.Features({"text": datasets.Value("string"), "label": names})
    data = datasets.Dataset.from_dict({"text": ["good", "bad", "new"], "label": [1, 0, -1]}, features=features)
    assert pairs(tr.read_reviews(data)) == [("good", "up"), ("bad", "down")]
    assert pairs(tr.read_reviews(data.data.table.slice(0, 2))) == [("good", "1"), ("bad", "0")]


TWO, UPS = ["good film", "bad film"], ["up", "down"]
STRINGS = np.dtypes.StringDType()
IN_LISTS = [list(zip(TWO, UPS)), (TWO, UPS), (tuple(TWO), UPS), [[TWO[0], "up"], (TWO[1], "down")], (iter(TWO), iter(UPS))]
IN_LISTS += [(np.array(TWO), pd.Series(UPS)), (np.array(TWO, STRINGS), np.array(UPS, STRINGS))]


@pytest.mark.parametrize("source", IN_LISTS)
def test_two_texts_with_labels_in_lists(source):
    assert pairs(tr.read_reviews(source)) == list(zip(TWO, UPS))


def test_lists_of_other_lengths():
    assert pairs(tr.read_reviews(ROWS)) == pairs(tr.read_reviews(tuple(map(list, ROWS)))) == ROWS
    assert pairs(tr.read_reviews(tuple(zip(*ROWS)))) == ROWS
    new = tr.read_reviews((["new", ""], None))
    assert (new.texts, new.labels, new.class_names, new.rows.tolist(), new.number) == (["new"], None, (), [0], 2)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ([["a", "up"], ["b", "down"]], "ambiguous"),
        ((("a", "up"), ("b", "down")), "ambiguous"),
        (["good film", "bad film"], "ambiguous"),
        (["a", "b", "c"], "ambiguous"),
        ([], "ambiguous"),
        ((["a", "b"], ["up"]), "same length"),
        (({"a", "b"}, ["up", "down"]), "ambiguous"),
        ((np.eye(2), ["up", "down"]), "contains a list"),
        ({"text": ["a"]}, "the dict cannot be read; give a path, a DataFrame"),
        (TABLE.assign(label=[{"a": 1}] * 4), "column 'label' contains a dict; give strings"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(source, error):
    with pytest.raises(tr.DataError, match=error) as raised:
        tr.read_reviews(source)
    assert "\n" not in str(raised.value)


def test_the_hub(monkeypatch):
    rows = {("owner/name", "test", "v1"): TABLE[2:], ("owner/name", "train", None): TABLE}
    load = lambda name, split, revision, **_: datasets.Dataset.from_pandas(rows[name, split, revision])
    monkeypatch.setattr("tokensel_nb.datasets.hub.why_unreachable", lambda: None)
    monkeypatch.setattr(datasets, "load_dataset", load)
    assert pairs(tr.read_reviews("hub:owner/name")) == ROWS
    assert pairs(tr.read_reviews("hub:owner/name@v1:test")) == ROWS[2:]


def test_a_hub_out_of_reach_is_told_in_one_line(monkeypatch):
    def fails(*names, **how):
        raise ConnectionError("no answer\nafter 5 s")

    monkeypatch.setattr("tokensel_nb.datasets.hub.why_unreachable", lambda: None)
    monkeypatch.setattr(datasets, "load_dataset", fails)
    with pytest.raises(tr.DataError, match=r"hub:owner/name could not be loaded .*no answer"):
        tr.read_reviews("hub:owner/name")


def archive(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "text,label\n")
    return path


def test_files_that_are_none_of_texts_are_refused_in_one_line(tmp_path):
    (tmp_path / "keyed.json").write_text(json.dumps({f"r{i}": {"text": "bad", "label": i} for i in range(3)}))
    (tmp_path / "split.json").write_text(TABLE.to_json(orient="split"))
    (tmp_path / "lines.jsonl").write_text('{"text": "good", "label": 1}\n{bad}\n')
    (tmp_path / "empty.csv").write_text("\n")
    (tmp_path / "names.csv").write_text("text,label\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "cut.csv.gz").write_bytes(b"\x1f\x8b\x08")
    archive(tmp_path / "two.zip", "a.csv", "b.csv")
    archive(tmp_path / "book.xlsx", "[Content_Types].xml")
    errors = {"keyed.json": 'orient="index"', "split.json": "no columns are clearly", "lines.jsonl": "Expected object"}
    errors |= {"two.zip": "Multiple files", ".": "directory", "book.xlsx": "read_excel", "cut.csv.gz": "ended before"}
    errors |= {"empty.csv": "No columns", "names.csv": "all labels are missing", "binary.csv": "read_excel"}
    for name, error in errors.items():
        with pytest.raises(tr.DataError, match=error) as raised:
            tr.read_reviews(tmp_path / name)
        assert name in str(raised.value)
        assert "\n" not in str(raised.value)
    with pytest.raises(FileNotFoundError, match="none"):
        tr.read_reviews(tmp_path / "none.csv")


# Cells of text


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("names", [("text", "label"), ("Review Text", "stars"), ("avis", "note")])
def test_separators_are_told_apart(read, capsys, sep, names):
    rows = [(f"good; film, really | {i}", "x") if i % 2 else (f"bad\nfilm {i}", "y") for i in range(8)]
    csv = pd.DataFrame(rows, columns=names).to_csv(index=False, sep=sep, lineterminator="\r\n")
    assert pairs(read(csv)) == rows
    assert ("separator seems" in capsys.readouterr().out) == (sep != ",")
    assert pairs(read(csv, sep=sep)) == rows


def test_a_separator_of_ones_own(read):
    assert pairs(read("text@label\na film, good@up\nbad; film@down\n", sep="@")) == [
        ("a film, good", "up"),
        ("bad; film", "down"),
    ]


def test_a_quote_that_is_not_closed_is_part_of_the_text_where_tabs_separate(read):
    texts = [f"{text} {i}" for i, text in enumerate(['"great film', 'a 5" screen', 'fine"', "bad"] * 4)]
    lines = [f"{text}\t{i % 2}" for i, text in enumerate(texts)]
    assert read("\n".join(["text\tlabel", *lines])).texts == texts


@pytest.mark.parametrize("row", ["a film, good, up", '"never closed, up'], ids=["too wide", "open quote"])
@pytest.mark.parametrize("before", ["", "bad,down\n"])
def test_ragged_rows_are_an_error_with_their_line(read, row, before):
    for skip in (False, True) if '"' in row else (False,):  # an open quote would take all that follows
        with pytest.raises(tr.DataError, match=r"line \d|row \d"):
            read(f"text,label\n{before}{row}\nfine,up\n", skip_bad_rows=skip)


@pytest.mark.parametrize("first", [True, False])
def test_bad_rows_are_skipped_if_asked(read, capsys, first):
    rows = ["good, film,up", "bad,down", "fine,up", "a, b, c,up"]
    assert read("\n".join(["text,label", *(rows if first else rows[::-1])]), skip_bad_rows=True).class_names == ("down", "up")
    assert "2 rows left out: they have more cells" in capsys.readouterr().out


def test_new_texts_a_line(read):
    assert read("text\na film, good; really\n\nbad\n", label=None).on_rows(["x", "y"]) == ["x", "", "y"]


def test_texts_stay_as_they_are(read):
    texts = [r"We measure $\tau \to \nu$", r"C:\temp\new", "fish &amp; chips", "NA", "None", " x ", "line\u2028end\x85"]
    rows = [(text, "ab"[i % 2]) for i, text in enumerate([*texts, 'say ""hi""', "1.0", "007", "\ufffd"])]
    table = pd.DataFrame(rows, columns=["text", "label"])
    lines = table.to_json(orient="records", lines=True, force_ascii=False)
    for reviews in (read(table.to_csv(index=False)), read(lines), tr.read_reviews(table), tr.read_reviews(rows)):
        assert pairs(reviews) == rows


@pytest.mark.parametrize("skip", [True, False])
def test_a_text_of_five_megabytes(read, skip):
    csv = f'text,label\n"{"long, " * 10**6}",up\nshort,down\n'
    assert len(read(csv, skip_bad_rows=skip).texts[0]) == 6 * 10**6


# Encodings

WRITTEN = {
    "cp1250": "Jídlo bylo výborné a obsluha příjemná|Hrozné čekání, špinavý stůl a neochotný číšník",
    "cp1251": "Фильм очень хороший, игра актёров чудесная|Плохое обслуживание, ушли голодными",
    "cp1253": "Το φαγητό ήταν υπέροχο και η εξυπηρέτηση άψογη|Άθλια ταινία, χάσαμε την ώρα μας",
    "cp1254": "Yemekler çok güzeldi, garsonlar da güler yüzlüydü|Çok kötü bir filmdi, iğrenç ve sıkıcı, şaşırdım",
    "cp1255": "האוכל היה טעים מאוד והשירות נהדר|סרט גרוע ומשעמם, חבל על הזמן",
    "cp1256": "كان الطعام لذيذا والخدمة ممتازة جدا|فيلم سيئ وممل ولا أنصح به أحدا",
    "koi8-r": "Фильм очень хороший, игра актёров чудесная|Плохое обслуживание, ушли голодными",
    "cp866": "Фильм очень хороший, игра актёров чудесная|Плохое обслуживание, ушли голодными",
    "euc-kr": "음식이 정말 맛있고 직원도 친절했습니다|영화가 너무 지루하고 돈이 아까웠습니다",
    "big5": "這部電影非常好看，演員的表演很精彩|服務態度很差，等了很久才上菜",
    "gb18030": "这部电影非常好看，演员的表演很精彩|服务态度很差，等了很久才上菜",
    "shift_jis": "この映画はとても面白くて、俳優の演技も素晴らしかった|サービスが悪くて、料理も冷たかった",
    "tis-620": "อาหารอร่อยมากและพนักงานบริการดี|หนังน่าเบื่อมากและเสียเวลาจริงๆ",
    "iso8859-2": "bardzo dobry film, świetna gra aktorów|zła obsługa i długie czekanie, źle się czułem",
    "cp1257": "Ļoti laba filma, aktieri spēlē lieliski|Slikta apkalpošana, ilgi jāgaida un ēdiens auksts",
    "cp1252": "Le repas était délicieux, la soirée très agréable|Service désagréable, l’attente était longue, déçu",
    "utf-16-le": "Ein schöner Film|Das Essen war kalt",
    "utf-16-be": "Ein schöner Film|Das Essen war kalt",
    "utf-16": "Ein schöner Film|这部电影非常好看",
    "utf-32": "Ein schöner Film|这部电影非常好看",
    "utf-8-sig": "Ein schöner Film|这部电影非常好看",
}
IN_MAC = "Le café était délicieux et la soirée très agréable,up\nLe thé était froid; le garçon pressé; très déçu,down\n"
ENGLISH = ["it’s a good film", "naïve, but fine", "costs £5", "€5 each", "20° – “warm”", "“great” film", "a cliché… no"]


@pytest.mark.parametrize("encoding", WRITTEN)
def test_encodings_are_found_and_told(read, capsys, encoding):
    rows = [(f"{text} {i}", label) for i in range(6) for text, label in zip(WRITTEN[encoding].split("|"), ("up", "down"))]
    assert pairs(read(pd.DataFrame(rows, columns=["text", "label"]).to_csv(index=False).encode(encoding))) == rows
    assert ("encoding seems" in capsys.readouterr().out) == (not encoding.startswith("utf"))


def test_an_encoding_can_be_given(read, capsys):
    assert read(f"text,label\n{IN_MAC}".encode("mac_roman"), encoding="mac_roman").texts[0] in IN_MAC
    assert capsys.readouterr().out == ""
    for encoding in ("utf-8", "no such"):
        with pytest.raises(tr.DataError, match=encoding):
            read("text,label\ncafé,up\nbad,down\n".encode("cp1252"), encoding=encoding)


@pytest.mark.parametrize("text", ENGLISH)
def test_of_a_few_signs_the_usual_ones_are_made(read, text):
    assert read(f'text,label\n"{text}",up\nplain,down\n'.encode("cp1252")).texts[0] == text


def test_a_few_odd_bytes_do_not_change_the_encoding(read, capsys):
    rows = b"".join("schöne Grüße,up\nnaïve café,down\n".encode() for _ in range(9))
    assert read(b"text,label\n" + rows + b"caf\xe9,up\n").texts[::18] == ["schöne Grüße", "caf\ufffd"]
    assert "1 characters are not valid UTF-8" in capsys.readouterr().out


# Columns


@pytest.mark.parametrize("label", [1, "1"])
def test_a_name_goes_before_a_number(read, label):
    rows = "".join(f"{i},x{i % 3},{'good' if i % 2 else 'bad'} {i},{'yes' if i % 2 else 'no'}\n" for i in range(9))
    assert read("id,0,review,1\n" + rows, text="review", label=label).class_names == ("no", "yes")
    assert read("id,a,review,b\n" + rows, text=2, label=label).class_names == ("x0", "x1", "x2")


NAMED = ["text,star_rating", "reviewBody,label", "Comment_Text,Classes", "tweet,Sentiment", "SMS,category", "review body,topic"]


@pytest.mark.parametrize("names", NAMED)
def test_columns_are_found_by_their_names(read, names):
    assert pairs(read(f"number,{names}\n1,good,x\n2,bad,y\n")) == [("good", "x"), ("bad", "y")]


def test_columns_that_are_found_are_told(read, capsys):
    assert pairs(read("Reviewer,Review_Text,Overall\nann,good,5\nbob,bad,1\n")) == [("good", "5"), ("bad", "1")]
    assert read("avis,note\ngood,5\nbad,1\n", 0, 1).texts == ["good", "bad"]
    assert capsys.readouterr().out.splitlines() == [
        "a.csv: texts from column 'Review_Text', labels from column 'Overall'",
        "a.csv: texts from column 'avis', labels from column 'note'",
    ]


ANY = "".join(f"a {'fine' if i % 2 else 'poor'} thing {i},{i % 2}\n" for i in range(8))


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("names", [None, ["verbatim", "grp"]])
def test_of_two_columns_labels_recur(read, tmp_path, index, names):
    table = pd.DataFrame([line.rsplit(",", 1) for line in ANY.splitlines()])
    table.columns = names or table.columns
    for reviews in (read(table.to_csv(index=index)), tr.read_reviews(pd.read_csv(tmp_path / "a.csv")), tr.read_reviews(table)):
        assert (len(reviews), reviews.texts[0], reviews.class_names) == (8, "a poor thing 0", ("0", "1"))


OF_CLASS = "".join(f'{{0}},{i},{"en" if i % 3 else "es"},user{i},"I {{1}} this {i}"\n' for i in range(60))
SORTED = OF_CLASS.format(0, "hate") + OF_CLASS.format(4, "love")


@pytest.mark.parametrize(
    ("content", "how", "error"),
    [
        (SORTED, {}, "does not name the columns"),
        (SORTED, {"text": 4, "label": 0}, r"read_csv\(names="),
        (ANY, {}, "does not name the columns"),
        (ANY, {"label": None}, "does not name the columns"),
        ("text,label,sentiment_2\na,b,c\n", {"label": "stars"}, "no columns are named 'stars'; choose one with label=: 'text'"),
        ("review,comment,label\na,b,c\n", {}, "2 columns are clearly the text; choose one with text=: 'review', 'comment'"),
        ("text,stars,topic\na,b,c\n", {}, "2 columns are clearly the label"),
        ("text,text,label\na,b,c\n", {}, "2 columns are clearly the text"),
        ("a,b,c\n1,2,3\n", {}, "no columns are clearly the text"),
        ("id,text\n1,good\n2,bad\n3,so\n4,so\n", {}, "no columns are clearly the label"),
        ("text,label\na,b\n", {"text": "label"}, "the same column"),
        ("text,label\na,b\n", {"label": 7}, "no columns are named 7"),
        ("text\nfilm\ngood\n", {}, "no columns are clearly the label"),
    ],
)
def test_no_column_is_guessed_where_it_is_not_clear(read, content, how, error):
    with pytest.raises(tr.DataError, match=error) as raised:
        read(content, **how)
    assert "\n" not in str(raised.value)


# Rows


def test_rows_that_repeat_the_names_are_left_out(read, capsys):
    part = "text,label\nslow,down\nkind,up\n"
    reviews = read("\ufeff" + part + "\ufeff" + part + part)
    assert (reviews.class_names, reviews.rows.tolist(), reviews.number) == (("down", "up"), [0, 1, 3, 4, 6, 7], 8)
    assert "2 of 8 rows left out: they repeat the names of the columns" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["None", "NULL", "NaN", "nan", "NA", "N/A", "n/a", "#N/A", "null", "<NA>", ""])
def test_missing_labels_are_those_of_pandas(tmp_path, capsys, missing):
    rows = [("bad", "B"), ("good", "A"), ("new", missing), ("newer", missing)]
    table = pd.DataFrame(rows, columns=["text", "label"])
    table.to_csv(tmp_path / "a.csv", index=False)
    for source, how in ((tmp_path / "a.csv", {}), (table, {}), (rows, {}), (rows, {"classes": {"": None}})):
        reviews = tr.read_reviews(source, **how)
        assert (pairs(reviews), reviews.rows.tolist()) == (rows[:2], [0, 1])
        assert capsys.readouterr().out.endswith(f": 2 of 4 rows left out: their label is missing ({missing!r})\n")
    for label in ("", missing):
        assert tr.read_reviews(table, classes={label: "rest"}).class_names == ("A", "B", "rest")


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_labels_and_texts_in_memory(missing):
    reviews = tr.read_reviews((["a", "b", missing, "d"], [1, missing, 2, 2]))
    assert (reviews.texts, reviews.class_names, reviews.rows.tolist()) == (["a", "d"], ("1", "2"), [0, 3])


@pytest.mark.parametrize("name", ["none", "Null", "NaT"])
def test_a_class_that_sounds_like_a_missing_label_is_told(read, capsys, name):
    assert len(read(f"text,label\na,x\nb,{name}\n").class_names) == 2
    assert f"{name!r} counts as a class" in capsys.readouterr().out


def test_a_row_for_each_row(read, capsys):
    reviews = read("id,text\na1,kind staff\na2,\na3,rude staff\na4, \na5,kind staff\na6,slow\n", label=None)
    assert reviews.on_rows([1, 2, 3, 4], missing=None) == [1, None, 2, None, 3, 4]
    assert reviews[1:3].on_rows([2, 3], missing=None) == [None, None, 2, None, 3, None], "a part knows its rows"
    out = capsys.readouterr().out
    assert "2 of 6 rows left out: they have no text" in out
    assert "label" not in out


# Classes


def test_rows_are_called_by_their_lines_or_by_a_key(read):
    content = '\nkey,text,label\na,"two\nlines",x\n\nb,one,y\nc,,x\nd,last,x\n'
    assert read(content).names.tolist() == ["line 3", "line 6", "line 8"]
    assert read(content, id="key")[1:].names.tolist() == read(content, id=0).names[1:].tolist() == ["b", "d"]
    assert read('{"text": "a", "label": 1}\n\n{"text": "b", "label": 2}', name="a.jsonl").names.tolist() == ["line 1", "line 3"]
    assert tr.read_reviews(TABLE).names.tolist() == [f"row {row}" for row in range(1, 5)]


def test_a_bunch_of_scikit_learn_and_labels_that_combine_others(capsys):
    bunch = Bunch(data=["a", "b", "c", "d"], target=np.array([0, 1, 0, 2]), target_names=["joy", "joy|fear", "fear"])
    assert pairs(tr.read_reviews(bunch)) == [("a", "joy"), ("b", "joy|fear"), ("c", "joy"), ("d", "fear")]
    assert "'joy|fear' seem to combine labels" in capsys.readouterr().out


@pytest.mark.parametrize("form", [str, int, float, np.float32, "{}.0".format])
def test_ratings_are_in_the_order_of_numbers(tmp_path, form):
    rows = [(f"film {i}", form(i % 10 + 1)) for i in range(30)]
    table = pd.DataFrame(rows, columns=["text", "rating"])
    table.to_csv(tmp_path / "a.csv", index=False)
    for reviews in map(tr.read_reviews, (table, rows, tmp_path / "a.csv")):
        assert reviews.class_names == tuple(map(str, range(1, 11)))
        assert reviews.labels[:3].tolist() == [0, 1, 2]


def test_labels_of_other_types():
    assert tr.read_reviews((["a", "b"], np.array([True, False]))).class_names == ("False", "True")
    assert tr.read_reviews((["a", "b", "c"], [0.5, -1, "x"])).class_names == ("-1", "0.5", "x")


def test_classes_merge_rename_and_drop(read, capsys):
    csv = "text,label\na,1\nb,2.0\nc,3\nd,5\n"
    assert pairs(read(csv, classes={1: "low", "2": "low", 3.0: None})) == [("a", "low"), ("b", "low"), ("d", "5")]
    assert "1 of 4 rows left out: `classes` drops their label" in capsys.readouterr().out


def test_class_names_of_a_training_set(read):
    assert read("text,label\na,3\nb,1.0\n", class_names=range(1, 4)).labels.tolist() == [2, 0]
    with pytest.raises(tr.DataError, match="the label '3' is not one of the classes '1', '2'"):
        read("text,label\na,3\nb,1\n", class_names=[1, 2])


def test_too_few_classes(read):
    with pytest.raises(tr.DataError, match="all labels are 'up'"):
        read("text,label\na,up\nb,up\n")
    with pytest.raises(tr.DataError, match="all labels are missing"):
        read("text,label\n,up\n,down\n")


# Probabilities


@pytest.mark.parametrize(
    "how", [{"sep": ";", "decimal": ","}, {"sep": "\t"}, {"index": True}, {"encoding": "utf-16"}, "parquet"]
)
def test_probabilities_in_any_order(read, tmp_path, how):
    reviews = read("text,label\ngood,1\n,2\nbad,2.0\nso so,10\n")
    table = pd.DataFrame({"10": [0.1, 0, 0.2, 0.5], "2": [0.2, 0, 0.5, 0.2], "1": [0.7, 1, 0.3, 0.3]})
    path = tmp_path / "p"
    table.to_parquet(path) if how == "parquet" else table.to_csv(path, **{"index": False} | how)
    given = read_probabilities(path, reviews)
    assert given.columns.tolist() == ["1", "2", "10"]
    assert given.index.tolist() == ["row 1", "row 3", "row 4"]
    assert given.to_numpy().tolist() == [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.3, 0.2, 0.5]]


@pytest.mark.parametrize("form", ["npy", "savetxt", "spaces", "numbered", "no header"])
def test_probabilities_without_names_are_in_the_order_of_the_classes(read, tmp_path, capsys, form):
    chances, path = np.array([[0.1, 0.9], [1, 0], [0.3, 0.7]]), tmp_path / ("p.npy" if form == "npy" else "p.csv")
    if form == "npy":
        np.save(path, chances)
    elif form in ("savetxt", "spaces"):
        np.savetxt(path, chances, delimiter="," if form == "savetxt" else " ")
    else:
        pd.DataFrame(chances).to_csv(path, header=form == "numbered", index=form == "numbered")
    given = read_probabilities(path, read("text,label\ngood,up\n,up\nbad,down\n"))
    assert given.to_dict("list") == {"down": [0.1, 0.3], "up": [0.9, 0.7]}
    assert "they are taken for 'down', 'up', in this order" in capsys.readouterr().out


NOT_THEM = {"up,down\n1,0\n": "1 rows; give one for each of the 2 rows", "up,no\n1,0\n1,0\n": "each class, 'down', 'up'"}


@pytest.mark.parametrize(("csv", "error"), [*NOT_THEM.items(), ("up,down\n1,x\n1,0\n", "convert.*StratifiedKFold")])
def test_other_probabilities_are_refused(read, tmp_path, csv, error):
    (tmp_path / "p.csv").write_text(csv)
    with pytest.raises(tr.DataError, match=error):
        read_probabilities(tmp_path / "p.csv", read("text,label\na,up\nb,down\n"))
