"""The pages' playthings in notebooks, on your own arrays: the same scripts, as widgets that talk to Python."""

from __future__ import annotations

import io
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np

from ..extras import anywidget, plt, traitlets
from ..margin import NotSeparableError, max_margin
from ..model import evaluate
from ..parameters import Parameters

HERE = Path(__file__).parent / "playthings"  # in an installed package; else those of the book in a checkout
SCRIPTS = HERE if HERE.is_dir() else Path(__file__).parents[2] / "book/_static/playthings"


@cache
def _script(name) -> str:
    return (SCRIPTS / name).read_text("utf-8")


def _module(name, *parts) -> str:
    """Return the scripts of a plaything as one module; a function, so that every view has its own."""
    scripts = "\n".join(map(_script, ("engine.js", "ui.js", "widget_page.js", *parts, f"{name}.js")))
    return f'const scripts = () => {{\n{scripts}\nreturn tokensel;\n}};\nconst NAME = "{name}";\n{_script("widget.js")}'


def _setting(key, read, default=None):
    """Return a property that a plaything keeps in its address, where a page would keep it."""

    def get(self):
        kept = self._kept().get(f"{self.name}.{key}")
        return default if kept is None else read(kept)

    def put(self, value):
        text = value if read is str else "_".join(f"{part:g}" for part in np.atleast_1d(value))
        self.address = urlencode(self._kept() | {f"{self.name}.{key}": text})

    return property(get, put)


def _point(text):
    return np.array([float(part) for part in text.split("_")])


def _bytes(numbers):
    return np.asarray(numbers, "<f4").tobytes()


class Plaything(anywidget.AnyWidget):
    """A plaything in a notebook: drag in it, or set its properties; either side follows the other.

    Parameters
    ----------
    given : dict, optional
        What the scripts draw, beside what they have.
    picture : matplotlib Figure, optional
        What a notebook shows where no kernel runs, such as on GitHub or on paper.
    **settings
        Where it begins: any property of the plaything, such as ``start`` of `Flow`. A property that nobody has set is None
        until the plaything is shown.
    """

    name = ""
    given = traitlets.Dict().tag(sync=True)  # what data scripts give on a page: names of the scripts' `tokensel`
    frame = traitlets.Dict().tag(sync=True)  # what changes while one watches, apart from the rest, which is sent once
    address = traitlets.Unicode("").tag(sync=True)  # what a page keeps behind the # of its address
    _css = _script("widget.css") + _script("playthings.css")

    def __init__(self, given=None, picture=None, **settings):
        """Give the scripts their data, and keep the picture."""
        super().__init__(given=given or {})
        self._picture = None if picture is None else _png(picture)
        for name, value in settings.items():
            if not isinstance(getattr(type(self), name, None), property):
                raise TypeError(f"{type(self).__name__} has no setting {name!r}")
            setattr(self, name, value)

    def __repr__(self):
        """Say what it is, the same on every machine."""
        return f"{type(self).__name__}: run this cell to play"

    def _kept(self):
        return dict(parse_qsl(self.address, keep_blank_values=True))

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
        A few short texts in two classes. In each, the word that speaks most for the label is the right one.
    **options
        Of `Plaything`. ``view`` is what the map shows, such as "pulls" or "star"; ``start`` where the query starts, an array of
        shape (2,); ``length`` how far along its path it is.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import play
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> mine = ts.Parameters(np.array([[1, 0.5], [-1, 0.5], [0, 0]]), np.zeros(2), np.array([1, 0]))
    >>> flow = play.Flow(mine, corpus, start=(-6, 3))
    >>> flow  # in a notebook: the plaything
    Flow: run this cell to play
    >>> flow.start
    array([-6.,  3.])
    """

    name, _esm = "flow", _module("flow", "plane.js", "chart.js")
    view, start, length = _setting("show", str), _setting("p", _point), _setting("length", float)

    def __init__(self, parameters, corpus, **options):
        """Take the words' embeddings, and the texts."""
        self.corpus = corpus
        super().__init__(self._given(parameters), **options)

    def show(self, parameters):
        """Show other parameters of the same texts; the start stays where it is."""
        self.given = self._given(parameters)

    def _given(self, parameters):
        texts, best, values = [], None, parameters.token_values
        for row, sign in zip(self.corpus.counts.toarray(), self.corpus.signs):
            tokens = np.repeat(np.arange(len(row)), row.astype(int)).tolist()
            tokens.sort(key=lambda word: -sign * values[word])
            texts.append({"tokens": tokens, "label": int(sign > 0)})
        with suppress(NotSeparableError):
            best = max_margin(parameters, self.corpus, [text["tokens"][0] for text in texts]).direction.tolist()
        rows, head = np.asarray(parameters.embeddings).tolist(), np.asarray(parameters.output_vector).tolist()
        return {"flowOf": {"words": list(self.corpus.vocabulary), "E": rows, "v": head, "texts": texts, "best": best}}


