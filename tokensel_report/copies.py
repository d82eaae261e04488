"""Texts that repeat others nearly word for word, found by MinHash."""

from __future__ import annotations

import numpy as np

from .phrases import pairs_of

ALIKE = 0.5  # the share of the pairs of words of two texts that stand in both, if one is a copy
LEAST = 5  # pairs of words: shorter texts are alike by chance
HASHED = 64  # pairs of a text, those of the smallest hashes, by which likely copies are looked up
ENOUGH = 10  # copies of a text, with which further ones are compared


def copies_of(texts, tokenizer=None):
    """Return for each text the row of the first one of which it is a copy, or a copy's copy; its own where there is none.

    Of copies that share 60% of their pairs of words it finds two in three, of those that share 80% nearly all.
    """
    from datasketch import MinHash, MinHashLSH  # here, since it takes a quarter of a second

    pairs, copies, index = pairs_of(texts, tokenizer), np.arange(len(texts)), MinHashLSH(threshold=ALIKE, num_perm=32)
    rows = [row for row, own in enumerate(pairs) if len(own) >= LEAST]
    some = (np.partition(pairs[row], HASHED)[:HASHED] if len(pairs[row]) > HASHED else pairs[row] for row in rows)
    for row, hashed in zip(rows, MinHash.generator(map(np.ndarray.tolist, some), num_perm=32, hashfunc=int)):
        found = [other for other in index.query(hashed) if _alike(pairs[row], pairs[other])]
        if len(found) < ENOUGH:
            index.insert(row, hashed, check_duplication=False)
        first, *others = np.unique(copies[found or [row]])
        copies[row] = first
        for other in others:
            copies[copies == other] = first
    return copies


def _alike(own, other):
    return len(np.intersect1d(own, other)) >= ALIKE * len(np.union1d(own, other))
