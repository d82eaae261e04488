import numpy as np
import pytest

from tokensel_nb.datasets.hub import REVISIONS
from tokensel_nb.datasets.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED, digest


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TOKENSEL_DATA", raising=False)


@pytest.fixture
def hub(monkeypatch):
    """A stand-in for the hub: the dictionary of what it serves, by address."""
    served = {}

    def load_dataset(address, split, revision, download_config):
        assert revision == REVISIONS[address]
        if address not in served:
            raise FileNotFoundError(f"no {address}")
        return served[address]

    monkeypatch.setattr("tokensel_nb.datasets.hub.why_unreachable", lambda: None)
    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    return served


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """An empty folder where the library `datasets` looks for what it fetched before."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def hub_offline(monkeypatch, hub_cache):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return hub_cache


@pytest.fixture
def small_test_split(monkeypatch):
    reviews = Reviews(["a good film", "a bad film"], np.array([1, 0]), SENTIMENTS, "here")
    monkeypatch.setitem(RECORDED, "IMDB test", (2, digest(reviews)))
    return reviews
