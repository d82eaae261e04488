"""One valid call of everything public, on small inputs, and what kind of value each of its arguments is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import mutations as kinds
import numpy as np
import torch
from mutations import EITHER, ERROR, SAME

import tokensel_nb as ts

WORDS = ("bad", "film", "fine", "good", "plot")
COUNTS = [[0, 2, 0, 1, 1], [0, 1, 1, 0, 2], [0, 1, 0, 1, 0], [1, 2, 0, 0, 1], [1, 1, 0, 0, 2], [1, 1, 0, 0, 0]]
LABELS = [1, 1, 1, -1, -1, -1]
TEXTS = ["good film film plot", "fine film plot plot", "good film", "bad film film plot", "bad film plot plot", "bad film"]


@dataclass(frozen=True)
class Twin:
    """A valid call.

    Parameters
    ----------
    call : callable
    arguments : dict
        All that the callable takes, valid; what is not in ``kinds`` stays as it is.
    kinds : dict of str to callable
        From a valid value and a random generator to the bad ones.
    errors : tuple of types
    voices : tuple of str
        Packages whose own errors are as clear: of a scikit-learn estimator those of scikit-learn.
    changes : bool
        Whether it may change what it is given, since its name ends with an underscore.
    fields : dict of str to tuple
        What an error may name in the place of an argument, such as another one that it is at odds with.
    undefined : tuple of str
        Parts of the result that are NaN where there is nothing to tell, as the documentation says.
    """

    call: Callable
    arguments: dict
    kinds: dict
    errors: tuple = (ValueError, TypeError)
    voices: tuple = ("tokensel_nb",)
    changes: bool = False
    fields: dict = field(default_factory=dict)
    undefined: tuple = ()


def rounded(array):
    """Return numbers that float16 holds, so that only what is computed with them is rounded."""
    return np.round(array * 64) / 64


def corpus():
    return ts.Corpus(COUNTS, LABELS, WORDS)


def parameters(random, *, query=True, dim=7):
    """Return parameters of float64; selection has room, for d > |S|."""
    size = len(WORDS)
    embeddings = rounded(np.eye(size, dim) + 0.2 * random.standard_normal((size, dim)))
    output = rounded(random.standard_normal(dim))
    return ts.Parameters(embeddings, rounded(random.standard_normal(dim)) * query, output)


def after_one_step(corpus):
    return ts.limit_parameters(corpus, 8.0)


def synthetic(name, **changes):
    wanted = dict(num_texts=20, vocab_size=12, length=5, relevant=2) | changes
    checked = dict(
        num_texts=partial(kinds.whole, least=2), vocab_size=partial(kinds.whole, least=5), length=kinds.whole,
        relevant=partial(kinds.whole, huge=ERROR), per_text=kinds.whole, seed=kinds.generator_or_seed,
        signal=kinds.share, impurity=partial(kinds.share, below=0.5, open_above=False),
        negated=partial(kinds.share, below=0.5, open_above=False),
    )  # fmt: skip
    if name == "independent_tokens":
        checked["vocab_size"] = partial(kinds.whole, least=2)
    wanted = {key: value for key, value in wanted.items() if value is not None} | {"seed": 3}
    # Sizes depend on each other: too few texts for so many words is a fault of either.
    names = dict.fromkeys(wanted, ("num_texts", "vocab_size", "length", "relevant", "per_text", "texts", "word"))
    return Twin(getattr(ts, name), wanted, {key: checked[key] for key in wanted}, fields=names)


def twins(random) -> dict[str, Twin]:
    """Return a twin for every name in `ts.__all__`, and for methods with arguments that people call."""
    texts, drawn = corpus(), parameters(random)
    uniform, limit = parameters(random, query=False), after_one_step(texts)
    ratio, rate = dict(learning_rate=0.5), dict(learning_rate=kinds.positive)
    of_corpus, of_parameters = kinds.fitting_corpus, kinds.parameters
    both = dict(parameters=of_parameters, corpus=of_corpus)
    either = partial(kinds.fitting_corpus, three=EITHER)
    model = partial(kinds.member, kind=ts.OneLayer)
    tall = ts.independent_tokens(60, 6, 8, 0.5, seed=0)
    halves = dict(zip(("corpus", "held_out"), tall.split(0.5, seed=0)))
    skew, amounts = np.array([-1.0, -0.5, 0.25, 0.5, 1.0]), rounded(random.standard_normal(5))
    flows = dict(tolerance=kinds.positive, records=partial(kinds.whole, least=2))
    selected = dict(selection=kinds.selection)
    found = {
        name: Twin(getattr(ts, name), dict(corpus=texts), dict(corpus=partial(kinds.corpus, three=three)))
        for name, three in (
            *((name, ERROR) for name in ("check_assumption_1", "complete_tokens", "relevant_tokens")),
            *((name, EITHER) for name in ("class_profile",)),
        )
    }
    for name in ("embedding_step", "cls_step"):
        found[name] = Twin(getattr(ts, name), dict(parameters=drawn, corpus=texts, **ratio), both | rate)
    found["first_step"] = Twin(
        ts.first_step,
        dict(parameters=drawn, corpus=texts),
        dict(parameters=of_parameters, corpus=partial(of_corpus, three=ERROR)),
    )
    found["sequences_from_texts"] = Twin(
        ts.sequences_from_texts,
        dict(texts=["good film", "a bad film"], labels=["up", "down"], longest=2),
        dict(longest=partial(kinds.whole, huge=EITHER)),
    )
    steps = dict(parameters=partial(of_parameters, arrays=("embeddings", "output_vector")), corpus=of_corpus)
    found["exact_values"] = Twin(ts.exact_values, dict(parameters=uniform, corpus=texts, **ratio), steps | rate)
    found["adam_values"] = Twin(
        ts.adam_values,
        dict(parameters=uniform, corpus=texts, **ratio, epsilon=1e-8),
        steps | rate | dict(epsilon=kinds.positive),
    )
    found["predicted_values"] = Twin(ts.predicted_values, dict(corpus=texts, **ratio), dict(corpus=kinds.corpus) | rate)
    found["predicted_scores"] = Twin(
        ts.predicted_scores,
        dict(corpus=texts, embedding_rate=8.0, cls_rate=10.0),
        dict(corpus=partial(kinds.corpus, three=ERROR), embedding_rate=kinds.positive, cls_rate=kinds.positive),
    )
    free = partial(kinds.numbers, free=())
    pair = dict(skew=partial(free, nan=EITHER), amounts=free)
    tables = dict(skew=("skew", "amounts"), amounts=("skew", "amounts"))
    bins = partial(kinds.whole, most=None)
    found["binned"] = Twin(
        ts.binned, dict(skew=skew, amounts=amounts, bins=3), pair | dict(bins=lambda value, random: (
            bad for bad in bins(value, random) if bad.label not in ("an array", "a tensor", "a list"))), fields=tables,
        undefined=("means", "spreads"))  # fmt: skip
    edges = np.array([-1.0, 0.0, 1.0])
    found["binned, edges"] = Twin(
        ts.binned, dict(skew=skew, amounts=amounts, bins=edges),
        dict(bins=lambda value, random: (bad for bad in kinds.numbers(value, random, free=(0,), huge=False)
                                         if bad.label not in ("no axis",))),
    )  # fmt: skip
    found["word_correlation"] = Twin(
        ts.word_correlation, dict(skew=skew, amounts=amounts), pair, fields=tables, undefined=("result",)
    )
    found["matched_correlation"] = Twin(
        ts.matched_correlation,
        dict(learnt_from=amounts, others=texts, scores=amounts, min_texts=1, group=2),
        dict(
            learnt_from=kinds.numbers, others=kinds.corpus, scores=kinds.numbers,
            min_texts=partial(kinds.whole, huge=EITHER), group=partial(kinds.whole, least=2, huge=EITHER),
        ),
        fields=dict(others=("others", "learnt_from", "scores")), undefined=("result",),
    )  # fmt: skip
    found["head_preferences"] = Twin(
        ts.head_preferences,
        dict(
            attention=np.ones((24, 1, 1, 300)), tokens=[list(range(300))] * 24, labels=[-1, 1] * 12, min_texts=1,
            permutations=1, seed=0,
        ),
        dict(
            labels=kinds.labels, min_texts=partial(kinds.whole, huge=EITHER), permutations=partial(kinds.whole, huge=None),
            seed=kinds.generator_or_seed,
        ),
        fields=dict(labels=("labels", "label")), undefined=("signed", "unsigned", "chance", "ceiling"),
    )  # fmt: skip
    of_heads = dict(
        attention=np.ones((24, 1, 1, 300)), tokens=[list(range(300))] * 24, labels=[-1, 1] * 12, min_texts=1, permutations=1,
        seed=0, ignore=("[PAD]",), others=([list(range(300))] * 8, [-1, 1] * 4),
    )  # fmt: skip
    found["head_preferences, others"] = Twin(
        ts.head_preferences, of_heads,
        dict(attention=attention_of_heads, tokens=lists_of_tokens, others=further_texts, ignore=words_to_ignore),
        fields=dict.fromkeys(("attention", "tokens"), ("attention", "tokens")) | dict(others=("others", "label")),
        undefined=("signed", "unsigned", "chance", "ceiling"),
    )  # fmt: skip
    found["with_control"] = Twin(
        ts.with_control,
        halves | dict(amounts_of=share_of, shuffles=1, seed=0, bins=3, min_texts=1),
        dict(
            corpus=partial(kinds.fitting_corpus, three=ERROR), held_out=partial(kinds.fitting_corpus, three=ERROR),
            amounts_of=kinds.function, shuffles=partial(kinds.whole, huge=None), seed=kinds.generator_or_seed,
            bins=found["binned"].kinds["bins"], min_texts=partial(kinds.whole, huge=EITHER),
        ),
        fields=dict(corpus=("corpus", "held_out", "skew", "amounts"), held_out=("corpus", "held_out", "skew")),
        undefined=("share",),
    )  # fmt: skip
    found["Corpus"] = Twin(
        ts.Corpus,
        dict(counts=texts.counts, labels=LABELS, vocabulary=WORDS, class_names=("down", "up"), weights=np.arange(1.0, 7.0)),
        {name: getattr(kinds, name) for name in ("counts", "labels", "class_names", "weights")} | dict(vocabulary=kinds.words),
        fields=dict(
            counts=("counts",), labels=("labels", "label"), vocabulary=("vocabulary", "words"),
            class_names=("class_names", "labels", "classes"), weights=("weights",),
        ),
    )  # fmt: skip
    found["shuffle_labels"] = Twin(
        ts.shuffle_labels, dict(corpus=texts, seed=3), dict(corpus=kinds.corpus, seed=kinds.generator_or_seed)
    )
    for name in ("split", "balanced"):
        wanted = dict(seed=3) | (dict(fraction=0.5) if name == "split" else {})
        checked = dict(seed=kinds.generator_or_seed, fraction=partial(kinds.share, open_below=True))
        found[f"Corpus.{name}"] = Twin(getattr(texts, name), wanted, {key: checked[key] for key in wanted})
    found["Corpus.column"] = Twin(
        texts.column, dict(word="film"), dict(word=lambda value, random: kinds.strangers(random)), errors=(KeyError, TypeError)
    )
    found["Corpus.__getitem__"] = Twin(texts.__getitem__, dict(rows=np.array([0, 3])), dict(rows=rows),
        errors=(ValueError, TypeError, IndexError),  # by which Python knows where a sequence ends
    )  # fmt: skip
    found["conserved"] = Twin(
        ts.conserved, dict(parameters=drawn),
        dict(parameters=lambda value, random: (
            bad for bad in of_parameters(value, random) if not ("embeddings" in bad.label and "along 0" in bad.label))),
    )  # fmt: skip
    told = ("gradient", "parameters", "text", "relevant", "embeddings", "cls_embedding", "output_vector", "selection", "corpus")
    of_flows = dict(fields=dict(parameters=told, corpus=told, selection=told), undefined=("log_missed", "log_gradient_norms"))
    found["joint_flow"] = Twin(
        ts.joint_flow,
        dict(parameters=drawn, corpus=texts, times=[0.0, 0.25, 1.0], tolerance=1e-6),
        dict(parameters=of_parameters, corpus=either, times=times, tolerance=kinds.positive),
        errors=(ValueError, TypeError, RuntimeError), **of_flows,
    )  # fmt: skip
    found["output_flow"] = Twin(
        ts.output_flow, dict(parameters=limit, corpus=texts, arc_length=2.0, records=3, tolerance=1e-6),
        both | flows | dict(arc_length=kinds.positive), **of_flows,
    )  # fmt: skip
    found["gradient_flow"] = Twin(
        ts.gradient_flow,
        dict(
            parameters=limit, corpus=texts, arc_length=10.0, selection=np.array([3, 2, 3, 0, 0, 0]), records=3, tolerance=1e-6
        ),
        both | flows | selected | dict(arc_length=kinds.positive),
        **of_flows,
    )
    found["key_query_flow"] = Twin(
        ts.key_query_flow,
        dict(parameters=drawn, key_query=np.eye(7), corpus=texts, arc_length=10.0, options=dict(records=3, tolerance=1e-6)),
        dict(parameters=of_parameters, key_query=kinds.numbers, corpus=of_corpus, arc_length=kinds.positive),
        fields=of_flows["fields"] | dict(key_query=("key_query", *told)), undefined=of_flows["undefined"],
    )  # fmt: skip
    found["key_query_flow, options"] = Twin(
        ts.key_query_flow,
        dict(parameters=drawn, key_query=np.eye(7), corpus=texts, arc_length=10.0, records=3, tolerance=1e-6),
        flows, **of_flows,
    )  # fmt: skip
    found["key_query_at"] = Twin(
        ts.key_query_at,
        dict(query=rounded(random.standard_normal(3)), key_query=np.eye(3), cls_embedding=rounded(random.standard_normal(3))),
        dict(query=kinds.numbers, key_query=kinds.numbers, cls_embedding=kinds.numbers),
        fields=dict.fromkeys(("query", "key_query", "cls_embedding"), ("query", "key_query", "cls_embedding")),
    )
    found["limit_parameters"] = Twin(
        ts.limit_parameters, dict(corpus=texts, **ratio), dict(corpus=partial(kinds.corpus, three=ERROR)) | rate
    )
    found["normalised_steps"] = Twin(
        ts.normalised_steps,
        dict(parameters=limit, corpus=texts, step_size=0.5, steps=4, selection=np.array([3, 2, 3, 0, 0, 0]), records=3),
        both | selected | dict(
            step_size=kinds.positive, steps=partial(kinds.whole, huge=None), records=partial(kinds.whole, least=2),
        ),
        **of_flows,
    )  # fmt: skip
    flow = ts.gradient_flow(limit, texts, 10.0, records=3, tolerance=1e-6)
    found["Flow.distance_to"] = Twin(flow.distance_to, dict(direction=np.ones(6)), dict(direction=kinds.numbers))
    found["competition"] = Twin(
        ts.competition,
        dict(token_values=np.array([-2.0, 0.0, 1.0, 1.0, 0.0]), corpus=texts, irrelevant_value=0.0, both_labels=True),
        dict(token_values=kinds.numbers, corpus=of_corpus, irrelevant_value=any_number, both_labels=kinds.flag),
        fields=dict.fromkeys(("token_values", "irrelevant_value", "corpus"), ("token_values", "irrelevant_value", "value")),
    )
    found["head_growth"] = Twin(
        ts.head_growth,
        dict(token_values=np.array([-2.0, 0.0, 1.0, 1.0, 0.0]), corpus=texts),
        dict(token_values=kinds.numbers, corpus=of_corpus),
        fields=dict.fromkeys(("token_values", "corpus"), ("token_values", "value")),
    )
    found["selection_certificate"] = Twin(
        ts.selection_certificate, dict(parameters=drawn, corpus=texts), both, undefined=("lead", "threshold")
    )
    found["allowed_error"] = Twin(
        ts.allowed_error, dict(relevant=2, size=1.0), dict(relevant=partial(kinds.whole, huge=None), size=kinds.positive)
    )
    even = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    found["sufficient_dimension"] = Twin(
        ts.sufficient_dimension,
        dict(corpus=even, value=0.1, failure=0.1),
        dict(corpus=of_corpus, value=kinds.positive, failure=kinds.positive),
    )
    found["max_margin"] = Twin(
        ts.max_margin,
        dict(embeddings=drawn.embeddings, corpus=texts, selection=np.array([3, 2, 3, 0, 0, 0])),
        dict(embeddings=partial(kinds.numbers, free=(1,)), corpus=either) | selected,
        fields=dict(embeddings=("embeddings", "selection"), corpus=("selection", "corpus")),
        errors=(ValueError, TypeError, RuntimeError),
    )  # fmt: skip
    found["selected_pairs"] = Twin(
        ts.selected_pairs, dict(corpus=texts, selection=np.array([3, 2, 3, 0, 0, 0])), dict(corpus=kinds.corpus) | selected,
        fields=dict(corpus=("selection", "corpus")),
    )  # fmt: skip
    found["mean_over_tokens"] = Twin(
        ts.mean_over_tokens,
        dict(weights=torch.ones(1, 2), rows=torch.tensor([[2.0], [4.0]]), texts=words_of_two()),
        dict(weights=tensor, rows=lambda value, random: (bad for bad in tensor(value, random) if bad.label != "a row more")),
    )
    size = {"vocab_size": 5, "dim": 4, "seed": 3, "num_classes": 3, "dtype": "float64"}
    checks = dict(
        vocab_size=kinds.whole, dim=kinds.whole, seed=kinds.generator_or_seed, num_classes=partial(kinds.whole, least=2),
        dtype=kinds.choice,
    )  # fmt: skip
    sized = dict.fromkeys(("vocab_size", "dim", "num_classes"), ("vocab_size", "dim", "num_classes"))
    found["init_parameters"] = Twin(ts.init_parameters, size, checks, fields=sized)
    for name, settings in (
        ("OneLayer", {}),
        ("TwoLayersWithoutKeyQuery", dict(residual=0.5, scale=0.5, bfloat16=True)),
        ("TwoLayers", dict(residual=0.5, scale=0.5, identity=0.5, spread=0.5, bfloat16=True)),
        ("WithMLP", dict(identity=0.5, spread=0.5, activation="gelu", initial="pytorch", bfloat16=True)),
    ):
        by_type = {str: kinds.choice, bool: kinds.flag, float: any_number}
        choices = {key: by_type[type(value)] for key, value in settings.items()}
        found[name] = Twin(
            partial(logits_of, name, texts), settings, choices, fields=dict.fromkeys(settings, (*settings, "logits"))
        )
        found[f"{name}.start"] = Twin(getattr(ts, name)().start, size, checks, fields=sized)
    start = {name: getattr(ts, name)().start(5, 4, 3, dtype="float64") for name in ("TwoLayers", "WithMLP")}
    found["KeyQueryParameters"] = arrays_of(ts.KeyQueryParameters, start["TwoLayers"])
    found["MLPParameters"] = arrays_of(ts.MLPParameters, start["WithMLP"])
    found["Parameters"] = arrays_of(ts.Parameters, drawn)
    found["NamedArrays.to"] = Twin(drawn.to, dict(device="cpu"), dict(device=device))
    found["NamedArrays.map"] = Twin(drawn.map, dict(function=np.negative), dict(function=kinds.function))
    for name, arrays in start.items():
        moved = arrays.map(lambda array: rounded(array + 0.1 * random.standard_normal(array.shape)))
        found[f"logits, {name}"] = Twin(
            ts.logits,
            dict(parameters=moved, corpus=texts, model=getattr(ts, name)()),
            dict(parameters=of_parameters, corpus=of_corpus),
        )
    found["most_frequent"] = Twin(
        quietly(ts.most_frequent),
        dict(corpus=texts, max_tokens=2),
        dict(corpus=kinds.corpus, max_tokens=partial(kinds.whole, huge=EITHER)),
    )
    found["descend_"] = Twin(
        stepped, dict(parameters=drawn, corpus=texts, **ratio), dict(parameters=in_place, corpus=of_corpus) | rate, changes=True
    )
    found["score_gradients"] = Twin(
        ts.score_gradients,
        dict(scores=drawn.token_scores, values=drawn.token_values, corpus=texts),
        dict(scores=vector_of_floats, values=vector_of_floats, corpus=of_corpus),
        fields=dict.fromkeys(("scores", "values", "corpus"), ("scores", "values")),
    )
    found["Options"] = Twin(
        ts.Options,
        dict(
            dim=4, steps=3, learning_rate=0.5, optimizer="adam", trained=("embeddings",), batch_size=2, patience=2,
            evaluate_every=1, seed=3, device="cpu", distributed=False, checkpoint="a.safetensors", watch=print, verbose=False,
        ),
        options(),
    )  # fmt: skip
    found["versions"] = Twin(ts.versions, {}, {})
    for name, changes in {
        "one_relevant_token": {},
        "several_relevant_tokens": dict(per_text=2),
        "partly_positive_tokens": dict(impurity=0.25),
        "negation": dict(negated=0.25),
        "independent_tokens": dict(signal=0.5, relevant=None),
        "xor_of_pairs": dict(relevant=None),
    }.items():
        found[name] = synthetic(name, **changes)
    found["skews"] = Twin(
        ts.skews, dict(vocab_size=5, signal=0.5), dict(vocab_size=partial(kinds.whole, least=2), signal=kinds.share)
    )
    found["corpus_from_texts"] = Twin(
        ts.corpus_from_texts,
        dict(
            texts=TEXTS, labels=LABELS, vocabulary=None, min_count=1, max_words=4, lowercase=True, separators=None,
            tokenizer=None, class_names=("down", "up"),
        ),
        dict(
            texts=some_texts, labels=kinds.labels, min_count=partial(kinds.whole, huge=ERROR),
            max_words=partial(kinds.whole, huge=EITHER, none=False), lowercase=kinds.flag,
            separators=partial(pattern, none=False), class_names=kinds.class_names,
        ),
        fields=dict(labels=("labels", "label"), class_names=("class_names", "labels", "classes"),
                    texts=("text", "texts", "labels", "vocabulary")),
    )  # fmt: skip
    found["corpus_from_texts, vocabulary"] = Twin(
        ts.corpus_from_texts,
        dict(texts=TEXTS, labels=LABELS, vocabulary=list(WORDS), tokenizer=str.split),
        dict(vocabulary=vocabulary_to_count, tokenizer=partial(tokenizer)),
        fields=dict(tokenizer=("tokenizer",)),
    )
    for name in ("logits", "loss", "accuracy", "gradients", "attention"):
        found[name] = Twin(
            getattr(ts, name), dict(parameters=drawn, corpus=texts, model=ts.OneLayer()), both | dict(model=model)
        )
    found["train"] = Twin(
        quietly(ts.train),
        dict(
            corpus=texts, model=ts.OneLayer(), options=ts.Options(steps=3, dim=7), held_out=texts, start=drawn,
            changes=dict(verbose=False),
        ),
        dict(
            corpus=of_corpus, model=model, options=or_none(partial(kinds.member, kind=ts.Options)), held_out=or_none(of_corpus),
            start=or_none(of_parameters),
        ),
        fields=dict(
            corpus=("corpus", "held_out", "start", "texts", "embeddings"), held_out=("held_out",),
            start=("start", "embeddings", "cls_embedding", "output_vector"),
        ),
        undefined=("losses",),  # the history shows a divergence, which a warning tells
    )  # fmt: skip
    found["train, options"] = Twin(
        trained, dict(corpus=texts, steps=3, learning_rate=0.5, optimizer="gradient descent", batch_size=2, patience=2,
                      evaluate_every=1, seed=3, trained=("embeddings",), verbose=False),
        {key: kind for key, kind in options().items() if key not in ("dim", "device", "distributed", "checkpoint", "watch")},
    )  # fmt: skip
    found["train, device"] = Twin(
        trained, dict(corpus=texts, steps=3, verbose=False, device="cpu", trained=("embeddings",), distributed=False),
        dict(device=or_none(device), distributed=kinds.flag,
             trained=lambda value, random: [kinds.constant("no array's name", ERROR, ["embedding"])]),
    )  # fmt: skip
    found["train, changes"] = Twin(
        quietly(ts.train), dict(corpus=texts, model=ts.OneLayer(), changes=dict(steps=3, dim=7, verbose=False)),
        dict(changes=lambda value, random: [kinds.constant("an option that there is not", ERROR, dict(step=3))]),
        fields=dict(changes=("option",)),
    )  # fmt: skip
    import of_your_data  # here, as it takes the class Twin from this file

    return found | estimators(random) | of_your_data.found(random)


def estimators(random):
    """Return twins of what has scikit-learn's ways; its own checks speak in its own words."""
    counted, signs, voices = np.array(COUNTS), np.array(LABELS), ("tokensel_nb", "sklearn")
    table = partial(kinds.numbers, huge=False, torch_too=False, free=(1,))
    x = dict(X=lambda value, random: (bad for bad in table(value, random) if bad.label not in NOT_FOR_SKLEARN))
    said = dict(
        X=("X", "array", "sample", "feature", "input", "input data", "data", "dtype"),
        sample_weight=("weight",),
        y=("y", "label", "class"),
    )
    found = {
        "AttentionClassifier": Twin(
            fitted, dict(dim=4, alpha=1.0, learning_rate=0.1, max_iter=3, random_state=0),
            dict(dim=partial(kinds.whole, huge=None), alpha=positive_or_zero, learning_rate=kinds.positive,
                 max_iter=partial(kinds.whole, huge=None)),
            voices=voices, fields=dict(alpha=("weights",)),
        ),
        "AttentionClassifier.fit": Twin(
            partial(fitted_on, ts.AttentionClassifier), dict(X=counted, y=signs, sample_weight=np.ones(6)),
            x | dict(sample_weight=of_samples), voices=voices, fields=said,
        ),
        "AttentionClassifier.logits": Twin(
            ts.AttentionClassifier(4, max_iter=3, random_state=0).fit(counted, signs).logits, dict(X=counted),
            dict(X=lambda value, random: (bad for bad in kinds.numbers(value, random, huge=False, torch_too=False, free=(0,))
                                          if bad.label not in NOT_FOR_SKLEARN)),
            voices=voices, fields=said,
        ),
    }  # fmt: skip
    texts, names = TEXTS * 4, ["up", "up", "up", "down", "down", "down"] * 4
    model = classifier(tuple(texts), tuple(names))
    many = partial(some_texts, lengths=False)
    told = dict(fields=dict.fromkeys(("X", "texts"), ("text", "texts", "X", "vocabulary", "sample")), voices=voices)
    found["TextClassifier"] = Twin(
        partial(fitted_on, ts.TextClassifier), dict(X=texts, y=names), dict(X=partial(some_texts, half=EITHER)), **told
    )
    for name, argument in dict(logits="texts", attention="texts", predict="X", predict_proba="X").items():
        found[f"TextClassifier.{name}"] = Twin(getattr(model, name), {argument: TEXTS}, {argument: many}, **told)
    found["explain"] = Twin(
        explained, dict(model=model, text="a good film"), dict(model=partial(kinds.member, kind=ts.TextClassifier), text=text)
    )
    found["live"] = Twin(
        lived, dict(model=model, examples=["good"], shown=["film"]),
        dict(model=partial(kinds.member, kind=ts.TextClassifier), examples=a_list_of_words, shown=a_list_of_words),
    )  # fmt: skip
    kinds_of_words = dict(
        rests=counted_numbers, hits=counted_numbers, classes=counted_numbers, base=partial(counted_numbers, free=(0,))
    )
    found["suspicion"] = Twin(
        ts.suspicion, words_of_noise(), kinds_of_words, fields=dict.fromkeys(kinds_of_words, tuple(kinds_of_words)),
    )  # fmt: skip
    found["report"] = Twin(
        ts.report, dict(model=model, texts=texts, labels=names, folds=2, least=2, quotes=1, seed=0),
        dict(model=partial(kinds.member, kind=ts.TextClassifier), texts=partial(some_texts, lengths=False, blanks=False),
             folds=partial(kinds.whole, least=2, huge=None),
             least=partial(kinds.whole, huge=None), quotes=partial(kinds.whole, least=0, huge=None), seed=kinds.whole_seed),
        fields=dict(texts=("text",), model=("probabilities",)),
    )  # fmt: skip
    found["report, of probabilities"] = Twin(
        ts.report, dict(model=model.predict_proba(texts), texts=texts, labels=names, folds=2, least=2),
        dict(model=partial(kinds.numbers, huge=False)), fields=dict(model=("probabilities",)),
    )  # fmt: skip
    return found


