"""Other tools on the same planted files, which 14_your_data shows recorded: about half an hour.

The protocol, committed before the run; a trial had seed 1,000. Of each corpus and for each of SEEDS: a file of SIDE texts of
either class in random order, untouched, and the same file with plants, each in texts of its own. Each tool reads each file in a
process of its own, on one thread, with its default settings, as its documentation shows for texts. Its seconds are those of the
processor, imports included.

word, entity, date   zqx before 60 negative texts; &nbsp; after 40 positive ones; a day of 2019 in a line after 40 negative ones
copies, two labels   40 texts replaced by negative ones: 30 of them negative, and 10 positive
block, wrong labels  200 positive texts moved to one place; 3% of all labels, as many of either class

A word, entity or date is named if it is among the words that a tool shows; shap orders all words, and its summary shows the
first LISTED. A block is named if a tool says that the order isn't random. Copies and texts with two labels are named if ENOUGH
of them are listed; where a tool only counts, its number has to rise as much against the untouched file. Texts with two labels
count if a tool lists them as such or as wrong labels. Of wrong labels, the number found and of all that are listed is told.

cleanlab and Datalab get probabilities of logistic regression on tf-idf, by cross-validation. Datalab's tutorial takes features
from an encoder, which would be downloaded; here they are 100 components of tf-idf. shap explains the same regression on new
texts. evidently compares one class with the other, and counts repeated rows. LIME is left out: it explains single texts, and to
pick typical ones of them would take hours. No target: this describes. The tools live in an environment of their own:

    python -m venv _build/others
    _build/others/bin/pip install ".[report]" "cleanlab[datalab]==2.9.0" shap==0.51.0 evidently==0.7.23 "pandas<3"
"""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.datasets.imdb import read_imdb

READS = {"IMDB": read_imdb, "Rotten Tomatoes": ts.read_rotten_tomatoes}
SEEDS, SIDE, ENOUGH, LISTED = (1, 2, 3), 3000, 0.8, 20
SIGNS = {"word": "zqx", "entity": "nbsp", "date": r"2019|####-##-##"}
ROOT = Path(__file__).parents[1]


def drawn(reviews, random) -> pd.DataFrame:
    """Return as many texts of either class, in random order."""
    table = pd.DataFrame({"text": reviews.texts, "label": np.array(reviews.class_names)[reviews.labels]})
    return table.groupby("label").sample(SIDE, random_state=random).sample(frac=1, random_state=random, ignore_index=True)


