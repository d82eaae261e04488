"""The table of claims, collected from the results that the notebooks carry: the rows that `claim` has left there.

``{claims-table}`` is the table; ``{{ claims_count }}`` is the sentence "12 of 12 claims hold". Each row carries the anchor
``claim-<id>``, so a chapter links to it by ``{ref}`text <claim-direction>```, and links back to the cell that the
chapter labels ``cell-<id>``. Every row is judged again: one beyond its bounds is a warning, and so an end of the strict build.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from tokensel_book import notebooks, substitute

from tokensel_nb.chapters.claim import MIME, Claim, written

COLUMNS = {"Claim": 37, "Source": 13, "Measured": 16, "Target": 20, "Holds": 14}  # heading: share of the width
VERDICTS = {"yes": "✓ yes", "no": "✗ no", "describes": "describes"}

logger = logging.getLogger(__name__)


def stored_rows(path: Path) -> Iterator[dict]:
    """Yield the rows of a notebook, as they are stored."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                yield output["data"][MIME]


def collect(notebooks: dict[str, Path], root: Path) -> tuple[dict[str, tuple[str, Claim]], list[str]]:
    """Return the claims with the pages that make them, by their ids, and what is wrong with rows."""
    claims, faults = {}, []
    for page, path in notebooks.items():
        for row in stored_rows(path):
            try:
                claim = Claim(**row)
                if not claim.row_holds:
                    faults.append(f"{page}: missed: {claim}")
            except (TypeError, ValueError) as error:
                faults.append(f"{page}: a broken row ({error}): {row}")
                continue
            if claim.id in claims:
                faults.append(f"{page}: a second row of {claim.id}")
            file, _, test = (claim.backed_by or ".").partition("::")
            if not (root / file).exists() or (test and f"def {test}(" not in (root / file).read_text("utf-8")):
                faults.append(f"{page}: what backs {claim.id} is not there: {claim.backed_by}")
            claims[claim.id] = page, claim
    return claims, faults


def verdict(claim: Claim) -> str:
    """Say whether a row counts, and holds."""
    return "no" if not claim.row_holds else "describes" if claim.descriptive else "yes"


def count(claims: dict[str, tuple[str, Claim]]) -> str:
    """Say how many claims hold, of those that do not only describe."""
    held = [claim.row_holds for _, claim in claims.values() if not claim.descriptive]
    return f"{sum(held)} of {len(held)} claims hold"


class ClaimsTable(SphinxDirective):
    """The table: one row a claim, with links to the cell that measures it and to what backs it."""

    def run(self) -> list[nodes.Node]:
        """Make the table."""
        claims, faults = collect(notebooks(self.env.app), Path(self.env.srcdir))
        for fault in faults:
            logger.warning("%s", fault, location=self.env.docname)
        title = nodes.title("", f"Every claim of the book, measured: {count(claims)}.")
        group = nodes.tgroup(cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        group += nodes.thead("", self.row(COLUMNS))
        group += nodes.tbody("", *(self.claim(page, claim) for page, claim in claims.values()))
        table = nodes.table("", title, group, classes=["stacked-table", "claims-table"])
        self.set_source_info(table)
        return [table]

    def row(self, cells, **attributes) -> nodes.row:
        """Make a row; each cell is a line of Markdown."""
        return nodes.row("", *(nodes.entry("", self.paragraph(cell)) for cell in cells), **attributes)

    def paragraph(self, text: str, **attributes) -> nodes.paragraph:
        """Make a paragraph of a line of Markdown."""
        return nodes.paragraph("", "", *self.state.inline_text(text, self.lineno)[0], **attributes)

    def claim(self, page: str, claim: Claim) -> nodes.row:
        """Make the row of one claim."""
        anchor = f"claim-{claim.id}"
        self.env.get_domain("std").note_hyperlink_target(anchor.lower(), self.env.docname, anchor, claim.id)
        measured = "–" if claim.value is None else written(claim.value, claim.digits)
        found = verdict(claim)
        row = self.row([claim.statement, claim.source, measured, claim.target, VERDICTS[found]], ids=[anchor])
        links = f"{{ref}}`cell <cell-{claim.id.lower()}>` in {{doc}}`/{page}`"
        if claim.backed_by:
            links += f", {{repo}}`{claim.backed_by} <{claim.backed_by.partition('::')[0]}>`"
        row[0] += self.paragraph(links, classes=["claim-links"])
        row[-1][0]["classes"] = [f"claim-{found}"]
        return row


def count_claims(app: Sphinx) -> None:
    """Let pages write the sentence."""
    substitute(app, claims_count=count(collect(notebooks(app), Path(app.srcdir))[0]))


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_directive("claims-table", ClaimsTable)
    app.connect("builder-inited", count_claims, priority=400)  # before the parser reads the texts
