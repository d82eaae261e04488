"""Corpora that `test_distributed.py` stores: undivided there, and by the processes of `torchrun` that run this file.

    torchrun --nproc-per-node 3 tests/shared_counts.py FOLDER

Each of `ROWS` is stored by all, into a folder of its name; what cannot be stored is told in every process, and noted. If the
environment holds TOKENSEL_DIES, the second process of the first attempt is killed by SIGKILL while it counts.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from tokensel_nb.scale import stored
from tokensel_nb.scale.processes import fresh_store

import tokensel_nb as ts

TEXTS = ["Good, good film!", "a bad film", "", "good and moving", "bad and long, bad", "film"] * 7
ODD = ["हिन्दी फ़िल्म अच्छी", "ไม่ดี เลย", "naïve café", "İstanbul ISTANBUL", "中文 电影 很好", "?!", "🎬🎬 film", "e\u0301 é", "ﬁlm"]
WORDS = ["up", "down", "down", "up", "down", "up"] * 7


class ReadOneByOne(Sequence):
    """Rows that lie elsewhere, and cannot be sliced; it says which were read."""

    def __init__(self, rows):
        self.rows, self.read = rows, []

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, row):
        found = self.rows[row]
        self.read.append(row)
        return found


ROWS = {
    "plain": (list(zip(TEXTS, WORDS)), {}),
    "frequent words": (list(zip(TEXTS, WORDS)), dict(min_count=8, max_words=3)),
    "odd scripts": (list(zip(ODD, [0, 1, 2] * 3)), dict(lowercase=False)),
    "fewer texts than processes": ([("good film", 1), ("bad film", -1)], {}),
    "one process has no word": ([("good film", 1), ("?", 1), ("?", 0), ("?", 0), ("bad", 0), ("!", 1)], {}),
    "all is given": (list(zip(TEXTS, WORDS)), dict(vocabulary=["film", "bad"], class_names=("up", "down"))),
    "a tokenizer": (list(zip(TEXTS, WORDS)), dict(tokenizer=str.split)),
}


def read(files):
    for file in files:
        yield from map(json.loads, Path(file).read_text().splitlines())


def streamed(folder):
    """Return the rows of `stream`, as Hugging Face's library reads them."""
    import datasets

    files = sorted(map(str, folder.glob("*.jsonl")))
    return datasets.IterableDataset.from_generator(read, gen_kwargs=dict(files=files))


def stream(folder):
    """Write rows into three files, of which the second is empty."""
    rows = [json.dumps(dict(text=text, label=label)) + "\n" for text, label in zip(TEXTS, WORDS)]
    for number, part in enumerate((rows[:20], [], rows[20:])):
        (folder / f"{number}.jsonl").write_text("".join(part))


def store(folder, name, rows=None, options=None, **more):
    """Store rows, by default those of that name."""
    rows, options = ROWS.get(name, (rows or ROWS["plain"][0], {})) if options is None else (rows, options)
    return ts.store_corpus(rows, folder / name, **options, **more)


def main(folder):
    from torch import distributed

    distributed.init_process_group("gloo", **fresh_store())
    # Less patient than one that counts slowly is slow: counting has a patience of its own.
    distributed.distributed_c10d._set_pg_timeout(timedelta(seconds=1))
    rank, size = distributed.get_rank(), distributed.get_world_size()
    restarts, stored.AT_ONCE = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), 4

    def slowly(text):
        time.sleep(0.1 * (rank == 1))
        return text.split()

    def mortal(text):
        if rank == 1 and restarts == 0:
            print("one is killed", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    def refused(what, rows, name=None, **options):
        try:
            store(folder, name or what, rows, options, distributed=True)
        except (ValueError, RuntimeError, OSError) as error:
            found[what] = f"{type(error).__name__}: {error}"

    rows = ROWS["plain"][0]
    if "TOKENSEL_DIES" in os.environ:
        store(folder, "killed", distributed=True, tokenizer=mortal)
    store(folder, "slowly", distributed=True, tokenizer=slowly)
    for name in ROWS:
        store(folder, name, distributed=True)
    store(folder, "streamed", streamed(folder), distributed=True)
    store(folder, "read one by one", noted := ReadOneByOne(rows), distributed=True)
    found = dict(restarts=restarts, read=sorted(set(noted.read)))
    bad = [*rows[:-1], (None, "up")]  # of the last process
    refused("a bad text", bad)
    refused("other rows", rows[: 10 + rank])
    refused("another option", rows, min_count=1 + 7 * rank)
    refused("an iterator", iter(rows))
    refused("no rows", [])
    refused("there already", rows, "plain")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if rank == size - 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # as if its disk were full
    refused("a full disk", rows)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store(folder, "after all that", distributed=True)
    (folder / f"{rank}.json").write_text(json.dumps(found))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