def planted(table, random) -> tuple:
    """Return the file with all plants, and the rows of each."""
    block = random.choice(np.flatnonzero(table.label == "positive"), 200, replace=False)
    rest, at = np.setdiff1d(table.index, block), random.integers(len(table) - len(block))
    table = table.iloc[[*rest[:at], *block, *rest[at:]]].reset_index(drop=True)
    free = table.drop(range(at, at + len(block))).sample(frac=1, random_state=random)
    left = {name: iter(of.index) for name, of in free.groupby("label")}
    take = lambda number, name: [next(left[name]) for _ in range(number)]
    rows = {"word": take(60, "negative"), "entity": take(40, "positive"), "date": take(40, "negative")}
    rows |= {"two labels": take(10, "positive"), "wrong": [row for name in left for row in take(len(table) * 3 // 200, name)]}
    rows["copies"] = take(30, "negative") + rows["two labels"]
    days = [f"\n2019-{random.integers(1, 13):02}-{random.integers(1, 29):02}" for _ in rows["date"]]
    texts, labels = table.text.to_numpy(copy=True), table.label.to_numpy(copy=True)
    texts[rows["word"]] = "zqx " + texts[rows["word"]]
    texts[rows["entity"]] += " &nbsp;"
    texts[rows["date"]] += days
    texts[rows["copies"]] = texts[take(40, "negative")]
    labels[rows["wrong"]] = np.where(labels[rows["wrong"]] == "negative", "positive", "negative")
    return pd.DataFrame({"text": texts, "label": labels}), rows


def chances(table):
    """Return probabilities of the classes for every text, of models that haven't seen it."""
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    return cross_val_predict(model, table.text, table.label, method="predict_proba")


def cleanlab(table, path):
    """Return the rows that find_label_issues lists."""
    from cleanlab.filter import find_label_issues

    codes = np.unique(table.label, return_inverse=True)[1]
    return {"wrong": find_label_issues(codes, chances(table), return_indices_ranked_by="self_confidence").tolist()}


def datalab(table, path):
    """Return the rows that find_issues lists."""
    from cleanlab import Datalab

    features = TruncatedSVD(100, random_state=0).fit_transform(TfidfVectorizer().fit_transform(table.text))
    lab = Datalab(data=table.to_dict("list"), label_name="label", verbosity=0)
    lab.find_issues(pred_probs=chances(table), features=features)
    kinds = {"wrong": "label", "copies": "near_duplicate", "outliers": "outlier", "block": "non_iid"}
    return {kind: np.flatnonzero(lab.get_issues()[f"is_{name}_issue"]).tolist() for kind, name in kinds.items()}


def shap(table, path):
    """Return the words of shap's summary, by the mean absolute value in new texts, and all words in this order."""
    from shap import LinearExplainer

    known, new, labels, _ = train_test_split(table.text, table.label, test_size=0.2, random_state=0)
    words = TfidfVectorizer().fit(known)
    known = words.transform(known)
    values = LinearExplainer(LogisticRegression().fit(known, labels), known).shap_values(words.transform(new))
    order = words.get_feature_names_out()[np.argsort(-np.abs(values).mean(axis=0), kind="stable")].tolist()
    return {"words": order[:LISTED], "order": order}


def evidently(table, path):
    """Return the characteristic words of both classes, from the page of data drift, and the number of repeated rows."""
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset, DataSummaryPreset

    definition = DataDefinition(text_columns=["text"])
    parts = table, *(table[table.label == name] for name in ("negative", "positive"))
    whole, *classes = (Dataset.from_pandas(part[["text"]], definition) for part in parts)
    Report([DataDriftPreset()]).run(*classes).save_html(f"{path}.html")
    lists = re.findall(r'"header": \["", ""\], "data": (\[\[.*?\]\])', Path(f"{path}.html").read_text("utf-8"))[:2]
    told = {each["metric_name"]: each["value"] for each in Report([DataSummaryPreset()]).run(whole, None).dict()["metrics"]}
    return {"words": [word for each in lists for word, _ in json.loads(each)], "copies": int(told["DuplicatedRowCount()"])}


def report(table, path):
    """Return what the command names; it reads the file once more."""
    from tokensel_report.command import main

    main(["report", path, "--text", "text", "--label", "label", "--json", f"{path}.json", "-o", f"{path}.html"])
    told = json.loads(Path(f"{path}.json").read_text("utf-8"))
    names, wrong = [each["name"] for each in told["put in"] + told["reads like a word"]], told["labels that look wrong"]
    block, words = ([name for name in names if name.endswith("of the file") == so] for so in (True, False))
    found = {"words": words, "block": block, "wrong": [each["row"] for each in wrong["texts"][: wrong["about"]]]}
    return found | {"copies": told["texts that repeat others"], "two labels": told["texts with two labels"]}


TOOLS = {tool.__name__: tool for tool in (cleanlab, datalab, shap, evidently, report)}


def asked(tool, table, folder) -> dict:
    """Return what a tool finds in a file, in a process of its own, and that process's seconds."""
    table.to_csv(path := Path(folder) / "texts.csv", index=False)
    spent = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    threads = {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    before, command = spent(), [ROOT / "_build/others/bin/python", "-m", "experiments.others", tool, path]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT, env=os.environ | threads).stdout
    return json.loads(told.splitlines()[-1]) | {"seconds": round(spent() - before, 1)}


def listed(found) -> dict:
    """Return how much a tool lists of each kind, and its words if they are few."""
    numbers = {kind: of if isinstance(of, int | float) else len(of) for kind, of in found.items() if kind != "order"}
    return numbers | {"words": found.get("words", [])}


def judged(found, untouched, rows) -> dict:
    """Return which plants are named, how many of those with rows are found, and the places of the others among all words."""
    found, caught = ({"two labels": found["wrong"]} if "wrong" in found else {}) | found, {}
    for kind in {"copies", "two labels", "wrong"} & found.keys():
        by_row = isinstance(found[kind], list)
        caught[kind] = len({*found[kind]} & {*rows[kind]}) if by_row else found[kind] - untouched.get(kind, 0)
    words, order = found.get("words", []), found.get("order", [])
    named = [kind for kind, sign in SIGNS.items() if any(re.search(sign, word) for word in words)]
    named += [kind for kind in ("copies", "two labels") if caught.get(kind, 0) >= ENOUGH * len(rows[kind])]
    places = {kind: at for at, word in enumerate(order, 1) for kind, sign in SIGNS.items() if re.fullmatch(sign, word)}
    return {"named": named + ["block"] * bool(found.get("block")), "caught": caught, "places": places}


def compared(reviews, seed) -> dict:
    """Return what every tool names in one file with plants, and what it lists in both."""
    random, results = np.random.default_rng(seed), {}
    table = drawn(reviews, random)
    marked, rows = planted(table, random)
    for tool in tqdm(TOOLS, desc=f"seed {seed}", unit="tool"):
        with TemporaryDirectory() as folder:
            before, found = (asked(tool, each, folder) for each in (table, marked))
        results[tool] = judged(found, before, rows) | {"planted": listed(found), "untouched": listed(before)}
    return results


def others() -> dict:
    """Return the comparison on every corpus, for every seed."""
    return {name: [compared(read(), seed) for seed in SEEDS] for name, read in READS.items()}


RECORDS = {"others": others}

if __name__ == "__main__":
    tool, path = sys.argv[1:]
    print("\n" + json.dumps(TOOLS[tool](pd.read_csv(path, keep_default_na=False), path)))
