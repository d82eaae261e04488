"""Texts, labels and names that would do harm on a page that took them for HTML, and what a page really holds."""

import base64
import csv
import hashlib
import json
import re
from html.parser import HTMLParser

HARM = [
    "<script>window.ran = {n}</script>",
    "</script><script>window.ran = {n}</script>",
    "<img src=x onerror='window.ran = {n}'>",
    "<svg onload=window.ran={n}>",
    "<a href='javascript:window.ran={n}'>click</a>",
    "<iframe srcdoc='<script>parent.ran={n}</script>'></iframe>",
    '"><script>alert({n})</script>',
    "'-alert({n})-'",
    "${{window.ran={n}}}",
    "{{{{7*{n}}}}}{{% raw %}}",
    "<style>body{{display:none}}</style><!--{n}",
    '=HYPERLINK("http://example.com/{n}")',
    "@SUM({n})+cmd|' /C calc'!A0",
    "\u2028<body onpageshow=alert({n})>",
    "&lt;script&gt;window.ran={n}&lt;/script&gt;",
    "[{n}](javascript:alert({n})) <details open ontoggle=alert({n})>",
    "<meta http-equiv=refresh content='0;url=http://example.com/{n}'>",
    "<base href=http://example.com/{n}/><form action=x><button autofocus onfocus=alert({n})>",
    "\x1b[31m{n}\x1b]8;;http://example.com\x07",
    "</title></textarea></style></template><script>window.ran={n}</script>",
]


def write(path, rows):
    """Write texts and labels as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["review", "stars"], *rows])
    return path


class Held(HTMLParser):
    """What a page holds: its elements with their attributes, its scripts, and whatever else is text."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.styles, self.comments, self.texts, self.inside = [], [], [], [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside = tag
        self.texts.append(" " * (tag in ("td", "th", "li", "p")))
        for name, kept in (("script", self.scripts), ("style", self.styles)):
            if tag == name:
                kept.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside in ("script", "style"):
            {"script": self.scripts, "style": self.styles}[self.inside][-1] += data
        else:
            self.texts.append(data)

    def handle_comment(self, data):
        self.comments.append(data)

    @property
    def text(self):
        """All that is shown, with single spaces."""
        return " ".join("".join(self.texts).split())

    @property
    def policy(self):
        """The content security policy: its directives and what each allows; empty where one stands twice."""
        (policy,) = (each["content"] for tag, each in self.elements if each.get("http-equiv") == "Content-Security-Policy")
        directives = [part.split() for part in policy.split(";")]
        found = {name: allowed for name, *allowed in directives}
        return found if len(found) == len(directives) else {}  # of two the first would count

    @property
    def data(self):
        """What the text box is given."""
        (data,) = (
            json.loads(script)
            for script, each in zip(self.scripts, (each for tag, each in self.elements if tag == "script"))
            if each.get("type") == "application/json"
        )
        return data

    @property
    def run(self):
        """The scripts that a browser runs."""
        kinds = [each.get("type") for tag, each in self.elements if tag == "script"]
        return [script for script, kind in zip(self.scripts, kinds) if kind is None]


ALLOWED = {"default-src": ["'none'"], "style-src": ["'unsafe-inline'"], "base-uri": ["'none'"], "form-action": ["'none'"]}
LOADS = set("src srcset srcdoc href xlink:href action formaction poster data background ping cite".split())
ELEMENTS = set(
    """
    html head meta title style body main h1 h2 h3 section div p span em b strong code pre ul ol li details summary mark
    table thead tbody tr th td caption figure figcaption img svg path circle text blockquote script
    """.split()
)


def faults(page):
    """Yield where a page could run, load or send what is not its own."""
    held = Held(page)
    policy = held.policy
    digests = [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in held.run]
    if sorted(policy.pop("script-src", [])) != sorted(digests):
        yield "the policy lets other scripts run than those of the page"
    if policy.pop("img-src", ["data:"]) != ["data:"]:
        yield "the policy lets pictures come from elsewhere"
    if policy != ALLOWED:
        yield f"the policy allows {policy}"
    before = [tag for tag, each in held.elements if tag in ("script", "style", "title", "body", "meta")]
    if before[:2] != ["meta", "meta"] or not re.search(r"<head>\s*<meta charset=[^>]*>\s*<meta [^>]*Content-Security", page):
        yield "the policy does not stand before whatever it speaks of"
    for tag, attributes in held.elements:
        if tag not in ELEMENTS:
            yield f"an element <{tag}>"
        for name, value in attributes.items():
            if name.startswith("on"):
                yield f"<{tag} {name}={value!r}> runs"
            if name in LOADS and not (tag == "img" and re.match(r"data:image/(png|svg\+xml);base64,", value or "")):
                yield f"<{tag} {name}={value!r}> asks for something"
            if name == "http-equiv" and value != "Content-Security-Policy":
                yield f"<meta http-equiv={value!r}>"
            if name == "style" and re.search(r"url\(|@import|expression", value):
                yield f"<{tag} style={value!r}> asks for something"
    for style in held.styles:
        if re.search(r"url\(|@import", style):
            yield "a style asks for something"
    if held.comments:
        yield f"comments, which may hold anything: {held.comments[:1]}"
