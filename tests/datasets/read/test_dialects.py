import csv
import io
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensel_nb import DataError, read_reviews

TABLE = [
    ("text", "label"),
    ('good, really "good"; 5|5', "pos"),
    ("it's\na slow film", "neg"),
    ("naïve, élan\tand “wit”", "pos"),
    ("c:\\dull", "neg"),
]


def as_bytes(rows, encoding, **dialect):
    file = io.StringIO(newline="")
    csv.writer(file, **dialect).writerows(rows)
    return file.getvalue().encode(encoding)


def pairs(reviews):
    return [(text, reviews.class_names[label]) for text, label in zip(reviews.texts, reviews.labels)]


@pytest.mark.parametrize("lineterminator", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("sep", "quotechar", "encoding"),
    list(product(",;\t|", "\"'", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])),
)
def test_every_way_to_write_one_table_is_found(tmp_path, sep, quotechar, encoding, lineterminator):
    written = dict(delimiter=sep, quotechar=quotechar, lineterminator=lineterminator)
    (tmp_path / "a.csv").write_bytes(as_bytes(TABLE, encoding, **written))
    assert pairs(read_reviews(tmp_path / "a.csv")) == TABLE[1:]
    given = read_reviews(tmp_path / "a.csv", sep=sep, quotechar=quotechar, encoding=encoding, header=True)
    assert pairs(given) == TABLE[1:]


DIALECTS = st.fixed_dictionaries(
    dict(
        delimiter=st.sampled_from(",;\t|"),
        quotechar=st.sampled_from("\"'"),
        lineterminator=st.sampled_from(["\n", "\r\n"]),
        doublequote=st.booleans(),
    )
)
CELLS = st.text(st.sampled_from("aé7 .,;|\t\n\"'"), min_size=1, max_size=8).filter(str.strip)
ONE_LINE = st.text(st.sampled_from('aé7 .,;|\t"'), min_size=1, max_size=8).filter(str.strip)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
in_one_folder = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_read_back(path, texts, encoding, **dialect):
    rows = [(text, f"class {number % 2}") for number, text in enumerate(texts)]
    path.write_bytes(as_bytes([("text", "label"), *rows], encoding, **dialect))
    assert pairs(read_reviews(path, clean=str)) == rows
    assert pairs(read_reviews(path, clean=str, skip_bad_rows=True)) == rows


@in_one_folder
@given(st.lists(CELLS, min_size=2, max_size=6), DIALECTS, ENCODINGS)
def test_random_tables_with_all_cells_in_quotes(tmp_path, texts, dialect, encoding):
    dialect |= {} if dialect["doublequote"] else {"escapechar": "\\"}
    check_read_back(tmp_path / "a.csv", texts, encoding, quoting=csv.QUOTE_ALL, **dialect)


@in_one_folder
@given(st.lists(ONE_LINE, min_size=2, max_size=6), st.sampled_from(",;\t|"), ENCODINGS)
def test_random_tables_with_quotes_where_they_are_needed(tmp_path, texts, sep, encoding):
    """Without apostrophes and line breaks: a few random cells with these can be read in two ways."""
    check_read_back(tmp_path / "a.csv", texts, encoding, delimiter=sep)


def test_a_quote_that_is_none_swallows_no_rows(tmp_path):
    (tmp_path / "a.tsv").write_text('text\tlabel\n"hello there\t1\nbye "now"\t0\n"x\t1\nfine"\t0\n')
    assert read_reviews(tmp_path / "a.tsv").texts == ['"hello there', 'bye "now"', '"x', 'fine"']


def test_a_doubt_after_the_beginning_is_settled_by_the_whole_file(tmp_path):
    """The sample alone, a quarter of a million characters, tells nothing of the quotes."""
    lines = [f"{'good film ' * 50}\t1", "bad film\t0"] * 600
    (tmp_path / "a.tsv").write_text("\n".join(["text\tlabel", *lines, '"odd\t1', "and\t0", 'end"\t1', ""]))
    reviews = read_reviews(tmp_path / "a.tsv")
    assert (len(reviews), reviews.texts[-3:]) == (1_203, ['"odd', "and", 'end"'])


