"""The notebooks of a class: the editions for students and instructors, with the class's own seed, as nbgrader wants them.

`make notebooks` writes the editions. A student's has neither solutions nor their results; each exercise has an empty answer and
a locked, graded check, which ends in the points that nbgrader reads.
"""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from shutil import make_archive

import nbformat
from nbclient import NotebookClient


def write_copies(editions, folder, seed=0, chapters=()) -> list[Path]:
    """Write the copies of some chapters, or of all, and the students' archive; return the students' files."""
    editions, folder, written = Path(editions), Path(folder), []
    for path in sorted((editions / "student").glob("*.ipynb")):
        if chapters and path.stem not in chapters:
            continue
        solved = seeded(nbformat.read(editions / "instructor" / path.name, as_version=4), seed)
        if seed:  # not the book's own: its results would be those of another case
            NotebookClient(solved, timeout=600, resources={"metadata": {"path": str(editions)}}).execute()
        written.append(folder / "student" / path.stem / path.name)  # a folder each, as nbgrader wants them
        copies = {written[-1]: seeded(nbformat.read(path, as_version=4), seed), folder / "instructor" / path.name: solved}
        for file, copy in copies.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(copy, file)
    make_archive(str(folder / "student"), "zip", folder / "student")
    return written


def seeded(notebook, seed):
    """Return a copy whose checks draw their cases by a seed."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        cell.source = re.sub(r"(Checks\(.*)seed=0\)", rf"\g<1>seed={seed})", cell.source)
    return copy
