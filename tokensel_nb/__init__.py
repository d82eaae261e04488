"""Why does attention pick the right word? The package behind the book tokensel-nb."""

from .alignment import cls_step, embedding_step, exact_values, predicted_scores, predicted_values
from .corpus import Corpus
from .datasets import DataError, load_imdb, load_movie_reviews, load_reviews, read_imdb, read_reviews
from .model import Parameters, attention, descend_, gradients, init_parameters, logits, loss, score_gradients
from .text import corpus_from_texts

__all__ = [
    "Corpus",
    "DataError",
    "Parameters",
    "attention",
    "cls_step",
    "corpus_from_texts",
    "descend_",
    "embedding_step",
    "exact_values",
    "gradients",
    "init_parameters",
    "load_imdb",
    "load_movie_reviews",
    "load_reviews",
    "logits",
    "loss",
    "predicted_scores",
    "predicted_values",
    "read_imdb",
    "read_reviews",
    "score_gradients",
]
