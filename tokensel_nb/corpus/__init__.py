"""Texts become counts of words."""
