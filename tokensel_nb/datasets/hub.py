"""The Hugging Face hub: a source of IMDB, Yelp, and data sets of your choice."""

import os
import threading
from pathlib import Path

import numpy as np

from ..extras import constants, datasets
from .reviews import DataError, NotHereError, Reviews

# The revisions of the data sets. The hub was out of reach when this was written: the hashes are those that several
# independent public projects pin.
REVISIONS = {
    "stanfordnlp/imdb": "e6281661ce1c48d982bc483cf8a173c1bbeb5d31",
    "fancyzhx/yelp_polarity": "bbf1c97a1f0cf005e5aded43839fd814654a1557",
    "Yelp/yelp_review_full": "c1f9ee939b7d05667af864ee1cb066393154bf85",
}
PATIENCE = 5.0  # seconds after which the hub counts as out of reach


def split_of(address, split, revision):
    """Return a split of a data set on the hub, or from the cache of `datasets` if the hub is out of reach."""
    if (problem := why_unreachable()) and not _cached(address):
        raise NotHereError(problem)
    config = datasets.config  # imported only here: it takes seconds, and few callers need it
    online, config.HF_HUB_OFFLINE = config.HF_HUB_OFFLINE, problem is not None
    try:
        retries = datasets.DownloadConfig(max_retries=1)
        return datasets.load_dataset(address, split=split, revision=revision, download_config=retries)
    except (OSError, ValueError) as error:
        reason = f"the Hugging Face hub did not serve {address} ({str(error).splitlines()[0]})"
        raise NotHereError(problem or reason) from error
    finally:
        config.HF_HUB_OFFLINE = online


def from_hub(address, split, names):
    """Return the reviews of a split of a data set of `REVISIONS`, with checked columns and labels."""
    rows = split_of(address, split, REVISIONS[address])
    try:
        texts, labels = list(rows["text"][:]), list(rows["label"][:])  # a slice is read in one piece
    except (KeyError, ValueError) as error:
        raise DataError(f"{address} from the Hugging Face hub has no columns text and label; use another source") from error
    if not set(map(type, texts)) <= {str} or len(texts) != len(labels):
        raise DataError(f"{address} from the Hugging Face hub: a text or a label is missing; use another source")
    if not set(map(type, labels)) <= {int} or not set(labels) <= set(range(len(names))):
        raise DataError(f"{address} from the Hugging Face hub: a label is not 0 ... {len(names) - 1}; use another source")
    return Reviews(texts, np.array(labels, np.int64), names, "the Hugging Face hub")


def _cached(address):
    """Return whether the cache of `datasets`, which takes seconds to import, may have data of a data set's owner."""
    folder = Path(os.environ.get("HF_DATASETS_CACHE") or Path(constants.HF_HOME, "datasets"))
    owner = address.split("/")[0].lower()
    return folder.is_dir() and any(entry.name.lower().startswith(owner) for entry in folder.iterdir())


def why_unreachable():
    """Return why the hub is out of reach, within seconds instead of after minutes of retries; None if it answers."""
    import urllib.error
    import urllib.request

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    answers = []

    def ask():
        try:
            urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=PATIENCE)
        except urllib.error.HTTPError:  # an error is an answer, too
            pass
        except (OSError, ValueError):
            return
        answers.append(True)

    thread = threading.Thread(target=ask, daemon=True)  # because looking up a name has no timeout
    thread.start()
    thread.join(PATIENCE)
    return None if answers else f"the Hugging Face hub did not answer within {PATIENCE:.0f} seconds"
