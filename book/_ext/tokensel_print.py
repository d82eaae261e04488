"""The book as one PDF: what Sphinx's builder ``singlehtml`` needs to set it on one page, and the link to what was printed.

``{{ pdf_link }}`` is a link if `make pdf` was run since the last change, and otherwise says that there is such a command.
"""

from pathlib import Path

from sphinx.application import Sphinx
from tokensel_book import substitute

FILE = "tokensel-nb.pdf"
TEXT = "the book as one PDF"
SOURCES = ("book", "data", "tokensel_nb", "tokensel_report")  # what it is made from
SUFFIXES = (".ipynb", ".md", ".css", ".json", ".py")


def link_pdf(app: Sphinx) -> None:
    """Lay the PDF beside the folder of the pages, and let them link to it, or say how to make it."""
    file = printed(app)
    app.config.html_extra_path = [str(file)] if file else []
    link = f'<a href="../{FILE}">{TEXT}</a> ({file.stat().st_size / 1e6:.0f} MB)' if file else f"{TEXT} (made by `make pdf`)"
    substitute(app, pdf_link=f'<span class="the-pdf">{link}</span>')  # print_book.py finds it there


def printed(app: Sphinx) -> Path | None:
    """Return the PDF, if it was made after the last change of what it shows."""
    root = Path(app.srcdir)
    file = root / "_build" / FILE
    sources = (path for folder in SOURCES for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    return file if file.exists() and file.stat().st_mtime > max(path.stat().st_mtime for path in sources) else None


def prepare_one_page(app: Sphinx) -> None:
    """Write every node as on the separate pages.

    Sphinx looks at the handlers of the separate pages only if no extension at all has registered a node of its own for
    ``singlehtml``; some have.
    """
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers.get("html", {}) | handlers.get("singlehtml", {})


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.connect("builder-inited", link_pdf, priority=400)  # before the parser reads the texts
    app.connect("builder-inited", prepare_one_page)
