"""Lessons 05, 06 and 07: RoPE, its matrix, a cache, weights, and patches that score alike."""

import cmath
import re

import numpy as np
import pytest
import torch

from posviz.lessons.rotary.exercises.rotation import check_apply_rotary, check_slip
from posviz.lessons.rotary2d.exercises.angles import CHOICES, check_collision
from posviz.lessons.rotary_code.exercises.serving import check_cached_scores, check_weight_layout
from tests.teaching.written import plane

rotated = check_apply_rotary.reference


def half_split(x):
    return np.hstack([x[:, ::2], x[:, 1::2]])


def interleaved(x):
    return np.stack(np.split(x, 2, axis=1), axis=-1).reshape(x.shape)


def in_halves(x, positions, base):
    return half_split(rotated(interleaved(x), positions, base))


def test_a_wrong_layout_that_rotates_clockwise_is_told_both():
    feedback = check_apply_rotary(lambda x, positions, base: in_halves(x, -positions, base))
    assert feedback.mistake == "half_split instead of interleaved, and sign of the sine"


def test_the_smallest_failing_input_of_a_wrong_layout_has_two_pairs():
    # With one pair neighbours are halves.
    evidence = check_apply_rotary(in_halves).evidence
    assert len(re.findall(r"\.\d+", evidence.splitlines()[0])) == 4


@pytest.mark.parametrize("furthest", [200, 1_000])
def test_positions_that_are_clipped_are_not_taken_for_few_bits(furthest):
    def not_beyond(x, positions, base):
        return rotated(x, np.minimum(positions, furthest), base)

    assert check_apply_rotary(not_beyond).status == "wrong"


def test_a_result_in_bfloat16_is_named_and_one_in_float16_is_correct():
    def cast(dtype):
        return lambda *given: torch.tensor(rotated(*given)).to(dtype)

    assert check_apply_rotary(cast(torch.bfloat16)).mistake == "numbers in bfloat16"
    assert check_apply_rotary(cast(torch.float16)).status == "correct"


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.0707, -0.9975], [-0.9975, 0.0707]],
        [[0.0707, 0.9975], [0.9975, -0.0707]],
        [[0, 1.5], [-1.5, 0]],
        [[1, 1], [1, 1]],
    ],
)
def test_a_matrix_that_is_no_rotation_is_named(matrix):
    assert check_slip(matrix).mistake == "no rotation"


def test_an_unlisted_rotation_is_wrong_and_nothing_more_is_said():
    feedback = check_slip(plane(0.3))
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_the_right_matrix_scores_as_rotated_vectors_and_the_mistake_does_not():
    q, k = 1 + 0.5j, 0.3 + 1.2j
    score = (q * cmath.exp(7 * 0.5j) * (k * cmath.exp(4 * 0.5j)).conjugate()).real
    scores = [
        np.array([q.real, q.imag]) @ matrix @ [k.real, k.imag]
        for matrix in (plane(-1.5), plane(1.5))
    ]
    assert scores == pytest.approx([1.1110, -0.9837], abs=5e-5)
    assert score == pytest.approx(scores[0])


def test_a_cache_rotated_once_more_is_told_with_the_forgotten_offset():
    # Everything rotated by n, the query too: the offsets are those of a query at 0.
    feedback = check_cached_scores(
        lambda q, k, cached_keys, inv_freq: np.append(
            cached_keys @ q if len(cached_keys) else [], k @ q
        )
    )
    assert feedback.mistake == "offset forgotten"
    assert "turned the whole cache by n once more" in feedback.message


def test_the_direction_of_a_layout_shows_first_with_three_pairs():
    # Columns 0 2 1 3 undo themselves; 0 2 4 1 3 5 do not.
    (other,) = (m.function for m in check_weight_layout.mistakes if m.name == "other direction")
    feedback = check_weight_layout(lambda *given: other(*given))
    failing = next(w for w, heads in check_weight_layout.cases() if w.shape[1] // heads == 6)
    assert float(re.search(r"\d+", feedback.evidence)[0]) == failing[0, 0]


@pytest.mark.parametrize("offset", [(1, -1), (5, -5), (-1, 1), [-8, 8], np.array([-3, 3])])
def test_an_offset_that_scores_like_no_step_is_told_that_it_does(offset):
    feedback = check_collision(offset)
    assert feedback.mistake == "not among the four"
    assert feedback.message.startswith("That one does score like (0, 0)")


@pytest.mark.parametrize("offset", [(1, 1), (3, -2), (0, 0, 0), 0, (1, -1, 0)])
def test_an_offset_that_scores_unlike_no_step_is_not_told_that_it_does(offset):
    assert check_collision(offset).mistake is None


def test_one_offset_alone_scores_like_the_patch_itself():
    # As complex numbers: a score is the real part of the sum of q·conj(k)·e^(i·(rows + columns)·f).
    products = np.random.default_rng(0).normal(size=(4, 2)) @ [1, 1j]

    def score(rows, columns):
        return (products * np.exp(1j * (rows + columns) * 100 ** (-np.arange(4) / 4))).sum().real

    alike = [offset for offset in CHOICES if abs(score(*offset) - score(0, 0)) < 1e-9]
    assert alike == [(3, -3)]
