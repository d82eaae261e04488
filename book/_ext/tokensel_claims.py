"""The table of claims, drawn from the file in which they were measured.

``{claims-table}`` is the table; ``{claims-count}`` is the sentence "12 of 12 claims hold". Each row carries the anchor
``claim-<id>``, so a chapter links to it by ``{ref}`text <claim-direction>```, and links back to the cell that the
chapter labels ``cell-<id>``.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tokensel_book import file_url

FILE = "data/claims.json"
FIELDS = ("id", "statement", "chapter", "source", "measured", "target", "passed")
COLUMNS = {"Claim": 40, "Source": 18, "Measured": 16, "Target": 16, "Holds": 10}  # heading: share of the width

logger = logging.getLogger(__name__)


def read_claims(env: BuildEnvironment) -> list[dict]:
    """Read the recorded claims; if that fails, warn, which the strict build turns into an error."""
    env.note_dependency(FILE)
    try:
        claims = json.loads((Path(env.srcdir) / FILE).read_text("utf-8"))
        missing = [f"{c.get('id', i)}: {f}" for i, c in enumerate(claims) for f in FIELDS if f not in c]
        if missing:
            raise ValueError(f"no such field: {', '.join(missing)}")
    except (OSError, ValueError, AttributeError, TypeError) as error:
        logger.warning("%s cannot be used (%s); make it with `make claims`", FILE, error, location=env.docname)
        return []
    return claims


def number(value: float) -> list[nodes.Node]:
    """Write a number with three significant digits."""
    if isinstance(value, int):
        return [nodes.Text(str(value))]
    mantissa, _, exponent = format(value, "#.3g").partition("e")
    text = [nodes.Text(mantissa.rstrip(".").replace("-", "\N{MINUS SIGN}"))]
    if exponent:
        power = str(int(exponent)).replace("-", "\N{MINUS SIGN}")
        times = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
        text += [nodes.Text(f"{times}10"), nodes.superscript(text=power)]
    return text


def count(claims: list[dict]) -> str:
    """Say how many claims hold."""
    return f"{sum(c['passed'] for c in claims)} of {len(claims)} claims hold"


class ClaimsTable(SphinxDirective):
    """The table: one row a claim, with links to the cell that measures it and to its test."""

    def run(self) -> list[nodes.Node]:
        """Make the table."""
        claims = read_claims(self.env)
        title = nodes.title("", f"Every claim of the book, measured: {count(claims)}.")
        group = nodes.tgroup(cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        group += nodes.thead("", self.row(*([nodes.Text(name)] for name in COLUMNS)))
        group += nodes.tbody("", *(self.claim(c) for c in claims))
        table = nodes.table("", title, group, classes=["claims-table"])
        self.set_source_info(table)
        return [table]

    def row(self, *cells: list[nodes.Node], **attributes) -> nodes.row:
        """Make a row; each cell is the content of one paragraph, or paragraphs."""
        row = nodes.row("", **attributes)
        for cell in cells:
            paragraphs = cell if isinstance(cell[0], nodes.paragraph) else [nodes.paragraph("", "", *cell)]
            row += nodes.entry("", *paragraphs)
        return row

    def claim(self, claim: dict) -> nodes.row:
        """Make the row of one claim."""
        anchor = f"claim-{claim['id']}"
        self.env.get_domain("std").note_hyperlink_target(anchor.lower(), self.env.docname, anchor, claim["id"])
        holds = "yes" if claim["passed"] else "no"
        statement = nodes.paragraph("", "", *self.text(claim["statement"]))
        return self.row(
            [statement, self.links(claim)],
            self.text(claim["source"]),
            self.text(claim["measured"]),
            self.text(claim["target"]),
            [nodes.inline("", {"yes": "✓ yes", "no": "✗ no"}[holds], classes=[f"claim-{holds}"])],
            ids=[anchor],
        )

    def text(self, value: str | float) -> list[nodes.Node]:
        """Turn a field into nodes: numbers are rounded, strings may hold ``$mathematics$`` and ```code```."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return number(value)
        return self.state.inline_text(str(value), self.lineno)[0] or [nodes.Text("")]

    def links(self, claim: dict) -> nodes.paragraph:
        """Write where a claim comes from: "cell in <chapter>, test_claim[<id>]"."""
        cell, test = f"cell-{claim['id']}".lower(), f"test_claim[{claim['id']}]"
        url = file_url(self.config, "tests/test_claims.py")
        return nodes.paragraph(
            "",
            "",
            self.xref("ref", cell, nodes.inline(text="cell")),
            nodes.Text(" in "),
            self.xref("doc", "/" + claim["chapter"], nodes.inline(text=claim["chapter"]), explicit=False),
            nodes.Text(", "),
            nodes.reference("", "", nodes.literal(text=test), internal=False, refuri=url),
            classes=["claim-links"],
        )

    def xref(self, kind: str, target: str, text: nodes.Node, explicit: bool = True) -> pending_xref:
        """Make a reference that Sphinx resolves, and complains of, when all pages are read."""
        node = pending_xref(
            "", text, refdomain="std", reftype=kind, reftarget=target, refexplicit=explicit, refwarn=True,
            refdoc=self.env.docname,
        )  # fmt: skip
        self.set_source_info(node)
        return node


class ClaimsCount(SphinxRole):
    """The sentence "12 of 12 claims hold"; the role's own text is not used."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Make the sentence."""
        return [nodes.Text(count(read_claims(self.env)))], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.add_directive("claims-table", ClaimsTable)
    app.add_role("claims-count", ClaimsCount())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
