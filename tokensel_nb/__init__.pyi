# Every public name, once: `__init__.py` imports from this list, on demand, and type checkers read it.
from .theory.alignment import (
    adam_values as adam_values,
    class_profile as class_profile,
    cls_step as cls_step,
    embedding_step as embedding_step,
    exact_values as exact_values,
    predicted_scores as predicted_scores,
    predicted_values as predicted_values,
)
from .theory.assumption import (
    check_assumption_1 as check_assumption_1,
    complete_tokens as complete_tokens,
    relevant_tokens as relevant_tokens,
)
from .theory.bins import (
    Bins as Bins,
    ControlledBins as ControlledBins,
    binned as binned,
    with_control as with_control,
    word_correlation as word_correlation,
)
from .theory.heads import (
    HeadPreferences as HeadPreferences,
    head_preferences as head_preferences,
)
from .theory.matched import (
    matched_correlation as matched_correlation,
)
from .training.checkpoint import (
    CheckpointError as CheckpointError,
)
from .corpus.corpus import (
    Corpus as Corpus,
    shuffle_labels as shuffle_labels,
)
from .corpus.sequences import (
    Sequences as Sequences,
    sequences_from_texts as sequences_from_texts,
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
from .datasets.read.own_files import (
    load_reviews as load_reviews,
    read_reviews as read_reviews,
)
from .datasets.read.reviews import (
    DataError as DataError,
)
from .datasets.tweets import (
    load_tweets as load_tweets,
    read_tweets as read_tweets,
)
from .datasets.yelp import (
    load_yelp as load_yelp,
    read_yelp as read_yelp,
)
from .yourdata.diagnosis import (
    Diagnosis as Diagnosis,
    diagnose as diagnose,
)
from .training.estimator import (
    AttentionClassifier as AttentionClassifier,
)
from .yourdata.explanation import (
    Explanation as Explanation,
    explain as explain,
)
from .theory.first_step import (
    FirstStep as FirstStep,
    first_step as first_step,
)
from .theory.flow.bounds import (
    allowed_error as allowed_error,
    sufficient_dimension as sufficient_dimension,
)
from .theory.flow.joint import (
    conserved as conserved,
    joint_flow as joint_flow,
    output_flow as output_flow,
)
from .theory.flow.path import (
    Flow as Flow,
    gradient_flow as gradient_flow,
    key_query_at as key_query_at,
    key_query_flow as key_query_flow,
    limit_parameters as limit_parameters,
    normalised_steps as normalised_steps,
)
from .theory.flow.selection import (
    SelectionCertificate as SelectionCertificate,
    competition as competition,
    head_growth as head_growth,
    selection_certificate as selection_certificate,
)
from .yourdata.leaks import (
    suspicion as suspicion,
)
from .theory.max_margin import (
    MaxMargin as MaxMargin,
    NotSeparableError as NotSeparableError,
    max_margin as max_margin,
    selected_pairs as selected_pairs,
)
from .models.autograd import (
    AutogradModel as AutogradModel,
    mean_over_tokens as mean_over_tokens,
)
from .models.base import (
    Model as Model,
)
from .models.deeper import (
    KeyQueryParameters as KeyQueryParameters,
    MLPParameters as MLPParameters,
    TwoLayers as TwoLayers,
    TwoLayersWithoutKeyQuery as TwoLayersWithoutKeyQuery,
    WithMLP as WithMLP,
    most_frequent as most_frequent,
)
from .models.one_layer import (
    OneLayer as OneLayer,
    descend_ as descend_,
    score_gradients as score_gradients,
)
from .models.options import (
    Options as Options,
)
from .models.parameters import (
    NamedArrays as NamedArrays,
    Parameters as Parameters,
    init_parameters as init_parameters,
)
from .yourdata.report import (
    Report as Report,
    report as report,
)
from .support.runtime import (
    versions as versions,
)
from .scale.stored import (
    StoredCorpus as StoredCorpus,
    store_corpus as store_corpus,
)
from .corpus.synthetic import (
    independent_tokens as independent_tokens,
    negation as negation,
    one_relevant_token as one_relevant_token,
    partly_positive_tokens as partly_positive_tokens,
    several_relevant_tokens as several_relevant_tokens,
    skews as skews,
    xor_of_pairs as xor_of_pairs,
)
from .corpus.text import (
    corpus_from_texts as corpus_from_texts,
)
from .yourdata.text_box import (
    Live as Live,
    live as live,
)
from .yourdata.classifier import (
    TextClassifier as TextClassifier,
)
from .models.transformer import (
    Transformer as Transformer,
    TransformerParameters as TransformerParameters,
)
from .training.train import (
    History as History,
    Training as Training,
    train as train,
)
from .models.verbs import (
    accuracy as accuracy,
    attention as attention,
    gradients as gradients,
    logits as logits,
    loss as loss,
)

__version__: str
