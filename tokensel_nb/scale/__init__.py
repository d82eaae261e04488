"""Corpora on disk, and processes that share a run."""
