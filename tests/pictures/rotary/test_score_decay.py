"""The numbers in lesson 05's picture of decay: scores, envelope and bound at every offset."""

import math

import numpy as np
import pytest

from posviz.pictures.rotary.score_decay import ScoreDecay
from tests.pictures.by_hand import (
    assert_curve_covers,
    caption_of,
    drawn,
    frequencies,
    product,
    turned,
)

ALIGNED = {  # head_dim: the audited scores of q = k = 1, as parts of that at offset 0
    128: {0: 1, 1: 0.9702, 2: 0.8966, 4: 0.7592, 8: 0.7144, 16: 0.6203, 64: 0.4769, 256: 0.3207},
    64: {0: 1, 1: 0.9662, 2: 0.8845, 4: 0.7479, 8: 0.7004, 16: 0.6054, 64: 0.4346, 256: 0.3537},
}
FAR = {128: {512: 0.2194, 1024: 0.2044, 4096: -0.0529}, 64: {512: 0.1854, 2048: -0.0397}}
SETTINGS = [  # head_dim, base, largest
    (128, 10_000, 256),
    (64, 10_000, 5000),
    (2, 10, 16),
    (6, 1_000_000, 399),
    (6, 100, 400),
    (512, 1_000_000, 32_768),
]


@pytest.mark.parametrize("head_dim", ALIGNED)
def test_the_aligned_score_is_the_audited_one(head_dim):
    picture = ScoreDecay(head_dim=head_dim, largest=4096)
    for offset, expected in ALIGNED[head_dim].items():
        picture.offset = offset
        arrays = picture.compute()
        assert round(arrays.score, 4) == expected
        assert f"at offset {offset} is {expected:.4f} times that at 0" in picture.caption(arrays)
    starts, curve = arrays.curve[0][::2], arrays.curve[1]
    for offset, expected in FAR[head_dim].items():
        at = np.searchsorted(starts, offset, side="right") - 1
        assert curve[2 * at] - 5e-5 <= expected <= curve[2 * at + 1] + 5e-5


def test_the_aligned_score_rises_on_115_of_256_steps():
    assert "rises on 115 of 256 steps" in caption_of(ScoreDecay())


def products_of(content, seed, head_dim):
    """q and k of each seed, [seeds, head_dim], and by what their score is divided."""
    if content == "aligned":
        return np.ones((2, 1, head_dim)), head_dim
    shape = (2, 200 if content == "many seeds" else 1, head_dim)
    return np.random.default_rng(seed).standard_normal(shape), math.sqrt(head_dim)


def complex_products(content, seed, head_dim):
    (q, k), unit = products_of(content, seed, head_dim)
    return (q[:, 0::2] + 1j * q[:, 1::2]) * (k[:, 0::2] - 1j * k[:, 1::2]) / unit


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize("content", ["aligned", "random"])
@pytest.mark.parametrize(("head_dim", "base", "largest"), SETTINGS)
def test_curve_envelope_and_rises_are_those_of_every_offset(content, head_dim, base, largest):
    picture = ScoreDecay(content=content, head_dim=head_dim, base=base, largest=largest, seed=3)
    arrays = picture.compute()
    [h] = complex_products(content, 3, head_dim)
    sums = np.zeros(largest + 1, complex)
    for each, speed in zip(h, frequencies(head_dim, base), strict=True):
        sums += each * np.exp(1j * speed * np.arange(largest + 1))
    assert_curve_covers(arrays.curve, 0, sums.real)
    assert arrays.rises == sum(sums.real[1:] > sums.real[:-1])
    assert arrays.score == pytest.approx(sums.real[8], abs=1e-10)
    assert arrays.envelope == pytest.approx(abs(sums[8]), abs=1e-10)
    x, y = arrays.around
    count = len(x) // 2
    assert np.array_equal(x, [*x[:count], *x[:count][::-1]])
    assert np.array_equal(y, [*y[:count], *-y[:count][::-1]])
    for start, end, top in zip(x[:count], [*x[1:count], largest + 1], y[:count], strict=True):
        inside = slice(int(start), int(end))
        assert top == pytest.approx(abs(sums[inside]).max(), abs=1e-10)
        assert (abs(sums.real[inside]) <= top + 1e-12).all()


@pytest.mark.parametrize("offset", [0, 1, 16, 200])
def test_a_score_is_that_of_a_turned_query_and_a_turned_key(offset):
    (q, k), unit = products_of("random", 11, 64)
    expected = product(turned(q[0], offset + 40, 500), turned(k[0], 40, 500)) / unit
    picture = ScoreDecay(content="random", offset=offset, head_dim=64, base=500, seed=11)
    assert picture.compute().score == pytest.approx(expected, abs=1e-10)


