"""Texts become counts of words; made-up corpora are drawn."""
