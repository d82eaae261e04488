"""What a page of a report runs, loads, quotes, lists and tells, whatever the texts are; `site/test_report.py` opens it."""

import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from hostile import HARM, Held, faults, write
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

import tokensel_report as tr
from tokensel_report import page, text_box
from tokensel_report.command import main

ROOT = Path(__file__).parents[2]

NAME = "<img src=x onerror=alert(1)>'\"\\ {{7*7}} %s.csv"
SECRET = "secret"  # how of each text a word begins that stands in no other
RARE = 60  # words of four texts


def secret(n):
    """Return it, without a digit: the shape of numbers in many texts may be told."""
    return SECRET + str(n).translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of harmful texts, under a harmful name, of harmful labels."""
    random = np.random.default_rng(0)
    rows = []
    for n in range(240):
        words = " ".join(random.choice(["good", "great"] if n % 2 else ["bad", "dull"], 3))
        line = " zqa zqb sent from my phone" if n % 2 and n < 80 else ""
        text = f"{HARM[n % len(HARM)].format(n=n)} {words} women {secret(n)} rare{n % RARE}{line}"
        wrong = n % 7 == 0  # so that there is something that the classifier gets wrong
        rows.append([text, HARM[1 + (n + wrong) % 2].format(n=0)])
    path = tmp_path_factory.mktemp("harm")
    write(path / NAME, rows)
    return path


@pytest.fixture(scope="module")
def made(folder):
    """Return a function that makes the page with some options, each once."""
    pages = {}

    def make(*options):
        if options not in pages:
            out = folder / f"report{len(pages)}.html"
            assert main(["report", str(folder / NAME), "--text", "review", "--label", "stars", "-o", str(out), *options]) == 0
            pages[options] = out.read_text("utf-8")
        return pages[options]

    return make


OPTIONS = [(), ("--no-texts",), ("--no-texts", "--least", "60")]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_a_page_runs_loads_and_sends_nothing_but_its_own(made, options):
    assert list(faults(made(*options))) == []


def test_what_harms_is_shown_as_it_was_written(made):
    held = Held(made())
    assert held.text.startswith(f"Report on {NAME}")
    for label in (HARM[1].format(n=0), HARM[2].format(n=0)):
        assert held.text.count(label) > 10
        assert label in held.data["classes"]
    quoted = {n for n in range(240) if f"{secret(n)} " in held.text + " "}
    assert len(quoted) > 30
    shown = {n % len(HARM) for n in quoted if HARM[n % len(HARM)].format(n=n).replace("\u2028", " ") in held.text}
    assert len(shown) > 10
    written = [HARM[n % len(HARM)].format(n=n) for n in range(240)]
    assert all(any(harm in example for harm in written) for example in held.data["examples"])


@pytest.mark.parametrize("options", OPTIONS[1:], ids=" ".join)
def test_without_texts_nothing_of_a_text_is_on_the_page_but_words_of_enough_texts(made, options):
    page = made(*options)
    assert SECRET in made()
    assert SECRET not in page
    assert Held(page).data["examples"] == []


@pytest.mark.parametrize("options", OPTIONS[1:], ids=" ".join)
def test_what_is_listed_stands_in_enough_texts(made, options):
    """Among them what decided the texts that it got wrong. Least is 5 by default; 60 leaves out what stands in 40."""
    page, many = made(*options), "60" in options
    assert "rare" in made()
    for word in ("rare", *(["zqa", "phone"] if many else [])):
        assert not re.search(rf"\b{word}", page), word
    assert all(word in page for word in ("women", "good", *([] if many else ["zqa", "phone"])))


def test_the_policy_lets_nothing_call_out():
    """A picture from elsewhere would, without a script; and neither base nor form falls back on the default."""
    allowed = dict(each.split(" ", 1) for each in page.policy(["", ""]).split("; "))
    empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    assert allowed.pop("script-src") == f"{empty} {empty}"
    assert allowed == {"default-src": "'none'", "style-src": "'unsafe-inline'", "base-uri": "'none'", "form-action": "'none'"}


def texts_of_two_classes(number=1200):
    """Of plain words and of some that lean to a side; thirty texts of one class hold a mark."""
    random = np.random.default_rng(0)
    labels = np.where(np.arange(number) % 2, "up", "down")
    own = {"up": ["good", "fine", "moving"], "down": ["bad", "dull", "long"]}
    plain = [f"word{i}" for i in range(40)]
    lines = [" ".join([*random.choice(plain, 8), *random.choice(own[label], random.integers(0, 3))]) for label in labels]
    return [line + " zqx" * (label == "up" and i < 60) for i, (line, label) in enumerate(zip(lines, labels))], labels


@pytest.fixture(scope="module")
def found():
    return page.analyse(tr.read_reviews(texts_of_two_classes()), "mine.csv", ["mine.csv: as read"])


def test_a_page_tells_what_was_found(found):
    text = Held(page.report_page(found)).text
    evaluation = found.evaluation
    assert "mine.csv: as read" in text
    assert "1,200 texts; words in a text, median: 9." in text
    assert "down 600 50.0% 9 up 600 50.0% 9" in text
    for name, accuracy in evaluation.accuracies.items():
        assert f"{name} {accuracy:.2f}" in text
    assert f"differ by {evaluation.calibration_error:.3f} on average" in text
    assert found.without["words"] == [suspect.name for suspect in found.put_in] != []
    assert f"Without {', '.join(found.without['words'])} the share of right answers is {found.without['accuracy']:.3f}" in text
    for row in found.report.table.head(500).itertuples():
        assert f"{row.word} {row.texts}" in text
    headings = re.findall(r"<h[23]>(.*?)</h[23]>", page.report_page(found))
    about_words, about_texts = ["Suspicious words", *LISTS, "In numbers", "Then act"], ["Labels that look wrong"]
    assert headings == ["How good is it?", *about_words, *about_texts, "Ask it", "The data", "All words"]


def test_where_only_a_trace_was_put_in_it_is_named_and_nothing_is_left_out():
    random = np.random.default_rng(0)
    labels = np.where(np.arange(1200) % 2, "up", "down")
    sides = {"up": ["good", "fine"], "down": ["bad", "dull"]}
    plain = [f"word{letter}" for letter in "abcdefghijklmnop"]
    own = [random.choice(sides["up" if (label == "up") == (random.random() < 0.7) else "down"], 2) for label in labels]
    texts = [" ".join([*random.choice(plain, 8), *words]) for words in own]
    texts = [text + "\u203d" * (label == "up" and i < 200) for i, (text, label) in enumerate(zip(texts, labels))]
    found = page.analyse(tr.read_reviews((texts, labels)), "mine.csv")
    assert found.without is None
    verdict, *steps = summary(found)
    assert verdict.startswith("Something was probably put in: the sign “\u203d” at the end (100% of 100 texts are “up”); ")
    assert any(step.startswith("Traces: write all texts alike") for step in steps)


LISTS = "Probably put in", "Decides alone, but reads like a word"


def test_both_lists_show_passages_with_the_place_marked(found):
    """On the page, with the share and the number of texts; nothing of a text if none is to be shown."""
    shown = page.report_page(found)
    lists = dict(zip(LISTS, (re.search(rf"<h3>{name}</h3>(.*?)<h3>", shown, re.DOTALL)[1] for name in LISTS)))
    for name, suspects in zip(LISTS, (found.report.put_in, found.report.reads_like_a_word)):
        assert lists[name].count("<mark>") == 3 * len(suspects)
        for suspect in suspects:
            own = found.report.labels[suspect.rows] == suspect.label
            told = f"{100 * own.mean():.0f}% of {len(suspect.rows)} texts are “{suspect.label}”"
            assert f"“{suspect.name}”: {told}" in Held(lists[name]).text
            assert (suspect.texts, suspect.share) == (len(own), own.mean())
            for before, marked, after in suspect.passages:
                assert any(before.strip("…") + marked + after.strip("…") in found.report.texts[row] for row in suspect.rows)
                assert marked.lower() in suspect.name
    assert {"zqx"} & {suspect.name for suspect in found.report.put_in}


def summary(found):
    """Return the sentence with which the page begins, and what it advises."""
    shown = " ".join(re.search(r'<div class="summary">(.*?)</div>', page.report_page(found), re.DOTALL)[1].split())
    return [re.search(r"<p><b> ?(.*?)</b>", shown)[1], *re.findall(r"<li>(.*?)</li>", shown)]


def test_a_page_begins_with_a_verdict(found):
    named = [f"“{one.name}” ({one.share:.0%} of {one.texts} texts are “{one.label}”)" for one in found.put_in]
    *some, last = named[:3]
    more = f", {last} and {len(named) - 3} more" if len(named) > 3 else f" and {last}" if some else last
    wrong = f"about {found.report.wrong_labels}" if found.report.wrong_labels else "none"
    verdict, *steps = summary(found)
    assert verdict == (f"Something was probably put in: {', '.join(some)}{more}; {wrong} of 1,200 labels look wrong.")
    assert steps[0].startswith("Words that were put in: ")


def test_a_summary_counts_what_is_wrong_with_texts():
    texts, labels = texts_of_two_classes()
    again = [*texts[:40], texts[100], f"{texts[7]} indeed"]
    texts, labels = [*texts, *again], np.array([*labels, *labels[:40], labels[101], labels[7]])
    found = page.analyse(tr.read_reviews((texts, labels)), "mine.csv", show_texts=False)
    assert (found.repeated, found.disputed) == (len(texts) - len(set(texts)) + 1, 1)
    assert f"1 text has two labels, and {found.repeated} texts nearly repeat others." in Held(page.report_page(found)).text
    assert any(step.startswith("Drop the texts that repeat others") for step in summary(found))


def test_a_summary_says_when_nothing_was_learnt():
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(["one", "two", "three", "four"], 5)) for _ in range(120)]
    found = page.analyse(tr.read_reviews((texts, random.permutation(["up", "down"] * 60))), "mine.csv")
    verdict, step, *_ = summary(found)
    assert not found.evaluation.learnt
    assert "not clearly better than" in Held(page.report_page(found)).text
    assert verdict == "Nothing seems to have been put in, and how many labels are wrong can&#39;t be told."
    assert step == "Check the labels or collect more texts, because it has learnt too little to be trusted."


@pytest.mark.parametrize("show_texts", [True, False])
def test_labels_that_look_wrong_are_listed_with_their_rows(tmp_path, show_texts):
    texts, labels = texts_of_two_classes()
    texts.insert(3, " ")  # is dropped, but its row counts
    rows = [[text, label] for text, label in zip(texts, np.insert(labels, 3, "up"))]
    found = page.analyse(tr.read_reviews(write(tmp_path / "a.csv", rows), "review", "stars"), "a.csv", show_texts=show_texts)
    shown = found.report.likely_wrong.head(page.WRONG)
    assert len(shown) == page.WRONG
    whole = page.report_page(found)
    section = whole[whole.index("<h2>Labels that look wrong") : whole.index("<h2>Ask it")]
    wanted = [f"line {row + 2 + (row >= 3)}" for row in shown.row]
    assert re.findall(r'<th scope="row">(line \d+)</th>', section) == wanted
    texts = re.findall(r"<li>(.*?)</li>", section)
    assert texts == [found.report.texts[row] for row in shown.row] * show_texts


def test_the_suspicious_words_are_told_in_plain_terms(found):
    whole = page.report_page(found)
    section = whole[whole.index("<h2>Suspicious words") : whole.index("Then act")]
    titles = re.findall(r'<th scope="col"([^>]*)>(.*?)</th>', section)
    assert [title for _, title in titles] == ["word", "suspicion", "of them", "class", "odds"]
    assert [mark for mark, _ in titles] == ["", ' aria-sort="descending"', "", "", ""]
    words = re.findall(r'<th scope="row">(.*?)</th>(?:<td>(.*?)</td>)<td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>', section)
    assert [row[0] for row in words] == found.report.suspects.word.head(page.SUSPECTS).tolist()
    texts, labels = texts_of_two_classes()
    for word, _, of_them, name, _ in words:
        own = [label for text, label in zip(texts, labels) if f" {word} " in f" {text} "]
        if word in found.report.model.vocabulary_ and " " not in word:
            assert of_them == f"{100 * own.count(name) / len(own):.0f}% of {len(own)} texts"


def test_a_page_on_given_probabilities_says_whose_predictions_it_shows():
    texts, labels = texts_of_two_classes()
    random = np.random.default_rng(0)
    up = np.where(random.random(1200) < 0.7, labels == "up", labels != "up")
    chance = random.uniform(0.5, 1, 1200)
    chance = np.where(up, chance, 1 - chance)
    given = np.stack([1 - chance, chance], axis=1)
    found = page.analyse(tr.read_reviews((texts, labels)), "mine.csv", model=given)
    whole = page.report_page(found)
    text = Held(whole).text
    assert "The predictions on this page are those of the model whose probabilities were given" in text
    verdicts, fifth = np.where(chance > 0.5, "up", "down"), np.random.default_rng(0).permutation(1200) < 240
    accuracies = {name: f"{share:.0%}" for name, share in found.evaluation.accuracies.items()}
    assert (
        f"On 1,200 texts, the given model is right {np.mean(verdicts == labels):.0%} of the time. "
        f"On a fifth of them it reaches {np.mean(verdicts == labels, where=fifth):.0%}, "
        f"compared with {accuracies['largest class']} for always naming “{found.evaluation.largest}” and "
        f"{accuracies['logistic regression']} for logistic regression."
    ) in text
    scores = precision_recall_fscore_support(labels, verdicts)
    for row in zip(np.unique(labels), scores[2], scores[0], scores[1], scores[3]):
        assert "{} {:.2f} {:.2f} {:.2f} {}".format(*row) in text
    matrix = re.search(r'<table class="confusion">.*?</table>', whole, re.DOTALL)[0]
    shown = [int(number) for number in re.findall(r"<td[^>]*>(\d+)</td>", matrix)]
    assert shown == confusion_matrix(labels, verdicts).ravel().tolist()
    assert f"differs from the label in {np.sum(verdicts != labels)} of 1,200 texts" in text
    section = whole[whole.index("<h2>Suspicious words") : whole.index("Then act")]
    titles = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', section)
    assert titles == ["word", "suspicion", "given model", "elsewhere", "of them", "class", "odds"]
    first = found.report.suspects.iloc[0]
    cells = [f"{first[name]:.2f}" for name in ("suspicion", "given model", "elsewhere")]
    assert "{} {} {} {} ".format(first.word, *cells) in Held(section).text
    assert list(faults(whole)) == []
    ours = page.report_page(page.analyse(tr.read_reviews((texts, labels)), "mine.csv"))
    assert "given model" not in ours
    assert ">elsewhere<" in whole
    assert ">elsewhere<" not in ours


def test_with_many_classes_all_are_scored_and_none_is_left_out():
    random = np.random.default_rng(0)
    labels = np.array([f"class{n % 20:02}" for n in range(2000)])
    texts = [" ".join([*random.choice(["one", "two", "three"], 4), "w" + label * (random.random() < 0.9)]) for label in labels]
    found = page.analyse(tr.read_reviews((texts, labels)), "many.csv")
    whole = page.report_page(found)
    evaluation, held_out = found.evaluation, found.evaluation.held_out
    scores = precision_recall_fscore_support(labels[held_out], evaluation.predicted, zero_division=np.nan)
    for name, column in zip(("precision", "recall", "F1", "texts"), scores):
        np.testing.assert_allclose(evaluation.by_class[name], column)
    np.testing.assert_array_equal(evaluation.confusion, confusion_matrix(labels[held_out], evaluation.predicted))
    assert f"(macro-F1) is {np.nanmean(scores[2]):.2f}" in " ".join(whole.split())
    matrix = re.search(r'<table class="confusion">.*?</table>', whole, re.DOTALL)[0]
    shown = [int(number) for number in re.findall(r"<td[^>]*>(\d+)</td>", matrix)]
    assert shown == evaluation.confusion.ravel().tolist()


def test_beyond_twenty_classes_the_most_confused_pairs_are_shown():
    random, labels = np.random.default_rng(0), np.array([str(n % 25) for n in range(1500)])
    texts = [" ".join([*random.choice(["one", "two"], 4), f"w{int(name) // 2}"]) for name in labels]
    found = page.analyse(tr.read_reviews((texts, labels)), "many.csv", show_texts=False)
    whole = page.report_page(found)
    assert 'class="confusion"' not in whole
    assert "The 20 most frequent mistakes." in whole
    pairs = {(int(row["label"]), int(row["judged as"])) for row in found.evaluation.confused.to_dict("records")}
    assert {label // 2 for label, _ in pairs} == {verdict // 2 for _, verdict in pairs}
    assert found.evaluation.by_class["class"].tolist() == [str(number) for number in range(25)]


def test_what_is_warned_of_is_on_the_page_once():
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(["one", "two", "three", "four"], 5)) for _ in range(120)]
    reviews = tr.read_reviews((texts, random.permutation(["up", "down"] * 60)))
    with warnings.catch_warnings(action="error"):
        found = page.analyse(reviews, "mine.csv")
    (warning, *others) = found.warnings
    assert "no better than the majority class" in warning
    assert len({warning, *others}) == len(found.warnings)
    assert Held(page.report_page(found)).text.count(warning) == 1


def test_where_nothing_is_wrong_or_suspicious_the_page_says_so():
    reviews = tr.read_reviews((["good film", "bad film"] * 30, ["up", "down"] * 30))
    found = page.analyse(reviews, "mine.csv")
    assert found.report.likely_wrong.empty
    assert len(found.report.suspicious) > 1
    assert found.without is None  # they are all that the texts have: no word would be left
    shuffled = np.random.default_rng(0).permutation(["up", "down"] * 30).tolist()
    found = page.analyse(tr.read_reviews((["good film", "bad film"] * 30, shuffled)), "mine.csv")
    assert "there is nothing to leave out" in Held(page.report_page(found)).text


def test_the_wheel_holds_what_is_asked_of_the_book():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    included, archived = project["wheel"]["force-include"], project["sdist"]["include"]
    source = (ROOT / "tokensel_nb/chapters/play.py").read_text("utf-8")
    scripts = re.findall(r'"(\w+)(?:\.js)?"', " ".join(re.findall(r'= "\w+", _module\((.*)\)', source)))
    for name in {*text_box.PARTS, *re.findall(r'"(\w+\.(?:js|css))"', source), *(f"{script}.js" for script in scripts)}:
        assert included[f"book/_static/playthings/{name}"] == f"tokensel_nb/chapters/playthings/{name}"
    assert "book/_static/playthings" in archived