def words_of_noise():
    """Return what `suspicion` asks of 30 words that mean nothing; see its example."""
    base, rests = np.zeros((2, 2, 81)), np.zeros((30, 81))
    base[:, 0, [36, 44]], base[:, 1, [36, 44]], rests[:, [36, 44]] = (365, 135), (135, 365), 20
    return dict(rests=rests, hits=np.random.default_rng(0).binomial(40, 0.5, size=30), classes=np.zeros(30, int), base=base)


def counted_numbers(value, random, free=()):
    for bad in kinds.numbers(value, random, free=free, huge=False, torch_too=False, as_float32=False):
        if bad.label not in ("ragged", "float16", "transposed"):
            yield bad


NOT_FOR_SKLEARN = {
    "a tensor with history",
    "masked",
    "dates",
    "None inside",
    "of objects",
    "strings",
    "sparse",
    "a word inside",
    "no axis",
}


@cache
def classifier(texts, names):
    return ts.TextClassifier(random_state=0).fit(list(texts), list(names))


def fitted(**settings):
    model = ts.AttentionClassifier(**settings).fit(np.array(COUNTS), np.array(LABELS))
    return model.parameters_


def fitted_on(kind, *args, **kwargs):
    settings = dict(dim=4, max_iter=3) if kind is ts.AttentionClassifier else {}
    return kind(random_state=0, **settings).fit(*args, **kwargs).parameters_


