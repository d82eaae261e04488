"""What the readers say of their arguments in Python, said of the options of the command."""

import re

OPTIONS = {  # in this order
    r"give label=None, or sep= if": "name its columns with --text and --label if",
    r"(,? or |; )(give )?label=None( for [\w ]+)?|, or give header=False|; (drop_duplicates|clean|header)=[^;]*$": "",
    r", found or in class_names|list all in class_names, or |(?<= does), or --class .*? on the command line": "",
    r", or list them in class_names": " with --label",
    r"give quotechar='' if quotes are part": "double those that are part",
    r"classes=\{(.*?)\}": lambda found: re.sub(r"'([^']*)': (?:None|'([^']*)')", r"--class '\1=\2'", found[1]),
    r"encoding='([\w-]+)'": r"--encoding \1",
    r"as (text|label)=(\.\.\.)?": r"with --\1",
    r"\b(text|label|encoding)=(\.\.\.)?": r"--\1",
    r"skip_bad_rows=True": "--skip-bad-rows",
}


def as_options(line) -> str:
    """Return a line that speaks of arguments as one that speaks of options."""
    for said, option in OPTIONS.items():
        line = re.sub(said, option, line)
    return line
