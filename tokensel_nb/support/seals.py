"""Named arrays and notes as the bytes of one file, with a digest of them all."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def sealed(arrays: dict[str, np.ndarray], notes: dict) -> bytes:
    """Return named arrays and notes as the bytes of a ``.safetensors`` file with a digest of them all.

    Parameters
    ----------
    arrays : dict of str to ndarray
    notes : dict
        Plain values.

    Returns
    -------
    bytes

    Examples
    --------
    >>> arrays, notes = unsealed(sealed({"ones": np.ones(2)}, {"step": 3}))
    >>> arrays["ones"].tolist(), notes
    ([1.0, 1.0], {'step': 3})
    """
    from safetensors.numpy import save

    stored = {name: np.asarray(array, array.dtype.newbyteorder("="), order="C") for name, array in arrays.items()}
    text = json.dumps(notes)
    return save(stored, {"tokensel_nb": text, "digest": _seal(stored, text)})


def unsealed(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    """Return the arrays and notes that `sealed` was given.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    (dict of str to ndarray, dict)

    Raises
    ------
    ValueError
        If they are not the bytes that `sealed` returned; what differs only in how it is written down, such as the order of
        names, is let pass.

    Examples
    --------
    >>> unsealed(sealed({"ones": np.ones(2)}, {"step": 3}).replace(b"3", b"4"))
    Traceback (most recent call last):
    ValueError: its digest is not that of its contents, which were damaged or edited
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(data)
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    except KeyError as error:
        raise ValueError(f"numbers of the kind {error}") from error
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    metadata = header.get("__metadata__") or {}
    if "tokensel_nb" not in metadata:
        raise ValueError("it is of another program")
    text = metadata["tokensel_nb"]
    if "digest" not in metadata:
        raise ValueError("it carries no digest: an earlier version wrote it, and whether it is whole cannot be told")
    if metadata["digest"] != _seal(arrays, text):
        raise ValueError("its digest is not that of its contents, which were damaged or edited")
    try:
        notes = json.loads(text)
    except RecursionError:
        notes = None
    if not isinstance(notes, dict):
        raise ValueError("its notes are no table")
    return arrays, notes


def _seal(arrays, text):
    names = sorted(arrays)
    return digest(characters([text, *names]), *(arrays[name] for name in names), size=32)


def characters(strings):
    """Return strings as an array that tells where each of them ends."""
    return np.frombuffer(json.dumps(strings).encode(), np.uint8)


def digest(*arrays, size: int = 8) -> str:
    """Return a digest (BLAKE2b) of arrays: of their dtypes, shapes and contents.

    Parameters
    ----------
    *arrays : ndarray
    size : int
        In bytes, each of which is two characters.

    Returns
    -------
    str

    Examples
    --------
    >>> digest(np.zeros(2)) == digest(np.zeros(2)) != digest(np.zeros(3))
    True
    """
    found = hashlib.blake2b(digest_size=size)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array))
    return found.hexdigest()
