"""Make the notebooks of students and instructors: python -m course [--seed 7] [--to folder] [01_model ...]."""

import argparse
import sys
from pathlib import Path

from .copies import write_copies

parser = argparse.ArgumentParser(prog="python -m course", description="Make the notebooks of students and instructors.")
parser.add_argument("chapters", nargs="*", help="such as 01_model; default: all")
parser.add_argument("--seed", type=int, default=0, help="seed of the checks; if not 0, the instructors' notebooks run again")
parser.add_argument("--to", type=Path, default=Path("_build", "teaching"), metavar="FOLDER")
given = parser.parse_args()
sys.stdout.reconfigure(errors="backslashreplace")  # a Windows console may lack letters of a folder's name
editions = Path("_build", "notebooks")
known = {path.stem for path in (editions / "student").glob("*.ipynb")}
if not known or not known.issuperset(given.chapters):
    sys.exit(f"error: {', '.join(given.chapters) or 'the book'} is not in {editions}; `make notebooks` writes all chapters")
written = write_copies(editions, given.to, given.seed, given.chapters)
print(f"{len(written)} notebooks for students (also in {given.to / 'student.zip'}) and instructors are in {given.to}")
