# Every public name, once: `__init__.py` imports from this list, on demand, and type checkers read it.
from .arrays import (
    as_numpy as as_numpy,
    to_device as to_device,
)
from .assumption import (
    check_assumption_1 as check_assumption_1,
    complete_tokens as complete_tokens,
    relevant_tokens as relevant_tokens,
)
from .bins import (
    Bins as Bins,
    ControlledBins as ControlledBins,
    binned as binned,
    with_control as with_control,
    word_correlation as word_correlation,
)
from .checkpoint import (
    load as load,
    save as save,
)
from .corpus import (
    Corpus as Corpus,
    shuffle_labels as shuffle_labels,
)
from .counts import (
    Counts as Counts,
)
from .datasets.imdb import (
    load_imdb as load_imdb,
    read_imdb as read_imdb,
)
from .datasets.movie_reviews import (
    load_movie_reviews as load_movie_reviews,
    load_rotten_tomatoes as load_rotten_tomatoes,
    read_rotten_tomatoes as read_rotten_tomatoes,
)
from .datasets.reviews import (
    DataError as DataError,
    Reviews as Reviews,
)
from .datasets.tweets import (
    load_tweets as load_tweets,
    read_tweets as read_tweets,
)
from .datasets.yelp import (
    load_yelp as load_yelp,
    read_yelp as read_yelp,
)
from .deeper import (
    KeyQueryParameters as KeyQueryParameters,
    MLPParameters as MLPParameters,
    TwoLayers as TwoLayers,
    TwoLayersWithoutKeyQuery as TwoLayersWithoutKeyQuery,
    WithMLP as WithMLP,
    most_frequent as most_frequent,
)
from .descent import (
    Optimizer as Optimizer,
    State as State,
    descent as descent,
)
from .distributed import (
    Shards as Shards,
    Shared as Shared,
    write_shards as write_shards,
)
from .first_steps import (
    FirstStep as FirstStep,
    allowed_error as allowed_error,
    first_step as first_step,
    sufficient_dimension as sufficient_dimension,
)
from .flow import (
    Flow as Flow,
    gradient_flow as gradient_flow,
    limit_parameters as limit_parameters,
)
from .joint import (
    conserved as conserved,
    joint_flow as joint_flow,
    key_query_at as key_query_at,
    key_query_flow as key_query_flow,
    output_flow as output_flow,
)
from .margin import (
    MaxMargin as MaxMargin,
    NotSeparableError as NotSeparableError,
    max_margin as max_margin,
    selected_pairs as selected_pairs,
)
from .heads import (
    HeadPreferences as HeadPreferences,
    head_preferences as head_preferences,
    preferences_of_model as preferences_of_model,
)
from .matched import (
    matched_correlation as matched_correlation,
)
from .model import (
    accuracy as accuracy,
    attention as attention,
    gradients as gradients,
    logits as logits,
    loss as loss,
    one_layer as one_layer,
    score_gradients as score_gradients,
)
from .parameters import (
    Parameters as Parameters,
    init_parameters as init_parameters,
    rows_with_values as rows_with_values,
)
from .one_step import (
    OneStep as OneStep,
    adam_values as adam_values,
    class_profile as class_profile,
    cls_step as cls_step,
    embedding_step as embedding_step,
    exact_values as exact_values,
    measure_one_step as measure_one_step,
    null_spread as null_spread,
    predicted_scores as predicted_scores,
    predicted_values as predicted_values,
)
from .extras import (
    versions as versions,
)
from .selection import (
    SelectionCertificate as SelectionCertificate,
    competition as competition,
    head_growth as head_growth,
    selection_certificate as selection_certificate,
)
from .synthetic import (
    independent_tokens as independent_tokens,
    negation as negation,
    one_relevant_token as one_relevant_token,
    partly_positive_tokens as partly_positive_tokens,
    several_relevant_tokens as several_relevant_tokens,
    skews as skews,
    xor_of_pairs as xor_of_pairs,
)
from .text import (
    corpus_from_texts as corpus_from_texts,
    sequences_from_texts as sequences_from_texts,
)
from .training import (
    History as History,
    Training as Training,
    train as train,
)
from .transformer import (
    Transformer as Transformer,
    TransformerParameters as TransformerParameters,
)

__version__: str
