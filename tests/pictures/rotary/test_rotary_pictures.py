"""The numbers in lesson 05's pictures of what turns: vectors, a table of angles, three tokens."""

import cmath
import math
import re

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from posviz.pictures.rotary.angle_table import AngleTable
from posviz.pictures.rotary.rotating_vectors import RotatingVectors
from posviz.pictures.rotary.turned_tokens import TurnedTokens
from tests.pictures.by_hand import (
    caption_of,
    drawn,
    every_setting,
    frequencies,
    partners,
    product,
    softmax,
    turned,
)

# ---------------------------------------------------------------- rotating vectors

Q, K = 1 + 0.5j, 0.3 + 1.2j


def speed_of(picture):
    return picture.base ** (-picture.pair / 16)


def test_vectors_are_multiplied_by_a_unit_number():
    for picture in every_setting(RotatingVectors):
        arrays, speed = picture.compute(), speed_of(picture)
        places = picture.query + picture.together, picture.key + picture.together
        assert arrays.positions == places
        for found, start, place in zip(arrays.vectors, (Q, K), places, strict=True):
            assert complex(*found) == pytest.approx(start * cmath.exp(1j * place * speed))


def test_the_score_is_q_r_of_n_minus_m_k():
    for picture in every_setting(RotatingVectors):
        angle = (picture.key - picture.query) * speed_of(picture)
        cos, sin = math.cos(angle), math.sin(angle)
        rotation = np.array([[cos, -sin], [sin, cos]])
        expected = np.array([1, 0.5]) @ rotation @ np.array([0.3, 1.2])
        assert picture.compute().score == pytest.approx(expected, abs=1e-12)


def test_the_first_sight_is_the_example_that_the_derivations_use():
    caption = caption_of(RotatingVectors())
    assert "q at 7 and k at 4: offset 3 changes the angle between them by 1.5000 radians" in caption
    assert "(pair 1 turns by 0.5 per token)" in caption
    assert (
        "the score goes from 0.9000 to 1.1110, the same wherever they are that far apart."
        in caption
    )


@pytest.mark.parametrize(("query", "key"), [(7, 4), (4, 7), (0, 30), (30, 0), (0, 0)])
def test_the_score_stands_still_when_both_move(query, key):
    picture = RotatingVectors(query=query, key=key, pair=2)
    at_rest = picture.compute().score
    for together in range(31):
        picture.together = together
        arrays = picture.compute()
        assert arrays.score == pytest.approx(at_rest, abs=1e-13)
        caption = picture.caption(arrays)
        assert caption.endswith(", the same wherever they are that far apart.")
        assert (f"(both moved by {together})" in caption) == (together > 0)


def test_a_score_that_moves_would_be_owned_up_to():
    picture = RotatingVectors()
    arrays = picture.compute()
    arrays.both[3] += 0.02
    assert picture.caption(arrays).endswith(", but up to 2.0e-02 away from it elsewhere.")


def test_curves_are_the_scores_elsewhere():
    for picture in every_setting(RotatingVectors):
        arrays, speed, offset = picture.compute(), speed_of(picture), picture.query - picture.key
        assert arrays.queries[0] == max(offset, 0)  # before that, k would stand before 0
        assert arrays.queries[-1] == 60
        np.testing.assert_allclose(arrays.both, arrays.score, rtol=0, atol=1e-12)
        key = K * cmath.exp(1j * speed * (picture.key + picture.together))
        alone = [(Q * cmath.exp(1j * speed * x) * key.conjugate()).real for x in np.arange(61)]
        np.testing.assert_allclose(arrays.alone[::4], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("query", "pair"), [(7, 1), (1, 0), (30, 0), (29, 3)])
def test_the_arc_runs_from_k_to_q_the_shorter_way(query, pair):
    picture = RotatingVectors(query=query, pair=pair, together=5)
    arrays, (_, _, part, _, _, key, here) = drawn(picture)
    x, y = part.line.get_data()
    arc = np.unwrap(np.arctan2(y, x))
    q, k = (cmath.phase(complex(*vector)) for vector in arrays.vectors)
    assert math.remainder(arc[0] - k, math.tau) == pytest.approx(0, abs=1e-12)
    assert arc[-1] - arc[0] == pytest.approx(math.remainder(q - k, math.tau))
    assert here.line.get_data() == ((query + 5,), [arrays.score])
    assert key.line.get_xdata() == [9, 9]


