"""Which words does a classifier rest on, and should it? A report on your texts, and what the model in it says of new ones.

For example:
  tokensel report reviews.csv --text review --label stars -o report.html --save model
  tokensel predict model new.csv --text review -o predicted.csv
  tokensel explain model "The plot is thin, but I laughed."
  tokensel explain model - -o why.html < letter.txt
"""

from __future__ import annotations

import argparse
import csv
import inspect
import io
import os
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import tokensel_report as tr
from tokensel_nb import __version__

SOURCE = "CSV, TSV, JSON, JSON Lines or Parquet file, or hub:OWNER/NAME for a set on the Hugging Face hub"
SAVED = "where the model was saved"
# What a spreadsheet computes begins so, also in East Asian forms; where it reads quotes badly, each line of a cell may.
FORMULA = re.compile(r"(?:^|(?<=[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))(?=\s*[=+@\-＝＋＠－])")


def main(arguments=None) -> int:
    """Do what a command line asks for; return 0, 1 where the input did not allow it (stderr says why), or 130 after Ctrl-C."""
    asked = _parser().parse_args(arguments)
    try:
        with redirect_stdout(sys.stderr):  # where the package says what it does: stdout is for results
            result = asked.run(asked)
        sys.stdout.buffer.write(result.encode("utf-8", "replace"))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read on, as `head` does, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, ImportError, MemoryError) as error:
        print(f"tokensel: {one_line(error)}", file=sys.stderr)
        return 1
    return 0


def one_line(error) -> str:
    """Return what an error says as one line that is safe to show in a terminal."""
    line = " ".join(str(error).split())[:600] or type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def table_of_predictions(reviews, model) -> str:
    """Return a CSV table that no spreadsheet computes: for each row of the source its text, likeliest class, and probabilities.

    A row without a text has empty cells.
    """
    import pandas as pd

    classes, chances = list(map(str, model.classes_.tolist())), model.predict_proba(reviews.texts)
    rows = [
        [_plain(text), _plain(classes[likely.argmax()]), *(f"{share:.4f}" for share in likely)]
        for text, likely in zip(reviews.texts, chances)
    ]
    columns = ["text", "label", *(_plain(f"p({name})") for name in classes)]
    table = pd.DataFrame(reviews.on_rows(rows, missing=[""] * len(columns)), columns=columns)
    # All is quoted, since else a carriage return would not be.
    return table.to_csv(index=False, quoting=csv.QUOTE_ALL, lineterminator="\n")


def _plain(text):
    """Return a cell that is no formula; a number may begin with a sign."""
    try:
        float(text)
    except ValueError:
        return FORMULA.sub("'", text)
    return text


def _parser():
    parser = argparse.ArgumentParser("tokensel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"tokensel {__version__}")
    verbs = parser.add_subparsers(title="what to do", required=True, metavar="VERB")
    _add_report(verbs)
    _add_predict(verbs)
    _add_explain(verbs)
    return parser


def _add_verb(verbs, run, help):
    """Return the parser of what is run, whose docstring is the verb's help."""
    how = dict(description=inspect.getdoc(run), formatter_class=argparse.RawDescriptionHelpFormatter)
    verb = verbs.add_parser(run.__name__[1:], help=help, **how)
    verb.set_defaults(run=run)
    return verb


def _add_report(verbs):
    verb = _add_verb(verbs, _report, "which words a classifier of your texts rests on, as a page")
    either = _add_source(verb)
    verb.add_argument("--label", default="auto", metavar="COLUMN", help="column of the labels, likewise")
    told = "read a label as a class, as in --class 1=low --class 2=low; --class 3= drops texts, --class = those without label"
    verb.add_argument("--class", type=_renamed, action="append", dest="classes", metavar="LABEL=CLASS", help=told)
    verb.add_argument("-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    verb.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn by chance; default: 0")
    verb.add_argument("--no-texts", action="store_true", help="quote no text")
    verb.add_argument("--least", type=int, default=5, metavar="N", help="show no word of fewer texts; default: 5")
    either.add_argument("--probabilities", type=Path, metavar="FILE", help="those of another model, to judge it")
    verb.add_argument("--save", type=Path, metavar="FOLDER", help="save the model there, for predict and explain")


def _add_source(verb):
    """Ask for texts; return a group of options of which only one may be given."""
    verb.add_argument("source", metavar="TEXTS", help=SOURCE)
    verb.add_argument("--text", metavar="COLUMN", help="column of the texts: its name, or else its number, from 0")
    verb.add_argument("--sep", metavar="SIGN", help="what separates cells, such as ';'; found where it is not given")
    verb.add_argument("--encoding", metavar="NAME", help="such as cp1252; found where it is not given")
    either = verb.add_mutually_exclusive_group()
    either.add_argument("--skip-bad-rows", action="store_true", help="leave out rows that are too wide, too narrow or broken")
    return either


def _add_predict(verbs):
    verb = _add_verb(verbs, _predict, "the classes of new texts, by a saved model")
    verb.add_argument("folder", metavar="FOLDER", help=SAVED)
    _add_source(verb)
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help="by default the terminal")


