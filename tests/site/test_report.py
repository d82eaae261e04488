"""`tokensel report`, from a table to a page in a real browser: texts, labels and names of files stay what they are."""

import csv
from functools import cache

import numpy as np
import pytest
from hostile import HARM, write
from pages import letters, no_sideways_scroll, printed, settle, violations

from tokensel_report import TextClassifier
from tokensel_report.command import main
from tokensel_report.html import FOLDER


@pytest.fixture
def opened(visit):
    """Return a function that opens a report on a phone."""

    def open_page(path, **settings):
        found = visit(path, width=390, **settings)
        found.tab.wait_for_selector(".tokensel-live .verdict")
        return found

    return open_page


def test_a_thousand_harmful_texts_stay_texts(tmp_path, monkeypatch, opened):
    """In texts, in labels and in the file's name; shown by print, tables, an explanation and the text box."""
    random = np.random.default_rng(0)
    rows = []
    for n in range(1000):
        harm = HARM[n % len(HARM)].format(n=n)
        words = " ".join(random.choice(["good", "great"] if n % 2 else ["bad", "dull"], 3))
        wrong = n < 30  # the page quotes texts with labels that look wrong
        rows.append([f"{harm} {words} {n}", HARM[1 + (n + wrong) % 2].format(n=0)])
    monkeypatch.chdir(tmp_path)
    name = "<img src=x onerror=alert(1)>'\"\\ {{7*7}} %s.csv"
    write(tmp_path / name, rows)
    assert main(["report", name, "--text", "review", "--label", "stars", "--save", "model"]) == 0
    visit = opened(tmp_path / "report.html")
    tab, labels = visit.tab, {row[1] for row in rows}
    assert tab.title() == f"Report on {name}"
    shown = tab.locator("main").text_content()
    assert sum(HARM[n % len(HARM)].format(n=n) in shown for n in range(1000)) > 10  # they are there, as texts
    assert labels == set(tab.locator("table").first.locator("tbody th").all_text_contents())
    tab.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true })")
    for button in [*tab.locator(".tokensel-live .buttons button").all()[:40], *tab.locator("th button").all()]:
        button.click()
    tab.locator("textarea").fill("".join(harm.format(n=1) for harm in HARM))
    settle(tab)
    assert tab.evaluate("window.ran") is None
    assert visit.errors == []
    assert {url for url in visit.requests if not url.startswith("data:")} == {(tmp_path / "report.html").as_uri()}
    foreign = "iframe, svg:not(figure svg), form, meta[http-equiv=refresh], base, main a, img, main style ~ script[src]"
    assert tab.locator(foreign).count() == 0
    assert {str(label) for label in TextClassifier.load("model").classes_} == labels


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a function that makes a report with some options, each once: on 48 texts, a few with the label of the others."""
    rows = [["A secret good film", "up"], ['bad and "long"', "down"], ["good, moving", "up"], ["a bad, -5 film", "down"]] * 11
    rows += [["A secret bad film, for all that", "up"], ["good and long", "down"]] * 2
    mine = write(tmp_path_factory.mktemp("texts") / "mine.csv", rows)

    @cache
    def make(*options):
        report = mine.with_name(f"report{'-'.join(options)}.html")
        assert main(["report", str(mine), "-o", str(report), *options]) == 0
        return report

    return make


@pytest.mark.long
def test_the_policy_alone_would_stop_a_script(tmp_path, made, opened):
    """The control: were a text ever to become HTML, the browser would refuse to run it, and say so."""
    harmed = tmp_path / "harmed.html"
    harmed.write_text(made().read_text("utf-8").replace("<h1>", "<script>window.ran = 1</script><h1>"), "utf-8")
    visit = opened(harmed)
    assert visit.tab.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in visit.errors)


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.long)])
def test_a_report_is_whole_and_accessible(made, opened, theme):
    visit = opened(made(), theme=theme)
    tab = visit.tab
    assert "48 texts; words in a text, median: 4." in tab.locator("main").text_content()
    assert visit.errors == []
    assert list(violations(visit)) == []


@pytest.fixture(scope="module")
def of_many_classes(tmp_path_factory):
    """Return the report on texts of twenty classes with long names, of which one gives itself away by a long phrase."""
    random = np.random.default_rng(0)
    texts = [f"{' '.join(random.choice(['one', 'two', 'six'], 4))} w{n % 20}" for n in range(800)]
    texts[7::20] = [f"{text} sent from my own galaxy telephone" for text in texts[7::20]]
    path = tmp_path_factory.mktemp("many") / "many.csv"
    write(path, [[text, f"class number {n % 20}"] for n, text in enumerate(texts)])
    assert main(["report", str(path), "-o", str(path.with_suffix(".html"))]) == 0
    return path.with_suffix(".html")


@pytest.mark.long
def test_what_matters_is_in_view_and_all_of_it_fits_a_narrow_window_and_paper(made, of_many_classes, opened):
    """Unfolded, at 400%; on paper it has no folds, so the last table is there."""
    for path in (made(), of_many_classes):
        visit = opened(path)
        tab, suspects = visit.tab, visit.tab.locator("table").nth(3)
        verdict = tab.locator(".summary p").first.bounding_box()
        assert verdict["y"] + verdict["height"] < 800
        for title in (*tab.locator("table").first.locator("thead th").all()[:5], *suspects.locator("thead th").all()):
            box = title.bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= 390
        last = tab.locator("table").last.locator("tbody th").all_text_contents()
        sheets = printed(tab)
        assert all(letters(word) in sheets for word in last)
        tab.set_viewport_size({"width": 320, "height": 800})
        tab.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert list(no_sideways_scroll(visit)) == []


@pytest.mark.long
def test_a_table_is_sorted_by_the_keyboard_and_downloaded(made, opened):
    tab = opened(made()).tab
    box = tab.locator(".scrolled").last
    titles = box.locator("thead th").all_text_contents()
    assert len(titles) <= 8
    title = box.locator("th", has_text="importance")
    column = titles.index("importance") + 1
    numbers = lambda: [float(each) for each in box.locator(f"tbody tr td:nth-child({column})").all_text_contents()]
    before = numbers()
    for key, order, down in (("Enter", "descending", True), ("Space", "ascending", False)):
        title.locator("button").press(key)
        assert (numbers(), title.get_attribute("aria-sort")) == (sorted(before, reverse=down), order)
    words = box.locator("tbody th").all_text_contents()
    with tab.expect_download() as download:
        tab.get_by_text("Download this table as CSV").last.click()
    rows = list(csv.reader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert rows[0] == titles
    assert [row[0] for row in rows[1:]] == words
    assert [float(row[column - 1]) for row in rows[1:]] == sorted(before)


@pytest.mark.long
def test_no_line_of_a_downloaded_table_is_a_formula(visit, tmp_path):
    breaks = ["\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]
    texts = [f"good{each} =1+1{each}@x" for each in breaks]
    texts += ["=1", "＋1", "-12%", "-1,200", "+good", "a\n-b", 'a, "b"', "a - b"]
    (tmp_path / "page.html").write_text("<main><table><thead><tr><th>text<tbody></table></main>", "utf-8")
    tab = visit(tmp_path / "page.html").tab
    add = "document.querySelector('tbody').insertRow().insertCell().textContent = text"
    tab.evaluate(f"(texts) => texts.forEach((text) => {{ {add}; }})", texts)
    tab.add_script_tag(path=FOLDER / "tables.js")
    with tab.expect_download() as download:
        tab.get_by_text("Download this table as CSV").click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        fields = [row[0] for row in csv.reader(file)][1:]
    assert [field.replace("'", "") for field in fields] == texts
    assert fields[-8:] == ["'=1", "'＋1", "-12%", "-1,200", "'+good", "a\n'-b", 'a, "b"', "a - b"]
    assert not [line for field in fields[:9] for line in field.splitlines() if line.lstrip().startswith(("=", "@"))]


@pytest.mark.long
def test_no_texts_and_least_are_honoured(made, opened):
    path = made("--no-texts", "--least", "15")
    whole = path.read_text("utf-8")
    assert "It quotes no text" in whole
    assert "at least 15 texts" in " ".join(whole.split())
    assert "secret" not in whole
    assert "moving" not in whole
    assert opened(path).tab.locator(".tokensel-live textarea").input_value() == ""
