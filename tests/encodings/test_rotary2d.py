"""RoPE on images and video against loops, rotation identities and other libraries."""

import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
from transformers import DINOv3ViTConfig, PixtralVisionConfig, Sam2VideoConfig
from transformers.models.dinov3_vit import modeling_dinov3_vit as dinov3
from transformers.models.glm4v import modeling_glm4v as glm4v
from transformers.models.pixtral import modeling_pixtral as pixtral
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3
from transformers.models.sam2_video import modeling_sam2_video as sam2

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import (
    AxialRotary,
    MixedRotary,
    MRotary,
    axial_angles,
    centres,
    first_mixed_frequencies,
    mixed_angles,
    mrope_angles,
    pixtral_frequencies,
    raster,
)

GRID = raster(5, 7)
TOKENS = len(GRID)
COORDINATES = st.lists(
    st.tuples(*2 * [st.one_of(st.integers(-50, 50), st.floats(-50, 50))]), min_size=1, max_size=4
)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def as_torch(values):
    return torch.tensor(np.array(values))


def images(head_dim, heads=2, tokens=TOKENS):
    return torch.tensor(random(2, heads, tokens, head_dim), dtype=torch.float32)


# ---------------------------------------------------------------- loops


@given(height=st.integers(1, 6), width=st.integers(1, 6))
def test_the_raster_reads_line_by_line(height, width):
    expected = [[row, column] for row in range(height) for column in range(width)]
    assert raster(height, width).tolist() == expected


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("kind", [np.array, as_torch])
@pytest.mark.parametrize("first", ["column", "row"])
@given(quarter=st.integers(1, 5), places=COORDINATES, base=st.sampled_from([100.0, 10_000.0]))
def test_axial_angles_pair_by_pair(kind, first, quarter, places, base):
    rows, columns = (kind(axis) for axis in zip(*places, strict=True))
    found = axial_angles(rows, columns, 4 * quarter, base=base, first=first)
    assert found.shape == (len(places), 2 * quarter)
    for token, pair in np.ndindex(found.shape):
        row, column = places[token]
        leading = column if first == "column" else row
        following = row if first == "column" else column
        along = leading if pair < quarter else following
        expected = along * base ** (-(pair % quarter) / quarter)
        assert found[token, pair] == pytest.approx(expected, rel=1e-12)


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("heads", [None, 1, 3])
@pytest.mark.parametrize("kind", [np.array, as_torch])
@given(places=COORDINATES, pairs=st.integers(1, 4))
def test_mixed_angles_entry_by_entry(kind, heads, places, pairs):
    frequencies = random(2, *([heads] if heads else []), pairs)
    rows, columns = (kind([axis, axis]) for axis in zip(*places, strict=True))
    found = mixed_angles(rows, columns, kind(frequencies))
    assert found.shape == (2, *([heads] if heads else []), len(places), pairs)
    for token, pair in np.ndindex(len(places), pairs):
        row, column = places[token]
        for head in range(heads or 1):
            across, down = frequencies[:, head, pair] if heads else frequencies[:, pair]
            entry = found[1, head, token, pair] if heads else found[1, token, pair]
            assert entry == pytest.approx(column * across + row * down, rel=1e-12, abs=1e-12)


def test_lists_follow_a_tensor():
    ones = torch.ones(2, dtype=torch.float64)
    for rows, columns in (([1, 1], ones), (ones, [1, 1])):
        assert torch.is_tensor(axial_angles(rows, columns, 4))
    found = mixed_angles([1, 1], [1, 1], torch.ones(2, 3))
    assert torch.equal(found, torch.full((2, 3), 2.0, dtype=torch.float64))


def taking_turns(sections):
    """Deal the pairs out one by one: T, H, W in turn, but to T when the other has had its share."""
    left, order = list(sections), []
    for pair in range(sum(sections)):
        axis = pair % 3 if left[pair % 3] else 0
        left[axis] -= 1
        order.append(axis)
    return order


@pytest.mark.parametrize("sections", [(16, 24, 24), (24, 20, 20), (2, 1, 1), (1, 1, 1), (3, 1, 0)])
@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_angles_pair_by_pair(sections, interleaved):
    if interleaved and sections == (16, 24, 24):
        sections = (22, 21, 21)  # Qwen2-VL's own have no turns
    time, row, column = sections
    order = taking_turns(sections) if interleaved else [0] * time + [1] * row + [2] * column
    positions, inv_freq = random(3, 2, 4) * 1e6, rotary_frequencies(2 * sum(sections))
    found = mrope_angles(positions, inv_freq, sections, interleaved=interleaved)
    assert found.shape == (2, 4, len(inv_freq))
    for b, token, pair in np.ndindex(found.shape):
        assert found[b, token, pair] == positions[order[pair], b, token] * inv_freq[pair]
    tensor = mrope_angles(positions, torch.tensor(inv_freq), sections, interleaved=interleaved)
    np.testing.assert_array_equal(tensor, found)


# ---------------------------------------------------------------- other libraries


