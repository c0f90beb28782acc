"""FIRE against the module of its paper, and where its normaliser changes."""

import numpy as np
import pytest
import torch

from posviz import FIRE, fire_distances

HEADS = 3


def released(x, mlp, c, threshold, eps=1e-6):
    """The forward pass of the module in the paper's appendix, for a causal mask."""
    places = torch.arange(x.shape[-1], dtype=torch.float64)
    distance = places[:, None] - places[None, :]
    normaliser = torch.max(places, torch.abs(threshold))[:, None]
    distance = torch.log(torch.abs(c * distance) + 1)
    normaliser = torch.log(torch.abs(c * normaliser) + 1) + eps
    return mlp((distance / normaliser).unsqueeze(-1)).unsqueeze(0).permute(0, 3, 1, 2)


@pytest.mark.parametrize(("c", "threshold"), [(0.1, 5.0), (0.1, 512.0), (-2.0, -6.5)])
def test_the_bias_is_that_of_the_released_module(c, threshold):
    torch.manual_seed(0)
    layers = torch.nn.Linear(1, 32), torch.nn.ReLU(), torch.nn.Linear(32, HEADS)
    mlp = torch.nn.Sequential(*layers).double()
    c, threshold = (torch.tensor(number, dtype=torch.float64) for number in (c, threshold))
    scores = torch.zeros(1, HEADS, 40, 40, dtype=torch.float64)
    weights = (mlp[0].weight[:, 0], mlp[0].bias, mlp[2].weight.T, mlp[2].bias)
    encoding = FIRE(*weights, c=c, threshold=threshold)
    found = encoding.at_scores(scores, None, None, range(40), range(40))
    torch.testing.assert_close(found, released(scores, mlp, c, threshold))


def test_from_the_threshold_on_the_first_key_is_at_one():
    found = fire_distances([3, 4, 9, 10**6], [0], threshold=4.0)[:, 0]
    np.testing.assert_allclose(found[1:], 1, atol=3e-6)
    assert found[0] < 0.81


def test_below_the_threshold_only_the_offset_counts():
    below = fire_distances(range(8), range(8), threshold=8.0)
    np.testing.assert_array_equal(below[1:, 1:], below[:-1, :-1])
    beyond = fire_distances(range(8), range(8), threshold=2.0)
    assert beyond[7, 6] < beyond[3, 2]


def test_gradients_reach_c_and_the_threshold():
    given = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.3, 3.5)]
    assert torch.autograd.gradcheck(
        lambda c, threshold: fire_distances(range(7), range(7), c=c, threshold=threshold), given
    )
