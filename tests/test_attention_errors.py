"""Attention names the argument, what came and what is allowed, and looks at it once."""

from collections import Counter

import numpy as np
import pytest
import torch

from posviz.attention import KeyValueCache, attend, attention, softmax
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.masks import blockwise_causal_mask, causal_mask, padding_mask
from tests.every_encoding import ENCODINGS, WHOLE, random

Q = random(2, 4, 3, 8)
X, W = random(2, 3, 8), random(8, 8)


def attention_with(**changes):
    arguments = {"q": Q, "k": Q, "v": Q, "q_positions": range(3), "k_positions": range(3)}
    return attention(**{"encoding": NoPosition(), **arguments, **changes})


def attend_with(**changes):
    arguments = {"x": X, "w_q": W, "w_k": W, "w_v": W, "num_heads": 2, "positions": range(3)}
    return attend(**{"encoding": NoPosition(), **arguments, **changes})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoding": Sinusoidal()}, ValueError, "Sinusoidal acts only at the input: add it"),
        ({"encoding": "rope"}, TypeError, "encoding must be an Encoding, .* got 'rope'"),
        ({"encoding": Rotary}, TypeError, "encoding must be an Encoding"),
        ({"q": Q[0]}, ValueError, "q, k and v must be"),
        ({"k": Q[:1], "v": Q[:1]}, ValueError, "must share batch"),
        ({"k": Q[..., :6]}, ValueError, "must share batch"),
        ({"v": Q[:, :, :2]}, ValueError, "must share batch"),
        ({"k": Q[:, :3], "v": Q[:, :3]}, ValueError, "heads of k must divide the heads of q"),
        ({"k": Q[:, :0], "v": Q[:, :0]}, ValueError, "heads of k must divide the heads of q"),
        ({"k": Q.astype(np.float32)}, TypeError, "k: float32"),
        ({"v": torch.tensor(Q)}, TypeError, "NumPy arrays and torch tensors cannot be mixed"),
        ({"q": Q.tolist()}, TypeError, "got list"),
        (
            {"q_positions": range(4)},
            ValueError,
            r"q_positions must be \[3\] or \[2, 3\], got \(4,\)",
        ),
        ({"k_positions": [[0, 1, 2]] * 3}, ValueError, "k_positions must be"),
        ({"k_positions": None}, TypeError, "k_positions must be real numbers"),
        ({"q": Q[..., :0], "k": Q[..., :0]}, ValueError, "q must have heads and dimensions"),
        ({"mask": [[True], [True, False]]}, ValueError, "mask must be rectangular"),
        ({"k_positions": [0, 1, np.nan]}, ValueError, "k_positions must be finite"),
        ({"q_positions": torch.arange(3)}, TypeError, "q_positions must be a NumPy array"),
        ({"mask": np.ones((3, 3))}, TypeError, "mask must be boolean"),
        ({"mask": np.ones((3, 4), bool)}, ValueError, r"mask must broadcast to \(2, 4, 3, 3\)"),
        ({"mask": np.ones((5, 2, 4, 3, 3), bool)}, ValueError, "mask must broadcast"),
        ({"mask": torch.ones(3, 3, dtype=torch.bool)}, TypeError, "mask must be a NumPy array"),
    ],
)
def test_attention_names_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        attention_with(**changes)


def test_one_position_does_not_serve_a_query_and_all_keys():
    here = np.array([7])
    with pytest.raises(ValueError, match=r"k_positions must be \[3\]"):
        attention_with(q=Q[:, :, :1], encoding=Rotary(), q_positions=here, k_positions=here)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoding": None}, TypeError, "encoding must be an Encoding"),
        ({"x": X[0]}, ValueError, r"x must be \[batch, len, d_model\]"),
        ({"x": X.astype(int)}, TypeError, "x must be floating-point"),
        ({"w_k": W[:7]}, ValueError, r"w_k must be \[8, …\]"),
        ({"w_v": W[0]}, ValueError, r"w_v must be \[8, …\]"),
        ({"num_heads": 3}, ValueError, "num_heads must divide the 8 columns of w_q, got 3"),
        ({"num_heads": 0}, ValueError, "num_heads must be at least 1"),
        ({"num_heads": 2.0}, TypeError, "num_heads must be an integer"),
        ({"w_k": W[:, :4]}, ValueError, "w_k and w_v must have as many columns"),
        ({"w_k": W[:, :6], "w_v": W[:, :6]}, ValueError, "w_k and w_v must have as many columns"),
        ({"w_q": torch.tensor(W)}, TypeError, "cannot be mixed"),
        ({"positions": range(2)}, ValueError, r"positions must be \[3\] or \[2, 3\]"),
        ({"num_heads": 8, "encoding": Rotary()}, ValueError, "must be"),
    ],
)
def test_attend_names_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        attend_with(**changes)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: causal_mask([np.nan], [0]), ValueError, "q_positions must be finite"),
        (lambda: blockwise_causal_mask([0], [0], 0), ValueError, "block must be at least 1"),
        (lambda: blockwise_causal_mask([0], [0], 1.5), TypeError, "block must be an integer"),
        (lambda: blockwise_causal_mask(["0"], [0], 1), TypeError, "q_positions must be real"),
        (lambda: padding_mask([4], 3), ValueError, r"lengths must be \[batch\] and in 0 … 3"),
        (lambda: padding_mask(2, 3), ValueError, r"lengths must be \[batch\]"),
        (lambda: padding_mask([1.5], 3), TypeError, "lengths must be integers"),
        (lambda: softmax([1.0, 2.0]), TypeError, "scores: expected a NumPy array"),
    ],
)
def test_masks_and_softmax_name_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.slow("seconds")
def test_scores_that_would_not_fit_in_memory_are_refused_first():
    q = np.broadcast_to(np.float32(1), (1, 8, 10**7, 2))
    positions = range(10**7)
    with pytest.raises(ValueError, match="heads × q_len × k_len: an array of 1 × 8 ×"):
        attention(q, q, q, encoding=NoPosition(), q_positions=positions, k_positions=positions)


def count_calls(monkeypatch, owner, *names):
    """Return a Counter of the calls of these functions of ``owner``."""
    counts = Counter()
    for name in names:
        function = getattr(owner, name)

        def counted(*arguments, name=name, function=function, **options):
            counts[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(owner, name, counted)
    return counts


BRANCHES = ("ReRoPE", "PoPE")  # has angles for each, and a map checks what it is given


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in WHOLE + BRANCHES])
def test_positions_are_read_once_and_angles_are_computed_once(name, monkeypatch):
    encoding = ENCODINGS[name](np.asarray)
    counts = count_calls(monkeypatch, np, "isfinite", "cos")
    attend_with(encoding=encoding, positions=np.arange(3.0))
    assert counts["isfinite"] == 1
    assert counts["cos"] <= 1


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_gpu_is_waited_for_at_most_three_times(name, monkeypatch):
    encoding, positions = ENCODINGS[name](torch.tensor), torch.arange(3)
    x, w = torch.tensor(X), torch.tensor(W)
    counts = count_calls(monkeypatch, torch.Tensor, "__bool__", "__int__", "__float__", "tolist")
    attend_with(x=x, w_q=w, w_k=w, w_v=w, encoding=encoding, positions=positions)
    assert counts.total() <= 3


def test_a_door_that_is_overridden_is_passed():
    class KeysStay(Rotary):
        def at_key(self, k, positions):
            return k

    cache = KeyValueCache()
    attend_with(encoding=KeysStay(), num_heads=1, cache=cache)
    np.testing.assert_array_equal(cache.keys[:, 0], X @ W)
