"""What only the book needs: claims, figures, the experiments of some chapters and what was recorded of them."""

from .claim import claim

__all__ = ["claim"]