def explained(model, text):
    return ts.explain(model, text).contributions


def lived(model, examples, shown):
    return ts.live(model, examples, shown)._repr_html_()[:0] or "shown"


def trained(**arguments):
    with warnings.catch_warnings(action="ignore"):
        return ts.train(held_out=arguments["corpus"], dim=4, **arguments).parameters


def quietly(call):
    """Return a callable that tells no warnings: what is warned of is no fault."""

    def called(*args, changes=None, **kwargs):
        with warnings.catch_warnings(action="ignore"):
            return call(*args, **kwargs, **(changes or {}))

    called.__wrapped__ = call
    return called


def stepped(parameters, corpus, learning_rate):
    """Take a step in place on parameters that nobody else holds, and return them."""
    ts.descend_(parameters, corpus, learning_rate)
    return parameters


def share_of(part):
    return {"share": part.signed_share()}


def logits_of(name, texts, **settings):
    model = getattr(ts, name)(**settings)
    return ts.logits(model.start(5, 4, 3, dtype="float64"), texts, model)


def arrays_of(kind, start):
    """Return the twin of a dataclass of arrays."""
    given = start.arrays()
    of_array = lambda value, random, free=(): (
        bad if bad.label not in ("float32", "a tensor", "a tensor with history") else kinds.replace(bad, outcome=ERROR)
        for bad in kinds.numbers(value, random, nan=EITHER, free=free)
        if "inf inside" not in bad.label
    )
    names = (*given, "parameters")
    checked = dict.fromkeys(given, of_array) | dict(embeddings=partial(of_array, free=(0,)))
    return Twin(kind, given, checked, fields=dict.fromkeys(given, names), undefined=("result",))


