"""Whether there is a file or folder at all: what is asked before all that reads one is imported."""

import os

from ...support.checks import cut

KINDS = "CSV, TSV, TXT, JSON, JSONL or Parquet"


def refuse_missing(path):
    """Raise `FileNotFoundError` unless there is a file or folder of this name."""
    if os.path.isfile(path) or os.path.isdir(path):  # pathlib's questions raise an error where a name is too long
        return
    what = "it is neither file nor folder" if os.path.exists(path) else "there is no such file"
    hint = "; texts themselves are given as a pair (texts, labels) or (texts, None)" if " " in str(path) else ""
    named = cut(str(path), 300) or "''"
    raise FileNotFoundError(f"{named}: {what}; give the path of a {KINDS} file, or of a folder{hint}")
