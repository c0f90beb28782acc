"""Pairs that turned, and what methods make of them, against other people's code and loops."""

import math

import numpy as np
import pytest

from posviz.pictures.stretching._methods import METHODS, fate, larger_base
from posviz.pictures.stretching.turns_in_training import TurnsInTraining
from tests.encodings.test_stretching import hugging_face
from tests.pictures.alibi.test_alibi_labels import (
    assert_ticks_stand_where_they_say,
    entries,
    lines_in,
    points,
)
from tests.pictures.by_hand import caption_of, every_setting, frequencies
from tests.pictures.xpos.test_xpos_pictures import each_drawn

HUGGING_FACE = {
    "PI": "linear",
    "dynamic NTK": "dynamic",
    "YaRN by index": "yarn",
    "Llama-3": "llama3",
}
LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
FATES = ("kept", "blended", "slowed")


def theirs(method, head_dim, base, length, factor):
    """The frequencies of a method as Hugging Face has them, or pair by pair."""
    if rope_type := HUGGING_FACE.get(method):
        given = {"longest": length, "seq_len": round(factor * length), "factor": factor}
        if method not in ("PI", "dynamic NTK"):
            given["original_max_position_embeddings"] = length
        if method == "Llama-3":
            given |= LLAMA3
        return hugging_face(rope_type, (head_dim, head_dim, base), **given)[0]
    if method == "NTK":
        return frequencies(head_dim, base * factor ** (head_dim / (head_dim - 2)))
    if method == "larger base":
        return frequencies(head_dim, base_by_halving(base, length, factor))
    return [
        speed * by_turns(length * speed / (2 * math.pi), factor) if method != "none" else speed
        for speed in frequencies(head_dim, base)
    ]


def by_turns(turns, factor):
    """The share of its frequency that the YaRN paper gives a pair: equations 17 to 19."""
    if turns < 1:
        return 1 / factor
    if turns > 32:
        return 1.0
    ramp = (turns - 1) / (32 - 1)
    return (1 - ramp) / factor + ramp


def base_by_halving(base, length, factor):
    """The base whose pair with a wavelength of the longer text is the one that had the trained."""
    pair = math.log(length / (2 * math.pi)) / math.log(base)  # as a share of all
    low, high = base, base**10
    for _ in range(200):
        middle = math.sqrt(low * high)
        longest = 2 * math.pi * middle**pair
        low, high = (middle, high) if longest < factor * length else (low, middle)
    return low


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "setting", [(128, 1e4, 4096, 4.0), (64, 5e5, 8192, 8.0), (96, 1e4, 1000, 1.7), (8, 1e3, 256, 2)]
)
def test_wavelengths_and_shares_are_those_of_other_peoples_code(method, setting):
    names = ("head_dim", "base", "length", "factor")
    arrays = TurnsInTraining(method=method, **dict(zip(names, setting, strict=True))).compute()
    expected = np.array(theirs(method, *setting), dtype=float)
    trained = np.array(frequencies(*setting[:2]))
    np.testing.assert_allclose(arrays.stretched, 2 * np.pi / expected, rtol=3e-6)
    np.testing.assert_allclose(arrays.trained, 2 * np.pi / trained, rtol=1e-12)
    np.testing.assert_allclose(arrays.shares, expected / trained, rtol=3e-6)


