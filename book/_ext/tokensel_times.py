"""How long each chapter took to run, drawn from the file that ``make notebooks`` writes: ``{execution-times}``."""

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FILE = "data/execution_times.json"

logger = logging.getLogger(__name__)


class ExecutionTimes(SphinxDirective):
    """Where and when, and a table: chapter, seconds."""

    def run(self) -> list[nodes.Node]:
        """Make the table; if the times cannot be read, warn, which the strict build turns into an error."""
        self.env.note_dependency(FILE)
        try:
            times = json.loads((Path(self.env.srcdir) / FILE).read_text("utf-8"))
            places = sorted({where(entry) for entry in times.values()})
            rows = [f"| {{doc}}`{name}` | {entry['seconds']} |" for name, entry in times.items()]
        except (OSError, ValueError, KeyError) as error:
            logger.warning("%s cannot be used (%s); make it with `make notebooks`", FILE, error, location=self.env.docname)
            return []
        lines = ["; ".join(places) + ".", "", "| Chapter | Seconds |", "|---|--:|", *rows]
        parent = nodes.Element()
        self.state.nested_parse(StringList(lines, FILE), 0, parent)
        return parent.children


def where(entry: dict) -> str:
    """Describe a machine in a few words."""
    place = entry.get("gpu") or f"{entry['processor']}, {entry['cores']} thread{'s' * (entry['cores'] > 1)} a chapter"
    return f"{place}, Python {entry['python']}, torch {entry['torch']}, {entry['date']}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    app.add_directive("execution-times", ExecutionTimes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