def words_of_two():
    from tokensel_nb.models.autograd import Texts

    return Texts(torch.arange(2), torch.tensor([[0, 1]]), torch.zeros(1, 2), torch.tensor([True]))


def in_place(value, random):
    """Yield parameters that are to be changed; what cannot be written to is refused."""
    for bad in kinds.parameters(value, random):
        sealed = any(label in bad.label for label in ("read only", "memory-mapped"))
        yield kinds.replace(bad, outcome=ERROR) if sealed else bad


def options():
    whole = partial(kinds.whole, huge=EITHER)
    return dict(
        dim=whole, steps=partial(kinds.whole, huge=None), learning_rate=kinds.positive, optimizer=kinds.choice,
        trained=trained_names,
        batch_size=partial(whole, none=False), patience=partial(whole, none=False), evaluate_every=whole,
        seed=kinds.whole_seed, distributed=kinds.flag, verbose=kinds.flag,
        device=a_name_of_a_device,
        watch=lambda value, random: (bad for bad in kinds.function(value, random) if bad.label != "None"),
        checkpoint=path,
    )  # fmt: skip


def a_name_of_a_device(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label not in ("a string", "a text"))
    for label, bad in {"0": 0, "False": False, "True": True, "empty": "", "a list": ["cpu"]}.items():
        yield kinds.constant(label, ERROR, bad)
    yield kinds.Bad("torch's", SAME, lambda: torch.device("cpu"))
    yield kinds.constant("numpy string", SAME, np.str_(value))


