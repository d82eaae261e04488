"""The pages' playthings in notebooks, on your own arrays: the same scripts, as widgets that talk to Python."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import anywidget
import numpy as np
import traitlets

from ..extras import plt
from ..model import evaluate
from ..parameters import Parameters

HERE = Path(__file__).parent / "playthings"  # within the installed package; else those of the book in a checkout
SCRIPTS = HERE if HERE.is_dir() else Path(__file__).parents[2] / "book/_static/playthings"


@cache
def _script(name) -> str:
    return (SCRIPTS / name).read_text("utf-8")


def _module(name, *parts) -> str:
    """Return the scripts of a plaything as one module; a function, so that every view has its own."""
    scripts = "\n".join(map(_script, ("engine.js", "ui.js", "widget_page.js", *parts, f"{name}.js")))
    return f"const scripts = () => {{\n{scripts}\nreturn tokensel;\n}};\nconst NAME = {name!r};\n{_script('widget.js')}"


def _setting(key, read, default):
    """Return a property that a plaything keeps in its address, where a page would keep it."""

    def get(self):
        return read(dict(parse_qsl(self.address))[f"{self.name}.{key}"]) if f"{self.name}.{key}=" in self.address else default

    def put(self, value):
        text = "_".join(f"{part:g}" for part in value) if read is _point else f"{value:g}" if read is not str else value
        self.address = urlencode(dict(parse_qsl(self.address)) | {f"{self.name}.{key}": text})

    return property(get, put)


def _point(text):
    return np.array([float(part) for part in text.split("_")])


def _bytes(numbers):
    return np.asarray(numbers, "<f4").tobytes()


class Plaything(anywidget.AnyWidget):
    """A plaything in a notebook: drag in it, or set its properties; either side follows the other.

    Parameters
    ----------
    picture : matplotlib Figure, optional
        What a notebook shows where no kernel runs, such as on GitHub or on paper.
    **settings
        Where it begins: any property of the plaything, such as ``start`` of `Flow`.
    """

    name = ""
    given = traitlets.Dict().tag(sync=True)  # what data scripts give on a page: names of the scripts' `tokensel`
    address = traitlets.Unicode("").tag(sync=True)  # what a page keeps behind the # of its address
    _css = _script("widget.css") + _script("playthings.css")

    def __init__(self, given=None, picture=None, **settings):
        """Give the scripts their data, and keep the picture."""
        super().__init__(given=given or {})
        self._picture = None if picture is None else _png(picture)
        for name, value in settings.items():
            setattr(self, name, value)

    def __repr__(self):
        """Say what it is, the same on every machine."""
        return f"{type(self).__name__}: run this cell to play"

    def _repr_mimebundle_(self, **options):
        """Hand notebooks the widget, and beside it the picture for where no widget is shown."""
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        still = {} if self._picture is None else {"image/png": self._picture}
        return data | still | {"text/plain": repr(self)}, metadata


def _png(figure) -> bytes:
    """Return a figure as a notebook would show it, and close it, so that none shows it twice."""
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    plt.close(figure)
    return file.getvalue()


class Flow(Plaything):
    """The flow of the query in the plane, of chapter 3: drag where it starts, and follow its path.

    Parameters
    ----------
    parameters : Parameters
        Of dimension 2. The query is left out: the flow has a start of its own.
    corpus : Corpus
        A few short texts in two classes.
    **options
        Of `Plaything`. ``start`` is where the query starts, an array of shape (2,); ``length`` how far along its path it is.
    """

    name, _esm = "flow", _module("flow", "plane.js")
    start, length = _setting("p", _point, np.array([5.0, -4.0])), _setting("length", float, 0.0)

    def __init__(self, parameters, corpus, **options):
        """Take the words' embeddings, and the texts."""
        self.corpus = corpus
        super().__init__(self._given(parameters), **options)

    def show(self, parameters):
        """Show other parameters of the same texts."""
        self.given = self._given(parameters)

    def _given(self, parameters):
        texts = []
        for row, sign in zip(self.corpus.counts.toarray(), self.corpus.signs):
            speaks = -sign * parameters.token_values  # the word that speaks most clearly for the label comes first
            tokens = sorted(np.flatnonzero(row).tolist(), key=speaks.__getitem__)
            texts.append({"tokens": tokens, "label": int(sign > 0)})
        rows, head = parameters.embeddings.tolist(), parameters.output_vector.tolist()
        return {"flowOf": {"words": list(self.corpus.vocabulary), "E": rows, "v": head, "texts": texts}}


