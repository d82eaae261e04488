"""Gradient flow on the query: its path, its limit, and what it selects."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bounds": ["allowed_error", "sufficient_dimension"],
        "joint": ["conserved", "joint_flow", "output_flow"],
        "path": ["Flow", "gradient_flow", "key_query_at", "key_query_flow", "limit_parameters", "normalised_steps"],
        "selection": ["SelectionCertificate", "competition", "head_growth", "selection_certificate"],
        "sharp": ["Scaled", "SharpAttention"],
    },
)
