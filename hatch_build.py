"""The report's cells go into the wheel without the notebook about them.

The first cell of a released notebook names the wheel's digest, so the wheel must not depend on that cell.
"""

import json
import shutil
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NOTEBOOK = "10_your_data.ipynb"
TAG = "report"


def cells_of_the_report(notebook: dict) -> dict:
    """Return a notebook with those cells alone, without results and ids."""
    kept = [cell for cell in notebook["cells"] if TAG in cell["metadata"].get("tags", ())]
    bare = [{"cell_type": cell["cell_type"], "metadata": cell["metadata"], "source": cell["source"]} for cell in kept]
    code = {"execution_count": None, "outputs": []}
    cells = [cell | code if cell["cell_type"] == "code" else cell for cell in bare]
    return {"cells": cells, "metadata": {"kernelspec": notebook["metadata"]["kernelspec"]}, "nbformat": 4, "nbformat_minor": 4}


class ReportHook(BuildHookInterface):
    """Write that notebook beside the build, and let the wheel carry it."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Do so, except for an editable package, which reads the book where it lies."""
        self.folder = Path(tempfile.mkdtemp())
        if version == "editable":
            return
        notebook = json.loads((Path(self.root) / "book" / NOTEBOOK).read_text("utf-8"))
        file = self.folder / NOTEBOOK
        file.write_text(json.dumps(cells_of_the_report(notebook), ensure_ascii=False, indent=1), "utf-8")
        build_data["force_include"][str(file)] = f"tokensel_nb/data/book/{NOTEBOOK}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        """Remove what was written."""
        shutil.rmtree(self.folder, ignore_errors=True)
