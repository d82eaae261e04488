import os

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

from tokensel_nb import Corpus, load_imdb

os.environ["TQDM_DISABLE"] = "1"
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def imdb():
    return load_imdb()


@pytest.fixture
def tiny():
    """Three texts of the words bad, film, good: "good film", "bad bad film", "film"."""
    counts = sparse.csr_array(np.array([[0, 1, 1], [2, 1, 0], [0, 1, 0]]))
    return Corpus(counts, [1, -1, 1], ["bad", "film", "good"])