def path(value, random):
    for bad in kinds.strangers(random, none=False):
        if "string" not in bad.label and "text" not in bad.label:
            yield bad
    yield kinds.constant("a number", ERROR, 3)


def trained_names(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label not in ("a string", "a text"))
    yield kinds.constant("empty", ERROR, ())
    yield kinds.constant("numbers", ERROR, (1, 2))
    yield kinds.constant("a name alone", SAME, "embeddings")
    yield kinds.constant("a list", SAME, ["embeddings"])


def rows(value, random):
    """Yield what picks texts."""
    yield from (bad for bad in kinds.strangers(random) if bad.label not in ("None",))
    for label, bad in {"beyond": [99], "far below": [-99], "fractions": [0.5], "nan": [np.nan], "a short mask": [True]}.items():
        yield kinds.constant(label, ERROR, np.array(bad))
    yield kinds.constant("a table", ERROR, np.array([[0, 1]]))
    yield kinds.constant("a number beyond", ERROR, 99)
    yield kinds.constant("a list", SAME, [0, 3])
    yield kinds.constant("a mask", SAME, np.array([True, False, False, True, False, False]))
    yield kinds.constant("a slice", SAME, slice(0, 4, 3))
    yield kinds.constant("from behind", SAME, [-6, -3])
    yield kinds.constant("int8", SAME, np.array([0, 3], "int8"))


