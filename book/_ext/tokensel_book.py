"""What the book needs beyond ``_config.yml``: the repository's address, texts made from files, the notebooks of ``make book``.

Pages write a text as ``{{ name }}``, and a link into the repository as ``{repo}`tests/book``` or ``{repo}`the tests <tests>```.
``{module}`one_step``` links to a module of the package.
"""

import json
import os
import re
from importlib import import_module
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config

from book._tools.first_cells import ADDRESS, in_colab

IDEAS = "claims api modes formulas pages playthings scenes teaching front notebooks".split()  # a module each: tokensel_api ...


def set_repository(app: Sphinx, config: Config) -> None:
    """Take the public address from pyproject.toml, the one file that names it, for buttons, links and texts."""
    config.html_theme_options["repository_url"] = ADDRESS
    config.html_context["in_colab"] = in_colab("")
    config.extlinks = {"repo": (f"{ADDRESS}/blob/{config.html_theme_options['repository_branch']}/%s", "%s")}
    substitute(
        app,
        repository=f"[the repository]({ADDRESS})",
        install=f"```bash\npip install 'tokensel-nb[book] @ git+{ADDRESS}'\n```",
        execution_times=execution_times(app),
        pdf_link=f'<span class="the-pdf">{pdf_link(app, config)}</span>',  # print_book.py finds it there
    )


def pdf_link(app: Sphinx, config: Config) -> str:
    """Return a link to the book as one PDF, which then lies beside the pages, or say how to make it."""
    file, text = app.srcdir / "_build/tokensel-nb.pdf", "the book as one PDF"
    if not file.exists():
        return f"{text} (made by `make pdf`)"
    config.html_extra_path = [str(file)]
    return f'<a href="../{file.name}">{text}</a> ({file.stat().st_size / 1e6:.0f} MB)'


def chapter(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return a link to a chapter, ``{chapter}`04_reviews```: it says "chapter 4", also once chapters are added or moved."""
    env = inliner.document.settings.env
    number = list(notebooks(env.app)).index(f"book/{text}") + 1
    reference = pending_xref("", nodes.inline(text=f"chapter {number}"), refdomain="std", reftype="doc", refexplicit=True)
    reference.attributes |= {"reftarget": f"/book/{text}", "refdoc": env.docname, "refwarn": True}
    return [reference], []


def module(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return a link to a module, ``{module}`one_step``` or ``{module}`tokensel_report/fit```, and its length."""
    path = f"{text}.py" if text.startswith("tokensel_report/") else f"tokensel_nb/{text}.py"
    app = inliner.document.settings.env.app
    link = nodes.reference("", "", nodes.literal(text=f"{text}.py"), refuri=app.config.extlinks["repo"][0] % path)
    length = (app.srcdir / path).read_text("utf-8").count("\n")
    return [link, nodes.Text(f" ({length} lines)")], []


def substitute(app: Sphinx, **texts: str) -> None:
    """Let pages write these texts by their names."""
    app.config.myst_substitutions = app.config.myst_substitutions | texts


def execution_times(app: Sphinx) -> str:
    """Where and when the stored results were made, and a table of the seconds that each chapter took."""
    times = json.loads((app.srcdir / "data/execution_times.json").read_text("utf-8"))
    places = sorted({where(entry) for entry in times.values()})
    rows = [f"| {{doc}}`/book/{name}` | {entry['seconds']} |" for name, entry in times.items()]
    return "\n".join(["; ".join(places) + ".", "", "| Chapter | Seconds |", "|---|--:|", *rows])


def where(entry: dict) -> str:
    """Describe a machine in a few words."""
    place = entry.get("gpu") or f"{entry['processor']}, {entry['cores']} thread{'s' * (entry['cores'] > 1)} a chapter"
    return f"{place}, Python {entry['python']}, torch {entry['torch']}, {entry['date']}"


def notebooks(app: Sphinx) -> dict[str, Path]:
    """Return the notebook of every chapter, in their order: as it is stored, or as ``make book`` has just run it."""
    folder = app.srcdir / os.environ.get("TOKENSEL_NOTEBOOKS", "book")
    pages = re.findall(r"file: book/(\d\d_\w+)", (app.srcdir / "_toc.yml").read_text("utf-8"))
    return {f"book/{page}": folder / f"{page}.ipynb" for page in pages}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above, and the other ideas of this folder."""
    app.connect("config-inited", set_repository)
    app.add_role("chapter", chapter)
    app.add_role("module", module)
    app.setup_extension("sphinx.ext.extlinks")
    for idea in IDEAS:
        import_module(f"tokensel_{idea}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
