"""RoPE on images and video against other libraries and rotation identities."""

import itertools
import sys

import numpy as np
import pytest
import torch
from transformers import DINOv3ViTConfig, PixtralVisionConfig, Sam2VideoConfig
from transformers.models.dinov3_vit import modeling_dinov3_vit as dinov3
from transformers.models.glm4v import modeling_glm4v as glm4v
from transformers.models.pixtral import modeling_pixtral as pixtral
from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen25
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3
from transformers.models.sam2_video import modeling_sam2_video as sam2

from posviz import (
    AxialRotary,
    MixedRotary,
    MRotary,
    Rotary,
    apply_rotary,
    axial_angles,
    mixed_angles,
    mrope_angles,
    mrope_positions,
    raster,
    rotary_angles,
    rotary_frequencies,
)
from tests.every_encoding import random

GRID = raster(5, 7)
TOKENS = len(GRID)


def images(head_dim, tokens=TOKENS):
    return torch.tensor(random(2, 2, tokens, head_dim), dtype=torch.float32)


def test_the_raster_reads_line_by_line():
    assert raster(2, 3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


# ---------------------------------------------------------------- other libraries


def test_qwen2_vl_sees_rows_first():
    config = qwen2.Qwen2VLVisionConfig(embed_dim=48, num_heads=2)
    config.rope_parameters = {"rope_type": "axial", "rope_theta": 10_000.0}
    q, grid = images(24), torch.tensor(GRID)
    waves = qwen2.Qwen2VLVisionRotaryEmbedding(config)(q, grid)
    by_token = q.transpose(1, 2)
    theirs = qwen2.apply_rotary_pos_emb_vision(by_token, by_token, *waves)
    encoding = AxialRotary(grid, first="row", layout="half_split")
    for door, expected in zip((encoding.at_query, encoding.at_key), theirs, strict=True):
        ours = door(q, torch.arange(TOKENS))
        torch.testing.assert_close(ours, expected.transpose(1, 2), atol=1e-5, rtol=0)


def test_sam2_sees_columns_first():
    config = Sam2VideoConfig(memory_attention_hidden_size=24)
    config.rope_parameters = {"rope_type": "axial", "rope_theta": 100.0}
    column_and_row = torch.tensor(GRID[:, ::-1].copy())
    waves = sam2.Sam2VideoVisionRotaryEmbedding(config)(images(24), column_and_row)
    theirs, _ = sam2.apply_rotary_pos_emb_2d(images(24), images(24), *waves)
    ours = AxialRotary(torch.tensor(GRID), base=100.0).at_query(images(24), torch.arange(TOKENS))
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_pixtral_is_mixed_with_zeros():
    """Its rows have the even frequencies of RoPE, its columns the odd ones."""
    config = PixtralVisionConfig(hidden_size=48, num_attention_heads=2)
    q, grid = images(24), torch.tensor(GRID)
    waves = pixtral.PixtralVisionRotaryEmbedding(config)(q, grid)
    theirs, _ = pixtral.apply_rotary_pos_emb(q, q, *waves, unsqueeze_dim=0)
    inv_freq, zeros = rotary_frequencies(24), np.zeros(6)
    frequencies = np.block([[zeros, inv_freq[1::2]], [inv_freq[0::2], zeros]])
    encoding = MixedRotary(GRID, frequencies, layout="half_split")
    ours = encoding.at_query(q, torch.arange(TOKENS))
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_dinov3_is_axial_between_minus_one_and_one():
    config = DINOv3ViTConfig(hidden_size=48, num_attention_heads=2, patch_size=2)
    q, theirs = images(24), dinov3.DINOv3ViTRopePositionEmbedding(config).eval()
    expected, _ = dinov3.apply_rotary_pos_emb(q, q, *theirs(torch.zeros(1, 3, 10, 14)))
    centres = 2 * np.pi * ((2 * GRID + 1) / (5, 7) - 1)
    encoding = AxialRotary(centres, base=100, first="row", layout="half_split")
    ours = encoding.at_query(q, torch.arange(TOKENS))
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0)


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
def test_multimodal_rope_is_that_of_language_models(theirs, kind, sections):
    """GLM-4V rotates half of the dimensions, in neighbouring pairs; the others rotate all."""
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
    waves = theirs(config)(q, torch.tensor(TIMES)[PLACES].permute(2, 0, 1))
    expected, _ = module.apply_rotary_pos_emb(q, q, *waves)
    encoding = MRotary(
        TIMES,
        sections,
        base=1e6,
        interleaved=kind == "Qwen3VL",
        layout="interleaved" if is_glm else "half_split",
    )
    torch.testing.assert_close(encoding.at_key(q, PLACES), expected, atol=1e-5, rtol=0)


def their_positions(model, parts, kinds, **given):
    """Return what a model gives the tokens of texts (0), images (1) and videos (2), [len, 3]."""
    config = model.config_class(text_config={"num_hidden_layers": 1}, vision_config={"depth": 1})
    with torch.device("meta"):
        model = model(config)
    types = torch.tensor(np.repeat(kinds, [np.prod(part) for part in parts]))[None]
    return model.get_rope_index(types, mm_token_type_ids=types, **given)[0][:, 0].T


