"""Corpora that memory does not hold, and processes that share a run."""
