"""RoPE against other libraries and rotation identities, in both layouts."""

import math

import numpy as np
import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from x_transformers import x_transformers

from posviz import (
    Frequencies,
    Rotary,
    apply_rotary,
    attend,
    change_layout,
    change_projection_layout,
    proportional_frequencies,
    rotation_matrix,
)
from tests.every_encoding import random

BASE = 10_000.0
TO_SPLIT = {"source": "interleaved", "target": "half_split"}
both_layouts = pytest.mark.parametrize("layout", ["interleaved", "half_split"])
SHAPES = [  # batch, heads, len, head_dim, first position
    (2, 6, 5, 6, 3),
    (1, 12, 7, 64, 4090),
    (1, 20, 2, 128, 131_072),
]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


# ---------------------------------------------------------------- other libraries


def queries(shape, dtype=torch.float64):
    return torch.tensor(random(*shape[:4]), dtype=dtype)


def exact_frequencies(rotary_dim):
    rates = [BASE ** (-2 * i / rotary_dim) for i in range(rotary_dim // 2)]
    return torch.tensor(rates, dtype=torch.float64)


def exact_waves(positions, rotary_dim):
    """[1, len, rotary_dim/2] cosines and sines, each from Python's own."""
    rates = exact_frequencies(rotary_dim).tolist()
    angles = [[position * rate for rate in rates] for position in positions]
    return [
        torch.tensor([[[wave(angle) for angle in row] for row in angles]], dtype=torch.float64)
        for wave in (math.cos, math.sin)
    ]


@pytest.mark.parametrize("rotary_dim", [4, None])
@every_shape
def test_half_split_is_what_gpt_neox_does(shape, rotary_dim):
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape)
    waves = exact_waves(positions, rotary_dim or shape[3])
    theirs, _ = gpt_neox.apply_rotary_pos_emb(q, q, *(torch.cat([w, w], -1) for w in waves))
    ours = Rotary(rotary_dim=rotary_dim, layout="half_split").at_key(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("rotary_dim", [4, None])
@every_shape
def test_interleaved_is_what_gptj_does(shape, rotary_dim):
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape)
    width = rotary_dim or shape[3]
    cos, sin = exact_waves(positions, width)
    x = q.transpose(1, 2)  # theirs is [batch, len, heads, head_dim]
    rotated = gptj.apply_rotary_pos_emb(x[..., :width], sin, cos)
    theirs = torch.cat([rotated, x[..., width:]], dim=-1).transpose(1, 2)
    ours = Rotary(rotary_dim=rotary_dim).at_query(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@every_shape
def test_interleaved_is_what_rotary_embedding_torch_does(shape):
    """With exact frequencies: its own are float32."""
    q, frequencies = queries(shape), exact_frequencies(shape[3])
    module = RotaryEmbedding(shape[3], custom_freqs=frequencies, cache_if_possible=False)
    positions = torch.arange(shape[4], shape[4] + shape[2])
    theirs = module.rotate_queries_or_keys(q, offset=shape[4])
    torch.testing.assert_close(Rotary().at_query(q, positions), theirs, atol=1e-9, rtol=0)


@every_shape
def test_interleaved_is_what_x_transformers_does(shape):
    q, module = queries(shape), x_transformers.RotaryEmbedding(shape[3])
    module.inv_freq = exact_frequencies(shape[3])
    positions = torch.arange(shape[4], shape[4] + shape[2], dtype=torch.float64)
    theirs = x_transformers.apply_rotary_pos_emb(q, module(positions)[0])
    torch.testing.assert_close(Rotary().at_key(q, positions), theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_bases_and_batches_of_positions_are_those_of_llama(base):
    rope = {"rope_type": "default", "rope_theta": base}
    config = LlamaConfig(hidden_size=64, num_attention_heads=4, rope_parameters=rope)
    q = queries((2, 4, 10, 16), torch.float32)
    positions = torch.stack([torch.arange(10), torch.arange(10) + 7])
    theirs, _ = llama.apply_rotary_pos_emb(q, q, *llama.LlamaRotaryEmbedding(config)(q, positions))
    ours = Rotary(base=base, layout="half_split").at_query(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


# ---------------------------------------------------------------- rotations


def slowly(x, angles, layout):
    """Rotate one vector, one pair at a time."""
    rotated, pairs = [float(number) for number in x], len(angles)
    for i, angle in enumerate(angles):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + pairs)
        rotated[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        rotated[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return rotated


@both_layouts
@pytest.mark.parametrize("shape", [(2, 1, 4, 4), (3, 4, 4), (1, 4), (2, 3, 1, 4)], ids=str)
def test_angles_may_differ_by_sentence_and_head(layout, shape):
    """The last two of ten dimensions are not rotated."""
    x, angles = random(2, 3, 4, 10), random(*shape, seed=2)
    found = apply_rotary(x, angles, layout=layout)
    full = np.broadcast_to(angles, (2, 3, 4, 4))
    for place in np.ndindex(2, 3, 4):
        np.testing.assert_allclose(found[place], slowly(x[place], full[place], layout))


def test_a_quarter_of_a_rotation_is_counter_clockwise():
    found = apply_rotary(np.array([[1.0, 0.0]]), [[math.pi / 2]])
    np.testing.assert_allclose(found, [[0, 1]], atol=1e-16)
    np.testing.assert_allclose(rotation_matrix([math.pi / 2]), [[0, -1], [1, 0]], atol=1e-16)


def test_the_sign_of_the_offset():
    """q = (1, .5), k = (.3, 1.2), θ = .5, m = 7, n = 4: Re[q k* e^(i·1.5)], not with e^(−i·1.5)."""
    q, k = np.array([[1.0, 0.5]]), np.array([[0.3, 1.2]])
    score = apply_rotary(q, [[3.5]]) @ apply_rotary(k, [[2.0]]).T
    expected = ((1 + 0.5j) * (0.3 - 1.2j) * np.exp(1.5j)).real
    assert score.item() == pytest.approx(expected, abs=1e-14)
    assert score.item() == pytest.approx(1.1110, abs=5e-5)


@both_layouts
def test_the_matrix_is_a_rotation_for_each_row_of_angles(layout):
    angles, x = 1e4 * random(3, 2, 4), random(8, seed=1)
    matrices = rotation_matrix(angles, layout=layout)
    for place in np.ndindex(3, 2):
        matrix = matrices[place]
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(8), atol=1e-14)
        np.testing.assert_allclose(matrix @ x, slowly(x, angles[place], layout), atol=1e-14)


@both_layouts
def test_no_order_in_memory_changes_the_numbers(layout):
    x, angles = torch.tensor(random(2, 3, 5, 8)), random(5, 3)
    expected = apply_rotary(x.numpy(), angles, layout=layout)
    for other in (
        x.transpose(1, 2).contiguous().transpose(1, 2),
        torch.nn.functional.pad(x, (1, 0))[..., 1:],
        x.repeat_interleave(2, dim=-1)[..., ::2],
    ):
        before = other.clone()
        for found in (apply_rotary(y, angles, layout=layout) for y in (other, other.numpy())):
            np.testing.assert_allclose(found, expected, atol=1e-14)
        assert torch.equal(other, before), "the input was written to"


@both_layouts
def test_float32_is_rotated_by_exact_angles_far_out(layout):
    """Angles computed in float32 would be off by more than 1e-3."""
    x = torch.tensor(random(1, 1, 3, 128)).float()
    positions = [1000, 131_071, 131_073]
    found = Rotary(layout=layout).at_query(x, positions)
    expected = Rotary(layout=layout).at_query(x.double(), positions)
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=1e-6)


def test_given_frequencies_rotate_and_scale_two_dimensions_each():
    q, frequencies = random(2, 3, 4, 10), Frequencies([1.0, 0.1, 0.0], attention_factor=1.5)
    found = Rotary(frequencies=frequencies, layout="half_split").at_query(q, range(4))
    for place in np.ndindex(2, 3, 4):
        position = place[-1]
        rotated = slowly(q[place][:6], [position, 0.1 * position, 0.0], "half_split")
        np.testing.assert_allclose(found[place][:6], 1.5 * np.array(rotated), atol=1e-14)
        np.testing.assert_array_equal(found[place][6:], q[place][6:])


def test_p_rope_leaves_the_slow_pairs_alone():
    q = random(1, 1, 3, 8)
    half = Rotary(frequencies=Frequencies(proportional_frequencies(8, 0.5)))
    found = half.at_query(q, range(3))
    np.testing.assert_allclose(found[..., :4], Rotary().at_query(q, range(3))[..., :4])
    np.testing.assert_array_equal(found[..., 4:], q[..., 4:])


# ---------------------------------------------------------------- from one layout to the other


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_a_change_of_layout_moves_pairs_and_spares_the_tail(kind):
    x = kind(np.arange(2 * 7).reshape(2, 7))
    split = change_layout(x, **TO_SPLIT, rotary_dim=4)
    assert split.tolist() == [[0, 2, 1, 3, 4, 5, 6], [7, 9, 8, 10, 11, 12, 13]]
    back = change_layout(split, source="half_split", target="interleaved", rotary_dim=4)
    assert back.tolist() == x.tolist()


@pytest.mark.parametrize("rotary_dim", [None, 6])
@pytest.mark.parametrize("q_heads", [1, 6])
def test_changed_projections_give_the_same_attention(rotary_dim, q_heads):
    x, w_q, w_k = random(2, 5, 12), random(12, 8 * q_heads), random(12, 8, seed=1)
    changed = [
        change_projection_layout(w, num_heads=heads, **TO_SPLIT, rotary_dim=rotary_dim)
        for w, heads in ((w_q, q_heads), (w_k, 1))
    ]
    options = {"num_heads": q_heads, "positions": [0, 3, 4, 100, 7]}
    plain = attend(x, w_q, w_k, w_k, encoding=Rotary(rotary_dim=rotary_dim), **options)
    split = Rotary(rotary_dim=rotary_dim, layout="half_split")
    found = attend(x, *changed, w_k, encoding=split, **options)
    np.testing.assert_allclose(found, plain, atol=1e-12)


@pytest.mark.parametrize("heads", [1, 4])
def test_the_weights_change_as_those_of_llama_were_changed(heads):
    """The conversion script reorders the rows of torch's [out, in]."""
    w = torch.tensor(random(8 * heads, 12))
    theirs = w.view(heads, 4, 2, 12).transpose(1, 2).reshape(8 * heads, 12)
    ours = change_projection_layout(w.T, num_heads=heads, **TO_SPLIT)
    torch.testing.assert_close(ours, theirs.T, rtol=0, atol=0)
