import numpy as np
import pytest

from experiments import classes
from tokensel_nb.chapters.recorded import paper_table


@pytest.mark.parametrize(("number", "bins", "left_out"), [(2, 20, [1]), (4, 19, [])])
def test_the_papers_bins_are_equal_and_their_middles_are_its_centres_but_for_rounding(number, bins, left_out):
    edges = classes.paper_edges(number)
    assert len(edges) == bins + 1
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    middles = np.delete((edges[1:] + edges[:-1]) / 2, left_out)
    centres = paper_table(f"multiclass_yelp4_class{number}_v").centre.to_numpy()
    assert np.abs(middles - centres).max() < 0.0005
