"""What hypothesis draws from."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from tokensel_nb import Corpus


@st.composite
def corpora(draw, classes=(2, 3, 5), min_texts=1):
    """Ragged corpora of every odd shape: one text, one word, empty texts, many repeats, texts of unequal weight."""
    texts = draw(st.integers(min_texts, 7))
    words = draw(st.integers(1, 9))
    num_classes = draw(st.sampled_from(classes))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = random.poisson(draw(st.sampled_from([0.2, 1.0, 4.0])), (texts, words))
    labels = random.integers(0, num_classes, texts)
    labels = 2 * labels - 1 if num_classes == 2 else labels
    names = tuple(f"class {k}" for k in range(num_classes))
    weights = draw(st.sampled_from([None, random.exponential(size=texts)]))
    return Corpus(sparse.csr_array(counts), labels, [f"word{s}" for s in range(words)], names, weights)
