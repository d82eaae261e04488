"""Near copies: texts that repeat others nearly word for word, detected by MinHash."""

from __future__ import annotations

import numpy as np

from .phrases import pairs_of

ALIKE = 0.5  # least share of their pairs of words that a copy and its original have in common
LEAST = 5  # pairs of words: shorter texts agree by chance
HASHED = 64  # pairs of a text, those of the smallest hashes, by which likely copies are looked up
ENOUGH = 10  # copies of a text with which further texts are compared


def copies_of(texts, tokenizer=None):
    """Return, for every text, the row of the first text that it copies, directly or through copies; else its own row.

    It detects two in three of the copies that share 60% of their pairs of words, and nearly all that share 80%.
    """
    from datasketch import MinHash, MinHashLSH  # imported here: it takes a quarter of a second

    pairs, copies, index = pairs_of(texts, tokenizer), np.arange(len(texts)), MinHashLSH(threshold=ALIKE, num_perm=32)
    rows = [row for row, own in enumerate(pairs) if len(own) >= LEAST]
    some = (np.partition(pairs[row], HASHED)[:HASHED] if len(pairs[row]) > HASHED else pairs[row] for row in rows)
    for row, hashed in zip(rows, MinHash.generator(map(np.ndarray.tolist, some), num_perm=32, hashfunc=int)):
        originals = [other for other in index.query(hashed) if _alike(pairs[row], pairs[other])]
        if len(originals) < ENOUGH:
            index.insert(row, hashed, check_duplication=False)
        first, *others = sorted({copies[other] for other in originals} or [row])
        copies[row] = first
        for other in others:
            copies[copies == other] = first
    return copies


def _alike(own, other):
    own, other = set(own.tolist()), set(other.tolist())  # of few pairs, faster than arrays
    return len(own & other) >= ALIKE * len(own | other)
