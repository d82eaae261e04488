"""Finished pages: they ask nothing of the network, weigh little, and a screen reader does not stumble over them."""

import base64
import os
import re
from functools import partial
from hashlib import sha256
from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx

SCROLLS = '<div class="pst-scrollable-table-container" role="group" aria-label="Table" tabindex="0">'
POLICY = "default-src 'self' 'unsafe-inline' data: blob:; base-uri 'none'; form-action 'self'"
# What is replaced in the pages (regular expressions). All but the first eight answer findings of the axe checker.
MENDED = {
    # A page takes nothing from elsewhere, and sends nothing there.
    '<meta charset="utf-8" />': rf'\g<0><meta http-equiv="Content-Security-Policy" content="{POLICY}" />',
    # Thebe, which Jupyter Book loads for live cells that this book does not have.
    # Font Awesome, two thirds of a page's weight: book.css has the few signs. Bootstrap: titles are read without it.
    r"<(?:script|link)[^>]*(?:sphinx-thebe|/fontawesome\.js|/bootstrap\.js)[^>]*>(?:</script>)?": "",
    r'<script(?: type="text/x-thebe-config")?>\s*(?:const THEBE_JS_URL|kernelName = |\{)[^<]*</script>': "",
    # The index of search, which the page of search alone needs.
    r'<script src="(?:\.\./)+(?:_static/searchtools|_static/language_data|searchindex)\.js"></script>': "",
    # A page is drawn before the theme's scripts are there, but not before modes.js, which folds and unfolds what it draws.
    r'<script (?=(?:data-sd[^>]*)?src="(?:\.\./)*(?:searchindex|_static/(?!modes)))': "<script defer ",
    "<script>(?=DOCUMENTATION_OPTIONS)": '<script type="module">',
    # The badge of Colab: the bar at the top has one.
    r"<p><a [^>]*>\s*<img [^>]*colab\.svg[^>]*>\s*</a></p>": "",
    # A bibliography is a list, so its entries have to be list items; the role they come with is deprecated.
    ' role="doc-biblioentry"': ' role="listitem"',
    # The fold of the menu's second level is drawn, and says nothing.
    '<summary><span class="toctree-toggle" role': '<summary aria-label="Pages below"><span class="toctree-toggle" role',
    # The corner of a pandas table heads nothing.
    "<th></th>": "<td></td>",
    # A table wider than a phone scrolls by the keyboard, too, and says what it is.
    '<div class="pst-scrollable-table-container">': SCROLLS,
    r'(?s)(<table border="1" class="dataframe">.*?</table>)': SCROLLS + r"\1</div>",
    # The list of chapters is there when it is asked for; its title and search box belong to some landmark. So are the contents
    # of a page. The theme's dialogs would make all else of the page deaf.
    '<div id="pst-primary-sidebar" ': '<div id="pst-primary-sidebar" popover role="region" aria-label="Book" ',
    '<div id="pst-secondary-sidebar" ': '<div id="pst-secondary-sidebar" popover ',
    '<dialog id="pst-(?:primary|secondary)-sidebar-modal"></dialog>': "",
    # An id names one element.
    ' id="(?:proof|exercise|solution)-content"': "",
    # The parameters of a long signature are set as a list of definitions, but define nothing.
    r'<span class="sig-paren">\(</span>\n\n<dl>': '<span class="sig-paren">(</span>\n\n<dl role="none">',
}
DATA = r'src="data:image/(\w+);base64,([^"]+)"'
FIRST = r'\A(?s:(.*?)) loading="lazy"'  # the first picture of a page, which a reader comes for
# It is asked for with the style sheets, not after them; but the front page draws it, if it can.
ASKED = r'(?s)\A(.*?)(<link .*?<img (?=[^>]*src="([^"]+\.png)")[^>]* fetchpriority)'
PICTURE = r'(<img (?![^>]*(?:width|height)=)[^>]*src="([^":]+\.png)")([^>]*>)'

# The same in files of the theme. Search goes without excerpts where pages lie on a disk: the script would fetch them, and
# browsers forbid that there.
FILES = {
    "styles/pydata-sphinx-theme.css": {r"@font-face\{[^}]*fontawesome[^}]*\}|(?<=\})\.fa[^{}]*\{[^}]*\}": ""},
    "documentation_options.js": {"SHOW_SEARCH_SUMMARY: true": 'SHOW_SEARCH_SUMMARY: location.protocol !== "file:"'},
    # Neither TeX nor code in the excerpts.
    "searchtools.js": {'".headerlink",': '".headerlink", ".math", ".cell_input", ".cell_output", ".claim",'},
}


def mend(file: Path, replacements: dict[str, str]) -> None:
    """Replace patterns in a file."""
    text = file.read_text("utf-8")
    for pattern, replacement in replacements.items():
        text = re.sub(pattern, replacement, text)
    file.write_text(text, "utf-8")


def as_file(folder: Path, images: Path, picture: re.Match) -> str:
    """Write a picture that a slider holds in its page into a file of its own, and return its address."""
    content = base64.b64decode(picture[2])
    file = images / f"{sha256(content).hexdigest()}.{picture[1]}"
    file.write_bytes(content)
    return f'loading="lazy" src="{Path(os.path.relpath(file, folder)).as_posix()}"'


def sized(folder: Path, picture: re.Match) -> str:
    """Return an image that takes its place before it is there, and that is loaded when a reader comes near."""
    with Image.open(folder / picture[2]) as image:
        width, height = image.size
    return f'{picture[1]} width="{width}" height="{height}" loading="lazy"{picture[3]}'


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Mend the pages, and remove what no reader needs."""
    if exception or app.builder.format != "html":
        return
    static, images = Path(app.outdir) / "_static", Path(app.outdir) / "_images"
    for page in Path(app.outdir).rglob("*.html"):
        folder = Path(app.outdir) if app.builder.name == "singlehtml" else page.parent  # that builder's links begin there
        pictures = {DATA: partial(as_file, folder, images), PICTURE: partial(sized, folder), FIRST: r'\1 fetchpriority="high"'}
        mend(page, MENDED | pictures | {ASKED: r'\1<link rel="preload" as="image" href="\3" fetchpriority="high" />\2'})
    for file, replacements in FILES.items():
        mend(static / file, replacements)
    # What no page asks for.
    for pattern in ("*.map", "*macros.html", "sphinx-thebe.*", "bootstrap.js", "fontawesome.js*", "fa-*"):
        for file in static.rglob(pattern):
            file.unlink()


def set_one_page(app: Sphinx) -> None:
    """Write every node of the printed book as on the separate pages: Sphinx forgets their writers where it knows others."""
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers.get("html", {}) | handlers.get("singlehtml", {})


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.connect("builder-inited", set_one_page)
    app.connect("build-finished", finish)
