"""What only the chapters need: claims, figures, helpers of single chapters."""

from .claim import claim

__all__ = ["claim"]