def times(value, random):
    drop = ("no axis", "one too many along 0", "one too few along 0")
    yield from (bad for bad in kinds.numbers(value, random, huge=False) if bad.label not in drop)
    yield kinds.constant("descending", ERROR, [1.0, 0.5])
    yield kinds.constant("negative", ERROR, [-1.0, 0.5])


def or_none(kind):
    """Return the kind of an argument that may be left out."""
    return lambda value, random: (bad for bad in kind(value, random) if bad.label != "None")


def any_number(value, random):
    yield from kinds.no_numbers(random)
    yield kinds.constant("huge", EITHER, 1e300)
    yield kinds.constant("float64", SAME, np.float64(value))
    yield kinds.constant("negative", EITHER, -1.5)


def positive_or_zero(value, random):
    yield from kinds.positive(value, random, zero=EITHER)


def vector_of_floats(value, random):
    """Yield values for arrays of one kind and dtype, of which there are two."""
    for bad in kinds.numbers(value, random, as_float32=False):
        if bad.label in ("a tensor", "a tensor with history", "float16"):
            bad = kinds.replace(bad, outcome=ERROR)
        yield bad


def tensor(value, random):
    yield from kinds.strangers(random)
    yield kinds.Bad("an array", EITHER, lambda: value.numpy())
    yield kinds.Bad("an axis more", ERROR, lambda: value[..., None])
    yield kinds.Bad("a row more", ERROR, lambda: torch.cat([value, value]) if value.shape[0] == 1 else value[:1])


