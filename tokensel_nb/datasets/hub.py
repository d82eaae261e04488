"""The Hugging Face hub: one of the sources of IMDB and Yelp, and of sets of one's own choice."""

import os
import threading
from pathlib import Path

import numpy as np

from ..extras import constants, datasets
from .reviews import DataError, NotHereError, Reviews

# The revision of every set that is read. The hub was out of reach where this was written: the three hashes are those that
# several public projects, independent of one another, pin.
REVISIONS = {
    "stanfordnlp/imdb": "e6281661ce1c48d982bc483cf8a173c1bbeb5d31",
    "fancyzhx/yelp_polarity": "bbf1c97a1f0cf005e5aded43839fd814654a1557",
    "Yelp/yelp_review_full": "c1f9ee939b7d05667af864ee1cb066393154bf85",
}
PATIENCE = 5.0  # seconds until the hub counts as out of reach


def split_of(address, split, revision):
    """Return a split of a set on the hub; where the hub is out of reach, from what `datasets` has kept on disk."""
    if (silent := why_silent()) and not _kept(address):
        raise NotHereError(silent)
    config = datasets.config  # imported here, since it takes seconds and few readers need it
    online, config.HF_HUB_OFFLINE = config.HF_HUB_OFFLINE, silent is not None
    try:
        retries = datasets.DownloadConfig(max_retries=1)
        return datasets.load_dataset(address, split=split, revision=revision, download_config=retries)
    except (OSError, ValueError) as error:
        raise NotHereError(silent or f"the Hugging Face hub did not serve {address} ({str(error).splitlines()[0]})") from error
    finally:
        config.HF_HUB_OFFLINE = online


def from_hub(address, split, names):
    """Return the reviews of a split of one of the sets of `REVISIONS`, whose columns and labels are checked."""
    rows = split_of(address, split, REVISIONS[address])
    try:
        texts, labels = list(rows["text"][:]), list(rows["label"][:])  # a slice is read in one piece
    except (KeyError, ValueError) as error:
        raise DataError(f"{address} from the Hugging Face hub: it has no columns text and label; use another source") from error
    if not set(map(type, texts)) <= {str} or len(texts) != len(labels):
        raise DataError(f"{address} from the Hugging Face hub: a text is missing or has no label; use another source")
    if not set(map(type, labels)) <= {int} or not set(labels) <= set(range(len(names))):
        raise DataError(f"{address} from the Hugging Face hub: a label is not 0 ... {len(names) - 1}; use another source")
    return Reviews(texts, np.array(labels, np.int64), names, "the Hugging Face hub")


def _kept(address):
    """Whether `datasets`, which takes seconds to be imported, may have kept something of a set's owner on disk."""
    folder = Path(os.environ.get("HF_DATASETS_CACHE") or Path(constants.HF_HOME, "datasets"))
    owner = address.split("/")[0].lower()
    return folder.is_dir() and any(entry.name.lower().startswith(owner) for entry in folder.iterdir())


def why_silent():
    """Return within seconds why the hub is out of reach, instead of minutes of retries later; None where it answers."""
    import urllib.error
    import urllib.request

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    answers = []

    def ask():
        try:
            urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=PATIENCE)
        except urllib.error.HTTPError:  # it answered, if only with an error
            pass
        except (OSError, ValueError):
            return
        answers.append(True)

    thread = threading.Thread(target=ask, daemon=True)  # since looking up a name knows no time limit
    thread.start()
    thread.join(PATIENCE)
    return None if answers else f"the Hugging Face hub did not answer within {PATIENCE:.0f} seconds"
