from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
import torch
from tokensel_nb.models.options import ELSEWHERE

from tokensel_nb import Model, OneLayer, Options, TwoLayers, WithMLP, train

# Another value of every option. A new field needs one here, and a decision: does a step depend on it?
CHANGES = {
    "dim": 7,
    "steps": 7,
    "learning_rate": 0.7,
    "optimizer": "gradient descent",
    "trained": ["embeddings"],
    "batch_size": 7,
    "patience": 7,
    "evaluate_every": 7,
    "seed": 7,
    "device": "cpu",
    "distributed": True,
    "checkpoint": "seven.safetensors",
    "watch": print,
    "verbose": False,
}


def test_every_option_has_been_considered():
    assert list(CHANGES) == [field.name for field in fields(Options)]
    assert set(ELSEWHERE) == {"steps", "device", "distributed", "checkpoint", "watch", "verbose"}


@pytest.mark.parametrize("name", CHANGES)
def test_the_identity_is_all_that_a_step_depends_on(name):
    plain, changed = Options(), Options(**{name: CHANGES[name]})
    assert getattr(plain, name) != getattr(changed, name)
    assert (plain.identity() == changed.identity()) == (name in ELSEWHERE)
    assert set(plain.identity()) == set(CHANGES) - set(ELSEWHERE)


def test_numbers_of_numpy_are_as_good_as_others():
    given = Options(
        dim=np.int64(7), steps=np.int32(3), learning_rate=np.float32(0.5), seed=np.uint8(2), trained=("embeddings",)
    )
    wanted = Options(dim=7, steps=3, learning_rate=0.5, seed=2, trained=["embeddings"])
    assert given.identity() == wanted.identity()
    assert {type(value) for value in given.identity().values()} <= {int, float, str, list, type(None)}


@pytest.mark.parametrize("device", [0, False, "", True, 1.5, -1, b"cpu", ["cpu"]])
def test_a_device_has_a_name(device):
    with pytest.raises(TypeError, match=r"^device=.*; give a name such as 'cpu', 'cuda:0' or 'auto'$"):
        Options(device=device)
    assert Options(device=torch.device("cpu")).device == Options(device=np.str_("cpu")).device == "cpu"


def test_one_name_is_a_list_of_one():
    assert Options(trained="embeddings").trained == ("embeddings",)


@pytest.mark.parametrize("name", ["dim", "steps", "evaluate_every", "batch_size", "patience"])
@pytest.mark.parametrize("value", [0, -1, 2.0, "3", True, np.nan])
def test_whole_numbers_of_at_least_one(name, value):
    with pytest.raises(ValueError, match=f"^{name}={value!r}; give a whole number of at least 1$"):
        Options(**{name: value})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(steps=None), "steps=None; give a whole number of at least 1"),
        (dict(seed=-1), "seed=-1; give a whole number, zero or more"),
        (dict(seed=None), "seed=None; give a whole number"),
        (dict(seed=0.5), "seed=0.5"),
        (dict(learning_rate=-1.0), "learning_rate=-1.0; give a positive number"),
        (dict(learning_rate=0), "learning_rate=0;"),
        (dict(learning_rate=np.nan), "learning_rate=nan"),
        (dict(learning_rate=np.inf), "learning_rate=inf"),
        (dict(learning_rate="0.1"), "learning_rate='0.1'"),
        (dict(optimizer="lbfgs"), "optimizer='lbfgs'; choose one of 'adam', 'gradient descent'"),
        (dict(trained=[]), "trained is empty; name at least one of the model's arrays"),
    ],
)
def test_options_out_of_range(tiny, changes, message):
    with pytest.raises(ValueError, match=message):
        Options(**changes)
    with pytest.raises(ValueError, match=message):
        replace(Options(), **changes)
    with pytest.raises(ValueError, match=message):
        train(tiny, **changes)


def test_options_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Options().steps = 3


def test_an_option_that_does_not_exist_is_named_beside_those_that_do(tiny):
    with pytest.raises(TypeError, match=r"^no option is called 'optimiser'; there are dim, steps, learning_rate, .*, verbose$"):
        train(tiny, optimiser="adam")
    with pytest.raises(TypeError, match="no option is called 'max_tokens', 'step'; there are"):
        train(tiny, step=3, steps=3, max_tokens=4)


def test_every_model_has_options_of_its_own(tiny):
    assert Model.options == OneLayer().options == Options()
    assert TwoLayers().options == replace(WithMLP().options, learning_rate=0.003)
    seen = []
    train(
        tiny, steps=4, evaluate_every=2, dim=3, watch=lambda step, parameters: seen.append((step, parameters.embeddings.shape))
    )
    assert seen == [(step, (3, 3)) for step in (0, 2, 4)]
    given = Options(dim=2, steps=3, evaluate_every=3)
    assert train(tiny, options=given).history.steps.tolist() == [0, 3]
    assert train(tiny, options=given, steps=2).history.steps.tolist() == [0, 2], "a change goes before the options"
