"""Gradient flow on the query: its path, its limit, and what it selects."""
