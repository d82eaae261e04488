"""What a build makes of the book and the README.

The report's cells go into the wheel without the notebook about them: the first cell of a released notebook names the wheel's
digest, so the wheel must not depend on that cell. And a package index shows the README where no file lies beside it.
"""

import json
import re
import shutil
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NOTEBOOK = "10_your_data.ipynb"
TAG = "report"
RELATIVE = re.compile(r"(!?)(\[[^]]*\])\((?!\w+:|#)([^)\s]+)\)")  # a picture or a link within the repository


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


def with_addresses(readme: str, address: str, tag: str) -> str:
    """Return the README with pictures and links that lead into the repository as it was at that tag."""
    kinds = {"!": f"{address}/raw/{tag}", "": f"{address}/blob/{tag}"}
    return RELATIVE.sub(lambda found: f"{found[1]}{found[2]}({kinds[found[1]]}/{found[3]})", readme)


class ReadmeHook(MetadataHookInterface):
    """Give the package the README with those addresses as its description."""

    def update(self, metadata: dict) -> None:
        """Do so, by the address and the version that pyproject.toml names."""
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        text = with_addresses(readme, metadata["urls"]["Repository"].rstrip("/"), f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