def _add_explain(verbs):
    verb = _add_verb(verbs, _explain, "why a saved model judges a text as it does")
    verb.add_argument("folder", metavar="FOLDER", help=SAVED)
    verb.add_argument("text", metavar="TEXT", help="the text itself; - reads it from the standard input")
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help="as a page of HTML; by default the terminal")


def _renamed(pair):
    label, sign, name = pair.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{pair!r:.80} has no sign of equality; give LABEL=CLASS")
    return label, name or None


def _report(asked):
    """Fit a classifier to labelled texts, and judge every word of it by texts that it was not fitted on.

    All that is found is written as one HTML file, which needs no network. With --probabilities it is about another model, whose
    probabilities stand in a CSV or Parquet file: a column for each class, named as the class, and a row for each row of texts,
    in the same order, also for rows that are left out. Make them out of sample, as by scikit-learn's cross_val_predict.

    A report quotes texts: --no-texts quotes none, --least leaves out words of few texts, such as names.

    For example:
      tokensel report reviews.csv --text review --label stars -o report.html --save model
      tokensel report reviews.parquet --probabilities theirs.csv --no-texts --least 20
      tokensel report stars.csv --class 1=low --class 2=low --class 3= --class 4=high --class 5=high
      tokensel report hub:stanfordnlp/imdb
    """
    # What a name mistyped would end is asked first: what reads, fits and judges takes seconds to be imported.
    if asked.output.is_dir() or not asked.output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{asked.output}: there is no folder for it, or it is one; name a file for the report")
    classes = dict(asked.classes) if asked.classes else None
    reviews, notes = _read(asked, label=asked.label, classes=classes)
    from .page import find, report_page
    from .read import read_probabilities

    given = read_probabilities(asked.probabilities, reviews) if asked.probabilities else None
    how = dict(model=given, show_texts=not asked.no_texts, least=asked.least, seed=asked.seed)
    found = find(reviews, Path(asked.source).name, notes, **how)
    if asked.save is not None:
        found.evaluation.model.save(asked.save)
    quotes = "quotes no text" if asked.no_texts else "quotes texts: think before you pass it on"
    return _handed_over(report_page(found), asked.output, f"the report is in {asked.output}; it {quotes}")


def _read(asked, **how):
    """Return texts, and the lines that were said of them."""
    if not asked.source or (not re.match(r"hub:|\w+://", asked.source) and not Path(asked.source).expanduser().exists()):
        raise FileNotFoundError(f"{asked.source or repr('')}: there is no such file; give the path of a {SOURCE}")
    options = dict(sep=asked.sep, encoding=asked.encoding, skip_bad_rows=asked.skip_bad_rows)
    with redirect_stdout(io.StringIO()) as said:
        reviews = tr.read_reviews(asked.source, asked.text, **options, **how)
    print(said.getvalue(), end="")
    return reviews, said.getvalue().splitlines()


def _predict(asked):
    """Write a CSV file: for each row its text, the likeliest class, the probability of every class.

    Lines that a spreadsheet would take for formulas get an apostrophe in front. A row without a text has empty cells.

    For example:
      tokensel predict model new.csv --text review -o predicted.csv
    """
    model = _loaded(asked.folder)
    reviews, _ = _read(asked, label=None)
    table = table_of_predictions(reviews, model)
    return _handed_over(table, asked.output, f"{len(reviews):,} predictions in {asked.output}")


def _explain(asked):
    """Show the logit of a text as the exact sum over its words, and what would change the verdict.

    For example:
      tokensel explain model "The plot is thin, but I laughed."
      tokensel explain model - -o why.html < letter.txt
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if asked.text == "-" else asked.text
    found = tr.explain(_loaded(asked.folder), text)
    if asked.output is None:
        return f"{found}\n"
    from .page import explanation_page

    return _handed_over(explanation_page(found), asked.output, f"the explanation is in {asked.output}; it holds the text")


def _loaded(folder):
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{folder}: there is no such folder; give one where a report has saved its model, by --save")
    return tr.TextClassifier.load(folder)


def _handed_over(text, path, note):
    """Return what goes to the terminal: a text, or nothing once it is written to a path and a note has said so."""
    if path is None:
        return text
    from tokensel_nb.checkpoint import replacing

    with replacing(path) as temporary:
        temporary.write_bytes(text.encode("utf-8", "replace"))
    print(note)
    return ""


if __name__ == "__main__":
    sys.exit(main())