@pytest.mark.parametrize(
    ("method", "kept", "share"),
    [
        ("none", (64, 0, 0), "1.0000"),
        ("PI", (0, 0, 64), "0.2500"),
        ("NTK", (1, 62, 1), "0.5168"),
        ("dynamic NTK", (1, 34, 29), "0.2948"),
        ("YaRN by index", (21, 25, 18), "0.7115"),
        ("YaRN by turns", (21, 25, 18), "0.4361"),
        ("Llama-3", (36, 10, 18), "1.0000"),
        ("larger base", (1, 45, 18), "0.3971"),
    ],
)
def test_the_caption_has_the_audited_numbers(method, kept, share):
    told = caption_of(TurnsInTraining(method=method))
    assert told.startswith("46 of 64 pairs turn at least once in 4,096 tokens; ")
    assert "{} kept, {} blended, {} slowed by that or more; ".format(*kept) in told
    assert told.endswith(
        f"pair 30 has λ = 471, turns 8.69 times and gets {share} of its frequency."
    )


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"length": 8192, "base": 500_000}, "35 of 64 pairs"),  # Llama-3
        ({"length": 32_768, "base": 1_000_000}, "40 of 64 pairs"),  # Qwen2.5
        ({"head_dim": 64, "base": 150_000}, "18 of 32 pairs"),  # gpt-oss
        ({"head_dim": 64}, "23 of 32 pairs"),  # DeepSeek-V3
    ],
)
def test_pairs_that_turn_in_released_models(model, told):
    assert caption_of(TurnsInTraining(**model)).startswith(told)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("NTK", "NTK (base 40,890) at factor 4: "),
        ("dynamic NTK", "Dynamic NTK (α = 13) at factor 4: "),
        ("larger base", "Larger base (71,738) at factor 4: "),
        ("none", "Unchanged at factor 4: "),
    ],
)
def test_the_caption_tells_the_number_behind_a_method(method, told):
    assert told in caption_of(TurnsInTraining(method=method))


def test_pairs_are_counted_as_a_loop_does():
    for picture in every_setting(TurnsInTraining, count=24):
        arrays = picture.compute()
        told, pairs = caption_of(picture), picture.head_dim // 2
        turns = [
            picture.length * speed / (2 * math.pi)
            for speed in frequencies(picture.head_dim, picture.base)
        ]
        assert told.startswith(f"{sum(turn >= 1 for turn in turns)} of {pairs} pairs turn ")
        pair = min(picture.pair, pairs - 1)
        clamped = " (the last)" * (pair < picture.pair)
        assert f"; pair {pair}{clamped} has λ = " in told
        assert f"turns {turns[pair]:.3g} times" in told
        counts = dict.fromkeys(range(3), 0)
        for share in arrays.shares:
            slowed = share * picture.factor < 1 + 1e-9
            counts[0 if share > 1 - 1e-9 else 2 if slowed else 1] += 1
        assert "{} kept, {} blended, {} slowed".format(*counts.values()) in told


def test_pairs_at_the_edges_of_the_factor_are_kept_or_slowed():
    assert fate(np.array([1.0, 0.999, 0.3, 0.25, 0.1]), 4.0).tolist() == [0, 1, 1, 2, 2]
    assert fate(np.array([1.0]), 1.0).tolist() == [0]


@pytest.mark.parametrize("factor", [1.0, 2.0, 7.3])
def test_with_the_larger_base_as_many_pairs_turn_in_the_longer_text(factor):
    base = larger_base(1e4, 4096, factor)
    assert base == pytest.approx(base_by_halving(1e4, 4096, factor), rel=1e-9)
    turned = [
        sum(length * speed >= 2 * math.pi for speed in frequencies(128, each))
        for length, each in ((4096, 1e4), (factor * 4096, base * (1 - 1e-12)))
    ]
    assert turned == [46, 46]


def test_legend_marks_and_band():
    picture = TurnsInTraining(method="YaRN by turns", length=2000, pair=12, head_dim=64)
    arrays, figure = picture.compute(), picture.figure()
    (waves, shares), found = figure.axes, lines_in(figure)
    for of, name in enumerate(FATES):
        at = np.flatnonzero(arrays.fates == of)
        above, below = found.pop(name)
        assert above == points(*zip(at, arrays.stretched[at], strict=True))
        assert below == points(*zip(at, arrays.shares[at], strict=True))
    assert found.pop("the pair") == [points([12, 0], [12, 1])] * 2
    slower = [2 * math.pi / speed for speed in frequencies(64, 1e4)]
    assert found.pop("as trained") == [points(*enumerate(slower))]
    assert not found
    [band] = waves.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((3, 2000))
    assert band.get_facecolor() == entries(figure)["turned in training"].get_facecolor()
    assert len({entries(figure)[name].get_marker() for name in FATES}) == 3
    assert_ticks_stand_where_they_say(shares.yaxis)


@pytest.mark.slow("seconds")
def test_every_wavelength_is_within_the_axes():
    for picture, arrays, (_, _, up, *_) in each_drawn(TurnsInTraining):
        low, high = up.last["ylim"]
        assert low < arrays.trained.min()
        assert max(arrays.stretched.max(), picture.length) < high
