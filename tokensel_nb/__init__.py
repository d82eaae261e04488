"""Why does attention pick the right word? The package behind the book tokensel-nb."""

from .alignment import cls_step, embedding_step, exact_values, predicted_scores, predicted_values
from .assumption import check_assumption_1, relevant_tokens
from .corpus import Corpus
from .datasets import DataError, load_imdb, load_movie_reviews, load_reviews, read_imdb, read_reviews
from .flow import gradient_flow, limit_parameters, normalised_steps
from .max_margin import NotSeparableError, max_margin
from .model import Parameters, attention, descend_, gradients, init_parameters, logits, loss, score_gradients
from .text import corpus_from_texts

__all__ = [
    "Corpus",
    "DataError",
    "NotSeparableError",
    "Parameters",
    "attention",
    "check_assumption_1",
    "cls_step",
    "corpus_from_texts",
    "descend_",
    "embedding_step",
    "exact_values",
    "gradient_flow",
    "gradients",
    "init_parameters",
    "limit_parameters",
    "load_imdb",
    "load_movie_reviews",
    "load_reviews",
    "logits",
    "loss",
    "max_margin",
    "normalised_steps",
    "predicted_scores",
    "predicted_values",
    "read_imdb",
    "read_reviews",
    "relevant_tokens",
    "score_gradients",
]
