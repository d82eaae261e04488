import pytest
from tokensel_nb.support import runtime


def test_what_is_said_of_this_machine():
    assert runtime.memory() > 1e8
    assert (runtime.device_name() == "cpu") == (runtime.default_device() == "cpu")


def test_sizes_without_room_are_refused_by_name():
    runtime.room_for(10, dim=10)
    message = "^vocab_size=1000000000000000000, dim=100 needs 800,000,000,000 GB, more than this machine has; reduce it$"
    with pytest.raises(ValueError, match=message):
        runtime.room_for(10**20, vocab_size=10**18, dim=100)


@pytest.mark.parametrize("threads", [True, False])
def test_results_come_in_the_order_of_the_items(monkeypatch, threads):
    monkeypatch.setattr(runtime, "HAS_THREADS", threads)
    assert list(runtime.side_by_side(abs, [-1, 2, -3])) == [1, 2, 3]