# ---------------------------------------------------------------- angle table

WAVES = {"cos": math.cos, "sin": math.sin, "angle": lambda x: math.remainder(x, math.tau)}


def test_the_table_is_that_of_a_loop():
    for picture in every_setting(AngleTable, length=60):
        found, speeds = picture.compute().table, frequencies(picture.head_dim, picture.base)
        expected = np.empty((60, picture.head_dim))
        for pair, columns in enumerate(partners(picture.head_dim, picture.layout)):
            for row in range(60):
                expected[row, columns] = WAVES[picture.shown](row * speeds[pair])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("head_dim", [2, 64, 256])
@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_half_split_is_the_table_of_llama(head_dim, base):
    config = LlamaConfig(
        hidden_size=head_dim,
        num_attention_heads=1,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    tables = LlamaRotaryEmbedding(config)(torch.zeros(1), torch.arange(512)[None])
    for shown, theirs in zip(("cos", "sin"), tables, strict=True):
        knobs = {"shown": shown, "layout": "half_split", "head_dim": head_dim, "base": base}
        found = AngleTable(length=512, **knobs).compute().table
        np.testing.assert_allclose(found, theirs[0].numpy(), rtol=0, atol=1e-4)


@pytest.mark.parametrize("head_dim", [2, 64, 256])
def test_interleaved_is_the_table_of_gptj(head_dim):
    tables = create_sinusoidal_positions(512, head_dim).chunk(2, dim=-1)
    for shown, theirs in zip(("sin", "cos"), tables, strict=True):
        knobs = {"shown": shown, "layout": "interleaved", "head_dim": head_dim}
        found = AngleTable(length=512, **knobs).compute().table
        theirs = theirs.repeat_interleave(2, dim=-1).numpy()
        np.testing.assert_allclose(found, theirs, rtol=0, atol=1e-4)


def test_the_caption_counts_columns_and_turns():
    for picture in every_setting(AngleTable):
        arrays, half = picture.compute(), picture.head_dim // 2
        caption = picture.caption(arrays)
        columns = [tuple(column) for column in arrays.table.T]
        assert len(set(columns)) == half
        assert f"Different columns: {half} of {picture.head_dim}, " in caption
        alike = {"half_split": f"j and j + {half}", "interleaved": "2i and 2i + 1"}
        assert f"columns {alike[picture.layout]} are alike" in caption
        for first, second in partners(picture.head_dim, picture.layout):
            assert columns[first] == columns[second]
        speeds = {}
        for speed, pair in zip(
            frequencies(picture.head_dim, picture.base),
            partners(picture.head_dim, picture.layout),
            strict=True,
        ):
            speeds |= dict.fromkeys(pair, speed)
        some = sorted({0, half - 1, half})
        words = ", ".join(f"{speeds[column]:.4g}" for column in some)
        assert f"columns {', '.join(map(str, some))} turn by {words} radians per" in caption
        row = min(picture.position, picture.length - 1)
        turns = row * speeds[half] / math.tau
        assert f"column {half} has made {turns:.2f} turns" in caption
        assert (f"at position {row} (position {picture.position} lies" in caption) == (
            row < picture.position
        )


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("layout", ["half_split", "interleaved"])
def test_both_lines_show_the_marked_row(layout):
    knobs = {"shown": "sin", "position": 7, "head_dim": 8, "base": 16}
    _, (table, *rows) = drawn(AngleTable(layout=layout, **knobs))
    for member, row in enumerate(rows):
        columns = [pair[member] for pair in partners(8, layout)]
        expected = columns, [math.sin(7 * each) for each in frequencies(8, 16)]
        np.testing.assert_allclose(row.line.get_data(), expected)
    assert {y for marker in table.markers for y in marker.get_ydata()} == {7}


# ---------------------------------------------------------------- three turned tokens

QUERIES = [(1.16, -0.6), (1.1, 0.76), (-0.5, 1.22)]
KEYS = [(-0.88, 0.8), (0.3, 1.18), (1.2, -0.04)]


def weights_of(picture, first):
    """Attention weights [3, 3], token by token."""
    turn_q, turn_k = picture.turned != "nothing", picture.turned == "queries and keys"
    step = math.radians(picture.step)

    def at(vectors, turns):  # as one pair, whose frequency is 1
        return [turned(x, turns * step * (first + i)) for i, x in enumerate(vectors)]

    q, k = at(QUERIES, turn_q), at(KEYS, turn_k)
    return [softmax([product(a, b) / math.sqrt(2) for b in k]) for a in q]


def test_the_first_sight_is_the_audited_example():
    arrays = TurnedTokens().compute()
    weights = [[0.1093, 0.2032, 0.6875], [0.1547, 0.3914, 0.4538], [0.5172, 0.3744, 0.1084]]
    np.testing.assert_array_equal(arrays.weights.round(4), weights)
    output = [[-0.4485, 0.5688], [-0.1363, 0.6493], [0.5320, 0.5320]]
    np.testing.assert_array_equal(arrays.output.round(4), output)
    queries = [[1.2466, -0.3895], [0.7737, 1.0904], [-1.0430, 0.8066]]
    keys = [[-1.0055, 0.6350], [-0.1217, 1.2114], [1.0592, 0.5654]]
    np.testing.assert_array_equal(arrays.vectors.round(4), [queries, keys])


@pytest.mark.parametrize("knobs", [{"turned": "nothing"}, {"step": 0}])
def test_without_turning_it_is_the_other_audited_example(knobs):
    weights = [[0.0900, 0.2017, 0.7082], [0.1373, 0.4218, 0.4409], [0.4658, 0.4260, 0.1082]]
    np.testing.assert_array_equal(TurnedTokens(**knobs).compute().weights.round(4), weights)


def test_weights_and_their_change_are_those_of_a_loop():
    for picture in every_setting(TurnedTokens, count=40):
        arrays = picture.compute()
        here, moved = (weights_of(picture, first) for first in (picture.first, picture.first + 1))
        np.testing.assert_allclose(arrays.weights, here, rtol=0, atol=1e-12)
        change = np.abs(np.subtract(moved, here)).max()
        assert arrays.change == pytest.approx(change, abs=1e-12)
        caption = picture.caption(arrays)
        places = ", ".join(str(picture.first + i) for i in range(3))
        assert caption.startswith(f"At positions {places} ")
        assert re.search(r"q₁ gives the weights (.*);", caption)[1] == ", ".join(
            f"{weight:.4f}" for weight in here[0]
        )
        outcome = "changes no weight"
        if picture.turned == "queries" and picture.step:
            outcome = f"changes a weight by {change:.4f}"
        assert caption.endswith(f"moving all three tokens one position on {outcome}.")


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("kind", ["queries and keys", "nothing"])
def test_wherever_the_first_token_stands_only_rounding_changes(kind):
    for step in (1, 10, 37, 90):
        picture = TurnedTokens(step=step, turned=kind)
        expected = picture.compute().weights
        for first in range(36):
            picture.first = first
            np.testing.assert_allclose(picture.compute().weights, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", ["queries and keys", "queries"])
def test_trails_lead_from_before_to_after_and_cells_hold_the_weights(kind):
    arrays, parts = drawn(TurnedTokens(step=25, first=2, turned=kind))
    for token, trail in enumerate(parts[6:9]):
        paths = trail.line.get_xydata().reshape(2, -1, 2)[:, :-1]
        for path, before, after in zip(
            paths, (QUERIES[token], KEYS[token]), arrays.vectors[:, token], strict=True
        ):
            for end, vector in ((path[0], before), (path[-1], after)):
                assert cmath.phase(complex(*end) / complex(*vector)) == pytest.approx(0, abs=1e-9)
    expected = [
        f"{weight:.2f}"
        for row in weights_of(TurnedTokens(step=25, first=2, turned=kind), 2)
        for weight in row
    ]
    assert [cell.artist.get_text() for cell in parts[10:]] == expected


@pytest.mark.parametrize("picture", [RotatingVectors(together=9), TurnedTokens(step=25, first=2)])
def test_what_has_turned_is_named_and_not_where_it_was(picture):
    arrays, parts = drawn(picture)
    vectors = np.reshape(arrays.vectors, (-1, 2))
    for vector, part in zip(vectors, parts, strict=False):  # the arrows come first
        x, y = part.name.get_position()
        assert abs(cmath.phase(complex(x, y) / complex(*vector))) < 0.2
        assert 0.1 < math.hypot(x, y) - math.hypot(*vector) < 0.3
    names = [part.name.get_text() for part in parts[: len(vectors)]]
    assert names in (["q", "k"], ["q₁", "q₂", "q₃", "k₁", "k₂", "k₃"])
    assert part.name.axes.get_title(loc="left") == "faint: before turning"
