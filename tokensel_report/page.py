"""A report as one HTML file, which loads nothing and runs no scripts but the package's own."""

from __future__ import annotations

import base64
import hashlib
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from tqdm import tqdm

from .classifier import TextClassifier
from .evaluation import evaluate, text_sizes
from .html import FOLDER, render
from .table import report
from .text_box import live, live_script

ROWS = 500  # of the table of words that move the logits most
SUSPECTS = 20  # suspicious words that are shown
WRONG = 50  # texts that are shown as likely labelled wrong
LETTERS = 300  # of a quoted text
MANY = 20  # classes from which the most confused pairs are shown in place of all


def analyse(
    reviews, name, notes=(), *, model=None, show_texts=True, least=5, seed=0, test=None, accepted=()
) -> SimpleNamespace:
    """Compute everything that a page says about labelled texts, with a progress bar; `notes` are the reader's lines.

    Suspects whose names were ``accepted`` are only counted. ``test`` are the texts of a second file.
    """
    texts, labels = np.array(reviews.texts, dtype=object), _labels(reviews)
    with warnings.catch_warnings(record=True) as caught, tqdm(total=3, unit="step") as progress:
        warnings.simplefilter("always", UserWarning)
        progress.set_description("Judging every word")
        model = TextClassifier() if model is None else model
        new = None if test is None else (test.texts, None if test.labels is None else _labels(test))
        judged = report(model, texts, labels, least=least, quotes=3 * show_texts, seed=seed, test=new)
        both = judged.put_in, judged.reads_like_a_word
        put_in, alike = ([one for one in of if one.name not in accepted] for of in both)
        progress.update()
        progress.set_description("Trying rivals")
        evaluation = evaluate(judged, seed)
        progress.update()
        progress.set_description("Leaving words out")
        words, without = [suspect.word for suspect in (*put_in, *alike) if suspect.word], None
        # An error if no word would be left, and a warning if they were all that it had learnt.
        with suppress(ValueError), warnings.catch_warnings(action="ignore", category=UserWarning):
            without = words and {"words": words, "accuracy": judged.trial(evaluation.split, without=words).accuracy}
        progress.update()
    labels_of = Counter(text for text, _ in set(zip(texts, labels)))
    examples = texts[evaluation.held_out][:3].tolist() if show_texts else []
    return SimpleNamespace(
        name=name,
        notes=list(notes),
        warnings=list(dict.fromkeys(str(warning.message) for warning in caught if warning.category is UserWarning)),
        repeated=len(texts) - len(set(texts[judged.copies])),
        disputed=sum(number > 1 for number in labels_of.values()),
        sizes=text_sizes(texts, labels, reviews.class_names),
        report=judged,
        evaluation=evaluation,
        without=without or None,
        names=_names(reviews),
        put_in=put_in,
        reads_like_a_word=alike,
        accepted=[each.name for of in both for each in of if each.name in accepted],
        suspects=_suspects(judged, accepted),
        beside=judged.beside and replace(judged.beside, suspects=_without(judged.beside.suspects, accepted)),
        test_names=None if test is None else _names(test),
        test_sizes=None if test is None else text_sizes(test.texts, new[1], reviews.class_names),
        box=live(evaluation.trial.model, examples, shown=judged.table.word),
    )


def _labels(reviews):
    return np.array(reviews.class_names)[reviews.labels]


def _names(reviews):
    """Return what people call every text; those of lists have no names."""
    rows = range(len(reviews)) if reviews.rows is None else reviews.rows
    return np.array([f"row {row + 1}" for row in rows], dtype=object) if reviews.names is None else reviews.names


def report_page(results) -> str:
    """Return the results as one HTML page, whose policy lets only the package's own scripts run."""
    script, judged = (FOLDER / "tables.js").read_text("utf-8"), results.report
    table, wrong = judged.table.head(ROWS), judged.likely_wrong.head(WRONG)
    wrong.insert(0, "place", results.names[wrong.row])
    return render(
        "report",
        script=script,
        results=results,
        evaluation=results.evaluation,
        names=judged.model.classes_.tolist(),
        many=MANY,
        wrong=wrong.rename(columns={"instead": "judged as"}),
        wrong_texts={place: [" ".join(text.split())[:LETTERS]] for place, text in zip(wrong.place, wrong.get("text", ()))},
        table=table,
        digits={name: 3 for name in table if name not in ("word", "given model", "elsewhere")},
        policy=policy([script, live_script()]),
    )


def _without(table, accepted):
    return table[~table.word.isin(accepted)]


def _suspects(judged, accepted):
    """Return the most suspicious words in plain terms: the share of their texts that is of their class, and odds."""
    named, classes = judged.suspects, judged.model.classes_
    ranked = _without(named, accepted).head(SUSPECTS)
    sign = np.where((ranked["class"] == classes[1]) | (len(classes) > 2), 50, -50)  # of two classes the skew is the second's
    of_them = [f"{share:.0f}% of {texts:,} texts" for share, texts in zip(50 + sign * ranked["skew"], ranked["texts"])]
    return ranked.assign(**{"of them": of_them, "odds": np.exp(ranked["own effect"])})


def policy(scripts) -> str:
    """Return a content security policy that allows some scripts, by their digests, and nothing from other hosts."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
