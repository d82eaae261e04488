"""What a page of a report runs, loads, quotes and lists, whatever the texts are; `site/test_report.py` opens it."""

import re
from html import unescape

import numpy as np
import pytest
from hostile import HARM, Held, faults, write

from tokensel_nb.yourdata.command import main

NAME = "<img src=x onerror=alert(1)>'\"\\ {{7*7}} %s.csv"
SECRET = "secret"  # of each text one word that stands in no other
RARE = 60  # words of four texts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of harmful texts, under a harmful name, of harmful labels."""
    random = np.random.default_rng(0)
    rows = []
    for n in range(240):
        words = " ".join(random.choice(["good", "great"] if n % 2 else ["bad", "dull"], 3))
        line = " zqa zqb sent from my phone" if n % 2 and n < 80 else ""
        text = f"{HARM[n % len(HARM)].format(n=n)} {words} women {SECRET}{n} rare{n % RARE}{line}"
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


def test_these_faults_would_be_seen(made):
    """The control: each change of the page is one that the tests above would not let pass."""
    page = made()
    changes = [
        ("default-src 'none'", "default-src 'none'; img-src *"),
        ("default-src 'none'", "default-src 'none'; img-src * data:"),
        ("default-src 'none'", "default-src 'self'"),
        ("default-src 'none'; ", ""),
        ("script-src ", "script-src 'unsafe-inline' "),
        ("; form-action 'none'", ""),
        ("; base-uri 'none'", "; base-uri 'none'; connect-src https:"),
        ("<h1>", "<h1><img src='http://example.com/a.png'>"),
        ("<h1>", "<h1><script>1</script>"),
        ("<h1>", "<h1 onclick='1'>"),
        ("<h1>", "<h1 style='background: url(http://example.com)'>"),
        ("<h1>", "<form><h1>"),
        ("</style>", "@import 'http://example.com'</style>"),
    ]
    for old, new in changes:
        assert old in page
        assert list(faults(page.replace(old, new, 1))), new


def test_what_harms_is_shown_as_it_was_written(made):
    held = Held(made())
    assert held.text.startswith(f"Report on {NAME}")
    for label in (HARM[1].format(n=0), HARM[2].format(n=0)):
        assert held.text.count(label) > 10
        assert label in held.data["classes"]
    quoted = {n for n in range(240) if f"{SECRET}{n} " in held.text + " "}
    assert len(quoted) > 30
    shown = {n % len(HARM) for n in quoted if HARM[n % len(HARM)].format(n=n).replace("\u2028", " ") in held.text}
    assert len(shown) > 10
    written = [unescape(HARM[n % len(HARM)].format(n=n)) for n in range(240)]  # as `read_reviews` mends entities
    assert all(any(harm in example for harm in written) for example in held.data["examples"])


@pytest.mark.parametrize("options", OPTIONS[1:], ids=" ".join)
def test_without_texts_nothing_of_a_text_is_on_the_page_but_words_of_enough_texts(made, options):
    page = made(*options)
    assert SECRET in made()
    assert SECRET not in page
    assert "onerror=&#39;window" not in page
    assert Held(page).data["examples"] == []


@pytest.mark.xfail(strict=True, reason="what decided the texts that it got wrong is listed whatever it is")
@pytest.mark.parametrize("options", OPTIONS[1:], ids=" ".join)
def test_what_is_listed_stands_in_enough_texts(made, options):
    """Among them what decided the texts that it got wrong. Least is 5 by default; 60 leaves out what stands in 40."""
    page, many = made(*options), "60" in options
    assert "rare" in made()
    for word in ("rare", *(["zqa", "phone"] if many else [])):
        assert not re.search(rf"\b{word}", page), word
    assert all(word in page for word in ("women", "good", *([] if many else ["zqa", "phone"])))
