"""What a page may load and run, on every built page and in a browser; links that open in a tab of their own."""

import base64
import hashlib
import html
import re

import pytest
import tokensel_policy
from pages import PAGES


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_runs_what_it_was_built_with_and_nothing_else(path):
    page = path.read_text("utf-8")
    found = re.search(r'<meta charset="utf-8" />\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)" />', page)
    assert not re.search(r"<(script|link|style|img)\b", page[: found.start()])  # it is said before anything is loaded
    allowed = {kind: set(sources) for kind, *sources in (each.split() for each in found[1].split("; "))}
    assert allowed["default-src"] == {"'none'"}
    assert not {"'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"} & allowed["script-src"]
    assert not [each for sources in allowed.values() for each in sources if re.match(r"\w+://|\*|https?:", each)]
    inline = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    scripts = [script for attributes, script in inline if "src=" not in attributes]
    scripts += [html.unescape(each) for each in re.findall(r'\sonclick="([^"]*)"', page)]
    wanted = {f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts}
    assert wanted
    assert {each for each in allowed["script-src"] if each.startswith("'sha256")} == wanted
    opens = re.findall(r'<a\s[^>]*target="_blank"[^>]*>', page)
    assert not [each for each in opens if not re.search(r'\brel="[^"]*\bnoopener\b', each)]


HARM = "<script>ran.push('a script')</script><img alt='' src='missing.png' onerror=\"ran.push('a handler')\">"
PAGE = f"""<!doctype html><html lang="en"><head>{tokensel_policy.PLACE}<title>A page</title></head><body>
<script>window.ran = []</script><button onclick="window.pressed = 1">Press</button></body></html>"""


@pytest.mark.parametrize("guarded", [True, False], ids=["with the policy", "the control"])
def test_what_gets_into_a_page_later_does_not_run(visit, tmp_path, guarded):
    page = tokensel_policy.with_policy(PAGE) if guarded else PAGE
    (tmp_path / "page.html").write_text(page.replace("<button", f"{HARM}<button"), "utf-8")
    opened = visit(tmp_path / "page.html")
    opened.tab.get_by_role("button").click()
    opened.tab.wait_for_timeout(100)  # ms: for the picture that is missing
    assert opened.tab.evaluate("window.pressed") == 1  # what it was built with runs
    assert opened.tab.evaluate("window.ran") == ([] if guarded else ["a script", "a handler"])
    assert any("Content Security Policy" in error for error in opened.errors) == guarded
