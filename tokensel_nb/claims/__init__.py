"""The table of claims: what the book says, what was measured, and whether it holds.

``make claims`` measures every claim and writes ``data/claims.json``; a page of the book and its front page read that file,
and a test measures everything again and refuses a file that is stale.
"""

# In the order of the book: importing a chapter enters its claims.
from . import model, one_step, flow, synthetic, reviews, ablations, deeper, classes, beyond  # isort: skip
from .table import CLAIMS, Claim, Target, main, measure_all

__all__ = [
    "CLAIMS",
    "Claim",
    "Target",
    "ablations",
    "beyond",
    "classes",
    "deeper",
    "flow",
    "main",
    "measure_all",
    "model",
    "one_step",
    "reviews",
    "synthetic",
]
