"""From the texts of IMDB to counts: this package against scikit-learn's CountVectorizer, same texts, same tokens."""

from sklearn.feature_extraction.text import CountVectorizer

from tokensel_nb import corpus_from_texts, read_imdb

from .timing import alternate, peak_memory, row


def measure():
    reviews = read_imdb()
    texts = [text.replace("<br />", " ") for text in reviews.texts]  # which CountVectorizer counts as words

    def ours():
        return corpus_from_texts(texts, reviews.labels)

    def sklearn():
        return CountVectorizer().fit_transform(texts)

    assert (ours().counts != sklearn()).nnz == 0, "the two do not count the same tokens"
    seconds, of_sklearn = alternate(ours, sklearn, rounds=7)
    (with_default,) = alternate(lambda: corpus_from_texts(reviews.texts, reviews.labels, min_count=45), rounds=5)
    return [
        row("text to counts, IMDB: this package", seconds, "s"),
        row("text to counts, IMDB: CountVectorizer", of_sklearn, "s"),
        row("text to counts: times as fast as CountVectorizer", of_sklearn / seconds, "×", "≥ 2"),
        row("text to counts, IMDB, the book's tokens and vocabulary", with_default, "s"),
        row("text to counts: peak memory, everything", peak_memory() / 1e9, "GB", "≤ 6"),
    ]
