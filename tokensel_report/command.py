"""Which words does a classifier rest on, and should it? Make a report on your texts, and apply its model to new ones.

For example:
  tokensel report reviews.csv --text review --label stars -o report.html --save model
  tokensel report train.csv --test test.csv --json report.json --fail-on put-in --fail-on labels=2%
  tokensel predict model new.csv --text review -o predicted.csv
  tokensel explain model "The plot is thin, but I laughed."
  tokensel explain model - < letter.txt
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

SOURCE = "CSV, TSV, JSON, JSON Lines, Excel or Parquet file, or hub:OWNER/NAME for a data set on the Hugging Face hub"
SAVED = "folder of the saved model"
# Spreadsheets compute what begins so, also in East Asian forms; those that misread quotes, every line of a cell.
FORMULA = re.compile(r"(?:^|(?<=[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))(?=\s*[=+@\-＝＋＠－])")


def main(arguments=None) -> int:
    """Run the command line; return 0, 2 after an error, 3 if a condition of --fail-on holds, or 130 after Ctrl-C.

    Errors and conditions are told on stderr.
    """
    asked = _parser().parse_args(arguments)
    try:
        with redirect_stdout(sys.stderr):  # the package's messages; stdout is for results
            result = asked.run(asked)
        sys.stdout.buffer.write(result.encode("utf-8", "replace"))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, ImportError, MemoryError) as error:
        print(f"tokensel: {one_line(error)}", file=sys.stderr)
        return 2
    return 3 if getattr(asked, "failed", ()) else 0


def one_line(error) -> str:
    """Return an error's message as one line that is safe to show in a terminal."""
    line = " ".join(str(error).split())[:600] or type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def table_of_predictions(reviews, model) -> str:
    """Return a CSV table without formulas: for every row of the source its text, likeliest class, and probabilities.

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
    # Quote everything: otherwise a carriage return would not be quoted.
    return table.to_csv(index=False, quoting=csv.QUOTE_ALL, lineterminator="\n")


def _plain(text):
    """Return a cell that no spreadsheet takes for a formula; a number may begin with a sign."""
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
    """Return the parser of a verb, whose help is the docstring of the function that it runs."""
    how = dict(description=inspect.getdoc(run), formatter_class=argparse.RawDescriptionHelpFormatter)
    verb = verbs.add_parser(run.__name__[1:], help=help, **how)
    verb.set_defaults(run=run)
    return verb


def _add_report(verbs):
    verb = _add_verb(verbs, _report, "make a page on the words that a classifier of your texts rests on")
    either = _add_source(verb)
    verb.add_argument("--label", default="auto", metavar="COLUMN", help="column of the labels: its name or number")
    rename = "rename a label, as in --class 1=low --class 2=low; --class 3= drops its texts, --class = those without a label"
    verb.add_argument("--class", type=_renamed, action="append", dest="classes", metavar="LABEL=CLASS", help=rename)
    verb.add_argument("-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    verb.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random choices; default: 0")
    verb.add_argument("--balance", action="store_true", help="name rare classes more often, for the best macro-F1")
    verb.add_argument("--no-texts", action="store_true", help="quote no texts")
    verb.add_argument("--least", type=int, default=5, metavar="N", help="list only words of at least N texts; default: 5")
    either.add_argument("--probabilities", type=Path, metavar="FILE", help="judge another model by its probabilities")
    verb.add_argument("--save", type=Path, metavar="FOLDER", help="save the model there, for predict and explain")
    verb.add_argument("--test", metavar="TEXTS", help="a test file: what repeats training texts, what differs, and scores")
    verb.add_argument("--id", metavar="COLUMN", help="column that names the rows; default: their lines in the file")
    verb.add_argument("--accept", type=Path, metavar="FILE", help="suspects that you have reviewed, one a line")
    verb.add_argument("--json", type=Path, metavar="FILE", help="write the page's numbers there, too")
    fail = "end with exit code 3: put-in, if something seems to be put in; copies, if a training text recurs in the test file; "
    fail += "labels=2%%, if more labels look wrong"
    verb.add_argument("--fail-on", type=_condition, action="append", default=[], metavar="CONDITION", help=fail)


def _add_source(verb):
    """Add the options of the texts; return a group of options that exclude one another."""
    verb.add_argument("source", metavar="TEXTS", help=SOURCE)
    verb.add_argument("--text", metavar="COLUMN", help="column of the texts: its name, or its number, from 0")
    verb.add_argument("--sep", metavar="SIGN", help="separator of the cells, such as ';'; detected by default")
    verb.add_argument("--encoding", metavar="NAME", help="encoding of the file, such as cp1252; detected by default")
    either = verb.add_mutually_exclusive_group()
    either.add_argument("--skip-bad-rows", action="store_true", help="leave out rows that are too wide, too narrow or broken")
    return either


def _add_predict(verbs):
    verb = _add_verb(verbs, _predict, "predict the classes of new texts with a saved model")
    verb.add_argument("folder", metavar="FOLDER", help=SAVED)
    _add_source(verb)
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: print to the terminal")


def _add_explain(verbs):
    verb = _add_verb(verbs, _explain, "explain why a saved model judges a text as it does")
    verb.add_argument("folder", metavar="FOLDER", help=SAVED)
    verb.add_argument("text", metavar="TEXT", help="the text itself, or - to read it from standard input")


def _condition(text):
    match = re.fullmatch(r"(put-in|copies)|labels=(\d+\.?\d*)%", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r:.80} is no condition; give put-in, copies, or labels=2%")
    return match[1] or "labels", float(match[2] or 0) / 100


def _renamed(pair):
    label, sign, name = pair.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{pair!r:.80} has no '='; give LABEL=CLASS")
    return label, name or None


def _report(asked):
    """Fit a classifier to labelled texts, and judge every word of it by texts that it was not fitted on.

    The report is one HTML file, which needs no network. With --probabilities it is about another model, whose probabilities
    are in a file that pandas or NumPy wrote: a column for every class, named like the class, and a row for every row of the
    texts, in the same order, even for rows that are left out. Predict them out of sample, for example by scikit-learn's
    cross_val_predict with cv=StratifiedKFold(5, shuffle=True, random_state=0).

    A report quotes texts: --no-texts quotes none, --least leaves out words of few texts, such as names.

    For example:
      tokensel report reviews.csv --text review --label stars -o report.html --save model
      tokensel report reviews.parquet --probabilities theirs.csv --no-texts --least 20
      tokensel report stars.csv --class 1=low --class 2=low --class 3= --class 4=high --class 5=high
      tokensel report hub:stanfordnlp/imdb
      tokensel report train.csv --test test.csv --json report.json --fail-on put-in --fail-on copies --accept words.txt
    """
    # Check for mistyped names first: the modules that read, fit and judge take seconds to import.
    for path in filter(None, (asked.output, asked.json)):
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise FileNotFoundError(f"{path} is a folder, or its folder does not exist; name another file for the report")
    if not asked.test and ("copies", 0) in asked.fail_on:
        raise ValueError("--fail-on copies is about a test file; name it by --test")
    accepted = frozenset(map(str.strip, asked.accept.read_text("utf-8-sig").splitlines())) if asked.accept else ()
    how = dict(classes=dict(asked.classes) if asked.classes else None, id=asked.id)
    reviews, notes = _read(asked, asked.source, label=asked.label, **how)
    test, more = _read_test(asked, class_names=reviews.class_names, **how) if asked.test else (None, [])
    from .page import analyse, report_page
    from .pipeline import as_json, reasons
    from .read import read_probabilities

    given = read_probabilities(asked.probabilities, reviews) if asked.probabilities else None
    if asked.balance and given is None:
        given = tr.TextClassifier(balance=None)
    how = dict(model=given, show_texts=not asked.no_texts, least=asked.least, seed=asked.seed, test=test, accepted=accepted)
    results = analyse(reviews, Path(asked.source).name, notes + more, **how)
    if asked.save is not None:
        results.evaluation.trial.model.save(asked.save)
    quotes = "quotes no texts" if asked.no_texts else "quotes texts, so think before you share it"
    if asked.json:
        _delivered(as_json(results), asked.json, f"its numbers are in {asked.json}")
    if asked.fail_on:
        asked.failed = reasons(results, asked.fail_on)
        print("\n".join(map(one_line, asked.failed)) or "no condition of --fail-on holds")
    return _delivered(report_page(results), asked.output, f"the report is in {asked.output}; it {quotes}")


def _read_test(asked, **how):
    """Return texts to test on, and the lines that the reader printed; without labels if there is no column of them."""
    from .read import NoColumnError

    try:
        return _read(asked, asked.test, label=asked.label, **how)
    except NoColumnError as error:
        reviews, notes = _read(asked, asked.test, label=None, id=asked.id)
        print(note := f"{asked.test}: read without labels, so there are no scores ({error})")
        return reviews, [*notes, note]


def _read(asked, source, **how):
    """Return texts, and the lines that the reader printed."""
    if not source or (not re.match(r"hub:|\w+://", source) and not Path(source).expanduser().exists()):
        raise FileNotFoundError(f"{source or repr('')} does not exist; give a {SOURCE}")
    options = dict(sep=asked.sep, encoding=asked.encoding, skip_bad_rows=asked.skip_bad_rows)
    with redirect_stdout(io.StringIO()) as printed:
        reviews = tr.read_reviews(source, asked.text, **options, **how)
    print(printed.getvalue(), end="")
    return reviews, printed.getvalue().splitlines()


def _predict(asked):
    """Write a CSV file: for every row its text, the likeliest class, and the probability of every class.

    Lines that a spreadsheet would take for formulas get an apostrophe in front. A row without a text has empty cells.

    For example:
      tokensel predict model new.csv --text review -o predicted.csv
    """
    model = _loaded(asked.folder)
    reviews, _ = _read(asked, asked.source, label=None)
    table = table_of_predictions(reviews, model)
    return _delivered(table, asked.output, f"{len(reviews):,} predictions are in {asked.output}")


def _explain(asked):
    """Show the logit of a text as the exact sum over its words, and the word that would change the verdict most.

    For example:
      tokensel explain model "The plot is thin, but I laughed."
      tokensel explain model - < letter.txt
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if asked.text == "-" else asked.text
    return f"{tr.explain(_loaded(asked.folder), text)}\n"


def _loaded(folder):
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{folder or repr('')} is not a folder; give one in which report --save has saved a model")
    return tr.TextClassifier.load(folder)


def _delivered(text, path, note):
    """Return a text for the terminal; or write it to a path, print a note, and return an empty one."""
    if path is None:
        return text
    from tokensel_nb.checkpoint import replacing

    with replacing(path) as temporary:
        temporary.write_bytes(text.encode("utf-8", "replace"))
    print(note)
    return ""


if __name__ == "__main__":
    sys.exit(main())