class Plane(Plaything):
    """A sentence in the plane, of chapter 1: drag its words, the query p and the output vector v.

    Parameters
    ----------
    parameters : Parameters
        Of dimension 2: where words, p and v are. The property ``parameters`` is where they are now.
    words : sequence of str
        The sentence, without repetition.
    **options
        Of `Plaything`.

    Raises
    ------
    ValueError
        If a word occurs twice or is "p" or "v".

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import play
    >>> places = ts.Parameters(np.array([[0.4, 0.2], [2, -1.5]]), np.array([1, -0.5]), np.array([0, 1]))
    >>> plane = play.Plane(places, ["film", "bad"])
    >>> plane.parameters.token_values
    array([ 0.2, -1.5])
    """

    name, _esm = "plane", _module("plane")

    def __init__(self, parameters, words, **options):
        """Take the places."""
        self.words = list(words)
        super().__init__(self._given(parameters), **options)

    def _given(self, parameters):
        names = [*self.words, "p", "v"]
        spots = np.array([*parameters.embeddings, parameters.cls_embedding, parameters.output_vector], float)
        if len({*names}) < len(names) or spots.shape != (len(names), 2):
            raise ValueError(f"{names} need different names, and a point of the plane each")
        return {"places": {name: f"{x:g}_{y:g}" for name, (x, y) in zip(names, spots)}}

    @property
    def parameters(self) -> Parameters:
        """What the reader has made of them."""
        now = self._kept()
        *rows, p, v = (_point(now.get(f"plane.{name}", place)) for name, place in self.given["places"].items())
        return Parameters(np.array(rows), p, v)

    @parameters.setter
    def parameters(self, parameters):
        given = self._given(parameters)
        with self.hold_sync():
            self.address, self.given = "", given


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
    Watch your own training:

    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters import play
    >>> corpus = ts.corpus_from_texts(["a good film", "a bad film"], ["up", "down"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0)
    >>> cloud = play.Cloud(start, corpus, word="good")
    >>> cloud  # in a notebook: the plaything
    Cloud: run this cell to play
    >>> run = ts.train(start, corpus, steps=20, watch=lambda step, now: cloud.show(now))
    """

    name, _esm = "cloud", _module("cloud", "scatter.js")
    word = _setting("word", str)

    def __init__(self, parameters, corpus, named=(), **options):
        """Take the words' values and scores."""
        words = {"words": list(corpus.vocabulary), "weights": _bytes(corpus.counts.sum(axis=0))}
        self.named = [corpus.column(word) for word in named]
        super().__init__({"cloudOf": words}, **options)
        self.show(parameters)

    def show(self, parameters):
        """Show other parameters of the same words."""
        values, scores = np.asarray(parameters.token_values), np.asarray(parameters.token_scores)
        named = self.named or np.unique([*np.argsort(scores)[-4:], *np.argsort(values)[[0, -1]]]).tolist()
        self.frame = {"named": named, "values": _bytes(values), "scores": _bytes(scores)}


class Train(Plaything):
    """Ten sentences and a small network, of chapter 1: rewrite them, flip their labels, and train.

    Parameters
    ----------
    **options
        Of `Plaything`. ``texts`` are ten sentences, separated by "/"; ``labels`` ten digits, 1 for praise; ``steps`` how
        long the network has trained.
    """

    name, _esm = "train", _module("train", "plane.js")
    texts, labels, steps = _setting("texts", str), _setting("labels", str), _setting("steps", int)


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
    text, step = _setting("text", str), _setting("step", int)

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
    size, word = _setting("eta", float), _setting("word", str)

    def __init__(self, parameters, corpus, **options):
        """Take every word's signed share, and its value before the step."""
        share, draw = corpus.signed_share(), parameters.token_values * np.sqrt(parameters.embeddings.shape[1])
        pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
        first = {"share": _bytes(share), "draw": _bytes(draw), "drawn_pull": _bytes(pull)}
        loudest = [corpus.vocabulary[word] for word in np.argsort(-np.abs(share))[:6]]
        super().__init__({"vocabulary": list(corpus.vocabulary), "firstStep": first, "named": loudest}, **options)


class SeeSaw(Plaything):
    """One word against several rivals on a see-saw, of chapter 3, and when it never wakes.

    Parameters
    ----------
    **options
        Of `Plaything`. ``view`` is "plank", "sleep", "ladder" or "depth"; ``rivals`` their number, ``competition`` κ, ``depth``
        how many notches down the word starts, and ``time`` how many tenfolds have passed.
    """

    name, _esm = "seesaw", _module("seesaw", "chart.js")
    view, rivals, competition = _setting("show", str), _setting("k", int), _setting("kappa", float)
    depth, time = _setting("depth", float), _setting("time", float)


class Start(Plaything):
    """One layer that learns from a small start, of chapter 10.

    Parameters
    ----------
    **options
        Of `Plaything`. ``size`` is the size of the start, ``time`` the moment that is shown.
    """

    name, _esm = "start", _module("start", "chart.js")
    size, time = _setting("size", float), _setting("time", float)
