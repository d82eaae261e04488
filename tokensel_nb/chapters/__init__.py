"""Code for the chapters only: claims, figures, helpers of single chapters."""

from .claim import claim

__all__ = ["claim"]
