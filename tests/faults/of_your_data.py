"""Valid calls of what one does with one's own texts: classifiers, reports, explanations, diagnoses, stored corpora, readers."""

from __future__ import annotations

import os
import tempfile
from functools import cache, partial
from pathlib import Path
from unittest import mock

import mutations as kinds
import numpy as np
import pandas as pd
import torch
import twins
from mutations import EITHER, ERROR, SAME, Bad, constant
from twins import Twin

import tokensel_nb as ts
from tokensel_nb.datasets.read.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED

NAMES = ["up", "up", "up", "down", "down", "down"] * 4
MANY = twins.TEXTS * 4


def found(random):
    """Return all twins of this file."""
    return classifiers() | explanations() | reports() | stored() | ordered(random) | diagnoses(random) | readers()


# Values ---------------------------------------------------------------------------------------------------------------------


def collection(value, random, *, known=False, empty=SAME):
    """Yield values for words in any order; ``known`` where there must be such words."""
    strange = {"a string", "a text", "a dict", "a bytes"}
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label in strange or "set" not in bad.label)
    yield constant("a number", ERROR, 3)
    yield constant("a number inside", ERROR, [3])
    yield constant("None inside", ERROR, [None])
    yield constant("a set of numbers", ERROR, {3})
    yield constant("masked", ERROR, np.ma.array(list(value), mask=[True] * len(value)))
    yield constant("a table", ERROR, np.array([list(value)] * 2))
    yield constant("lists inside", ERROR, [list(value)])
    if known:
        yield constant("a word that there is not", ERROR, [*value, "movingg"])
    for label, form in dict(tuple=tuple, set=set, frozenset=frozenset, array=np.array, series=pd.Series).items():
        yield Bad(label, SAME, lambda form=form: form(list(value)))
    yield Bad("twice", SAME, lambda: list(value) * 2)


def names_of_classes(value, random):
    """Yield labels that are words."""
    yield from kinds.strangers(random)
    for label, bad in {"None": None, "nan": np.nan, "a list": ["up"], "a set": {"up"}}.items():
        yield Bad(f"{label} inside", ERROR, lambda bad=bad: [bad, *value[1:]])
    yield Bad("masked", ERROR, lambda: np.ma.array(value, mask=[True] + [False] * (len(value) - 1)))
    yield Bad("too many", ERROR, lambda: [*value, "up"])
    yield Bad("too few", ERROR, lambda: value[1:])
    yield Bad("none", ERROR, list)
    yield Bad("a table", ERROR, lambda: np.array([value, value]))
    yield Bad("a row", ERROR, lambda: np.array([value]))
    yield Bad("one word", ERROR, lambda: "up" * len(value))
    for label, form in dict(
        tuple=tuple, array=np.array, objects=partial(np.array, dtype=object), series=pd.Series, category=pd.Categorical
    ).items():
        yield Bad(label, SAME, lambda form=form: form(value))


def seed_of_sklearn(value, random):
    """Yield values for what scikit-learn calls a random state."""
    yield from kinds.whole(value, random, least=0, huge=ERROR, none=False)
    yield Bad("a generator", ERROR, lambda: np.random.default_rng(0))
    yield Bad("scikit-learn's", SAME, lambda: np.random.RandomState(value))


def weight_of_classes(value, random):
    for bad in kinds.choice(value, random):
        if bad.label not in ("None", "a dict", "numpy string"):
            yield bad
    for label, weight in dict(word="x", negative=-1, nan=np.nan, inf=np.inf, none=None, complex=1j, true=True).items():
        yield constant(f"{label} inside", ERROR, {"up": weight, "down": 1})
    yield constant("of no class", ERROR, {"sideways": 1, "down": 1})
    yield constant("equal", SAME, {"up": 1, "down": 1.0})


def without_none(kind):
    return lambda value, random: (bad for bad in kind(value, random) if bad.label != "None")


def number_or_none(value, random):
    yield from (bad for bad in kinds.positive(value, random, zero=EITHER) if bad.label != "None")
    yield constant("1e50", ERROR, 1e50)


def probabilities(value, random):
    for bad in kinds.numbers(value, random, huge=False):
        if bad.label not in ("float16",):
            yield bad
    yield Bad("sums of two", ERROR, lambda: 2 * value)
    yield Bad("negative", ERROR, lambda: np.stack([-value[:, 0], 1 + value[:, 0]], axis=1))
    yield Bad("other columns", ERROR, lambda: pd.DataFrame(value, columns=["up", "sideways"]))
    yield Bad("columns twice", ERROR, lambda: pd.DataFrame(value, columns=["up", "up"]))
    yield Bad("columns turned round", SAME, lambda: pd.DataFrame(value[:, ::-1], columns=["up", "down"]))


