"""Inkling's bias against transformers and x_transformers."""

import pytest
import torch
from transformers.models.inkling.modeling_inkling import InklingRelativeLogits
from x_transformers.x_transformers import RelativeProjPositionalBias

from posviz import Inkling, inkling_bias, offsets
from tests.every_encoding import D_MODEL, HEADS, random


@pytest.mark.parametrize("extent", [3, 20])
def test_the_bias_is_that_of_transformers(extent):
    theirs = InklingRelativeLogits(3, extent).double()
    torch.nn.init.normal_(theirs.proj)
    states, q, k = torch.tensor(random(2, HEADS, 6, 3)), torch.arange(3, 9), torch.arange(9)
    ours = inkling_bias(states, theirs.proj, offsets(q, k))
    torch.testing.assert_close(ours, theirs(states.transpose(1, 2), q, k), atol=1e-14, rtol=0)


def test_the_encoding_is_that_of_x_transformers():
    torch.manual_seed(0)
    x, theirs = (
        torch.tensor(random(2, 6, D_MODEL)),
        RelativeProjPositionalBias(D_MODEL, HEADS, 3, 4),
    )
    linear = theirs.double().to_distance_weights[0]
    torch.nn.init.zeros_(linear.bias)  # Inkling's projections have none
    made, carried = Inkling(linear.weight.T, theirs.distance_bank).for_input(x, range(6), None)
    assert carried is None
    zeros = torch.zeros(2, HEADS, 6, 6).double()
    found = made.at_scores(zeros, None, None, range(6), range(6))
    torch.testing.assert_close(found, theirs(x), atol=1e-13, rtol=0)
