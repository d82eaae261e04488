"""A report as one file: the cells of chapter 10 that belong into it, run on someone's own data, as a page without code."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from importlib.metadata import version
from pathlib import Path

from ..support.extras import nbconvert, papermill
from .text_box import HERE, live_script, of_the_book

NOTEBOOK = "10_your_data.ipynb"
TELLING = ("ValueError", "DataError", "FileNotFoundError", "MissingExtraError")  # their messages are for people
WARNING = re.compile(r"^.*?:\d+: UserWarning: (.*)$", re.MULTILINE)
FORMULA = re.compile(r"\$([^$\n]+)\$")
LABEL = re.compile(r"^\([^\s()]+\)=\n", re.MULTILINE)  # what the book's own links aim at


def report_page(source, *, show_texts=True, least=5, **others) -> str:
    """Run chapter 10's report on someone's texts, and return it as one HTML page.

    Parameters
    ----------
    source : str
        A file, a folder, or what else `read_reviews` takes by its name.
    show_texts : bool
        Whether the page may quote texts.
    least : int
        Words that stand in fewer texts are not shown.
    **others
        Other settings: ``text``, ``label``, ``classes``, ``seed``, ``save_to``. What is None stays as the chapter has it.

    Returns
    -------
    str
        It asks no host for anything, and its policy lets no script run but the package's own.

    Raises
    ------
    MissingExtraError
        If the extra ``report`` is missing.
    ValueError
        If a cell fails; the message is that of the cell.
    """
    settings = {"source": str(source), "show_texts": show_texts, "least": least}
    settings |= {name: value for name, value in others.items() if value is not None}
    return as_page(run(chosen_cells(_read()), settings), Path(source).name, show_texts, least)


def chosen_cells(notebook):
    """Keep the cells of a notebook that carry the tag ``report``, in their order.

    Parameters
    ----------
    notebook : nbformat.NotebookNode

    Returns
    -------
    nbformat.NotebookNode

    Raises
    ------
    ValueError
        If none of them carries the tag ``parameters``.
    """
    notebook.cells = [cell for cell in notebook.cells if "report" in cell.metadata.get("tags", [])]
    if not any("parameters" in cell.metadata["tags"] for cell in notebook.cells):
        raise ValueError("the notebook of the report has no cell with the tags report and parameters")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(r"*\1*", LABEL.sub("", cell.source))  # a report carries no MathJax
    return notebook


def run(notebook, settings):
    """Run a notebook with settings in the place of its own, and show on stderr how far it is.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    settings : dict of str to str, int, bool or dict

    Returns
    -------
    nbformat.NotebookNode
        Of what the cells wrote to stderr, warnings are left.

    Raises
    ------
    ValueError
        If a cell fails, with what it said.
    """
    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what fails is told once, below
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    try:
        done = papermill.execute_notebook(
            notebook, None, settings, kernel_name="python3", language="python", extra_arguments=["--log-level=ERROR"]
        )
    except KeyboardInterrupt:
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # of tasks that nobody waits for any more
        raise
    except PapermillExecutionError as error:
        if error.ename == "KeyboardInterrupt":
            raise KeyboardInterrupt from None
        told = error.evalue if error.ename.endswith(TELLING) else ""
        raise ValueError(told or f"{error.ename}: {error.evalue}") from error
    except DeadKernelError as error:
        raise ValueError("the process that makes the report was ended from outside; was there enough memory?") from error
    for cell in done.cells:
        if cell.cell_type == "code":
            cell.outputs = list(filter(None, map(_told, cell.outputs)))
    return done


def as_page(notebook, name, show_texts, least) -> str:
    """Return what a notebook's cells gave as one HTML page.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        It was run.
    name : str
        Of the texts.
    show_texts : bool
    least : int
        For the line that says what the page holds.

    Returns
    -------
    str
    """
    script = (HERE / "data/page/tables.js").read_text("utf-8")
    resources = {
        "title": f"Report on {name}",
        "about": about(name, show_texts, least),
        "style": (HERE / "data/page/page.css").read_text("utf-8"),
        "script": script,
        "policy": policy([script, live_script()]),
    }
    exporter = nbconvert.HTMLExporter(
        template_name="page", extra_template_basedirs=[str(HERE / "data")], exclude_input=True, exclude_anchor_links=True
    )
    return exporter.from_notebook_node(notebook, resources=resources)[0]


def about(name, show_texts, least) -> str:
    """Say what a report holds, for whoever thinks of passing it on.

    Parameters
    ----------
    name : str
    show_texts : bool
    least : int

    Returns
    -------
    str

    Examples
    --------
    >>> "quotes no text" in about("reviews.csv", False, 5)
    True
    """
    quotes = "It quotes texts of it" if show_texts else "It quotes no text of it"
    return (
        f"Made by tokensel-nb {version('tokensel-nb')} from {name}. {quotes}, and holds the words and n-grams that stand in at "
        f"least {least} texts, with what a classifier learnt of them; whoever has this file can read them."
    )


def policy(scripts) -> str:
    """Return a content security policy that allows some scripts, by their digests, and nothing from elsewhere.

    Parameters
    ----------
    scripts : list of str

    Returns
    -------
    str

    Examples
    --------
    >>> policy([""])[:80]
    "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSu"
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    rest = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {allowed}; {rest}"


def _read():
    papermill.load(), nbconvert.load()
    import nbformat

    return nbformat.read(of_the_book(NOTEBOOK), as_version=4)


def _told(output):
    """Return an output; of what went to stderr, the warnings, or None where there are none."""
    if output.output_type != "stream" or output.name != "stderr":
        return output
    output.text = "\n".join(WARNING.findall(output.text))
    return output if output.text else None