def mask(value, random):
    yield from kinds.strangers(random)
    yield constant("a number", ERROR, 3)
    yield Bad("numbers", ERROR, lambda: value.astype(int))
    yield Bad("fractions", ERROR, lambda: value.astype(float))
    yield Bad("words", ERROR, lambda: value.astype(str))
    yield Bad("too short", ERROR, lambda: value[1:])
    yield Bad("too long", ERROR, lambda: np.append(value, True))
    yield Bad("a table", ERROR, lambda: value[:, None])
    yield Bad("masked", ERROR, lambda: np.ma.array(value, mask=value))
    yield Bad("a list", SAME, value.tolist)
    yield Bad("a tensor", SAME, lambda: torch.tensor(value))
    yield Bad("a series", SAME, lambda: pd.Series(value))


def mask_of_some(value, random):
    yield from mask(value, random)
    yield Bad("all", ERROR, lambda: np.ones_like(value))
    yield Bad("none of them", ERROR, lambda: np.zeros_like(value))


def path(value, random):
    """Yield what is no path to something that is there."""
    for bad in kinds.strangers(random):
        if bad.label not in ("a text", "a string"):
            yield bad
    for label, bad in dict(number=3, nowhere="nowhere/at/all", null="a\0b", empty="", long="x" * 5000, listed=[value]).items():
        yield constant(label, ERROR, bad)
    yield constant("a surrogate", ERROR, "\ud800")
    yield Bad("a path", SAME, lambda: Path(value))


def new_path(value, random):
    """Yield what is no path to something that can be made."""
    for bad in path(value, random):
        if bad.label not in ("a path", "nowhere"):
            yield bad


# Classifiers ----------------------------------------------------------------------------------------------------------------

VOICES = ("tokensel_nb", "sklearn")
TOLD = dict(fields=dict.fromkeys(("X", "texts", "y"), ("text", "texts", "X", "label", "labels", "y")), voices=VOICES)


def model():
    return twins.classifier(tuple(MANY), tuple(NAMES))


def fitted(**settings):
    return ts.TextClassifier(**settings).fit(MANY, NAMES).values_


def weights_of(value, random):
    for bad in kinds.weights(value, random):
        if bad.label not in ("None", "no axis", "a number", "twice as much", "bool"):
            yield bad
    yield constant("all zero", ERROR, [0] * len(value))


