"""Mend what a screen reader stumbles over in the finished pages; each line answers a finding of the axe checker."""

from pathlib import Path

from sphinx.application import Sphinx

MENDED = {
    # A bibliography is a list, so its entries have to be list items; the role they come with is deprecated.
    ' role="doc-biblioentry"': ' role="listitem"',
    # A folded cell says itself what it is.
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # The corner of a pandas table heads nothing.
    "<th></th>": "<td></td>",
    # The title and the search box of the side bar belong to some landmark.
    '<div id="pst-primary-sidebar" ': '<div id="pst-primary-sidebar" role="region" aria-label="Book" ',
    # The parameters of a long signature are set as a list of definitions, but define nothing.
    '<span class="sig-paren">(</span>\n\n<dl>': '<span class="sig-paren">(</span>\n\n<dl role="none">',
}


def mend(app: Sphinx, exception: Exception | None) -> None:
    """Replace the above in every page."""
    if exception or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = before = page.read_text("utf-8")
        for fault, remedy in MENDED.items():
            text = text.replace(fault, remedy)
        if text != before:
            page.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.connect("build-finished", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
