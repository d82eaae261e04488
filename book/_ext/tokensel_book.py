"""What the book needs beyond ``_config.yml``: the repository's address, texts made from files, the notebooks of ``make book``.

Pages write a text as ``{{ name }}``, and a link into the repository as ``{repo}`tests/book``` or ``{repo}`the tests <tests>```.
``{module}`one_step``` links to a module of the package.
"""

import json
import os
import re
import tomllib
from importlib import import_module
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config

IDEAS = (
    "notebooks claims api modes formulas pages playthings policy print teaching front".split()
)  # a module each: tokensel_claims ...
CHAPTER = re.compile(r"file: book/(\d\d_\w+)")  # in _toc.yml
PAPER = "wu2025attention"  # its key in the bibliography


def set_repository(app: Sphinx, config: Config) -> None:
    """Read the public address from pyproject.toml, the one file that names it, for buttons, links and texts."""
    address = tomllib.loads(read(app, "pyproject.toml"))["project"]["urls"]["Repository"].rstrip("/")
    config.html_theme_options["repository_url"] = address
    config.extlinks = {"repo": (f"{address}/blob/{config.html_theme_options['repository_branch']}/%s", "%s")}
    substitute(
        app,
        repository=f"[the repository]({address})",
        install=f"```bash\npip install 'tokensel-nb[book] @ git+{address}'\n```",
        how_to_cite=f"```bibtex\n{citations(app, address)}\n```",
        execution_times=execution_times(app),
        cells_compared=cells_compared(app),
    )


def chapter(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return a link to a chapter, ``{chapter}`04_reviews```: it says "chapter 4", also once chapters are added or moved."""
    number = list(CHAPTER.findall(read(inliner.document.settings.env.app, "_toc.yml"))).index(text) + 1
    reference = pending_xref("", nodes.inline(text=f"chapter {number}"), refdomain="std", reftype="doc", refexplicit=True)
    reference.attributes |= {"reftarget": f"/book/{text}", "refdoc": inliner.document.settings.env.docname, "refwarn": True}
    return [reference], []


def module(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return a link to a module, ``{module}`one_step``` or ``{module}`tokensel_report/fit```, and its length."""
    package = "" if text.startswith("tokensel_report/") else "tokensel_nb/"
    app, path = inliner.document.settings.env.app, f"{package}{text}.py"
    length = len(read(app, path).splitlines())
    link = nodes.reference("", "", nodes.literal(text=f"{text}.py"), refuri=app.config.extlinks["repo"][0] % path)
    return [link, nodes.Text(f" ({length} lines)")], []


def read(app: Sphinx, path: str) -> str:
    """Return the text of a file of the repository."""
    return (Path(app.srcdir) / path).read_text("utf-8")


def substitute(app: Sphinx, **texts: str) -> None:
    """Let pages write these texts by their names."""
    app.config.myst_substitutions = app.config.myst_substitutions | texts


def citations(app: Sphinx, address: str) -> str:
    """BibTeX entries of the book, made from CITATION.cff and the public address, and of the paper, from the bibliography."""
    cff = yaml.safe_load(read(app, "CITATION.cff"))
    authors = " and ".join(f"{{{author['name']}}}" for author in cff["authors"])
    book = dict(title=f"{{{cff['title']}}}", author=authors, year=app.config.copyright, version=cff["version"], url=address)
    fields = ",\n".join(f"  {name} = {{{value}}}" for name, value in book.items())
    bibliography = read(app, app.config.bibtex_bibfiles[0]).split("\n\n")
    paper = next(entry for entry in bibliography if entry.startswith(f"@inproceedings{{{PAPER},"))
    return f"@misc{{tokensel_nb,\n{fields},\n}}\n\n{paper.strip()}"


def execution_times(app: Sphinx) -> str:
    """Where and when the stored results were made, and a table of the seconds that each chapter took."""
    times = json.loads(read(app, "data/execution_times.json"))
    places = sorted({where(entry) for entry in times.values()})
    rows = [f"| {{doc}}`/book/{name}` | {entry['seconds']} |" for name, entry in times.items()]
    return "\n".join(["; ".join(places) + ".", "", "| Chapter | Seconds |", "|---|--:|", *rows])


def where(entry: dict) -> str:
    """Describe a machine in a few words."""
    place = entry.get("gpu") or f"{entry['processor']}, {entry['cores']} thread{'s' * (entry['cores'] > 1)} a chapter"
    return f"{place}, Python {entry['python']}, torch {entry['torch']}, {entry['date']}"


def notebooks(app: Sphinx) -> dict[str, Path]:
    """Return the notebook of every chapter, in their order: as it is stored, or as ``make book`` has just run it."""
    folder = Path(app.srcdir) / os.environ.get("TOKENSEL_NOTEBOOKS", "book")
    pages = re.findall(r"file: (\S+)", read(app, "_toc.yml"))
    files = {page: folder / f"{page.split('/')[-1]}.ipynb" for page in pages}
    return {page: file for page, file in files.items() if (Path(app.srcdir) / f"{page}.ipynb").is_file()}


def take_notebook(app: Sphinx, page: str, source: list[str]) -> None:
    """Build the page from that notebook."""
    if page in notebooks(app):
        source[0] = notebooks(app)[page].read_text("utf-8")


def cells_compared(app: Sphinx) -> str:
    """Say how many code cells the notebooks have, and how many of them print what differs from run to run."""
    cells = [cell for path in notebooks(app).values() for cell in json.loads(path.read_text("utf-8"))["cells"]]
    code = [cell["metadata"].get("tags", []) for cell in cells if cell["cell_type"] == "code"]
    left = sum("nbval-ignore-output" in tags for tags in code)
    return f"{len(code) - left} of {len(code)} cells compared, equal"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above, and the other ideas of this folder."""
    app.connect("config-inited", set_repository)
    app.connect("source-read", take_notebook)
    app.add_role("chapter", chapter)
    app.add_role("module", module)
    app.setup_extension("sphinx.ext.extlinks")
    for idea in IDEAS:
        import_module(f"tokensel_{idea}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
