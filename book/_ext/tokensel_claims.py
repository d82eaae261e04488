"""The table of claims, and the marks behind sentences, from the rows that `claim` has left in the notebooks' results.

``{claims-table}`` is the table: first what misses its target, then the rest, folded chapter by chapter. Each row has the
address ``claim-<id>``, and leads to the cell that the chapter labels ``cell-<id>``. ``{checked}`id``` is a mark behind a
sentence: who taps it reads target, number and verdict on the spot. ``{{ claims_count }}`` and two more sentences, those of
`counts`, count the verdicts. Every row is judged again: one that cannot stand is a warning, and so an end of the strict build.
"""

import json
from collections import Counter
from collections.abc import Iterator
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tokensel_book import notebooks, substitute

from tokensel_nb.chapters.claim import MIME, Claim, target_of, written

PAGE = "book/claims"
COLUMNS = {"Claim": 37, "Source": 13, "Measured": 16, "Target": 20, "Verdict": 14}  # heading: share of the width
VERDICTS = {"holds": "✓ holds", "missed": "✗ missed", "describes": "• describes"}
CLAIMS: dict[str, tuple[str, Claim]] = {}  # of the notebooks, with the pages that make them, by their ids

logger = logging.getLogger(__name__)


def counts() -> dict[str, str]:
    """Return sentences that count the verdicts, by the names under which pages write them."""
    every, hidden, paper = Counter(), Counter(), Counter()
    for _, claim in CLAIMS.values():
        (hidden if "sample" in claim.entry else every)[claim.verdict] += 1
        paper[claim.verdict] += claim.source == "paper"
    return {
        "claims_count": "{holds} claims hold, {missed} miss their target and {describes} only describe".format_map(every),
        "claims_not_public": f"{hidden['holds']} of {hidden.total()} hold",
        "claims_of_paper": f"of {paper.total()} such statements "
        + "{holds} are reproduced, {describes} partly, and {missed} not matched".format_map(paper),
    }


def history(entry: dict) -> Iterator[str]:
    """Yield what there is to say of a target: when and why it was fixed, what was asked for later, what is recorded."""
    target, record = entry.get("target"), entry.get("record")
    yield f"{target_of(target)}, {target['date']}: {target['reason']}." if target else f"Why no target: {entry['reason']}."
    if "changed" in entry:
        yield f"Later {entry['changed']}."
    if record:
        yield f"Recorded: {target_of(record)} ({record['over']})."


def measured(claim: Claim) -> str:
    """Write the number of a claim."""
    return "a rounding error" if claim.value is None else written(claim.value, claim.digits)


class Checked(SphinxRole):
    """``{checked}`id```: a mark behind a sentence, which tells at a tap how the claim of the sentence was judged."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Make a button and what it shows, and for all but HTML the sign alone."""
        claim = CLAIMS[self.text][1]
        sign, verdict = VERDICTS[claim.verdict].split()
        place = f"mark-{self.env.new_serialno('mark')}"
        address = f"{self.env.app.builder.get_relative_uri(self.env.docname, PAGE)}#claim-{claim.id}"
        # The word joiner before the button keeps it on the line of the word that it follows.
        mark = (
            f'<span class="checked checked-{verdict}">\u2060<button type="button" popovertarget="{place}" '
            f'aria-label="Claim {claim.id}: {verdict}">{sign}</button><span popover id="{place}">{verdict.capitalize()}. '
            f'Target: {claim.target}. Measured: {measured(claim)}. <a href="{address}">All claims</a></span></span>'
        )
        link = f'[{sign}]({address} "{verdict.capitalize()}. Target: {claim.target}. Measured: {measured(claim)}.")'
        return [
            nodes.raw("", told, format=name) for name, told in (("html", mark), ("notebook", link), ("text latex", sign))
        ], []


class ClaimsTable(SphinxDirective):
    """The table: one row a claim, with links to the cell that measures it and to what backs it."""

    def run(self) -> list[nodes.Node]:
        """Make the tables."""
        missed = [claim for _, claim in CLAIMS.values() if claim.verdict == "missed"]
        caption = f"Every claim of the book, measured: {counts()['claims_count']}. Here are those that miss."
        made = [self.table(missed, caption)] if missed else []
        for page, path in notebooks(self.env.app).items():
            if claims := [claim for of, claim in CLAIMS.values() if of == page and claim.verdict != "missed"]:
                title = json.loads(path.read_text("utf-8"))["cells"][0]["source"][0].strip("# \n")
                start = f'<details class="fold"><summary>{title}: {len(claims)} claim{"s" * (len(claims) > 1)}</summary>'
                table = self.table(claims, f"{title}.")
                made += [nodes.raw("", start, format="html"), table, nodes.raw("", "</details>", format="html")]
        return made

    def table(self, claims: list[Claim], caption: str) -> nodes.table:
        """Make a table of some claims."""
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in COLUMNS.values()), cols=len(COLUMNS))
        group += nodes.thead("", self.row(COLUMNS))
        group += nodes.tbody("", *map(self.claim, claims))
        return nodes.table("", nodes.title("", caption), group, classes=["stacked-table", "claims-table"])

    def row(self, cells, **attributes) -> nodes.row:
        """Make a row; each cell is a line of Markdown."""
        return nodes.row("", *(nodes.entry("", self.paragraph(cell)) for cell in cells), **attributes)

    def paragraph(self, text: str, **attributes) -> nodes.paragraph:
        """Make a paragraph of a line of Markdown."""
        return nodes.paragraph("", "", *self.state.inline_text(text, self.lineno)[0], **attributes)

    def claim(self, claim: Claim) -> nodes.row:
        """Make the row of one claim."""
        anchor = f"claim-{claim.id}"
        self.env.get_domain("std").note_hyperlink_target(anchor.lower(), self.env.docname, anchor, claim.id)
        row = self.row([claim.statement, claim.source, measured(claim), claim.target, VERDICTS[claim.verdict]], ids=[anchor])
        links = f"{{ref}}`cell <cell-{claim.id.lower()}>` in {{doc}}`/{CLAIMS[claim.id][0]}`"
        if claim.backed_by:
            links += f", {{repo}}`{claim.backed_by} <{claim.backed_by.partition('::')[0]}>`"
        if sample := claim.entry.get("sample"):
            links += f"; **sample {sample}**"
        row[0] += self.paragraph(links, classes=["claim-links"])
        told = "".join(f"<p>{escape(line)}</p>" for line in history(claim.entry))
        row[3][:] = [nodes.raw("", f"<details><summary>{claim.target}</summary>{told}</details>", format="html")]
        row[4][0]["classes"] = [f"claim-{claim.verdict}"]
        return row


def collect(app: Sphinx) -> None:
    """Read the claims of the notebooks, warn of rows that cannot stand, and let pages write the counts."""
    for page, path in notebooks(app).items():
        cells = json.loads(path.read_text("utf-8"))["cells"]
        shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
        for claim in [Claim(**data[MIME]) for data in shown if MIME in data]:
            CLAIMS[claim.id] = page, claim
            if claim.fault:
                logger.warning("%s: %s", claim.id, claim.fault, location=page)
    substitute(app, **counts())


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_directive("claims-table", ClaimsTable)
    app.add_role("checked", Checked())
    app.connect("builder-inited", collect, priority=400)  # before the parser reads the texts
