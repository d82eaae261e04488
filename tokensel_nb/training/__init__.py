"""Trains any model, and keeps the state of a run in a checkpoint."""
