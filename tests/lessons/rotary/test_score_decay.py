"""The numbers in lesson 05's picture of decay: scores, envelope and bound at every offset."""

import math

import numpy as np
import pytest

from posviz.lessons.rotary.score_decay import ScoreDecay
from tests.lessons.by_hand import (
    assert_curve_covers,
    caption_of,
    frequencies,
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
    (6, 100, 400),
]


@pytest.mark.parametrize("head_dim", ALIGNED)
def test_the_aligned_score_is_the_audited_one(head_dim):
    picture = ScoreDecay(head_dim=head_dim, largest=4096)
    for offset, expected in ALIGNED[head_dim].items():
        picture.offset = offset
        arrays = picture.compute()
        assert round(arrays.score, 4) == expected
    starts, curve = arrays.curve[0][::2], arrays.curve[1]
    for offset, expected in FAR[head_dim].items():
        at = np.searchsorted(starts, offset, side="right") - 1
        assert curve[2 * at] - 5e-5 <= expected <= curve[2 * at + 1] + 5e-5


def test_the_aligned_score_rises_on_115_of_256_steps():
    assert "rises on 115 of 256 steps" in caption_of(ScoreDecay())


def complex_products(content, seed, head_dim):
    """Of each pair its part of the score, as a complex number that rotates with the offset."""
    q, k, unit = np.ones(head_dim), np.ones(head_dim), head_dim
    if content == "random":
        (q,), (k,) = np.random.default_rng(seed).standard_normal((2, 1, head_dim))
        unit = math.sqrt(head_dim)
    return (q[0::2] + 1j * q[1::2]) * (k[0::2] - 1j * k[1::2]) / unit


@pytest.mark.parametrize("content", ["aligned", "random"])
@pytest.mark.parametrize(("head_dim", "base", "largest"), SETTINGS)
def test_curve_envelope_and_rises_are_those_of_every_offset(content, head_dim, base, largest):
    picture = ScoreDecay(content=content, head_dim=head_dim, base=base, largest=largest, seed=3)
    arrays = picture.compute()
    h = complex_products(content, 3, head_dim)
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


def test_the_bound_is_abels_and_bounds():
    for content in ("aligned", "random"):
        for head_dim, base, largest in SETTINGS:
            picture = ScoreDecay(content=content, head_dim=head_dim, base=base, largest=largest)
            arrays, h = picture.compute(), complex_products(content, 0, head_dim)
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