def classifiers():
    """Return twins of `TextClassifier` and of what `AttentionClassifier` has beside its twins there."""
    counted, signs = np.array(twins.COUNTS), np.array(twins.LABELS)
    of_counts = ts.AttentionClassifier(4, max_iter=3, random_state=0).fit(counted, signs)
    said = dict(X=("X", "array", "sample", "feature", "input", "data", "dtype"), y=("y", "label", "class"))
    table = partial(kinds.numbers, huge=False, torch_too=False, free=(0,))
    rows = lambda value, random: (bad for bad in table(value, random) if bad.label not in twins.NOT_FOR_SKLEARN)
    made = {
        f"AttentionClassifier.{name}": Twin(getattr(of_counts, name), dict(X=counted), dict(X=rows), voices=VOICES, fields=said)
        for name in ("attention", "predict", "predict_proba")
    }
    made["AttentionClassifier, how"] = Twin(
        twins.fitted,
        dict(dim=4, max_iter=3, random_state=0, verbose=False),
        dict(random_state=without_none(seed_of_sklearn), verbose=kinds.flag),
    )
    made["AttentionClassifier.fit, y"] = Twin(
        partial(twins.fitted_on, ts.AttentionClassifier), dict(X=counted, y=["up"] * 3 + ["down"] * 3),
        dict(y=lambda value, random: (bad for bad in names_of_classes(value, random) if bad.label not in NOT_FOR_Y)),
        voices=VOICES, fields=said | dict(y=("y", "label", "class", "sample", "input", "target")),
    )  # fmt: skip
    made["TextClassifier, settings"] = Twin(
        fitted,
        dict(
            ngrams=2, min_texts=2, l2=0.1, class_weight="balanced", attend=True, without=["plot"], tokenizer=str.split,
            random_state=0,
        ),
        dict(
            ngrams=partial(kinds.whole, huge=EITHER), min_texts=kinds.whole, l2=number_or_none, class_weight=weight_of_classes,
            attend=kinds.flag, without=collection, tokenizer=without_none(twins.tokenizer),
            random_state=without_none(seed_of_sklearn),
        ),
        voices=VOICES, fields=dict(class_weight=("class_weight",), min_texts=("min_texts",)),
    )  # fmt: skip
    made["TextClassifier.fit"] = Twin(
        partial(twins.fitted_on, ts.TextClassifier),
        dict(X=MANY, y=NAMES, sample_weight=np.ones(len(MANY))),
        dict(X=partial(twins.some_texts, half=EITHER), y=names_of_classes, sample_weight=weights_of),
        voices=VOICES, fields=TOLD["fields"] | dict(X=("text", "texts", "X", "label", "no word"), sample_weight=("weight",)),
    )  # fmt: skip
    texts = partial(twins.some_texts, lengths=False)
    made["TextClassifier.read"] = Twin(
        model().read, dict(texts=twins.TEXTS, labels=NAMES[:6]), dict(texts=partial(texts, blanks=True), labels=optional_names),
        voices=VOICES, fields=dict(texts=("text", "texts", "samples"), labels=("label", "samples")),
    )  # fmt: skip
    made["TextClassifier.words"] = Twin(model().words, dict(text="a good film"), dict(text=twins.text))
    made["TextClassifier.save"] = Twin(
        saved, dict(folder=FRESH), dict(folder=new_path), errors=(OSError, ValueError, TypeError)
    )
    made["TextClassifier.load"] = Twin(
        lambda folder, tokenizer: ts.TextClassifier.load(folder, tokenizer=tokenizer).values_,
        dict(folder=folder_of_a_model(), tokenizer=None), dict(folder=path, tokenizer=not_a_function),
        fields=dict(folder=("folder", "model")),
    )  # fmt: skip
    return made


NOT_FOR_Y = {"None inside", "nan inside", "a list inside", "a set inside", "category"}  # scikit-learn's own words and forms
FRESH = "a new folder"


def not_a_function(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label not in ("a type", "a function"))
    yield constant("a number", ERROR, 3)


def optional_names(value, random):
    for bad in names_of_classes(value, random):
        if bad.label not in ("None", "none"):
            yield bad
    yield Bad("a class that there is not", ERROR, lambda: ["sideways", *value[1:]])


def saved(folder):
    with tempfile.TemporaryDirectory() as new:
        model().save(new if folder == FRESH else folder)
    return "saved"


@cache
def folder_of_a_model():
    folder = tempfile.mkdtemp()
    model().save(folder)
    return folder


# Explanations and reports ---------------------------------------------------------------------------------------------------


def explanations():
    """Return twins of what an explanation is asked."""
    of_two = ts.explain(model(), "a good film")
    of_three = ts.explain(twins.classifier(tuple(MANY), tuple(["a", "b", "c"] * 8)), "a good film")
    made = {}
    for label, each, of in (("two", of_two, "up"), ("three", of_three, "b")):
        made[f"Explanation.table, {label}"] = Twin(
            lambda of, each=each: each.table(of).to_dict("list"), dict(of=of), dict(of=without_none(kinds.choice)),
        )  # fmt: skip
        made[f"Explanation.changes, {label}"] = Twin(
            lambda most, each=each: each.changes(most).to_dict("list"), dict(most=2),
            dict(most=partial(kinds.whole, least=0, huge=EITHER, none=False)),
        )  # fmt: skip
    made["Explanation.without"] = Twin(
        of_two.without, dict(word="good"), dict(word=a_word), errors=(KeyError, TypeError), fields=dict(word=("word",))
    )
    made["Explanation.html"] = Twin(of_two.html, dict(terms=True), dict(terms=kinds.flag))
    return made


def a_word(value, random):
    yield from kinds.strangers(random)
    for label, bad in dict(number=3, other="sideways", empty="", listed=[value]).items():
        yield constant(label, ERROR, bad)
    yield constant("numpy string", SAME, np.str_(value))


@cache
def judged():
    return ts.report(ts.TextClassifier(l2=1.0), MANY, NAMES, folds=2, least=2, quotes=0)


