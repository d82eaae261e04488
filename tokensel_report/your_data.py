"""What 14_your_data shows, and marks that are planted on purpose."""

from __future__ import annotations

import json
import re
from html import escape

import numpy as np
from IPython.display import HTML

from .classifier import TextClassifier
from .explanation import Explanation
from .table import Report, report


def planted(texts, labels, word, of_class, share=0.01, least=20, others=0, seed=0) -> list[str]:
    """Return the texts with a word before some texts of a class, and before ``others`` of the other classes: a known leak."""
    labels, random = np.asarray(labels), np.random.default_rng(seed)
    own, foreign = np.flatnonzero(labels == of_class), np.flatnonzero(labels != of_class)
    marked = [*random.choice(own, min(max(round(share * len(own)), least), len(own)), replace=False)]
    marked += [*random.choice(foreign, others, replace=False)]
    texts = list(texts)
    for row in marked:
        texts[row] = f"{word} {texts[row]}"
    return texts


def judged(texts, labels, seed) -> Report:
    """Return the report on texts, with two folds and without quotes."""
    return report(TextClassifier(), texts, labels, folds=2, quotes=0, seed=seed)


def place_of_mark(texts, labels, of_class, others, share=0.01) -> dict:
    """Put a made-up word before a share of the texts of a class, and return its place among the suspicious words."""
    marked = planted(texts, labels, "zqx", of_class, share, others=others, seed=1)
    ranked = judged(marked, labels, seed=1).ranked
    words, own = ranked.word.tolist(), sum(text.startswith("zqx ") for text in marked) - others
    place = words.index("zqx")
    suspicion = round(ranked.suspicion.iloc[place], 4)
    return {"class": of_class, "own": own, "others": others, "place": place + 1, "suspicion": suspicion, "first": words[:3]}


def shaded(reading: Explanation) -> HTML:
    """Show a text with shaded words, and give the page the terms of the sum, so that a reader can take words out.

    A span is [start, end, term], a term [occurrences, attention, contribution]; the model has two classes.
    """
    terms = zip(reading.occurrences.tolist(), np.round(reading.attention, 5).tolist(), reading.contributions.round(3).tolist())
    data = {"classes": reading.model.classes_.tolist(), "logit": round(float(reading.logit), 3), "spans": reading.spans}
    data = escape(json.dumps(data | {"terms": list(terms)}, separators=(",", ":")))
    width = "margin-inline: auto; max-width: 42.5rem"  # of the page's text
    verdict = re.sub(r"(\(log-odds\)\.) .*</p>", r"\1</p>", reading.html(terms=False))  # that it is a sum comes later
    words = re.sub(r'<span (title="[^"]*" style="[^"]*">\w)', r'<span class="word" \1', verdict)
    return HTML(f'<div data-terms="{data}" style="{width}">\n{words}\n</div>')
