import re
import time
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tokensel_nb import DataError, read_imdb, read_yelp
from tokensel_nb.datasets.hub import REVISIONS, from_hub
from tokensel_nb.datasets.yelp import STARS


def test_a_hub_that_hangs_is_noticed_within_seconds(monkeypatch, hub_cache):
    monkeypatch.setattr("tokensel_nb.datasets.hub.PATIENCE", 0.5)
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: time.sleep(60))
    start = time.monotonic()
    with pytest.raises(DataError, match="the Hugging Face hub did not answer within"):
        read_imdb("train", source="hub")
    assert time.monotonic() - start < 10  # the import of the hub's library is in it


def test_the_hub_is_read_and_checked(hub, capsys):
    reviews = read_imdb()
    hub["stanfordnlp/imdb"] = {"text": reviews.texts, "label": reviews.labels.tolist()}
    assert read_imdb("train", source="hub").labels.tolist() == reviews.labels.tolist()
    assert "the Hugging Face hub" in capsys.readouterr().out
    hub["stanfordnlp/imdb"]["label"][0] ^= 1
    with pytest.raises(DataError, match="IMDB train from the Hugging Face hub differs from the recorded data"):
        read_imdb("train", source="hub")


def test_a_set_that_the_hub_lacks(hub):
    with pytest.raises(DataError, match=r"hub: the Hugging Face hub did not serve stanfordnlp/imdb \(no stanfordnlp/imdb\)"):
        read_imdb("train", source="hub")


@pytest.mark.parametrize("address", REVISIONS)
def test_every_set_is_pinned(address):
    assert re.fullmatch("[0-9a-f]{40}", REVISIONS[address])


def test_what_was_fetched_once_is_read_without_the_hub(tmp_path, monkeypatch, hub_offline):
    """The library `datasets` keeps what it fetched under the revision; here that folder is made by hand."""
    import datasets

    stars, address = tmp_path / "stars.parquet", "Yelp/yelp_review_full"
    pq.write_table(pa.table({"text": ["awful", "great"], "label": [0, 4]}), stars)
    builder = datasets.load_dataset_builder("parquet", data_files={"train": str(stars)}, cache_dir=str(tmp_path / "made"))
    builder.download_and_prepare()
    kept = hub_offline / "Yelp___yelp_review_full" / "default" / "0.0.0" / REVISIONS[address]
    kept.parent.mkdir(parents=True)
    Path(builder.cache_dir).rename(kept)
    (kept / "parquet-train.arrow").rename(kept / "yelp_review_full-train.arrow")
    reviews = from_hub(address, "train", STARS)
    assert (reviews.texts, reviews.labels.tolist()) == (["awful", "great"], [0, 4])
    assert not datasets.config.HF_HUB_OFFLINE  # as before


def test_strange_labels_from_the_hub_are_refused(hub):
    hub["Yelp/yelp_review_full"] = {"text": ["fine", "so so"], "label": [0, -1]}
    with pytest.raises(DataError, match=r"Yelp/yelp_review_full from the Hugging Face hub: a label is not 0 ... 4"):
        read_yelp(classes=4)
