import os

import numpy as np
import pytest
from hypothesis import settings
from notebooks import seconds
from scipy import sparse

os.environ["TQDM_DISABLE"] = "1"
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("ci")


def pytest_collection_modifyitems(items):
    """Begin with the notebooks, the longest first, then the pages: shorter tests fill what is left of every core's time."""
    items.sort(key=lambda item: (-seconds(item.path), item.path.parent.name != "site"))


@pytest.fixture(scope="session")
def imdb():
    from tokensel_nb import load_imdb

    return load_imdb()


@pytest.fixture
def tiny():
    """Three texts of the words bad, film, good: "good film", "bad bad film", "film"."""
    from tokensel_nb import Corpus

    counts = sparse.csr_array(np.array([[0, 1, 1], [2, 1, 0], [0, 1, 0]]))
    return Corpus(counts, [1, -1, 1], ["bad", "film", "good"])
