"""Named arrays and notes as the bytes of one file, with a digest of them all."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def sealed(arrays: dict[str, np.ndarray], notes: dict) -> bytes:
    """Return named arrays and notes (a dictionary of plain values) as a ``.safetensors`` file with a digest of them all."""
    from safetensors.numpy import save

    stored = {name: np.asarray(array, array.dtype.newbyteorder("="), order="C") for name, array in arrays.items()}
    text = json.dumps(notes)
    return save(stored, {"tokensel_nb": text, "digest": seal(stored, text)})


def unsealed(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    """Return the arrays and notes that `sealed` was given, or raise ValueError where these bytes hold others.

    What differs only in how it is written down, such as the order of names, is accepted.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(data)
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    except KeyError as error:
        raise ValueError(f"it holds numbers of an unknown kind, {error}") from error
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    metadata = header.get("__metadata__") or {}
    if "tokensel_nb" not in metadata:
        raise ValueError("it was written by another program")
    text = metadata["tokensel_nb"]
    if "digest" not in metadata:
        raise ValueError("it carries no digest: an earlier version wrote it, and whether it is whole cannot be told")
    if metadata["digest"] != seal(arrays, text):
        raise ValueError("its digest is not that of its contents, which were damaged or edited")
    try:
        notes = json.loads(text)
    except RecursionError:
        notes = None
    if not isinstance(notes, dict):
        raise ValueError("its notes are not a dictionary")
    return arrays, notes


def seal(arrays, text):
    """Return the digest of named arrays and of the text of their notes."""
    names = sorted(arrays)
    return digest(characters([text, *names]), *(arrays[name] for name in names), size=32)


def characters(strings):
    """Return strings as one array, in which they are told apart."""
    return np.frombuffer(json.dumps(strings).encode(), np.uint8)


def digest(*arrays, size: int = 8) -> str:
    """Return a digest (BLAKE2b, of ``size`` bytes, two characters each) of arrays: of their dtypes, shapes and contents."""
    hashed = hashlib.blake2b(digest_size=size)
    for array in arrays:
        hashed.update(f"{array.dtype.str}{array.shape}".encode())
        hashed.update(np.ascontiguousarray(array))
    return hashed.hexdigest()