def test_cells_longer_than_pythons_reader_allows(tmp_path):
    limit = csv.field_size_limit()
    (tmp_path / "a.csv").write_text(f"text,label\n{'x' * 300_000},1\nbad,0\n")
    assert len(read_reviews(tmp_path / "a.csv").texts[0]) == 300_000
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (
            "text,label\na slow, good film,pos\na fast, bad film,neg\n",
            r"row 1 \(without the header\) has 3 cells where the first",
        ),
        ("text,label\nfine,pos\nbad\n", r"row 2 \(without the header\) has 1 cell where the first has 2; .* ',' needs quotes"),
        ('text,label\n"never closed, yes,1\nb,0\n', r"row 1 \(without the header\) has a quote that is not closed"),
        ('text,label\n"good, very" good,1\nb,0\n', r"row 1 \(without the header\) has a quote that is not closed"),
        ("5,good\n1,bad\n5\n", "row 3 has 1 cell where the first has 2"),
        ("", r"a.csv: cannot be read \(it is empty\)"),
        ("\ufeff", r"a.csv: cannot be read \(it is empty\)"),
        ("\n \r\n\n", r"a.csv: cannot be read \(it is empty\)"),
        ("text,label\n", "it has column names and no rows; get the whole file, or give header=False"),
        ("text,label\na\0b,1\nc,0\n", "it contains NUL bytes, so it is not text, or has another encoding; save it as UTF-8"),
    ],
)
def test_a_table_that_is_none_gets_one_sentence(tmp_path, contents, message):
    (tmp_path / "a.csv").write_text(contents, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_reviews(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("name", "contents", "rows"),
    [
        ("a.txt", "Loved it, wow.\t1\nNot good.\t0\nOk, it's fine\t1\n", [("Loved it, wow.", "1"), ("Not good.", "0")]),
        ("SMS", 'ham\tGo "now"\nspam\t"Free entry\nham\tok\n', [('Go "now"', "ham"), ('"Free entry', "spam")]),
        ("a.csv", '"5","great, great","x"\n"1","awful","y"\n"5","nice, one","z"\n', [("great, great", "5"), ("awful", "1")]),
        ("a.csv", "5,a good film\n1,bad\n", [("a good film", "5"), ("bad", "1")]),
        ("a.csv", "sep=;\r\ntext;label\r\na, b;x\r\nc;y\r\n", [("a, b", "x"), ("c", "y")]),
        ("a.csv", ",text,label\n0,good,pos\n1,bad,neg\n", [("good", "pos"), ("bad", "neg")]),
        ("a.csv", 'text, label\ngood, pos\n"bad, x", neg\n', [("good", "pos"), ("bad, x", "neg")]),
        ("a.csv", "Review_Text|Star Rating\ngood|5\nbad|1\n", [("good", "5"), ("bad", "1")]),
        ("a.csv", 'text,label\n"he said \\"hi, you\\"",a\n"x\\ny",b\n', [('he said "hi, you"', "a"), ("x\ny", "b")]),
        ("a.csv", "text,label\rgood,pos\rbad,neg\r", [("good", "pos"), ("bad", "neg")]),
        ("a.txt", "__label__2 good film\n__label__1 bad: film\n", [("good film", "2"), ("bad: film", "1")]),
    ],
    ids="UCI SMS headless two Excel index spaced pipes escaped Mac fastText".split(),
)
def test_tables_as_they_are_in_the_wild(tmp_path, name, contents, rows):
    (tmp_path / name).write_text(contents, encoding="utf-8", newline="")
    assert pairs(read_reviews(tmp_path / name))[: len(rows)] == rows


def messages(names, rows=300):
    """The lines of a table whose first column has classes and whose second texts; most have no more."""
    lines = [f'{"spam" if i % 7 == 0 else "ham"},"Ok lar, {i} £",,,\r\n' for i in range(rows)]
    return "".join([names, *lines, 'ham,"My friend, at warwick",GE,"GNT:-)""",\r\n'])


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        ("v1,v2,,,\r\n", {}, "texts from column 'v2' and labels from column 'v1'"),
        (
            "v1,v2,,,\r\n",
            {"label": 0, "text": 1},
            "its first row names the columns: v1, v2; header=False reads it as a text",
        ),
        ("v1,v2,,,\r\n", {"label": "v1", "text": "v2"}, ""),
        ("v1,v2,,,\r\n", {"label": 0}, "texts from column 'v2'\n"),
        ("v1,v2,,,\r\n", {"label": None}, "texts from column 'v2'\n"),
        ("", {}, "no column names; texts from column 1 and labels from column 0"),
        ("", {"label": 0, "text": 1}, ""),
    ],
)
def test_a_header_that_says_nothing_is_neither_text_nor_class(tmp_path, capsys, names, options, said):
    (tmp_path / "a.csv").write_text(messages(names), encoding="cp1252", newline="")
    reviews = read_reviews(tmp_path / "a.csv", **options)
    assert (len(reviews), reviews.texts[0], reviews.texts[-1]) == (301, "Ok lar, 0 £", "My friend, at warwick")
    assert reviews.class_names == (() if reviews.labels is None else ("ham", "spam"))
    assert said in capsys.readouterr().out