def reports():
    """Return twins of `report` with labels and groups, and of what a report is asked."""
    probability = model().predict_proba(MANY)
    given = dict(texts=MANY, labels=NAMES, folds=2, least=2, quotes=0, groups=["good"])
    common = dict(labels=names_of_classes, groups=collection)
    made = {
        "report, not fitted": Twin(
            ts.report, given | dict(model=ts.TextClassifier(l2=1.0)), common, fields=dict(labels=("label",))
        ),
        "report, fitted": Twin(ts.report, given | dict(model=model()), common, fields=dict(labels=("label", "samples"))),
        "report, given": Twin(
            ts.report, given | dict(model=probability), common | dict(model=probabilities),
            fields=dict(labels=("label", "probabilities"), model=("probabilities",)),
        ),
    }  # fmt: skip
    made["Report.html"] = Twin(judged().html, dict(digits={"texts": 0, "skew": 1}), dict(digits=decimals))
    made["Report.refit"] = Twin(
        lambda words: (lambda refit: (refit.before, refit.after))(judged().refit(words)), dict(words=["good"]),
        dict(words=partial(collection, known=True)),
    )  # fmt: skip
    made["Report.trial"] = Twin(
        lambda held_out, attend: judged().trial(held_out, attend=attend).chances,
        dict(held_out=np.arange(len(MANY)) >= 18, attend=True), dict(held_out=mask_of_some, attend=kinds.flag),
    )  # fmt: skip
    words = twins.words_of_noise()
    made["suspicion, repeated"] = Twin(
        ts.suspicion, words | dict(repeated=np.arange(30) < 3), dict(repeated=lambda *given: without_none(mask)(*given))
    )
    huge = lambda value, random: [with_first(value, number) for number in (1e308, 2.0**54, -1)]
    every = dict.fromkeys(("rests", "hits", "base"), tuple(words))
    made["suspicion, huge"] = Twin(ts.suspicion, words, dict.fromkeys(every, huge), fields=every)
    return made


def with_first(value, number):
    changed = np.array(value, dtype=float)
    changed.ravel()[0] = number
    return constant(f"{number:g} first", ERROR, changed)


def decimals(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False))
    yield constant("a number", ERROR, 3)
    for label, number in dict(negative=-1, fraction=0.5, word="3", none=None, huge=10**9, true=True).items():
        yield constant(f"{label} inside", ERROR, {"texts": number})
    yield constant("a column that there is not", ERROR, {"nope": 1})
    yield constant("numpy's", SAME, {"texts": np.int8(0), "skew": np.uint8(1)})


# Corpora in folders and in order --------------------------------------------------------------------------------------------


@cache
def films():
    folder = Path(tempfile.mkdtemp()) / "films"
    ts.store_corpus(list(zip(twins.TEXTS, twins.LABELS)), folder, memory=1e9)
    return str(folder)


def store(path, **options):
    with tempfile.TemporaryDirectory() as folder:
        stored = ts.store_corpus(path=Path(folder, "films") if path == FRESH else path, **options)
        return [stored[:].counts, stored.labels, stored.vocabulary.tolist(), stored.class_names]


def stored():
    """Return twins of `store_corpus` and `StoredCorpus`."""
    memory = lambda value, random: (
        bad for bad in kinds.positive(value, random) if bad.outcome != EITHER and bad.label not in ("zero", "numpy zero")
    )
    where = dict(fields=dict(path=("path", "folder", "stored corpus")))
    words = list(twins.WORDS)
    return {
        "StoredCorpus": Twin(
            lambda path, memory: ts.StoredCorpus(path, memory)[:], dict(path=films(), memory=1e9),
            dict(path=path, memory=memory), **where,
        ),
        "StoredCorpus.__getitem__": Twin(
            ts.StoredCorpus(films()).__getitem__, dict(rows=np.array([0, 3])), dict(rows=twins.rows),
            errors=(ValueError, TypeError, IndexError),
        ),
        "StoredCorpus.blocks": Twin(
            ts.StoredCorpus(films()).blocks, dict(rows=np.array([0, 3])),
            dict(rows=lambda value, random: (
                bad for bad in twins.rows(value, random) if bad.label not in ("a slice", "a mask", "from behind"))),
            errors=(ValueError, TypeError, IndexError),
        ),
        "store_corpus": Twin(
            store,
            dict(
                rows=list(zip(twins.TEXTS, twins.LABELS)), path=FRESH, vocabulary=words, class_names=("down", "up"),
                lowercase=True, tokenizer=str.split, memory=1e9, distributed=False,
            ),
            dict(
                rows=pairs, path=new_path, vocabulary=twins.vocabulary_to_count, class_names=names_alone, lowercase=kinds.flag,
                tokenizer=twins.tokenizer, memory=memory, distributed=kinds.flag,
            ),
            fields=dict(rows=("row", "label"), class_names=("class_names", "labels", "classes"), path=("path", "folder")),
            errors=(ValueError, TypeError, FileExistsError),
        ),
        "store_corpus, of records": Twin(
            store,
            dict(
                rows=[{"text": text, "label": label} for text, label in zip(twins.TEXTS, twins.LABELS)], path=FRESH,
                text="text", label="label", min_count=1, max_words=4, separators=" ",
            ),
            dict(
                rows=pairs, text=kinds.choice, label=kinds.choice, min_count=kinds.whole,
                max_words=partial(kinds.whole, huge=EITHER, none=False), separators=partial(twins.pattern, none=False),
            ),
            fields=dict.fromkeys(("rows", "text", "label"), ("row", "rows", "text", "label")),
        ),
    }  # fmt: skip


