import numpy as np
import pytest

from tokensel_nb.support.seals import digest, sealed, unsealed

ARRAYS = {"ones": np.ones(2)}


def test_arrays_and_notes_come_back():
    arrays, notes = unsealed(sealed(ARRAYS, {"step": 3}))
    assert (arrays["ones"].tolist(), notes) == ([1, 1], {"step": 3})


def test_a_note_that_was_edited_is_seen():
    with pytest.raises(ValueError, match=r"^its digest is not that of its contents, which were damaged or edited$"):
        unsealed(sealed(ARRAYS, {"step": 3}).replace(b"3", b"4"))


def test_a_digest_is_of_contents_and_shapes():
    assert digest(np.zeros(2)) == digest(np.zeros(2)) != digest(np.zeros(3))
    assert digest(np.zeros(2)) != digest(np.zeros((2, 1))) != digest(np.zeros(2, "float32"))
    assert len(digest(np.zeros(2), size=4)) == 8
