"""The table of claims, collected from the results that the notebooks carry: the rows that `claim` has left there.

``{claims-table}`` is the table: first what misses its target, then the rest, folded chapter by chapter. ``{{ claims_count }}``
and two more sentences, those of `counts`, count the verdicts. Each row carries the anchor ``claim-<id>``, so a chapter links to
it by ``{ref}`text <claim-direction>```, and links back to the cell that the chapter labels ``cell-<id>``. Every row is judged
again: one that cannot stand is a warning, and so an end of the strict build.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tokensel_book import notebooks, substitute

from tokensel_nb.chapters.claim import MIME, Claim, target_of, written

COLUMNS = {"Claim": 37, "Source": 13, "Measured": 16, "Target": 20, "Verdict": 14}  # heading: share of the width
TICKS = {"holds": "✓", "missed": "✗", "describes": "•"}
VERDICTS = {"holds": "✓ holds", "missed": "✗ missed", "describes": "describes"}

CLAIMS: dict[str, Claim] = {}  # of the notebooks, by their ids, as `count_claims` finds them

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
                if fault := claim.fault(claim.digits):
                    faults.append(f"{page}: {claim.id}: {fault}")
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


def counts(claims: dict[str, tuple[str, Claim]]) -> dict[str, str]:
    """Return sentences that count the verdicts, by the names under which pages write them."""
    every, hidden, paper = Counter(), Counter(), Counter()
    for _, claim in claims.values():
        (hidden if "sample" in claim.entry else every)[claim.verdict] += 1
        paper[claim.verdict] += claim.source == "paper"
    return {
        "claims_count": "{holds} claims hold, {missed} miss their target and {describes} only describe".format_map(every),
        "claims_not_public": f"{hidden['holds']} of {hidden.total()} hold",
        "claims_of_paper": f"of the paper's {paper.total()} results "
        + "{holds} are reproduced, {describes} partly and {missed} not".format_map(paper),
    }


class ClaimsTable(SphinxDirective):
    """The table: one row a claim, with links to the cell that measures it and to what backs it."""

    def run(self) -> list[nodes.Node]:
        """Make the tables."""
        claims, faults = collect(notebooks(self.env.app), Path(self.env.srcdir))
        for fault in faults:
            logger.warning("%s", fault, location=self.env.docname)
        missed = {id: found for id, found in claims.items() if found[1].verdict == "missed"}
        caption = f"Every claim of the book, measured: {counts(claims)['claims_count']}. Here are those that miss."
        made = [self.table(missed, caption)] if missed else []
        for page, path in notebooks(self.env.app).items():
            if rows := {id: found for id, found in claims.items() if found[0] == page and id not in missed}:
                title = json.loads(path.read_text("utf-8"))["cells"][0]["source"][0].strip("# \n")
                start = f'<details class="fold"><summary>{title}: {len(rows)} claim{"s" * (len(rows) > 1)}</summary>'
                made += [
                    nodes.raw("", start, format="html"),
                    self.table(rows, f"{title}."),
                    nodes.raw("", "</details>", format="html"),
                ]
        return made

    def table(self, claims: dict[str, tuple[str, Claim]], caption: str) -> nodes.table:
        """Make a table of some claims."""
        group = nodes.tgroup(cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        group += nodes.thead("", self.row(COLUMNS))
        group += nodes.tbody("", *(self.claim(page, claim) for page, claim in claims.values()))
        table = nodes.table("", nodes.title("", caption), group, classes=["stacked-table", "claims-table"])
        self.set_source_info(table)
        return table

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
        row = self.row([claim.statement, claim.source, measured, claim.target, VERDICTS[claim.verdict]], ids=[anchor])
        links = f"{{ref}}`cell <cell-{claim.id.lower()}>` in {{doc}}`/{page}`"
        if claim.backed_by:
            links += f", {{repo}}`{claim.backed_by} <{claim.backed_by.partition('::')[0]}>`"
        if sample := claim.entry.get("sample"):
            links += f"; **sample {sample}**"
        row[0] += self.paragraph(links, classes=["claim-links"])
        if told := list(history(claim.entry)):
            start, end = f"<details><summary>{claim.target}</summary>", "</details>"
            row[3][:] = [nodes.raw("", start, format="html"), *told, nodes.raw("", end, format="html")]
        row[-1][0]["classes"] = [f"claim-{claim.verdict}"]
        return row


class Checked(SphinxRole):
    """``{checked}`id```: a small tick behind a sentence, which leads to the row of the claim that the sentence tells."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Make the link; what it says stands in the notebooks."""
        claim = CLAIMS[self.text]
        found = "" if claim.value is None else f"found {written(claim.value, claim.digits)}; "
        link = pending_xref("", nodes.inline(text=TICKS[claim.verdict]), refdomain="std", reftype="ref", refexplicit=True)
        link.attributes |= {"reftarget": f"claim-{self.text}".lower(), "refdoc": self.env.docname, "refwarn": True}
        title = f"Checked: {found}target {claim.target} ({claim.verdict})"
        return [nodes.inline("", "", link, classes=["checked", f"checked-{claim.verdict}"], title=title)], []


def history(entry: dict) -> Iterator[nodes.paragraph]:
    """Yield what opens at a tap on the target: every bound with its date and reason, and what is recorded."""
    for bound in entry.get("targets", []):
        other = f"; it bounded {bound['other']}" if "other" in bound else ""
        target = target_of(bound.get("at_least"), bound.get("at_most"))
        yield nodes.paragraph(text=f"{target}, {bound['date']}: {bound['reason']}{other}.")
    if "reason" in entry:
        yield nodes.paragraph(text=f"Why no target: {entry['reason']}.")
    if "record" in entry:
        yield nodes.paragraph(text=f"Recorded: {target_of(*entry['record'])} ({entry['over']}).")


def count_claims(app: Sphinx) -> None:
    """Let pages write the sentences."""
    claims, _ = collect(notebooks(app), Path(app.srcdir))
    CLAIMS.update({id: claim for id, (_, claim) in claims.items()})
    substitute(app, **counts(claims))


def name_ticks(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let every tick say, where a reader points at it, what it has found."""
    for tick in doctree.findall(nodes.inline):
        if "checked" in tick["classes"]:
            tick[0]["reftitle"] = tick.attributes.pop("title")  # of the link, which is resolved by now


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_directive("claims-table", ClaimsTable)
    app.add_role("checked", Checked())
    app.connect("doctree-resolved", name_ticks)
    app.connect("builder-inited", count_claims, priority=400)  # before the parser reads the texts