def device(value, random):
    yield from (bad for bad in kinds.strangers(random))
    for label in ("", "banana", "cuda:99", "cpu:cpu", "meta"):
        yield kinds.constant(f"{label!r}", ERROR, label)
    yield kinds.Bad("torch's", SAME, lambda: torch.device("cpu"))


def some_texts(value, random, *, lengths=True, half=ERROR, blanks=True):
    yield from kinds.strangers(random)
    listed = list(value)
    for label, bad in {
        "None": None,
        "a number": 3,
        "nan": np.nan,
        "bytes": b"good",
        "a list": ["good"],
        "object": object(),
    }.items():
        yield kinds.Bad(f"{label} inside", ERROR, lambda bad=bad: [*listed[:2], bad, *listed[3:]])
    yield kinds.Bad("a surrogate inside", half if lengths else EITHER, lambda: [*listed[:2], "good \ud800 film", *listed[3:]])
    if lengths:
        yield kinds.Bad("one too many", ERROR, lambda: [*listed, "more"])
        yield kinds.Bad("one too few", ERROR, lambda: listed[1:])
        yield kinds.Bad("no word at all", ERROR, lambda: ["?!"] * len(listed))
    yield kinds.Bad("a table", ERROR, lambda: np.array([[text, text] for text in listed]))
    for label, form in dict(
        tuple=tuple, array=np.array, objects=partial(np.array, dtype=object), series=kinds.pd.Series
    ).items():
        yield kinds.Bad(label, SAME, lambda form=form: form(listed))
    long = listed[0] + " " * int(random.integers(10**5))
    if blanks:
        yield kinds.Bad("many blanks", SAME, lambda: [long, *listed[1:]])