def test_a_first_row_that_is_a_text_stays_one_where_columns_are_given_by_number(tmp_path):
    rows = ["odd,a good film", *["ham,Ok lar..."] * 9, *["spam,Free entry!"] * 9]
    for first in ("ham,Ok then", "ham,", "new,Is it? It is. This looks like a sentence.", "5,film"):
        (tmp_path / "a.csv").write_text("\n".join([first, *rows]))
        assert len(read_reviews(tmp_path / "a.csv", text=1, label=0, classes={"5": "five"})) == 20 - first.endswith(",")
    (tmp_path / "a.csv").write_text("up,good\ndown,bad\n")
    assert read_reviews(tmp_path / "a.csv", text=1, label=0).texts == ["good", "bad"]


@pytest.mark.parametrize(
    "contents",
    [
        "text\tlabel\ngood, yes\tpos\t\t\nbad\tneg\t\t\n",
        "text\tlabel\t\t\ngood, yes\tpos\t\t\nbad\tneg\t\t\n",
        "text;label\ngood, yes;pos\nbad;neg;\n",
        "text;label;\ngood, yes;pos\nbad;neg\n",
        "text;label;when;;\ngood, yes;pos;1\nbad;neg;\n",
        "text;label;when\ngood, yes;pos;1\n;;;;\nbad;neg;;;\n",
    ],
)
def test_separators_at_the_end_of_rows_make_no_columns(tmp_path, contents):
    (tmp_path / "a.tsv").write_text(contents)
    assert pairs(read_reviews(tmp_path / "a.tsv")) == [("good, yes", "pos"), ("bad", "neg")]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("so, so,neg", "3 cells where the first has 2"),
        ("so", "1 cell where the first has 2"),
        ('"never closed,neg', "a quote that is not closed"),
        ('"good, very" good,neg', "a quote that is not closed"),
    ],
)
@pytest.mark.parametrize("rows", [1, 9_000], ids=["early", "after the sample"])
def test_malformed_rows_are_left_out_where_somebody_says_so(tmp_path, capsys, bad, why, rows):
    fine = ['"a good film, with ""quotes"",\nand two lines, or so",pos', "bad,neg"] * rows
    (tmp_path / "a.csv").write_text("\n".join(["text,label", "", *fine, bad, *fine, "fine,pos", ""]))
    with pytest.raises(DataError, match="skip_bad_rows=True leaves such rows out"):
        read_reviews(tmp_path / "a.csv")
    reviews = read_reviews(tmp_path / "a.csv", skip_bad_rows=True)
    assert (len(reviews), reviews.texts[0], reviews.texts[-1]) == (4 * rows + 1, fine[0][1:-5].replace('""', '"'), "fine")
    assert f"a.csv: malformed rows left out: 1 (line {3 + 3 * rows}: {why})" in capsys.readouterr().out


def test_of_many_malformed_rows_the_first_few_are_told(tmp_path, capsys):
    lines = [f"film {i},{'pos' if i % 2 else 'neg'}" if i % 3 else f'"film {i}, or "so",pos' for i in range(3_000)]
    lines = [f'"yes, {line[:-4]}",{line[-3:]}' if i % 3 else line for i, line in enumerate(lines)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *lines]))
    assert len(read_reviews(tmp_path / "a.csv", skip_bad_rows=True)) == 2_000
    told = capsys.readouterr().out
    assert "malformed rows left out: 1,000 (line 2: a quote that is not closed, line 5: " in told
    assert "line 8: a quote that is not closed and 997 more)" in told


