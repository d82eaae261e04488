"""A notebook's cells are compared as tests/results.py says, not sign by sign as nbval does."""

from nbval.plugin import IPyNbCell, coalesce_streams
from results import differences


def compare(cell, new, stored, skip_compare=None):
    """Say whether a cell's new outputs are the stored ones; nbval shows how they differ."""
    cell.comparison_traceback = list(differences(coalesce_streams(stored), coalesce_streams(new)))
    return not cell.comparison_traceback


IPyNbCell.compare_outputs = compare
