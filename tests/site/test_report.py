"""`tokensel report`, from a notebook to a page in a real browser: texts, labels and names of files stay what they are."""

import csv
import re

import nbformat
import numpy as np
import pytest
from hostile import HARM, write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from pages import AXE, Visit

from tokensel_nb import TextClassifier
from tokensel_nb.yourdata import page
from tokensel_nb.yourdata.command import main


def cell(source, *tags, of=new_code_cell, **metadata):
    return of(source, metadata={"tags": list(tags), **metadata})


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Put a notebook in the place of the chapter: it has all that a report may hold, and no more."""
    cells = [
        cell("raise RuntimeError('this cell belongs to the book alone')"),
        cell(
            "source = None\ntext = None\nlabel = None\nseed = 0\nshow_texts = True\nleast = 5\nsave_to = None",
            "parameters",
            "report",
        ),
        cell("(cell-data)=\n## The data\n\nAs *read*.", "report", of=new_markdown_cell),
        cell(
            "import sys\nimport warnings\nimport tokensel_nb as ts\n"
            "reviews = ts.read_reviews(source, text, label or 'auto')\n"
            "labels = [reviews.class_names[code] for code in reviews.labels]\n"
            "model = ts.TextClassifier(min_texts=least, random_state=seed).fit(reviews.texts, labels)\n"
            "warnings.warn('look at this <b>twice</b>')\nprint('a bar: 50%', file=sys.stderr)\nreviews",
            "report",
        ),
        cell("ts.explain(model, reviews.texts[0]) if show_texts else None", "report"),
        cell("print(*(reviews.texts[:200] if show_texts else []), sep='\\n')", "report"),
        cell(
            "import pandas as pd\nfrom IPython.display import HTML\n"
            "table = pd.DataFrame(dict(label=labels[:12], text=reviews.texts[:12], number=range(-3, 9)))\n"
            "HTML((table if show_texts else table[['number']]).to_html(index=False))",
            "report",
        ),
        cell(
            "import matplotlib.pyplot as plt\nplt.figure(figsize=(2, 1))\nplt.plot([1, 2]);",
            "report",
            mystnb={"image": {"alt": "A line goes up."}, "figure": {"caption": "It *rises*."}},
        ),
        cell("ts.live(model, reviews.texts[:100] if show_texts else ['good'])", "report"),
        cell("if save_to:\n    model.save(save_to)", "report"),
    ]
    path = tmp_path_factory.mktemp("book") / page.NOTEBOOK
    nbformat.write(new_notebook(cells=cells), path)
    elsewhere = page.of_the_book
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(page, "of_the_book", lambda name: path if name == page.NOTEBOOK else elsewhere(name))
        yield path


@pytest.fixture
def opened(chromium):
    """Return a function that opens a file in a tab which keeps what happens."""
    contexts = []

    def open_page(path, theme="light"):
        context = chromium.new_context(color_scheme=theme, accept_downloads=True, viewport={"width": 390, "height": 800})
        contexts.append(context)
        visit = Visit(context.new_page())
        visit.tab.on("dialog", lambda dialog: (visit.errors.append("a dialog"), dialog.dismiss()))
        visit.tab.goto(path.as_uri())
        visit.tab.wait_for_selector(".tokensel-live .verdict")
        return visit

    yield open_page
    for context in contexts:
        context.close()


def test_a_thousand_harmful_texts_stay_texts(notebook, tmp_path, monkeypatch, opened):
    """In texts, in labels and in the file's name; shown by print, tables, an explanation and the text box."""
    random = np.random.default_rng(0)
    rows = []
    for n in range(1000):
        harm = HARM[n % len(HARM)].format(n=n)
        words = " ".join(random.choice(["good", "great"] if n % 2 else ["bad", "dull"], 3))
        rows.append([f"{harm} {words} {n}", f"{HARM[1 + n % 2]}".format(n=0)])
    monkeypatch.chdir(tmp_path)
    name = "<img src=x onerror=alert(1)>'\"\\ {{7*7}} %s.csv"
    write(tmp_path / name, rows)
    assert main(["report", name, "--text", "review", "--label", "stars", "--save", "model"]) == 0
    visit = opened(tmp_path / "report.html")
    tab = visit.tab
    assert tab.title() == f"Report on {name}"
    shown = tab.locator("main").text_content()
    for n in (0, 1, 2, 3, 5, 8, 10, 16, 17, 19):  # they are there, as texts
        assert HARM[n].format(n=n) in shown
    tab.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true })")
    for button in tab.locator(".tokensel-live .buttons button").all()[:40]:
        button.click()
    for button in tab.locator("th button").all():
        button.click()
    tab.locator("textarea").fill("".join(harm.format(n=1) for harm in HARM))
    tab.wait_for_timeout(200)
    assert tab.evaluate("window.ran") is None
    assert visit.errors == []
    assert {url for url in visit.requests if not url.startswith("data:")} == {(tmp_path / "report.html").as_uri()}
    foreign = "iframe, svg, form, meta[http-equiv=refresh], base, main a, main img:not(figure img), main style ~ script[src]"
    assert tab.locator(foreign).count() == 0
    assert {str(label) for label in TextClassifier.load("model").classes_} == {row[1] for row in rows}


