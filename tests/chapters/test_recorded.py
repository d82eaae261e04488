import numpy as np
import pytest

from tokensel_nb.chapters.recorded import FOLDER, PAPER_EDGES, paper_table


def test_the_papers_tables_have_their_bins():
    sizes = {path.stem: len(paper_table(path.stem)) for path in (FOLDER / "paper").glob("*.csv")}
    assert sizes == dict.fromkeys(("mlp_p", "mlp_v", "two_layer_wkq_p", "two_layer_wkq_v"), 20) | dict.fromkeys(
        ("multiclass_yelp4_class2_v", "multiclass_yelp4_class4_v"), 19
    )
    table = paper_table("two_layer_wkq_p")
    assert (np.diff(table.centre) > 0).all()
    assert table["mean"].iloc[[0, -1]].tolist() == [15.47, 12.44]  # as in the authors' answer


@pytest.mark.parametrize("name", ["mlp_p", "mlp_v", "two_layer_wkq_p", "two_layer_wkq_v"])
def test_the_papers_edges_give_its_centres_and_no_others_do(name):
    centres = paper_table(name).centre

    def fits(end):  # up to a rounding to two digits
        edges = np.linspace(-1, end, 21)
        return (np.abs((edges[:-1] + edges[1:]) / 2 - centres) <= 0.005 + 1e-9).all()

    assert fits(PAPER_EDGES[-1])
    assert not fits(PAPER_EDGES[-1] + 1e-4)
    assert not fits(PAPER_EDGES[-1] - 1e-4)


def test_what_is_not_there_is_named_with_what_is():
    with pytest.raises(FileNotFoundError, match="nothing is recorded as 'mlp'; choose from mlp_p, mlp_v"):
        paper_table("mlp")
