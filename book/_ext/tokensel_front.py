"""The front page: an essay of nine scenes, from ``book/index.md``, in a template of its own without the theme.

``book/_templates/front.html`` has the page, ``front.css`` and ``playthings/horns.js`` its look and its cloud of words.
"""

import json
import re
from pathlib import Path

import yaml
from sphinx.application import Sphinx

PAGE, TEMPLATE = "book/index", "front.html"
SCRIPTS = ("engine.js", "ui.js", "horns.js")
DESCRIPTION = "Watch a network learn which words matter"
# Before anything is painted: that scripts run, and the theme that was chosen on any page of the book.
HEAD = """(() => {
const root = document.documentElement;
let mode;
try { mode = localStorage.getItem("mode"); } catch { /* a browser that keeps nothing */ }
root.classList.add("js");
if (!["light", "dark"].includes(mode)) mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
root.dataset.theme = mode;
})();"""
LOUD = 2  # words of the sentence that are underlined
FOOT = "all-chapters"


def scenes(body: str) -> tuple[str, str]:
    """Return the scenes of a page, sections beside each other, and what follows them."""
    body = re.sub(r'<a class="headerlink".*?</a>', "", body)
    body = re.sub(r"<section [^>]*(id=[^ >]+)[^>]*>", r'<section class="scene" \1>', body)
    first, *rest = re.split("(?=<section )", body.strip())[1:]
    at = next(i for i, section in enumerate(rest) if f'id="{FOOT}"' in section)
    return "".join([f"{first}</section>\n", *rest[:at]]), "".join(rest[at:]).replace('class="scene" ', "").removesuffix(
        "</section>"
    )


def sentence(app: Sphinx) -> list[tuple[str, str, float]]:
    """Return the words of the first sentence, and of the two of most attention their side and their share of it."""
    found = json.loads((Path(app.srcdir) / "tokensel_nb/data/recorded/front_page.json").read_text("utf-8"))["sentences"]
    text, of = next(iter(found.items()))
    loud = dict(zip(list(of["attention"])[:LOUD], ("praise", "blame")))
    plain = [(word, re.sub(r"\W", "", word).lower()) for word in text.split()]
    return [(word, loud.get(key, ""), of["attention"][key] if key in loud else 0) for word, key in plain]


def parts(app: Sphinx) -> list[dict]:
    """Return the parts of the table of contents, each with its pages: name, number of the chapter if it has one, title."""
    number, found = 0, []
    for part in yaml.safe_load((Path(app.srcdir) / "_toc.yml").read_text("utf-8"))["parts"]:
        pages = []
        for page in (chapter["file"] for chapter in part["chapters"]):
            number += "numbered" in part
            pages.append((page, number if "numbered" in part else "", app.env.titles[page].astext()))
        found.append({"caption": part["caption"], "pages": pages})
    return found


def front(app: Sphinx, page: str, template: str, context: dict, doctree) -> str | None:
    """Set the first page by its own template."""
    if page != PAGE or app.builder.name != "html":
        return None
    essay, foot = scenes(context["body"])
    address = app.config.tokensel_site.rstrip("/")
    asked = dict(essay=essay, foot=foot, sentence=sentence(app), parts=parts(app), address=address)
    context["front"] = asked | {"head": HEAD, "scripts": SCRIPTS, "description": DESCRIPTION}
    return TEMPLATE


def setup(app: Sphinx) -> None:
    """Register the above; ``tokensel_site`` is the address of the published pages, empty while there is none."""
    app.add_config_value("tokensel_site", "", "html")
    app.connect("html-page-context", front, priority=900)
