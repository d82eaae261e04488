"""The models, one class each, with the same verbs; those that need torch are imported when they are asked for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "autograd": ["AutogradModel", "mean_over_tokens"],
        "base": ["Model"],
        "deeper": ["KeyQueryParameters", "MLPParameters", "TwoLayers", "TwoLayersWithoutKeyQuery", "WithMLP", "most_frequent"],
        "one_layer": ["OneLayer", "descend_", "score_gradients"],
    },
)
