"""Templates that turn results into HTML and escape all values."""

from __future__ import annotations

import math
from importlib.metadata import version
from pathlib import Path

import jinja2

FOLDER = Path(__file__).parent / "templates"


def render(name, **values) -> str:
    """Fill a template with values."""
    return TEMPLATES.get_template(f"{name}.html.j2").render(values)


def _rows(table, digits):
    """Return, for every row, the first cell and those in the columns that `digits` names, floats with so many decimals."""
    rows = table[[table.columns[0], *digits]].itertuples(index=False)
    return [(str(word), [_cell(*pair) for pair in zip(cells, digits.values())]) for word, *cells in rows]


def _cell(value, digits):
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.{digits}f}"
    return str(value)


TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["rows"] = _rows
TEMPLATES.globals["version"] = version("tokensel-nb")