def test_the_bound_is_abels_and_bounds():
    for content in ("aligned", "random"):
        for head_dim, base, largest in SETTINGS[:5]:
            picture = ScoreDecay(content=content, head_dim=head_dim, base=base, largest=largest)
            arrays, [h] = picture.compute(), complex_products(content, 0, head_dim)
            trivial = math.fsum(abs(h))
            assert arrays.sampled[0] == 0
            assert arrays.sampled[-1] == largest
            for offset, found in zip(arrays.sampled[::7], arrays.bound[::7], strict=True):
                score, bound = score_and_bound(h, offset, frequencies(head_dim, base))
                assert found == pytest.approx(bound / trivial)
                assert abs(score) <= found * trivial + 1e-12
            _, here = score_and_bound(h, arrays.offset, frequencies(head_dim, base))
            assert arrays.bound_here == pytest.approx(here / trivial)


def score_and_bound(h, offset, speeds):
    """RoFormer's inequality for one offset: its left side, unsigned, and its right side."""
    total = partial = 0j
    sizes, steps = [], []
    for i, speed in enumerate(speeds):
        turn = complex(math.cos(offset * speed), math.sin(offset * speed))
        total, partial = total + h[i] * turn, partial + turn
        sizes.append(abs(partial))
        steps.append(abs((h[i + 1] if i + 1 < len(h) else 0) - h[i]))
    return total, max(steps) * math.fsum(sizes)


def test_over_many_seeds_the_mean_stays_near_0():
    picture = ScoreDecay(content="many seeds", seed=5, offset=100, largest=5000)
    arrays = picture.compute()
    h = complex_products("many seeds", 5, 128)
    for at, offset in [*enumerate(arrays.sampled)][::20]:
        turns = np.exp(1j * offset * np.array(frequencies(128, 10_000)))
        scores = [(each * turns).sum().real for each in h]
        mean, deviation = np.mean(scores), np.std(scores)
        assert arrays.curve[1][at] == pytest.approx(mean, abs=1e-10)
        count = len(arrays.sampled)
        band = arrays.around[1][at], arrays.around[1][-1 - at]
        assert band == pytest.approx((mean + deviation, mean - deviation), abs=1e-10)
        assert abs(mean) < 4 / math.sqrt(200)  # the deviation of a score is 1
    caption = picture.caption(arrays)
    scores = [
        product(turned(q, 100), k) / math.sqrt(128)
        for q, k in zip(*products_of("many seeds", 5, 128)[0], strict=True)
    ]
    assert f"at offset 100 is {np.mean(scores):.2f} ± {np.std(scores):.2f} times" in caption
    assert f"stays within ± {max(abs(arrays.curve[1])):.2f} at all {count} offsets" in caption


@pytest.mark.parametrize("largest", [256, 399, 400, 5000])
@pytest.mark.parametrize("content", ["aligned", "random"])
def test_the_caption_has_envelope_and_bound(content, largest):
    picture = ScoreDecay(content=content, offset=33, head_dim=64, largest=largest)
    arrays, [h] = picture.compute(), complex_products(content, 0, 64)
    score, bound = score_and_bound(h, 33, frequencies(64, 10_000))
    trivial = math.fsum(abs(h))
    bounds = [score_and_bound(h, at, frequencies(64, 10_000))[1] for at in arrays.sampled]
    caption = caption_of(picture)
    assert f"is {score.real:.4f} times " in caption
    assert f", within ± {abs(score):.4f}, and rises on {arrays.rises:,} of {largest:,} " in caption
    assert f"; RoFormer’s bound is {bound / trivial:.2f} times the trivial one there" in caption
    assert f" at {len(bounds)} offsets never below {min(bounds) / trivial:.2f}" in caption
    assert ("the lowest and highest score of 400 ranges" in caption) == (largest >= 400)


def test_what_is_drawn_is_what_was_computed():
    for content in ("aligned", "random", "many seeds"):
        arrays, (_, around, curve, mark) = drawn(ScoreDecay(content=content))
        outline = around.artist.get_xy()
        np.testing.assert_array_equal(outline[:-1], np.transpose(arrays.around))  # and closed
        np.testing.assert_array_equal(curve.line.get_data(), arrays.curve)
        assert mark.line.get_data() == ([8], [arrays.score])


def test_an_offset_beyond_the_largest_is_held_there():
    arrays, (*_, mark) = drawn(ScoreDecay(offset=200, largest=16))
    assert mark.line.get_data() == ([16], [pytest.approx(0.6203, abs=5e-5)])
    assert arrays.bound_here == arrays.bound[-1]
    assert "at offset 16 (the largest) is" in caption_of(ScoreDecay(offset=200, largest=16))