class Plane(Plaything):
    """A sentence in the plane, of chapter 1: drag its words, the query p and the output vector v.

    Parameters
    ----------
    parameters : Parameters
        Of dimension 2: where words, p and v are. The property ``parameters`` is where they are now.
    words : sequence of str
        The sentence.
    **options
        Of `Plaything`.
    """

    name, _esm = "plane", _module("plane")

    def __init__(self, parameters, words, **options):
        """Take the places."""
        self.words = list(words)
        super().__init__(self._given(parameters), **options)

    def _given(self, parameters):
        spots = [*parameters.embeddings, parameters.cls_embedding, parameters.output_vector]
        return {"places": {name: f"{x:g}_{y:g}" for name, (x, y) in zip([*self.words, "p", "v"], spots)}}

    @property
    def parameters(self) -> Parameters:
        """What the reader has made of them."""
        now = dict(parse_qsl(self.address))
        *rows, p, v = (_point(now.get(f"plane.{name}", place)) for name, place in self.given["places"].items())
        return Parameters(np.array(rows), p, v)

    @parameters.setter
    def parameters(self, parameters):
        self.address, self.given = "", self._given(parameters)


class Cloud(Plaything):
    """Every word of a model by what it says and how loudly, as on the map of chapter 4.

    Parameters
    ----------
    parameters : Parameters
        Of two classes.
    corpus : Corpus
        The texts whose words they know.
    named : sequence of str
        Words whose names stand beside their points; by default the loudest.
    **options
        Of `Plaything`. ``word`` is the chosen word.

    Examples
    --------
    Watch your own training: ``ts.train(start, corpus, watch=lambda step, now: cloud.show(now))``.
    """

    name, _esm = "cloud", _module("cloud", "scatter.js")
    word = _setting("word", str, "")

    def __init__(self, parameters, corpus, named=(), **options):
        """Take the words' values and scores."""
        self.corpus, self.named = corpus, [corpus.column(word) for word in named]
        super().__init__(self._given(parameters), **options)

    def show(self, parameters):
        """Show other parameters of the same words."""
        self.given = self._given(parameters)

    def _given(self, parameters):
        values, scores = parameters.token_values, parameters.token_scores
        named = self.named or [*np.argsort(scores)[-4:].tolist(), *np.argsort(values)[[0, -1]].tolist()]
        numbers = {"values": values, "scores": scores, "weights": np.asarray(self.corpus.counts.sum(axis=0)).ravel()}
        packed = {name: _bytes(of_words) for name, of_words in numbers.items()}
        return {"cloudOf": {"words": list(self.corpus.vocabulary), "named": named, **packed}}


class Train(Plaything):
    """Ten sentences and a small network, of chapter 1: rewrite them, flip their labels, and train.

    Parameters
    ----------
    **options
        Of `Plaything`. ``texts`` are ten sentences, separated by "/"; ``labels`` ten digits, 1 for praise; ``steps`` how
        long the network has trained.
    """

    name, _esm = "train", _module("train", "plane.js")
    texts, labels, steps = _setting("texts", str, ""), _setting("labels", str, "1111100000"), _setting("steps", float, 20.0)


class Try(Plaything):
    """A text of your own, read by your own model, as in chapter 4.

    Parameters
    ----------
    stages : dict of int to Parameters
        The model after some steps of training, such as ``run.snapshots``.
    corpus : Corpus
        Texts that it was not trained on, whose words it knows; the plaything says how often it is right on them.
    **options
        Of `Plaything`. ``text`` is what is read; ``step`` the stage that reads it.
    """

    name, _esm = "try", _module("try")
    text, step = _setting("text", str, ""), _setting("step", float, 0.0)

    def __init__(self, stages, corpus, **options):
        """Take the words' values and scores at every stage."""
        models = list(stages.values())
        reviews = {"stages": list(stages), "right": [evaluate(model, corpus)[1] for model in models]}
        reviews |= {"values": [_bytes(model.token_values) for model in models]}
        reviews |= {"scores": [_bytes(model.token_scores) for model in models]}
        super().__init__({"vocabulary": list(corpus.vocabulary), "reviews": reviews}, **options)


class Step(Plaything):
    """One step on the embeddings of your own texts, as in chapter 2: its size and the dimension are yours to choose.

    Parameters
    ----------
    parameters : Parameters
        Before the step.
    corpus : Corpus
        Texts in two classes.
    **options
        Of `Plaything`. ``size`` is the size of the step, ``word`` the chosen word.
    """

    name, _esm = "step", _module("step", "scatter.js")
    size, word = _setting("eta", float, 3000.0), _setting("word", str, "")

    def __init__(self, parameters, corpus, **options):
        """Take every word's signed share, and its value before the step."""
        draw = parameters.token_values * np.sqrt(parameters.embeddings.shape[1])
        pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
        numbers = {"share": corpus.signed_share(), "draw": draw, "drawn_pull": pull}
        first = {name: _bytes(of_words) for name, of_words in numbers.items()}
        super().__init__({"vocabulary": list(corpus.vocabulary), "firstStep": first}, **options)


class Border(Plaything):
    """One word against several allies, of chapter 3; ``step`` is the size of the first step, ``allies`` their number."""

    name, _esm = "border", _module("border", "plane.js", "chart.js")
    step, allies = _setting("step", float, 250.0), _setting("k", float, 3.0)


class Start(Plaything):
    """One layer that learns from a small start, of chapter 12; ``size`` is that of the start, ``time`` the moment shown."""

    name, _esm = "start", _module("start", "chart.js")
    size, time = _setting("size", float, 0.01), _setting("time", float, 360.0)
