"""`tokensel report`, from a table to a page in a real browser: texts, labels and names of files stay what they are."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hostile import HARM, write
from pages import Visit, no_sideways_scroll, printed_share, settle, violations

import tokensel_nb
from tokensel_report import TextClassifier
from tokensel_report.command import main

TABLES = Path(tokensel_nb.__file__).parent / "data" / "page" / "tables.js"


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


def test_a_thousand_harmful_texts_stay_texts(tmp_path, monkeypatch, opened):
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
    written = [HARM[n % len(HARM)].format(n=n) for n in range(1000)]
    assert sum(harm in shown for harm in written) > 10  # they are there, as texts
    assert {row[1] for row in rows} == set(tab.locator("table").first.locator("tbody th").all_text_contents())
    tab.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true })")
    for button in tab.locator(".tokensel-live .buttons button").all()[:40]:
        button.click()
    for button in tab.locator("th button").all():
        button.click()
    tab.locator("textarea").fill("".join(harm.format(n=1) for harm in HARM))
    settle(tab)
    assert tab.evaluate("window.ran") is None
    assert visit.errors == []
    assert {url for url in visit.requests if not url.startswith("data:")} == {(tmp_path / "report.html").as_uri()}
    foreign = "iframe, svg:not(figure svg), form, meta[http-equiv=refresh], base, main a, img, main style ~ script[src]"
    assert tab.locator(foreign).count() == 0
    assert {str(label) for label in TextClassifier.load("model").classes_} == {row[1] for row in rows}


@pytest.mark.long
def test_the_policy_alone_would_stop_a_script(tmp_path, monkeypatch, opened):
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
    """Return 48 texts as a file; a few have the label of the others."""
    rows = [["A secret good film", "up"], ['bad and "long"', "down"], ["good, moving", "up"], ["a bad, -5 film", "down"]] * 11
    rows += [["A secret bad film, for all that", "up"], ["good and long", "down"]] * 2
    return write(tmp_path_factory.mktemp("texts") / "mine.csv", rows)


@pytest.fixture(scope="module")
def made(mine):
    """Return a function that makes a report with some options, each once."""

    @cache
    def make(*options):
        report = mine.with_name(f"report{'-'.join(options)}.html")
        assert main(["report", str(mine), "-o", str(report), *options]) == 0
        return report

    return make


def test_what_a_report_holds(made, opened):
    path = made()
    visit = opened(path)
    tab = visit.tab
    shown = tab.locator("main").text_content()
    assert "It quotes texts" in tab.locator(".about").text_content()
    assert "48 texts; words in a text, median: 4." in shown
    tab.get_by_text("Beside other classifiers").click()
    assert tab.get_by_role("img").get_attribute("aria-label").startswith("Bins of texts beside a dashed diagonal.")
    edges = "(all) => all.map((each) => { const e = each.getBoundingClientRect(); return [e.left, e.right, e.top, e.bottom] })"
    left, right, top, bottom = np.array(tab.locator("figure :is(text, circle)").evaluate_all(edges)).T
    ((first, last, above, below),) = tab.locator("figure svg").evaluate_all(edges)
    assert first <= left.min() < right.max() <= last
    assert above <= top.min() < bottom.max() <= below
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert visit.errors == []
    assert list(path.parent.glob("*.part")) == []


@pytest.fixture(scope="module")
def of_many_classes(tmp_path_factory):
    """Return the report on texts of twenty classes with long names, of which one gives itself away by a long phrase."""
    random = np.random.default_rng(0)
    rows = [[f"{' '.join(random.choice(['one', 'two', 'six'], 4))} w{n % 20}", f"class number {n % 20}"] for n in range(800)]
    rows = [
        [f"{text} sent from my own galaxy telephone" if n % 20 == 7 else text, label] for n, (text, label) in enumerate(rows)
    ]
    path = write(tmp_path_factory.mktemp("many") / "many.csv", rows)
    assert main(["report", str(path), "-o", str(path.with_suffix(".html"))]) == 0
    return path.with_suffix(".html")


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_what_matters_is_in_view_without_scrolling_sideways(made, of_many_classes, opened, width):
    for path in (made(), of_many_classes):
        tab = opened(path).tab
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        summary, scores, suspects = tab.locator(".summary"), tab.locator("table").nth(0), tab.locator("table").nth(3)
        assert summary.bounding_box()["y"] + summary.bounding_box()["height"] < 800
        for title in (*scores.locator("thead th").all()[:5], *suspects.locator("thead th").all()):
            box = title.bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= width
        assert suspects.locator("th[aria-sort=descending]").text_content() == "suspicion"
        numbers = [float(each) for each in suspects.locator("tr td:nth-child(2)").all_text_contents()]
        assert numbers == sorted(numbers, reverse=True)
        for region in (scores, suspects):
            assert region.locator("..").evaluate("(box) => box.scrollHeight <= box.clientHeight + 1")


@pytest.mark.long
def test_a_report_fits_a_narrow_window_and_paper(made, of_many_classes, opened):
    """Unfolded, at 400%; on paper it has no folds, so the table of verdicts is there."""
    for path in (made(), of_many_classes):
        visit = opened(path)
        assert printed_share(visit.tab, "main") >= 0.98
        visit.tab.set_viewport_size({"width": 320, "height": 800})
        visit.tab.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert list(no_sideways_scroll(visit)) == []


@pytest.mark.long
def test_a_table_is_sorted_by_the_keyboard_and_downloaded(made, opened):
    tab = opened(made()).tab
    box = tab.locator(".scrolled").last
    titles = box.locator("thead th").all_text_contents()
    title = box.locator("th", has_text="value")
    column = titles.index("value") + 1
    numbers = lambda: [float(each) for each in box.locator(f"tbody tr td:nth-child({column})").all_text_contents()]
    before = numbers()
    assert title.get_attribute("aria-sort") == "none"
    title.locator("button").press("Enter")
    assert (numbers(), title.get_attribute("aria-sort")) == (sorted(before, reverse=True), "descending")
    title.locator("button").press("Space")
    assert (numbers(), title.get_attribute("aria-sort")) == (sorted(before), "ascending")
    box.locator("th", has_text="word").locator("button").press("Enter")
    assert title.get_attribute("aria-sort") == "none"
    words = box.locator("tbody th").all_text_contents()
    plain = [word for word in words if word.replace(" ", "").isalpha()]
    assert plain == sorted(plain, reverse=True) != []
    with tab.expect_download() as download:
        tab.get_by_text("Download this table as CSV").last.click()
    rows = list(csv.reader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert rows[0] == titles
    assert [row[0] for row in rows[1:]] == words
    assert sorted(float(row[column - 1]) for row in rows[1:]) == sorted(before)


@pytest.mark.long
def test_no_line_of_a_downloaded_table_is_a_formula(chromium):
    breaks = ["\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]
    texts = [f"good{each} =1+1{each}@x" for each in breaks]
    texts += ["=1", "＋1", "-12%", "-1,200", "+good", "a\n-b", 'a, "b"', "a - b"]
    with chromium.new_context(accept_downloads=True) as context:
        tab = context.new_page()
        tab.set_content("<main><table><thead><tr><th>text<th>number<tbody></table></main>")
        body = "document.querySelector('tbody')"
        tab.evaluate(f"(texts) => texts.forEach((text) => {{ {body}.insertRow().insertCell().textContent = text }})", texts)
        tab.evaluate("document.querySelectorAll('tbody tr').forEach((row) => row.insertCell())")
        tab.add_script_tag(path=TABLES)
        with tab.expect_download() as download:
            tab.get_by_text("Download this table as CSV").click()
        with download.value.path().open(encoding="utf-8-sig", newline="") as file:
            fields = [row[0] for row in csv.reader(file)][1:]
    assert [field.replace("'", "") for field in fields] == texts
    assert fields[-8:] == ["'=1", "'＋1", "-12%", "-1,200", "'+good", "a\n'-b", 'a, "b"', "a - b"]
    assert not [line for field in fields[:9] for line in field.splitlines() if line.lstrip().startswith(("=", "@"))]


@pytest.mark.long
def test_no_texts_and_least_are_honoured(made, opened, capsys):
    path = made("--no-texts", "--least", "15")
    assert "quotes no text" in capsys.readouterr().err
    whole = path.read_text("utf-8")
    assert "It quotes no text" in whole
    assert "at least 15 texts" in whole
    assert "secret" not in whole
    assert "moving" not in whole
    assert opened(path).tab.locator(".tokensel-live textarea").input_value() == ""


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.long)])
def test_a_report_is_accessible(made, opened, theme):
    assert list(violations(opened(made(), theme))) == []
