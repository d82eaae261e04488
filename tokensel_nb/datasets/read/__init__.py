"""Reads reviews from anyone's files and tables."""
