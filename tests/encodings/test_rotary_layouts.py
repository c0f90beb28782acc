"""Both pairings of RoPE, and the way from one to the other for activations and for weights."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.attention import attend
from posviz.encodings.rotary import (
    Rotary,
    apply_rotary,
    change_layout,
    change_projection_layout,
)

SPLIT = "half_split"
TO_SPLIT = {"source": "interleaved", "target": SPLIT}


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@given(pairs=st.integers(1, 8))
def test_layouts_name_the_same_pairs(pairs):
    x = np.arange(3 * 2 * pairs).reshape(3, 2 * pairs)
    split = change_layout(x, source="interleaved", target="half_split")
    for i in range(pairs):
        assert split[:, i].tolist() == x[:, 2 * i].tolist()
        assert split[:, i + pairs].tolist() == x[:, 2 * i + 1].tolist()
    back = change_layout(split, source="half_split", target="interleaved")
    np.testing.assert_array_equal(back, x)
    assert change_layout(x, source="half_split", target="half_split").tolist() == x.tolist()


def test_turning_commutes_with_the_change_of_layout():
    x, angles = torch.tensor(random(5, 12)), random(5, 6)
    one_way = change_layout(apply_rotary(x, angles), source="interleaved", target="half_split")
    other = change_layout(x, source="interleaved", target="half_split")
    torch.testing.assert_close(one_way, apply_rotary(other, angles, layout="half_split"))


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_what_lies_beyond_rotary_dim_stays(kind):
    x = kind(np.arange(2 * 7).reshape(2, 7))
    split = change_layout(x, **TO_SPLIT, rotary_dim=4)
    assert split.tolist() == [[0, 2, 1, 3, 4, 5, 6], [7, 9, 8, 10, 11, 12, 13]]
    back = change_layout(split, source=SPLIT, target="interleaved", rotary_dim=4)
    assert back.tolist() == x.tolist()


@pytest.mark.parametrize("rotary_dim", [None, 2, 6])
@given(q_heads=st.sampled_from([1, 2, 6]), seed=st.integers(0, 3))
def test_changed_projections_give_the_same_attention(rotary_dim, q_heads, seed):
    x, positions = random(2, 5, 12, seed=seed), [0, 3, 4, 100, 7]
    w_q, w_k, w_v = random(12, 8 * q_heads), random(12, 8, seed=1), random(12, 8, seed=2)
    changed_q = change_projection_layout(w_q, num_heads=q_heads, **TO_SPLIT, rotary_dim=rotary_dim)
    changed_k = change_projection_layout(w_k, num_heads=1, **TO_SPLIT, rotary_dim=rotary_dim)
    options = {"num_heads": q_heads, "positions": positions}
    plain = attend(x, w_q, w_k, w_v, encoding=Rotary(rotary_dim=rotary_dim), **options)
    split = Rotary(rotary_dim=rotary_dim, layout=SPLIT)
    np.testing.assert_allclose(
        attend(x, changed_q, changed_k, w_v, encoding=split, **options), plain, atol=1e-12
    )


def test_a_bias_changes_with_its_weights():
    x, w, bias = random(3, 5), random(5, 12), random(12, seed=1)
    options = {"num_heads": 3, **TO_SPLIT}
    both = x @ change_projection_layout(w, **options) + change_projection_layout(bias, **options)
    after = change_projection_layout(x @ w + bias, **options)
    np.testing.assert_allclose(both, after)


@pytest.mark.parametrize("heads", [1, 4])
def test_the_weights_change_as_those_of_llama_were_changed(heads):
    """The conversion script reorders the rows of torch's [out, in]."""
    w = torch.tensor(random(8 * heads, 12))
    theirs = w.view(heads, 4, 2, 12).transpose(1, 2).reshape(8 * heads, 12)
    ours = change_projection_layout(w.T, num_heads=heads, **TO_SPLIT)
    torch.testing.assert_close(ours, theirs.T, rtol=0, atol=0)


def test_gradients_pass_through_the_change():
    w = torch.tensor(random(3, 8), requires_grad=True)
    change = change_projection_layout
    assert torch.autograd.gradcheck(lambda w: change(w, num_heads=2, **TO_SPLIT), w)


X = np.ones((2, 8))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: change_layout(X[:, :7], **TO_SPLIT),
            ValueError,
            "the last axis of x must be even",
        ),
        (lambda: change_layout(X, source="x", target=SPLIT), ValueError, "source must be one"),
        (lambda: change_layout(X, source=SPLIT, target="x"), ValueError, "target must be one"),
        (lambda: change_layout(X[0, 0], **TO_SPLIT), ValueError, "x must be"),
        (lambda: change_layout(X, **TO_SPLIT, rotary_dim=3), ValueError, "rotary_dim must be even"),
        (lambda: change_layout(X, **TO_SPLIT, rotary_dim=10), ValueError, "must be at most 8"),
        (
            lambda: change_projection_layout(X, num_heads=3, **TO_SPLIT),
            ValueError,
            r"w must be \[d_model, 3·head_dim\] or a bias, for num_heads 3, got shape \(2, 8\)",
        ),
        (lambda: change_projection_layout(X[None], num_heads=1, **TO_SPLIT), ValueError, "w must"),
        (lambda: change_projection_layout(X, num_heads=1.5, **TO_SPLIT), TypeError, "num_heads"),
        (lambda: change_projection_layout(X, num_heads=8, **TO_SPLIT), ValueError, "at least 2"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