def text(value, random):
    yield from (bad for bad in kinds.strangers(random) if bad.label not in ("a string", "a text"))
    yield kinds.constant("a number", ERROR, 3)
    yield kinds.constant("nan", ERROR, np.nan)
    yield kinds.constant("numpy string", SAME, np.str_(value))
    yield kinds.constant("a surrogate", EITHER, "good \ud800")


def a_list_of_words(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label not in ("a string", "a text", "a set"))
    yield kinds.constant("a number inside", ERROR, [3])
    yield kinds.constant("None inside", ERROR, [None])


def pattern(value, random, *, none):
    yield from (bad for bad in kinds.strangers(random, none=none) if bad.label not in ("a string", "a text"))
    for bad in ("(", "[a", "(?=a)", "\\", "a{1000000}", "\ud800"):
        yield kinds.constant(ascii(bad), ERROR, bad)
    yield kinds.constant("a number", ERROR, 3)


def tokenizer(value, random):
    yield from (bad for bad in kinds.function(value, random) if bad.label not in ("None",))
    for label, result in {"None": None, "a number": 3, "numbers": [1, 2], "None inside": [None]}.items():
        yield kinds.constant(f"one that returns {label}", ERROR, lambda _, result=result: result)


def vocabulary_to_count(value, random):
    for bad in kinds.words(value, random):
        if bad.label not in ("one too many", "one too few", "None"):
            yield bad
    yield kinds.constant("numbers inside", ERROR, [1, 2])


def of_samples(value, random):
    drop = NOT_FOR_SKLEARN | {"a number", "ragged", "twice as much"}  # beside imaginary texts, sizes matter too
    yield from (bad for bad in kinds.weights(value, random) if bad.label not in drop)


def attention_of_heads(value, random):
    yield from kinds.strangers(random)
    for label, bad in {"nan": np.nan, "inf": np.inf, "negative infinity": -np.inf}.items():
        yield kinds.Bad(f"{label} inside", ERROR, lambda bad=bad: kinds.with_one(value, random, bad))
    yield kinds.Bad("zeros", ERROR, lambda: 0 * value)
    yield kinds.Bad("one text fewer", ERROR, lambda: value[1:])
    yield kinds.Bad("one place fewer", ERROR, lambda: value[..., 1:])
    yield kinds.Bad("an axis fewer", ERROR, lambda: value[:, 0])
    yield kinds.Bad("an axis more", ERROR, lambda: value[..., None])
    yield kinds.Bad("complex", ERROR, lambda: value + 1j)
    yield kinds.Bad("words", ERROR, lambda: value.astype(str))
    yield kinds.Bad("masked", ERROR, lambda: np.ma.masked_array(value, np.ones(value.shape, bool)))
    yield kinds.Bad("a list of arrays", SAME, lambda: list(value))
    yield kinds.Bad("a tensor", SAME, lambda: torch.tensor(value))


def lists_of_tokens(value, random):
    yield from kinds.strangers(random)
    for label, bad in {"a string": "good", "None": None, "a number": 3, "a set": {1}, "lists": [[1]]}.items():
        yield kinds.Bad(f"{label} inside", ERROR, lambda bad=bad: [bad, *value[1:]])
    yield kinds.Bad("one text fewer", ERROR, lambda: value[1:])
    yield kinds.Bad("an array", SAME, lambda: np.array(value))
    yield kinds.Bad("tuples", SAME, lambda: tuple(map(tuple, value)))


def further_texts(value, random):
    yield from kinds.strangers(random, none=False)
    tokens, signs = value
    for label, bad in {"a list": list(value), "one part": (tokens,), "three parts": (*value, 1), "no texts": ([], [])}.items():
        yield kinds.constant(label, EITHER if label == "no texts" else ERROR, bad)
    yield kinds.constant("a label more", ERROR, (tokens, [*signs, 1]))
    yield kinds.constant("labels of another kind", ERROR, (tokens, "up"))
    yield kinds.constant("numbers for tokens", ERROR, (3, signs))


def words_to_ignore(value, random):
    yield from (bad for bad in kinds.strangers(random, none=False) if bad.label != "a set")
    yield kinds.constant("a number", ERROR, 3)
    yield kinds.constant("None", ERROR, None)
    yield kinds.constant("lists inside", ERROR, [[1]])
    yield kinds.constant("a list", SAME, list(value))
    yield kinds.constant("a set of words", SAME, set(value))
