"""What `test_kills.py` kills: jobs, each a function of a folder that returns a digest of its end, and can be done again.

`python killed.py` imports all that they need, once, and reads a line for each job: its name, after how many seconds it is
killed (inf: never), its folder. It is done in a process forked for it, and killed with all that this one forks. The answer is a
line with the end, if there was one, and the status of that process.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from tokensel_nb import OneLayer, StoredCorpus, TextClassifier, TwoLayers, corpus_from_texts, independent_tokens, store_corpus
from tokensel_nb import train as trained
from tokensel_nb.datasets import cache as _cache
from tokensel_nb.datasets.read.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED
from tokensel_nb.datasets.sources import digest as digest_of_reviews
from tokensel_nb.scale import stored
from tokensel_nb.support import seals
from tokensel_nb.training import checkpoint
from tokensel_nb.yourdata import command

PAGE = "<p>A page that takes a while to be written.</p>\n" * 100_000
READ = 3000  # reviews, so many that a kill meets them being written and being counted
TABLE = "text,label\n" + "".join(f"a {word} film number {row},{word}\n" for row in range(40) for word in ("good", "bad"))


def train(folder, model=OneLayer(), **options):  # noqa: B008
    corpus, held_out = independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
    options = dict(dim=5, evaluate_every=1, seed=3, held_out=held_out, verbose=False) | options
    done = trained(corpus, model, checkpoint=folder / "run.safetensors", **options)
    return seals.digest(*done.parameters.arrays().values(), *vars(done.history).values(), np.array(done.step))


def one_layer(folder):
    return train(folder, optimizer="gradient descent", learning_rate=1.0, steps=50)


def adam(folder):
    return train(folder, optimizer="adam", batch_size=48, patience=1000, steps=50)


def deeper(folder):
    return train(folder, TwoLayers(), batch_size=48, learning_rate=0.01, steps=12)


def reviews_read_slowly():
    texts = [f"text {row} of many words, {row % 7} good and {row % 5} bad, {'so ' * (row % 40)}" for row in range(READ)]
    return Reviews(texts, np.arange(READ) % 2, SENTIMENTS, "here")


def count(folder):
    """As `load_imdb` does with its test split: from the cache, else read, cached and counted."""
    os.environ["TOKENSEL_CACHE"] = str(folder)
    RECORDED["IMDB test"] = (READ, digest_of_reviews(reviews_read_slowly()))
    for _ in range(3):  # read and cached; read from the cache; made anew where the file was lost
        reviews = _cache.from_cache("imdb-test.parquet", "IMDB test", SENTIMENTS)
        reviews = reviews or _cache.to_cache(reviews_read_slowly(), "imdb-test.parquet")
    return checkpoint.describe(corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names))


def store(folder, distributed=False):
    """Some texts at a time, in a folder that is there when it is whole."""
    stored.AT_ONCE = 100
    reviews, path = reviews_read_slowly(), folder / "stored"
    rows = list(zip(reviews.texts, reviews.labels))[:1000]
    found = StoredCorpus(path) if path.exists() else store_corpus(rows, path, distributed=distributed)
    return found.description()


def store_together(folder):
    """The same, by two processes, which are killed together."""
    from torch import distributed

    meeting, other = str(folder / f"tokensel-nb-{os.getpid():032x}.part"), os.fork()
    shared = distributed.FileStore(meeting, 2)
    distributed.init_process_group("gloo", store=shared, rank=int(not other), world_size=2)
    found = store(folder, distributed=True)
    if not other:
        os._exit(0)
    assert os.waitpid(other, 0)[1] == 0
    return found


def models():
    for word in ("good", "fine"):
        texts = [f"a {word} film", f"{word} and moving", "a bad film", "bad and long"] * 5
        yield TextClassifier(l2=0.1).fit(texts, ["up", "up", "down", "down"] * 5)


def digest_of(model):
    return seals.digest(model.scores_, model.values_, np.frombuffer(" ".join(model.vocabulary_).encode(), np.uint8))


def save(folder):
    one, other = models()
    for _ in range(60):
        other.save(folder)
        one.save(folder)
    return digest_of(TextClassifier.load(folder))


def write_a_report(folder):
    """All that the command does once the page is made, again and again: a killed run would seldom be met writing otherwise."""
    made = dict.fromkeys(("find", "report_page"), staticmethod(lambda *_, **__: PAGE))
    sys.modules["tokensel_nb.yourdata.page"] = type("Page", (), made)
    (folder / "texts.csv").write_text(TABLE)
    for _ in range(15):
        assert command.main(["report", str(folder / "texts.csv"), "-o", str(folder / "report.html")]) == 0
    return seals.digest(np.fromfile(folder / "report.html", np.uint8))


def report(folder):
    """The whole of it."""
    (folder / "texts.csv").write_text(TABLE)
    assert command.main(["report", str(folder / "texts.csv"), "-o", str(folder / "report.html")]) == 0
    return seals.digest(np.fromfile(folder / "report.html", np.uint8))


JOBS = {job.__name__: job for job in (one_layer, adam, deeper, count, store, store_together, save, write_a_report, report)}


def work(name, folder, out):
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os.write(out, JOBS[name](Path(folder)).encode())


def serve():
    checkpoint.SECONDS = 0.0
    out = os.dup(1)
    for line in sys.stdin:
        name, delay, folder = line.rstrip("\n").split("\t")
        child = os.fork()
        os.setpgid(child, 0)  # said by both, so that whatever it starts is killed with it
        if not child:
            status = 1
            try:
                work(name, folder, out)
                status = 0
            finally:
                os._exit(status)
        if delay != "inf":
            time.sleep(float(delay))
            os.killpg(child, signal.SIGKILL)  # of a process that has ended, but not been waited for, nothing comes
        print(f"\t{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)


if __name__ == "__main__":
    serve()
