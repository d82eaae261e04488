"""A report as one file: what was found in someone's texts, as a page without code that asks no host for anything."""

from __future__ import annotations

import base64
import hashlib
import warnings
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from tqdm import tqdm

from ..support.extras import jinja2, pd
from .classifier import TextClassifier
from .evaluation import Evaluation, Mistake, TextSizes, evaluate, text_sizes
from .html import FOLDER, render
from .report import Refit, Report, report
from .text_box import Live, live, live_script

ROWS = 500  # of the table of words that move the logits most


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found in someone's texts: all that a page says of them, and no more."""

    name: str
    notes: list[str]
    warnings: list[str]
    least: int
    sizes: list[TextSizes]
    report: Report
    evaluation: Evaluation
    refit: Refit | None
    mistakes: list[Mistake]
    box: Live


def find(reviews, name, notes=(), *, show_texts=True, least=5, seed=0) -> Findings:
    """Look at someone's labelled texts, and show on stderr how far it is; `notes` is what was said when they were read."""
    pd.load()
    jinja2.load()
    texts, labels = np.array(reviews.texts, dtype=object), np.array(reviews.class_names)[reviews.labels]
    with warnings.catch_warnings(record=True) as caught, tqdm(total=3, unit="step") as progress:
        warnings.simplefilter("always", UserWarning)
        progress.set_description("Judging every word")
        judged = report(TextClassifier(), texts, labels, folds=2, least=least, quotes=3 * show_texts, seed=seed)
        progress.update()
        progress.set_description("Trying rivals")
        evaluation = evaluate(judged, seed)
        progress.update()
        progress.set_description("Leaving words out")
        refit = judged.refit() if judged.suspicious else None
        progress.update()
    examples = texts[evaluation.held_out][:3].tolist() if show_texts else []
    return Findings(
        name=name,
        notes=list(notes),
        warnings=list(dict.fromkeys(str(warning.message) for warning in caught if warning.category is UserWarning)),
        least=least,
        sizes=text_sizes(texts, labels, reviews.class_names),
        report=judged,
        evaluation=evaluation,
        refit=refit,
        mistakes=evaluation.mistakes(),
        box=live(evaluation.model, examples, shown=judged.table.word),
    )


def report_page(findings: Findings) -> str:
    """Return findings as one HTML page, whose policy lets no script run but the package's own."""
    script = (FOLDER / "tables.js").read_text("utf-8")
    table = findings.report.table.head(ROWS)
    return render(
        "report",
        found=findings,
        table=table,
        digits={name: 3 for name in table if name != "word"},
        version=version("tokensel-nb"),
        policy=policy([script, live_script()]),
        script=script,
        style=(FOLDER / "page.css").read_text("utf-8"),
    )


def policy(scripts) -> str:
    """Return a content security policy that allows some scripts, by their digests, and nothing from elsewhere."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
