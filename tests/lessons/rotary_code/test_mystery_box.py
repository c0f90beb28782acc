"""The black boxes, pair by pair against a slow loop, and what the picture shows of them."""

import math

import numpy as np
import pytest
import torch

from posviz import identify
from posviz_course.lessons.rotary_code import box, reference
from posviz_course.lessons.rotary_code._boxes import COUNT
from posviz_course.lessons.rotary_code.mystery_box import MysteryBox
from tests.lessons.by_hand import turned

POSITIONS = [0, 1, 12, 259, 519]
NEIGHBOURS, HALVES = [0, 4, 1, 5, 2, 6, 3, 7], [0, 2, 4, 6, 1, 3, 5, 7]


def in_bfloat16(position):
    return float(torch.tensor(float(position)).to(torch.bfloat16))


def rotated(x, position, base=10_000):
    return np.array(turned(x, position, base))


BY_HAND = {
    1: lambda x, p: rotated(x, p, 100_000),
    2: lambda x, p: rotated(x, -p),
    3: lambda x, p: rotated(x, p)[HALVES],
    4: lambda x, p: 1.2 * rotated(x, p),
    5: lambda x, p: np.concatenate([rotated(x[:2], p), x[2:]]),
    6: lambda x, p: rotated(x, p + 1),
    7: lambda x, p: rotated(x, p),
    8: lambda x, p: rotated(x, p / 4),
    9: lambda x, p: rotated(x[NEIGHBOURS], p)[HALVES],
    10: lambda x, p: rotated(x, in_bfloat16(p)),
}


@pytest.mark.parametrize("number", BY_HAND)
def test_each_box_is_that_of_a_loop(number):
    x = np.random.default_rng(0).standard_normal((len(POSITIONS), 8))
    right = [BY_HAND[number](row, p) for row, p in zip(x, POSITIONS, strict=True)]
    found = box(number)(x, np.array(POSITIONS))
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-9)


RIGHT = {"layout": "interleaved", "rotary_dim": 8, "base": 10_000, "direction": 1}
RIGHT |= {"first_position": 0, "factor": 1, "attention_factor": 1, "dtype": "float64"}
FOUND = {
    1: {"base": 100_000},
    2: {"direction": -1},
    3: {"layout": "interleaved to half_split"},
    4: {"attention_factor": 1.2},
    5: {"rotary_dim": 2, "base": None},  # all bases give pair 0 the same frequency
    6: {"first_position": 1},
    7: {},
    8: {"factor": 4},
    9: {"layout": "half_split"},
    10: {"dtype": "bfloat16"},
}


@pytest.mark.parametrize("number", BY_HAND)
def test_identify_finds_what_each_box_does(number):
    verdict = identify(box(number), meant=reference, head_dim=8)
    assert verdict.explained
    found = {name: getattr(verdict, name) for name in RIGHT}
    assert found == pytest.approx(RIGHT | FOUND[number])
    assert bool(verdict.differences) == (number != 7)


def test_boxes_are_as_many_as_the_picture_offers():
    assert set(BY_HAND) == set(range(1, COUNT + 1)) == set(MysteryBox.knobs()["box"].values)
    with pytest.raises(ValueError, match="number must be one of 1 to 10, got 11"):
        box(11)


@pytest.mark.parametrize("number", BY_HAND)
def test_stems_and_paths_end_at_the_output_of_the_box(number):
    picture = MysteryBox(box=number, position=259, vector=3)
    right, arrays = BY_HAND[number](np.eye(8)[3], 259), picture.compute()
    shown = np.zeros(8)
    for x, y in arrays.stems:
        shown[x[1::3].astype(int)] = y[1::3]
    np.testing.assert_allclose(shown, right, rtol=0, atol=1e-9)
    ends = np.concatenate([y for _, y in arrays.ends])
    paths = np.concatenate([y[9::51] for _, y in arrays.paths])  # positions 250 to 299, and a gap
    np.testing.assert_allclose(paths, ends, rtol=0, atol=1e-9)
    assert math.isclose(math.hypot(*ends), 1.2 if number == 4 else 1)


def test_nothing_in_the_picture_says_what_the_boxes_are():
    figure = MysteryBox().figure()
    captions = {MysteryBox(box=n).figure().caption.split(" becomes")[0] for n in BY_HAND}
    assert captions == {"Unit vector 2"}
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["bars: the box, rings: RoPE", "dotted: RoPE"]