def test_the_policy_alone_would_stop_a_script(notebook, tmp_path, monkeypatch, opened):
    """The control: were a text ever to become HTML, the browser would refuse to run it, and say so."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", [["good film", "up"], ["bad film", "down"]] * 20)
    assert main(["report", "a.csv"]) == 0
    whole = (tmp_path / "report.html").read_text("utf-8")
    (tmp_path / "report.html").write_text(whole.replace("<h1>", "<script>window.ran = 1</script><h1>"), "utf-8")
    visit = opened(tmp_path / "report.html")
    assert visit.tab.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in visit.errors)


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """Return forty texts as a file."""
    rows = [["A secret good film", "up"], ['bad and "long"', "down"], ["good, moving", "up"], ["a bad, -5 film", "down"]] * 10
    return write(tmp_path_factory.mktemp("texts") / "mine.csv", rows)


@pytest.fixture(scope="module")
def made(notebook, mine):
    """Return a function that makes a report with some options, each once."""
    reports = {}

    def make(*options):
        if options not in reports:
            reports[options] = mine.with_name(f"report{len(reports)}.html")
            assert main(["report", str(mine), "-o", str(reports[options]), *options]) == 0
        return reports[options]

    return make


def test_what_a_report_holds(made, opened):
    path = made()
    visit = opened(path)
    tab = visit.tab
    shown = tab.locator("main").text_content()
    assert "It quotes texts" in tab.locator(".about").text_content()
    assert "look at this <b>twice</b>" in tab.locator(".warning").text_content()
    assert "a bar" not in shown
    assert "cell-data" not in shown
    assert "save_to" not in shown  # no code
    assert tab.locator("figure img").get_attribute("alt") == "A line goes up."
    assert tab.locator("figcaption em").text_content() == "rises"
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert visit.errors == []
    assert list(path.parent.glob("*.part")) == []


def test_a_table_is_sorted_by_the_keyboard_and_downloaded(made, opened):
    tab = opened(made()).tab
    box = tab.locator(".scrolled", has_text="number").last
    title = box.locator("th", has_text="number")
    numbers = lambda: [int(each) for each in box.locator("tbody tr td:last-child").all_text_contents()]
    assert title.get_attribute("aria-sort") == "none"
    title.locator("button").press("Enter")
    assert (numbers(), title.get_attribute("aria-sort")) == (list(range(8, -4, -1)), "descending")
    title.locator("button").press("Space")
    assert (numbers(), title.get_attribute("aria-sort")) == (list(range(-3, 9)), "ascending")
    box.locator("th", has_text="text").locator("button").press("Enter")
    assert title.get_attribute("aria-sort") == "none"
    words = box.locator("tbody tr td:nth-child(2)").all_text_contents()
    assert words == sorted(words, key=lambda text: re.sub(r"\W", "", text).lower(), reverse=True)
    with tab.expect_download() as download:
        tab.get_by_text("Download this table as CSV").last.click()
    rows = list(csv.reader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert rows[0] == ["label", "text", "number"]
    assert sorted(int(row[2]) for row in rows[1:]) == list(range(-3, 9))
    assert {row[1] for row in rows[1:]} == {"A secret good film", 'bad and "long"', "good, moving", "a bad, -5 film"}


def test_no_texts_and_least_are_honoured(made, opened, capsys):
    path = made("--no-texts", "--least", "15")
    assert "quotes no text" in capsys.readouterr().err
    whole = path.read_text("utf-8")
    assert "It quotes no text" in whole
    assert "at least 15 texts" in whole
    assert "secret" not in whole
    assert "moving" not in whole
    assert opened(path).tab.locator(".tokensel-live textarea").input_value() == "good"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_is_accessible(made, opened, theme):
    tab = opened(made(), theme).tab
    tab.evaluate(AXE.read_text("utf-8"))
    found = tab.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")] == []


def test_a_seed_gives_the_same_report(made):
    assert made().read_bytes() == made("--least", "5", "--seed", "0").read_bytes()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["{mine}.gone"], "mine.csv.gone"),
        (["{mine}", "--text", "nope"], "nope"),
        (["{mine}", "-o", "{mine}.no/out.html"], ".no"),
    ],
)
def test_what_fails_is_said_in_one_sentence_and_nothing_is_written(notebook, mine, words, named, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(word.format(mine=mine) for word in words)]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("tokensel: ")
    assert named in last
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(__import__("sys").modules, "papermill", None)
    assert main(["report", "mine.csv", "-o", str(tmp_path / "report.html")]) == 1
    assert "made by papermill: pip install 'tokensel-nb[report]'" in capsys.readouterr().err