def pairs(value, random):
    yield from kinds.strangers(random)
    rows = list(value)
    for label, bad in dict(none=None, number=3, word="good", pair=("good", None), triple=(1, 2, 3), other={"a": 1}).items():
        yield Bad(f"{label} inside", ERROR, lambda bad=bad: [*rows[:2], bad, *rows[3:]])
    yield Bad("no rows", ERROR, list)
    yield Bad("tuple", SAME, lambda: tuple(rows))


def names_alone(value, random):
    for bad in kinds.class_names(value, random):
        if bad.label not in ("None",):
            yield bad


def ordered(random):
    """Return twins of texts in order, and of the model that reads them."""
    texts = dict(texts=["good film", "a bad film", "good plot film"], labels=["up", "down", "up"])
    read = ts.sequences_from_texts(**texts, longest=3)
    kind = ts.Transformer(layers=1, heads=2, hidden=3, longest=3)
    start = kind.start(read.vocab_size, 4, 3, dtype="float64")
    parts = dict(counts=read.counts, labels=[1, 0, 1], vocabulary=read.vocabulary.tolist(), class_names=("down", "up"))
    made = {
        "Sequences": Twin(
            lambda **given: (lambda made: [made, made.tokens])(ts.Sequences(**given)),
            parts | dict(weights=np.arange(1.0, 4.0), tokens=read.tokens),
            {name: getattr(kinds, name) for name in ("labels", "weights", "class_names")} | dict(
                counts=counts_that_fit, vocabulary=kinds.words, tokens=tokens),
            fields=dict(
                counts=("counts",), labels=("labels", "label"), vocabulary=("vocabulary", "words", "tokens"),
                class_names=("class_names", "labels", "classes"), weights=("weights",), tokens=("tokens",),
            ),
        ),
        "sequences_from_texts": Twin(
            ts.sequences_from_texts,
            texts | dict(longest=3, class_names=("down", "up"), vocabulary=["bad", "film", "good"], tokenizer=str.split),
            dict(
                texts=texts_in_order, labels=names_of_classes, longest=partial(kinds.whole, huge=EITHER),
                class_names=names_alone, vocabulary=twins.vocabulary_to_count, tokenizer=twins.tokenizer,
            ),
            fields=dict(
                texts=("text", "texts", "labels", "vocabulary", "tokens"), labels=("labels", "label"), tokenizer=("tokenizer",),
                class_names=("class_names", "labels", "classes"),
            ),
        ),
        "sequences_from_texts, options": Twin(
            ts.sequences_from_texts, texts | dict(longest=3, min_count=1, max_words=4, lowercase=True, separators=" "),
            dict(
                min_count=kinds.whole, max_words=partial(kinds.whole, huge=EITHER, none=False), lowercase=kinds.flag,
                separators=partial(twins.pattern, none=False),
            ),
        ),
        "Transformer": Twin(
            lambda **settings: ts.Transformer(**settings).start(3, 4, 0, dtype="float64"),
            dict(layers=1, heads=2, hidden=3, longest=3, norm="before", spread=0.5, bfloat16=True),
            dict.fromkeys(("layers", "heads", "hidden", "longest"), partial(kinds.whole, huge=None))
            | dict(norm=kinds.choice, spread=without_none(kinds.positive), bfloat16=kinds.flag),
            fields=dict(heads=("heads",)),
        ),
        "Transformer.start": Twin(
            kind.start, dict(vocab_size=5, dim=4, seed=3, num_classes=3, dtype="float64"),
            dict(
                vocab_size=kinds.whole, dim=kinds.whole, seed=kinds.generator_or_seed,
                num_classes=partial(kinds.whole, least=2, huge=None), dtype=kinds.choice,
            ),
            fields=dict.fromkeys(("vocab_size", "dim", "num_classes"), ("vocab_size", "dim", "num_classes", "heads")),
        ),
        "TransformerParameters": Twin(
            ts.TransformerParameters, start.arrays(), dict.fromkeys(start.arrays(), array_of_many),
            fields=dict.fromkeys(start.arrays(), tuple(start.arrays())), undefined=("result",),
        ),
        "Transformer.head_attention": Twin(
            kind.head_attention, dict(parameters=start, corpus=read),
            dict(parameters=of_transformer, corpus=partial(kinds.member, kind=ts.Corpus)),
            fields=dict(parameters=(*start.arrays(), "parameters")),
        ),
        "logits, Transformer": Twin(
            ts.logits, dict(parameters=start, corpus=read, model=kind),
            dict(parameters=of_transformer, corpus=partial(kinds.member, kind=ts.Corpus)),
            fields=dict(parameters=(*start.arrays(), "parameters")),
        ),
    }  # fmt: skip
    return made


