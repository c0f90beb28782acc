"""Rows before and after RoPE, as any engine writes them: in half precision, with heads, far on."""

import numpy as np
import pytest

from posviz import (
    Rotary,
    XPos,
    apply_rotary,
    axial_angles,
    change_layout,
    identify,
    llama3,
    mrope_angles,
    mrope_positions,
    raster,
    rotary_frequencies,
    to_dtype,
    yarn,
)
from tests.blackbox.boxes import NAMED, D, rope

ROTARY = {
    "plain": (Rotary(), 64, "plain"),
    "halves": (Rotary(layout="half_split", base=5e5), 64, "plain"),
    "a part": (Rotary(rotary_dim=32), 32, "plain"),
    "a part in halves": (Rotary(rotary_dim=32, layout="half_split", base=5e5), 32, "plain"),
    "yarn": (Rotary(frequencies=yarn(D, 4.0, original_max_seq_len=4096)), 64, "yarn"),
    "llama3": (
        Rotary(frequencies=llama3(D, 8.0, original_max_seq_len=8192), layout="half_split"),
        64,
        "llama3",
    ),
}


def rows(*shape, seed=0, dtype="float64"):
    return to_dtype(np.random.default_rng(seed).normal(size=shape), dtype)


def rotated(x, encoding, positions, dtype="float64"):
    return to_dtype(encoding.at_query(x[None], positions)[0], dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("start", [0, 1000])
@pytest.mark.parametrize("name", ROTARY)
def test_rows_name_the_rotation(name, start, dtype):
    encoding, rotary_dim, method = ROTARY[name]
    x = rows(4, 60, D, dtype=dtype)
    verdict = identify(before=x, after=rotated(x, encoding, np.arange(60) + start, dtype))
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.rotary_dim) == (encoding.layout, rotary_dim)
    assert (verdict.first_position, verdict.method) == (start, method)
    if method == "plain":
        assert verdict.base == encoding.base


@pytest.mark.parametrize("shape", [(40, 64), (1, 1, 40, 64), (3, 40, 64)])
def test_heads_may_come_first_or_second(shape):
    x = rows(*shape[-3:]) if len(shape) > 2 else rows(1, *shape)
    y = rotated(x.reshape(-1, 40, 64), Rotary(), np.arange(40)).reshape(x.shape)
    x, y = x.reshape(shape), y.reshape(shape)
    assert identify(before=x, after=y).explained
    if len(shape) == 3:
        verdict = identify(before=x.swapaxes(0, 1), after=y.swapaxes(0, 1))
        assert verdict.explained
        assert "[len, heads, d]" in str(verdict)


def test_positions_with_gaps_are_given():
    positions = np.sort(np.random.default_rng(0).choice(500, 60, replace=False))
    x = rows(60, D)
    verdict = identify(before=x, after=rope(x, positions), positions=positions)
    assert (verdict.explained, verdict.base) == (True, 1e4)


def test_positions_with_columns_are_given():
    places = raster(8, 9)
    x = rows(72, D)
    y = apply_rotary(x, axial_angles(*places.T, D, base=100.0))
    verdict = identify(before=x, after=y, positions=places)
    assert verdict.explained, str(verdict)
    assert verdict.base == 100


@pytest.mark.parametrize("door", ["at_query", "at_key"])
def test_the_scale_of_xpos_is_found(door):
    x = rows(60, D)
    y = getattr(XPos(), door)(x[None, None], np.arange(60))[0, 0]
    verdict = identify(before=x, after=y)
    assert verdict.explained, str(verdict)
    np.testing.assert_allclose([verdict.parameters[n] for n in ("gamma", "scale_base")], [0.4, 512])


def test_an_order_that_changes_on_the_way_is_found():
    x = rows(40, D)
    y = change_layout(rope(x, np.arange(40)), source="interleaved", target="half_split")
    verdict = identify(before=x, after=y)
    assert (verdict.explained, verdict.layout) == (True, "interleaved to half_split")


UNKNOWN = {
    "random": (rows(40, D), rows(40, D, seed=1), "No rotation"),
    "softmax": (rows(40, D), np.exp(rows(40, D)), "No rotation"),
    "the same": (rows(40, D), rows(40, D), "nothing rotates"),
    "one row": (rows(1, D), rows(1, D, seed=1), "says too little"),
    "constant rows": (rows(40, D), np.ones((40, D)), "No rotation"),
    "zeros": (np.zeros((40, D)), rows(40, D), "No rotation"),
    "NaN": (rows(40, D), np.full((40, D), np.nan), "NaN"),
    "an odd width": (rows(40, 63), rows(40, 63, seed=1), "No rotation"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_rows_that_say_nothing_are_not_guessed_at(name):
    before, after, word = UNKNOWN[name]
    verdict = identify(before=before, after=after)
    assert (verdict.kind, verdict.explained) == ("unknown", False), str(verdict)
    assert word in str(verdict)
    assert len(verdict.sentences) == 1


@pytest.mark.parametrize("after", [rows(40, 32), rows(39, D), rows(D)])
def test_shapes_that_do_not_fit_are_refused(after):
    with pytest.raises(ValueError, match="must"):
        identify(before=rows(40, D), after=after)


def test_a_hundred_thousand_rows_are_read():
    x = rows(100_000, 16)
    assert identify(
        before=x, after=rope(x, np.arange(100_000), Rotary and 1e4 ** -(np.arange(8) / 8))
    ).explained


@pytest.mark.parametrize(
    ("held", "begins"), [(lambda p: np.minimum(p, 599), 600), (lambda p: p % 512, 512)]
)
def test_the_row_where_a_cache_ends_is_named(held, begins):
    x, places = rows(4, 1000, D), np.arange(1000)
    verdict = identify(before=x, after=np.stack([rope(head, held(places)) for head in x]))
    assert (verdict.explained, verdict.base) == (False, 1e4)
    assert f"from position {begins} on" in str(verdict)


@pytest.mark.parametrize(
    "name", ["overwritten halves", "halves, repeated", "neighbours, cat(freqs, freqs)"]
)
def test_mistakes_within_a_pair_are_found_by_several_heads(name):
    x = rows(4, 200, D, dtype="float32")
    y = to_dtype(np.stack([NAMED[name][0](head, np.arange(200)) for head in x]), "float32")
    verdict = identify(before=x, after=y)
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.base) == ("mixed", 1e4)


def test_a_head_that_does_something_else_is_named():
    x = rows(4, 60, D)
    y = np.stack([rope(head, np.arange(60)) for head in x])
    y[2] = x[2]
    assert "heads [2] do something else" in str(identify(before=x, after=y))


def test_positions_of_text_and_image_are_followed_together():
    places = mrope_positions([6, (1, 5, 6), 28])
    x = rows(3, len(places), D)
    angles = mrope_angles(places.T, rotary_frequencies(D, 1e6), (8, 12, 12))
    y = apply_rotary(x, angles, layout="half_split")
    verdict = identify(before=x, after=y, positions=places)
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.base) == ("half_split", 1e6)
    assert "mrope_angles" in verdict.code