def test_lines_that_are_not_json_are_left_out_where_somebody_says_so(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text('{"text": "good", "label": 1}\n{"text": "cut\n{"text": "bad", "label": 0}\n')
    with pytest.raises(DataError, match=r"line 2 is not JSON: .*; skip_bad_rows=True leaves such rows out"):
        read_reviews(tmp_path / "a.jsonl")
    assert read_reviews(tmp_path / "a.jsonl", skip_bad_rows=True).texts == ["good", "bad"]
    assert "a.jsonl: malformed rows left out: 1 (line 2: not JSON)" in capsys.readouterr().out


def test_semicolons_of_entities_separate_nothing(tmp_path):
    for rows in (6, 50):
        lines = [f"{i},film {i} &amp; &lt;b&gt;,{i % 2},2020-01-0{i % 3}" for i in range(rows)]
        (tmp_path / "a.csv").write_text("\n".join(lines))
        assert read_reviews(tmp_path / "a.csv", text=1, label=2).texts[0] == "film 0 & <b>"
        with pytest.raises(DataError, match="its 4 columns have no names, and it is not clear which one holds the labels"):
            read_reviews(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text('AT&T;pos\n"fish &amp; chips";neg\nAT&T, too;pos\n')
    assert read_reviews(tmp_path / "a.csv").texts == ["AT&T", "fish & chips", "AT&T, too"]


@pytest.mark.parametrize("label", ["auto", None])
def test_quotes_around_whole_rows_are_no_part_of_cells(tmp_path, label):
    (tmp_path / "a.csv").write_text('"text,label"\n"good film,pos"\n"bad film,neg"\n')
    with pytest.raises(DataError, match=r"it is not clear which column holds the texts; .* it has 'text,label'"):
        read_reviews(tmp_path / "a.csv", label=label)


@pytest.mark.parametrize(
    ("head", "edge"),
    [
        ("| text | label |\n| --- | --- |", "| "),
        ("|text|label|\n|:--|--:|", "|"),
        ("text | label\n:-- | :-:", ""),
        ("# Reviews\n\n| text | label |\n|-|-|", "| "),
    ],
)
@pytest.mark.parametrize("name", ["a.md", "a.csv"])
def test_the_rule_of_a_table_in_markdown_is_no_text(tmp_path, head, edge, name):
    rows = [(f"film {row} - so so", "pos" if row % 2 else "neg") for row in range(9)]
    (tmp_path / name).write_text("\n".join([head, *(f"{edge}{text} | {label}{edge[::-1]}" for text, label in rows)]))
    assert pairs(read_reviews(tmp_path / name)) == rows


def test_a_rule_alone_is_no_text_and_dashes_are(tmp_path):
    (tmp_path / "a.md").write_text("| text |\n| --- |\n| good |\n| - |\n")
    assert read_reviews(tmp_path / "a.md", label=None).texts == ["good", "-"]
    (tmp_path / "a.csv").write_text("text,label\n---,pos\n--,--\n")
    assert read_reviews(tmp_path / "a.csv").texts == ["---", "--"]


def test_a_header_longer_than_the_sample(tmp_path):
    names = ",".join(["text", "label", *map("x{}".format, range(50_000))])
    (tmp_path / "a.csv").write_text("\n".join([names, *(f"film {i},{i % 2}{',0' * 50_000}" for i in range(4))]))
    assert read_reviews(tmp_path / "a.csv").texts == ["film 0", "film 1", "film 2", "film 3"]


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("# downloaded in 2020, see our wiki\n", "lines above the names of its columns, left out: 1"),
        ("Export of reviews,,\n\n", "lines above the names of its columns, left out: 2"),
        ("\n\n", ""),
        ("sep=,\n\n", ""),
    ],
)
def test_titles_and_comments_above_the_header(tmp_path, capsys, above, said):
    (tmp_path / "a.csv").write_text(f"{above}text,label,when\ngood,pos,1\nbad,neg,2\nso,,so,neg,2\n")
    reviews = read_reviews(tmp_path / "a.csv", skip_bad_rows=True)
    out = capsys.readouterr().out
    assert (reviews.texts, reviews.class_names) == (["good", "bad"], ("neg", "pos"))
    assert said in out
    assert ("left out" in out.splitlines()[0]) == bool(said) or "malformed" in out.splitlines()[0]
    assert f"(line {above.count(chr(10)) + 4}: " in out


@pytest.mark.parametrize("option", [{"sep": "::"}, {"sep": "\n"}, {"quotechar": "ab"}, {"encoding": "klingon"}], ids=ascii)
def test_options_that_are_none(tmp_path, option):
    (tmp_path / "a.csv").write_text("text,label\na,1\nb,0\n")
    with pytest.raises(ValueError, match=rf"^{next(iter(option))}="):
        read_reviews(tmp_path / "a.csv", **option)


def test_what_is_said_of_a_table_is_believed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n'good',x\nbad,y\n")
    assert read_reviews(path, quotechar="'").texts == ["good", "bad"]
    assert read_reviews(path, quotechar="").texts == ["'good'", "bad"]
    assert read_reviews(path, text=0, label=1).class_names == ("x", "y")
    assert read_reviews(path, text=0, label=1, header=False).class_names == ("label", "x", "y")
