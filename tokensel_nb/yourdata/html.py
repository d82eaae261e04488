"""What explanations, reports and diagnoses share where they show themselves as HTML."""

from __future__ import annotations

from html import escape

IGNORED = "tex2jax_ignore mathjax_ignore"
"""The classes of an element that holds texts: one that speaks of $10 and $20 is no formula."""


def html_table(names, rows) -> str:
    """Return a table with the names of its columns, and rows that are HTML already."""
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return f"<table style='color: inherit'><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def html_row(word, cells, style="") -> str:
    """Return the row of a word."""
    cells = "".join(f"<td{style}>{escape(cell)}</td>" for cell in cells)
    return f"<tr><th scope='row'>{escape(word)}</th>{cells}</tr>"