UNMERGED = torch.tensor([1, 2, 2])  # patches that become one


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("model", "step"), [(qwen2.Qwen2VLModel, 1.0), (qwen25.Qwen2_5_VLModel, 1.5)]
)
def test_positions_of_texts_and_pictures_are_those_of_transformers(model, step, seed):
    """Here times are below the number of columns; Qwen2.5-VL has 4 positions a second."""
    rng = np.random.default_rng(seed)
    images, videos = rng.integers(1, 9, (3, 3)), rng.integers((1, 1, 5), (5, 9, 9), (3, 3))
    images[:, 0] = 1
    rows = np.stack([images, videos], axis=1).reshape(6, 3).tolist()
    parts = [part for row in rows for part in (int(rng.integers(1, 9)), row)] + [3]
    theirs = their_positions(
        model,
        parts,
        [0, 1, 0, 2] * 3 + [0],
        image_grid_thw=torch.tensor(images) * UNMERGED,
        video_grid_thw=torch.tensor(videos) * UNMERGED,
        second_per_grid_ts=torch.full((3,), step / 4),
    )
    np.testing.assert_array_equal(mrope_positions(parts, time_step=step), theirs)


def test_frames_of_qwen3_vl_are_parts_after_their_timestamps():
    parts, video = [4, (1, 3, 5), 6, (1, 3, 5), 2], torch.tensor([[2, 3, 5]])
    given = {"video_grid_thw": video * UNMERGED}
    theirs = their_positions(qwen3.Qwen3VLModel, parts, [0, 2, 0, 2, 0], **given)
    np.testing.assert_array_equal(mrope_positions(parts), theirs)


def test_text_after_a_long_video_begins_after_its_last_time():
    """The numbers in the first code of Qwen2.5-VL, from which transformers 5.23 deviates."""
    parts, given = [(3, 2, 2), 5], {"video_grid_thw": torch.tensor([[3, 2, 2]]) * UNMERGED}
    found = mrope_positions(parts, time_step=50)
    assert found[:12, 0].tolist() == [0] * 4 + [50] * 4 + [100] * 4
    assert found[12:].tolist() == [[p] * 3 for p in range(101, 106)]
    seconds = torch.tensor([50 / 4])
    theirs = their_positions(
        qwen25.Qwen2_5_VLModel, parts, [2, 0], **given, second_per_grid_ts=seconds
    )
    np.testing.assert_array_equal(theirs[:12], found[:12])
    assert theirs[12:, 0].tolist() == [2, 3, 4, 5, 6]


# ---------------------------------------------------------------- by definition


def test_angles_are_exact_far_out():
    """In float64, where the libraries compute in float32."""
    rows, columns = [131_072, 3], [5, 131_073]
    rates = 10_000.0 ** (-np.arange(2) / 2)
    axial = axial_angles(rows, columns, 8, first="row")
    expected = np.concatenate([np.outer(rows, rates), np.outer(columns, rates)], axis=1)
    np.testing.assert_allclose(axial, expected, rtol=1e-14)
    across_and_down = random(2, 3, 4)  # by head
    mixed = mixed_angles(rows, columns, across_and_down)
    for head, token in np.ndindex(3, 2):
        across, down = across_and_down[:, head]
        expected = columns[token] * across + rows[token] * down
        np.testing.assert_allclose(mixed[head, token], expected, rtol=1e-14)


def test_each_head_may_have_its_mixed_frequencies():
    frequencies, x, places = random(2, 3, 4), random(2, 3, 2, 8, seed=1), [[0, 7], [7, 30]]
    found = MixedRotary(GRID, frequencies).at_query(x, places)
    for b, head, token in np.ndindex(2, 3, 2):
        row, column = GRID[places[b][token]]
        angles = mixed_angles([row], [column], frequencies[:, head])[0]
        expected = apply_rotary(x[b, head, token], angles)
        np.testing.assert_allclose(found[b, head, token], expected, atol=1e-12)


@pytest.mark.parametrize("interleaved", [False, True])
def test_text_is_ordinary_rope(interleaved):
    text, x = np.repeat(np.arange(20)[:, None], 3, axis=1), random(2, 3, 20, 14)
    ours = MRotary(text, (3, 2, 2), interleaved=interleaved).at_query(x, range(20))
    np.testing.assert_allclose(ours, Rotary().at_query(x, range(20)), atol=1e-12)


# ---------------------------------------------------------------- what scores see

Q, K = random(2, 1, 8, seed=3)
FREQUENCIES = random(2, 4, seed=4)


def axial(rows, columns):
    return axial_angles(rows, columns, 8)


def mixed(rows, columns):
    return mixed_angles(rows, columns, FREQUENCIES)


def mrope(rows, columns):
    rows = np.asarray(rows)
    return mrope_angles([0 * rows, rows, columns], rotary_frequencies(8), (1, 2, 1))


def score(angles, query, key):
    """Return q·k for a query and a key at their (row, column)."""
    placed = ((Q, query), (K, key))
    return np.vdot(*(apply_rotary(x, angles([row], [column])) for x, (row, column) in placed))


@pytest.mark.parametrize("angles", [axial, mixed, mrope])
def test_shifting_the_whole_image_changes_no_score(angles):
    plain = score(angles, (3, -40), (7.5, 12))
    assert score(angles, (203, -140), (207.5, -88)) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize(("angles", "is_mixed"), [(axial, False), (mrope, False), (mixed, True)])
def test_only_mixed_scores_see_the_diagonal(angles, is_mixed):
    """The column changes the effect of a row: not where a score is f(row) + g(column)."""
    corners = itertools.product((2, 5), (3, 7))
    difference = np.dot([1, -1, -1, 1], [score(angles, corner, (0, 0)) for corner in corners])
    assert abs(difference) > 0.1 if is_mixed else abs(difference) < 1e-12


def test_the_sign_of_the_offset():
    """A query one column on is a query at position 1 of ordinary RoPE, in the first half."""
    inv_freq = np.concatenate([rotary_frequencies(4), np.zeros(2)])
    expected = (apply_rotary(Q, rotary_angles([1], inv_freq)) @ K.T).item()
    assert score(axial, (6, 3), (6, 2)) == pytest.approx(expected, abs=1e-12)
    assert score(axial, (6, 2), (6, 3)) != pytest.approx(expected, abs=1e-3)
