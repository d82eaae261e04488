"""The front page: an essay of eight scenes and two games, from ``book/index.md``, in a template of its own without the theme.

``book/_templates/front.html`` has the page, ``front.css`` and ``playthings/horns.js`` its look and its cloud of words.
"""

import json
import re
from itertools import count
from pathlib import Path

from sphinx.application import Sphinx

# Before anything is painted: that scripts run, and the theme that was chosen on any page of the book.
HEAD = """(() => {
const root = document.documentElement;
let mode;
try { mode = localStorage.getItem("mode"); } catch { /* a browser that keeps nothing */ }
root.classList.add("js");
if (!["light", "dark"].includes(mode)) mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
root.dataset.theme = mode;
})();"""


def scenes(body: str) -> tuple[str, str, str]:
    """Return the scenes of a page, sections beside each other, then the games, and what follows them."""
    body = re.sub(r'<a class="headerlink".*?</a>', "", body)
    body = re.sub(r"<section [^>]*(id=[^ >]+)[^>]*>", r'<section class="scene" \1>', body.strip())
    essay, games, foot = re.split('(?=<section class="scene" id="(?:learnt-or-luck|all-chapters)")', body)
    _, first, rest = re.split("(?=<section )", essay, maxsplit=2)
    games, foot = (part.replace('class="scene" ', "") for part in (games, foot.removesuffix("</section>")))
    return f"{first}</section>\n{rest}", games, foot


def sentence(app: Sphinx) -> list[tuple[str, str, float]]:
    """Return the words of the first sentence, and of the two of most attention their side and their share of it."""
    found = json.loads((Path(app.srcdir) / "tokensel_nb/data/recorded/front_page.json").read_text("utf-8"))["sentences"]
    text, of = next(iter(found.items()))
    loud = dict(zip(of["attention"], ("praise", "blame")))
    plain = [(word, re.sub(r"\W", "", word).lower()) for word in text.split()]
    return [(word, loud.get(key, ""), of["attention"][key] if key in loud else 0) for word, key in plain]


def parts(app: Sphinx) -> list[tuple[str, list]]:
    """Return the parts of the table of contents, each with its pages: name, number of the chapter if it has one, title."""
    chapters, found = count(1), []
    for part in app.env.external_site_map.root.subtrees:
        pages = [(page, next(chapters) if part.numbered else "", app.env.titles[page].astext()) for page in part.items]
        found.append((part.caption, pages))
    return found


def front(app: Sphinx, page: str, template: str, context: dict, doctree) -> str | None:
    """Set the first page by its own template."""
    if page != "book/index" or app.builder.name != "html":
        return None
    essay, games, foot = scenes(context["body"])
    context["front"] = dict(essay=essay, games=games, foot=foot, sentence=sentence(app), parts=parts(app), head=HEAD)
    return "front.html"


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.connect("html-page-context", front, priority=900)