def texts_in_order(value, random):
    """Yield texts; those without a known word stay."""
    return (bad for bad in twins.some_texts(value, random) if bad.label != "no word at all")


def array_of_many(value, random):
    """Yield values for one of many arrays of one kind; which one an error names is open."""
    free = {2: (0,), 3: ()}.get(np.ndim(value), ())
    for bad in kinds.numbers(value, random, nan=EITHER, free=free):
        if "inf inside" in bad.label or "along 0" in bad.label:  # an infinite number is refused by who computes with it
            continue
        other = bad.label in ("float32", "a tensor", "a tensor with history")
        yield kinds.replace(bad, outcome=ERROR) if other else bad


def of_transformer(value, random):
    yield from kinds.member(value, random, kind=ts.TransformerParameters)
    yield Bad("another model's", ERROR, lambda: ts.OneLayer().start(3, 4, 0))
    yield Bad("of more layers", ERROR, lambda: ts.Transformer(layers=2, heads=2, hidden=3, longest=3).start(5, 4, 0))
    yield Bad("of more words", ERROR, lambda: ts.Transformer(layers=1, heads=2, hidden=3, longest=3).start(9, 4, 0))
    yield Bad("tensors", SAME, lambda: value.to("cpu"))
    yield Bad("float32", SAME, lambda: value.map(lambda array: array.astype("float32")), rounding=1e-3)
    yield Bad("nan", ERROR, lambda: value.map(lambda array: np.full_like(array, np.nan)))
    yield Bad("read only", SAME, lambda: value.map(kinds.read_only))


def counts_that_fit(value, random):
    for bad in kinds.counts(value, random):
        if bad.label != "sums overflow":
            yield bad


def tokens(value, random):
    drop = ("nan inside", "float16", "of objects", "float32")
    yield from (bad for bad in kinds.numbers(value, random, huge=False, torch_too=False, lists=True) if bad.label not in drop)
    for label, token in {"far below": -5, "beyond": 10**6}.items():
        yield Bad(f"{label} inside", ERROR, lambda token=token: kinds.with_one(value, random, token).astype(int))
    yield Bad("int8", SAME, lambda: value.astype("int8"))


