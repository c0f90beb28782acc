"""FIRE beside a slow loop and the released module, and where its normaliser changes."""

import math

import numpy as np
import pytest
import torch

from posviz.encodings.fire import FIRE, fire_bias, fire_distances

WIDTH, HEADS = 6, 3
SHAPES = ((WIDTH,), (WIDTH,), (WIDTH, HEADS), (HEADS,))
WEIGHTS = [np.random.default_rng(seed).normal(size=shape) for seed, shape in enumerate(SHAPES)]
KINDS = pytest.mark.parametrize("kind", [np.array, torch.tensor])


def slowly(i, j, h, c, threshold, eps=1e-6):
    w_in, b_in, w_out, b_out = WEIGHTS
    share = math.log(abs(c * (i - j)) + 1) / (math.log(abs(c) * max(threshold, i) + 1) + eps)
    return b_out[h] + sum(max(share * w_in[n] + b_in[n], 0) * w_out[n, h] for n in range(WIDTH))


@KINDS
@pytest.mark.parametrize("positions", [range(9), [[0, 1, 5, 30], [7, 7, 2, 100]]], ids=str)
@pytest.mark.parametrize(("c", "threshold"), [(0.1, 512.0), (-2.0, 4.0), (0.5, -6.5)])
def test_it_is_what_a_slow_loop_makes(kind, positions, c, threshold):
    rows = np.atleast_2d(positions)
    encoding = FIRE(*map(kind, WEIGHTS), c=c, threshold=threshold)
    scores = kind(np.ones((len(rows), HEADS, rows.shape[1], 9)))
    found = encoding.at_scores(scores, None, None, positions, range(9))
    distances = fire_distances(positions, range(9), c=c, threshold=threshold)
    bias = fire_bias(kind(distances), *map(kind, WEIGHTS))
    bias = bias.reshape(scores.shape)
    for b, h, i, j in np.ndindex(tuple(found.shape)):
        expected = slowly(int(rows[b, i]), j, h, c, abs(threshold))
        assert found[b, h, i, j] == pytest.approx(1 + expected, rel=1e-12)
        assert bias[b, h, i, j] == pytest.approx(expected, rel=1e-12)


def released(x, mlp, c, threshold, eps=1e-6):
    """The forward pass of the module in the paper's appendix, for a causal mask."""
    places = torch.arange(x.shape[-1], dtype=torch.float64)
    distance = places[:, None] - places[None, :]
    normaliser = torch.max(places, torch.abs(threshold))[:, None]
    distance = torch.log(torch.abs(c * distance) + 1)
    normaliser = torch.log(torch.abs(c * normaliser) + 1) + eps
    return mlp((distance / normaliser).unsqueeze(-1)).unsqueeze(0).permute(0, 3, 1, 2)


@pytest.mark.parametrize("start", [5.0, 512.0])
def test_it_is_the_released_module(start):
    torch.manual_seed(0)
    mlp = torch.nn.Sequential(
        torch.nn.Linear(1, 32), torch.nn.ReLU(), torch.nn.Linear(32, HEADS)
    ).double()
    c, threshold = torch.tensor(0.1), torch.tensor(start)
    scores = torch.zeros(1, HEADS, 40, 40, dtype=torch.float64)
    weights = (mlp[0].weight[:, 0], mlp[0].bias, mlp[2].weight.T, mlp[2].bias)
    found = FIRE(*weights, c=c, threshold=threshold).at_scores(
        scores, None, None, range(40), range(40)
    )
    torch.testing.assert_close(found, released(scores, mlp, c, threshold), atol=1e-7, rtol=1e-7)


def test_from_the_threshold_on_the_first_key_is_at_one():
    found = fire_distances([3, 4, 9, 10**6], [0], threshold=4.0)[:, 0]
    np.testing.assert_allclose(found[1:], 1, atol=3e-6)
    assert found[0] < 0.81


def test_below_the_threshold_only_the_offset_counts():
    below = fire_distances(range(8), range(8), threshold=8.0)
    np.testing.assert_array_equal(below[1:, 1:], below[:-1, :-1])
    beyond = fire_distances(range(8), range(8), threshold=2.0)
    assert beyond[7, 6] < beyond[3, 2]


def test_gradients_reach_all_that_is_learned():
    weights = [torch.tensor(w, requires_grad=True) for w in WEIGHTS]
    c, threshold = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.3, 3.5))
    scores = torch.zeros(1, HEADS, 7, 7, dtype=torch.float64)

    def run(c, threshold, *weights):
        encoding = FIRE(*weights, c=c, threshold=threshold)
        return encoding.at_scores(scores, None, None, range(7), range(7))

    assert torch.autograd.gradcheck(run, (c, threshold, *weights))
    assert fire_distances([5], [1], c=c, threshold=threshold).requires_grad


SCORES = np.zeros((1, 2, 1, 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: FIRE(*WEIGHTS[:3], WEIGHTS[0]),
            ValueError,
            r"weights must be w_in \[width\].*b_out \(6,\)",
        ),
        (lambda: FIRE(*WEIGHTS[:3], [0.0]), TypeError, "expected a NumPy array"),
        (lambda: FIRE(*WEIGHTS, c=np.nan), ValueError, "c must be finite"),
        (lambda: FIRE(*WEIGHTS, threshold="far"), TypeError, "threshold must be a real number"),
        (lambda: FIRE(*WEIGHTS, eps=0), ValueError, "eps must be above 0"),
        (lambda: fire_bias([0.5], *WEIGHTS), ValueError, r"distances must be \[..., q_len, k_len"),
        (lambda: fire_distances([0], [np.inf]), ValueError, "k_positions must be finite"),
        (
            lambda: FIRE(*WEIGHTS).at_scores(SCORES, None, None, [0], [0]),
            ValueError,
            "b_out must have the 2 heads of q, got 3",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