def test_qwen2_vl_sees_rows_first():
    config = qwen2.Qwen2VLVisionConfig(embed_dim=48, num_heads=2)
    config.rope_parameters = {"rope_type": "axial", "rope_theta": 10_000.0}
    q, grid = images(24), torch.tensor(GRID)
    cos, sin = qwen2.Qwen2VLVisionRotaryEmbedding(config)(q, grid)
    by_token = q.transpose(1, 2)
    theirs = qwen2.apply_rotary_pos_emb_vision(by_token, by_token, cos, sin)
    encoding = AxialRotary(grid, first="row", layout="half_split")
    for door, expected in zip((encoding.at_query, encoding.at_key), theirs, strict=True):
        ours = door(q, torch.arange(TOKENS))
        torch.testing.assert_close(ours, expected.transpose(1, 2), atol=1e-5, rtol=0)


def test_sam2_sees_columns_first():
    config = Sam2VideoConfig(memory_attention_hidden_size=24)
    config.rope_parameters = {"rope_type": "axial", "rope_theta": 100.0}
    column_and_row = torch.tensor(GRID[:, ::-1].copy())
    cos, sin = sam2.Sam2VideoVisionRotaryEmbedding(config)(images(24), column_and_row)
    theirs, _ = sam2.apply_rotary_pos_emb_2d(images(24), images(24), cos, sin)
    ours = AxialRotary(torch.tensor(GRID), base=100.0).at_query(images(24), torch.arange(TOKENS))
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_axial_frequencies_of_rotary_embedding_torch():
    theirs = apply_rotary_emb(RotaryEmbedding(12).get_axial_freqs(5, 7).flatten(0, 1), images(24))
    angles = axial_angles(*GRID.T, 24, first="row")
    torch.testing.assert_close(apply_rotary(images(24), angles), theirs, atol=1e-5, rtol=0)


def test_pixtral_is_mixed_with_zeros():
    """Its rows have the even frequencies of RoPE, its columns the odd ones."""
    config = PixtralVisionConfig(hidden_size=48, num_attention_heads=2)
    q, grid = images(24), torch.tensor(GRID)
    cos, sin = pixtral.PixtralVisionRotaryEmbedding(config)(q, grid)
    theirs, _ = pixtral.apply_rotary_pos_emb(q, q, cos, sin, unsqueeze_dim=0)
    encoding = MixedRotary(GRID, pixtral_frequencies(24), layout="half_split")
    ours = encoding.at_query(q, torch.arange(TOKENS))
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_dinov3_is_axial_between_minus_one_and_one():
    config = DINOv3ViTConfig(hidden_size=48, num_attention_heads=2, patch_size=2)
    theirs = dinov3.DINOv3ViTRopePositionEmbedding(config).eval()
    q = images(24)
    cos, sin = theirs(torch.zeros(1, 3, 10, 14))
    expected, _ = dinov3.apply_rotary_pos_emb(q, q, cos, sin)
    encoding = AxialRotary(centres(5, 7), base=100, first="row", layout="half_split")
    ours = encoding.at_query(q, torch.arange(TOKENS))
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0)


def test_mixed_rope_begins_with_two_directions_at_right_angles():
    """A step along the first of them turns half of the pairs as RoPE would, and no other."""
    directions = np.array([0.3, 2.0])
    frequencies = first_mixed_frequencies(16, directions)
    rows, columns = np.sin(directions), np.cos(directions)
    angles = mixed_angles(rows[:, None], columns[:, None], frequencies)
    for head in (0, 1):
        expected = [*(10 ** (-np.arange(4) / 4)), *np.zeros(4)]
        np.testing.assert_allclose(angles[head, head, 0], expected, atol=1e-15)
    assert (frequencies[:, 0] != frequencies[:, 1]).any()


TIMES = np.array([[0, 0, 0], [1, 1, 1], *[[2, 2 + row, 2 + column] for row, column in GRID]])
PLACES = torch.tensor([[0, 1, 5, 36], [3, 2, 30, 4]])


@pytest.mark.parametrize(
    ("theirs", "kind", "sections"),
    [
        (qwen2.Qwen2VLRotaryEmbedding, "Qwen2VL", (4, 6, 6)),
        (qwen2.Qwen2VLRotaryEmbedding, "Qwen2VL", (16, 0, 0)),
        (qwen3.Qwen3VLTextRotaryEmbedding, "Qwen3VL", (6, 5, 5)),
        (qwen3.Qwen3VLTextRotaryEmbedding, "Qwen3VL", (10, 2, 4)),
        (glm4v.Glm4vTextRotaryEmbedding, "Glm4v", (4, 6, 6)),
    ],
)
def test_multimodal_rope_of_language_models(theirs, kind, sections):
    """GLM-4V turns half of the dimensions, in neighbouring pairs; the others turn all."""
    module, is_glm = sys.modules[theirs.__module__], kind == "Glm4v"
    size = 64 if is_glm else 32
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": list(sections)}
    config = getattr(module, f"{kind}TextConfig")(
        hidden_size=2 * size,
        num_attention_heads=2,
        head_dim=size,
        rope_parameters={**rope, "partial_rotary_factor": 0.5 if is_glm else 1.0},
    )
    q = images(size, tokens=4)
    cos, sin = theirs(config)(q, torch.tensor(TIMES)[PLACES].permute(2, 0, 1))
    expected, _ = module.apply_rotary_pos_emb(q, q, cos, sin)
    encoding = MRotary(
        TIMES,
        sections,
        base=1e6,
        interleaved=kind == "Qwen3VL",
        layout="interleaved" if is_glm else "half_split",
    )
    torch.testing.assert_close(encoding.at_key(q, PLACES), expected, atol=1e-5, rtol=0)