def diagnoses(random):
    """Return twins of `diagnose`, and of what flows and certificates are asked."""
    texts, drawn = twins.corpus(), twins.parameters(random)
    limit = ts.limit_parameters(texts, 8.0)
    certificate = ts.selection_certificate(limit, texts)
    flow = ts.gradient_flow(limit, texts, 10.0, records=3, tolerance=1e-6)
    bins = ts.with_control(
        *ts.independent_tokens(60, 6, 8, 0.5, seed=0).split(0.5, seed=0), twins.share_of, shuffles=1, bins=3, min_texts=1
    )["share"]["own"]
    arrays = dict(embeddings=drawn.embeddings, output_vector=drawn.output_vector, cls_embedding=drawn.cls_embedding)
    many = partial(kinds.numbers, huge=True)
    return {
        "diagnose": Twin(
            diagnosed, arrays | dict(corpus=texts, shuffles=2, least=1, seed=3),
            dict(
                embeddings=partial(kinds.numbers, huge=False), output_vector=partial(kinds.numbers, huge=False),
                cls_embedding=without_none(partial(kinds.numbers, huge=False)), corpus=partial(kinds.corpus, three=ERROR),
                shuffles=partial(kinds.whole, huge=None), least=kinds.whole, seed=kinds.generator_or_seed,
            ),
            fields=dict.fromkeys(arrays, (*arrays, "embeddings")) | dict(
                corpus=("corpus", "text", "word", "output_vector", "embeddings"), least=("least",)),
            undefined=("values_follow", "scores_follow", "attention", "sizes", "score", "value", "result"),
        ),
        "SelectionCertificate.room": Twin(
            certificate.room, dict(cls_embedding=flow.cls_embedding), dict(cls_embedding=many), undefined=("result",)
        ),
        "SelectionCertificate.certain_from": Twin(
            certificate.certain_from, dict(path=flow), dict(path=partial(kinds.member, kind=ts.Flow)), undefined=("result",)
        ),
        "ControlledBins.figures": Twin(
            bins.figures, dict(figure=ts.Bins.rank_correlation), dict(figure=kinds.function), undefined=("result",)
        ),
        "mean_over_tokens, texts": Twin(
            ts.mean_over_tokens,
            dict(weights=torch.ones(1, 2), rows=torch.tensor([[2.0], [4.0]]), texts=twins.words_of_two()),
            dict(texts=kinds.strangers_alone),
        ),
        "first_step, model": Twin(
            ts.first_step, dict(parameters=drawn, corpus=texts, model=ts.OneLayer()),
            dict(model=partial(kinds.member, kind=ts.OneLayer)),
        ),
    }  # fmt: skip


def diagnosed(**given):
    found = ts.diagnose(**given)
    return [found.accuracy, found.majority, found.shares, found.table.select_dtypes("number").to_numpy()]


# Readers --------------------------------------------------------------------------------------------------------------------


@cache
def small_data():
    """Return a folder of small sets in the places of IMDB and Yelp."""
    folder = Path(tempfile.mkdtemp())
    rows = {
        "imdb": "text,label\ngood film,1\nbad film,0\ngood plot,1\n",
        "yelp": "text,stars\ngood food,5\nfine food,4\nbad food,1\n",
    }
    for name, text in rows.items():
        (folder / name).mkdir()
        for split in ("train", "test"):
            (folder / name / f"{split}.csv").write_text(text)
    return folder


def here(call):
    """Return a reader that finds small sets where it would look for IMDB and the others."""
    small = Reviews(["good film", "bad film", "good plot"], np.array([1, 0, 1]), SENTIMENTS, "here")

    def called(**given):
        with mock.patch.dict(os.environ, TOKENSEL_DATA=str(small_data())), mock.patch.dict(RECORDED, clear=True):
            datasets = "tokensel_nb.datasets"
            with (
                mock.patch(f"{datasets}.movie_reviews.of_site", return_value=small),
                mock.patch(f"{datasets}.movie_reviews.four_classes", return_value=small),
                mock.patch(f"{datasets}.tweets._from_wheel", return_value=small),
            ):
                read = call(**given)
        return [read.texts, read.labels, read.class_names] if isinstance(read, Reviews) else read

    return called


def readers():
    """Return twins of everything that reads data."""
    split, source = dict(split="train", source="folder"), dict(split=kinds.choice, source=kinds.choice)
    counting = {
        "": (
            dict(min_count=1, max_words=4, lowercase=True, separators=" "),
            dict(
                min_count=kinds.whole, max_words=without_none(partial(kinds.whole, huge=EITHER)), lowercase=kinds.flag,
                separators=partial(twins.pattern, none=False),
            ),
        ),
        ", words": (
            dict(vocabulary=["film", "good", "food"], tokenizer=str.split),
            dict(vocabulary=without_none(twins.vocabulary_to_count), tokenizer=twins.tokenizer),
        ),
    }  # fmt: skip
    made = {"read_imdb": Twin(here(ts.read_imdb), split, source)}
    made["read_yelp"] = Twin(here(ts.read_yelp), split | dict(classes=2), source | dict(classes=classes_of_yelp))
    for more, (options, checks) in counting.items():
        fields = dict(fields=dict(tokenizer=("tokenizer",)))
        made[f"load_imdb{more}"] = Twin(here(ts.load_imdb), split | options, source | checks, **fields)
        made[f"load_yelp{more}"] = Twin(
            here(ts.load_yelp), split | options | dict(classes=2), source | checks | dict(classes=classes_of_yelp), **fields
        )
        for name in ("load_movie_reviews", "load_rotten_tomatoes", "load_tweets"):
            made[f"{name}{more}"] = Twin(here(getattr(ts, name)), options, checks, **fields)
        made[f"load_reviews{more}"] = Twin(
            ts.load_reviews, dict(source=(["good film", "bad food"], ["up", "down"])) | options, checks, **fields
        )
    table = pd.DataFrame({"text": twins.TEXTS, "label": NAMES[:6]})
    named = dict(source=table, text="text", label="label")
    checks = dict(source=sources, text=column, label=column)
    clear = dict(
        fields=dict(
            source=("source", "texts", "there is no such file", "the records given", "the list of files"),
            text=("column",),
            label=("column",),
        ),
        errors=(FileNotFoundError, ValueError, TypeError),
    )
    made["read_reviews"] = Twin(here(ts.read_reviews), named, checks, **clear)
    made["load_reviews, columns"] = Twin(ts.load_reviews, named, checks, **clear)
    flags = dict.fromkeys(("skip_bad_rows", "drop_duplicates"), False)
    made["read_reviews, options"] = Twin(
        here(ts.read_reviews),
        dict(source=str(small_data() / "imdb" / "train.csv"), sep=",", quotechar='"', header=True, encoding="utf-8", clean=str,
             class_names=["0", "1"]) | flags,
        dict(
            sep=without_none(one_sign), quotechar=without_none(one_sign), header=header, encoding=an_encoding,
            clean=kinds.function, class_names=without_none(a_list_of_classes), **dict.fromkeys(flags, kinds.flag),
        ),
        fields=dict(class_names=("class_names", "label", "class"), encoding=("encoding", "read"), sep=("sep", "column")),
    )  # fmt: skip
    return made


def classes_of_yelp(value, random):
    yield from kinds.no_numbers(random)
    for bad in (0, 3, 6, 2.5, -2, 10**30):
        yield constant(f"{bad}", ERROR, bad)
    yield constant("numpy's", SAME, np.int8(value))


def sources(value, random):
    for bad in kinds.strangers(random):
        if bad.label != "a text":
            yield bad
    for label, bad in dict(number=3, nowhere="/nowhere.csv", empty="", nothing=[], listed=[3]).items():
        yield constant(label, ERROR, bad)
    yield constant("a pair of strings", ERROR, ("good", "bad"))
    yield constant("a pair of sets", ERROR, ({"good"}, {"up"}))
    yield Bad("a pair of iterators", EITHER, lambda: (iter(value.text), iter(value.label)))
    yield Bad("a dict of columns", SAME, lambda: value.to_dict("list"))
    yield Bad("records", SAME, lambda: value.to_dict("records"))


def column(value, random):
    for bad in kinds.strangers(random):
        if bad.label not in ("None", "a text"):
            yield bad
    for label, bad in dict(missing="nope", listed=[value], far=99, negative=-3, fraction=0.5, true=True).items():
        yield constant(label, ERROR, bad)
    yield constant("numpy string", SAME, np.str_(value))


def one_sign(value, random):
    for bad in kinds.strangers(random, none=False):
        if bad.label not in ("a text", "a string"):
            yield bad
    for label, bad in dict(two="ab", number=3, line="\n", listed=[value]).items():
        yield constant(label, ERROR, bad)


def header(value, random):
    return (bad for bad in kinds.flag(value, random) if bad.label != "none")  # then it is detected


def an_encoding(value, random):
    for bad in kinds.strangers(random, none=False):
        if bad.label not in ("a text",):
            yield bad
    for label in ("nope", "base64", "hex", "rot13", "", "utf-16", "idna", "punycode", "undefined", "a\0b"):
        yield constant(label, ERROR if label not in ("utf-16", "idna", "punycode", "") else EITHER, label)
    yield constant("another name", SAME, "UTF8")


def a_list_of_classes(value, random):
    yield from kinds.strangers(random, none=False)
    for label, bad in {"a number": 3, "one name": ["0"], "a name twice": ["0", "0"], "others": ["a", "b"]}.items():
        yield constant(label, ERROR, bad)
    yield constant("a tuple", SAME, tuple(value))
