"""The solutions, and every listed mistake as a reader would write it."""

import cmath
import math
import re

import numpy as np
import pytest
import torch

from posviz.exercises.rotary.rotation import check_apply_rotary, check_slip
from tests.exercises.every_mistake import mistake_tests


def speed(i, d, base):
    """The frequency of pair i, in radians per token."""
    return 1 / base ** (2 * i / d)


def turning(angle=lambda p, i, d, base: p * speed(i, d, base)):
    """Turn number by number, as complex numbers: angle(position, pair, head_dim, base)."""

    def answer(x, positions, base):
        rows = []
        for row, p in zip(x.tolist(), positions.tolist(), strict=True):
            turned = []
            for i in range(len(row) // 2):
                z = complex(row[2 * i], row[2 * i + 1])
                z *= cmath.exp(1j * angle(p, i, len(row), base))
                turned += [z.real, z.imag]
            rows.append(turned)
        return rows

    return answer


def pairs_of(d):
    return [(2 * i, 2 * i + 1) for i in range(d // 2)]


def halves_of(d):
    return [(i, i + d // 2) for i in range(d // 2)]


def from_to(read, write, sign=1):
    """Read pairs from some columns and write them, turned, to others."""

    def answer(x, positions, base):
        d = x.shape[1]
        out = np.zeros_like(x)
        for i, ((a, b), (c, e)) in enumerate(zip(read(d), write(d), strict=True)):
            angles = sign * positions * speed(i, d, base)
            cos, sin = np.cos(angles), np.sin(angles)
            out[:, c] = x[:, a] * cos - x[:, b] * sin
            out[:, e] = x[:, a] * sin + x[:, b] * cos
        return out

    return answer


def column_by_column(exponent):
    """The sparse form with an angle for each column: exponent(column, head_dim)."""

    def answer(x, positions, base):
        out = np.zeros_like(x)
        for row, p in enumerate(positions):
            for j, value in enumerate(x[row]):
                angle = p * base ** -exponent(j, len(x[row]))
                partner = x[row, j + 1] * -1 if j % 2 == 0 else x[row, j - 1]
                out[row, j] = value * math.cos(angle) + partner * math.sin(angle)
        return out

    return answer


def without_minus(*, in_pairs):
    def answer(x, positions, base):
        d = x.shape[1]
        out = np.array(turning()(x, positions, base))
        for i in in_pairs(d):
            angles = positions * speed(i, d, base)
            out[:, 2 * i] = x[:, 2 * i] * np.cos(angles) + x[:, 2 * i + 1] * np.sin(angles)
        return out

    return answer


def rotate_half(x, positions, base):
    angles = [[p * speed(j // 2, x.shape[1], base) for j in range(x.shape[1])] for p in positions]
    half = x.shape[1] // 2
    partners = np.concatenate([-x[:, half:], x[:, :half]], axis=1)
    return x * np.cos(angles) + partners * np.sin(angles)


def in_place(x, positions, base):
    for i in range(x.shape[1] // 2):
        angles = positions * speed(i, x.shape[1], base)
        cos, sin = np.cos(angles), np.sin(angles)
        x[:, 2 * i] = x[:, 2 * i] * cos - x[:, 2 * i + 1] * sin
        x[:, 2 * i + 1] = x[:, 2 * i] * sin + x[:, 2 * i + 1] * cos
    return x


def first_of_each_pair(start):
    """Only the first of each pair is written into what there is at the start."""

    def answer(x, positions, base):
        out = start(x)
        for i in range(x.shape[1] // 2):
            angles = positions * speed(i, x.shape[1], base)
            first, second = x[:, 2 * i], x[:, 2 * i + 1]
            out[:, 2 * i] = first * np.cos(angles) - second * np.sin(angles)
        return out

    return answer


def narrowed(round_angles, dtype):
    """RoPE whose angles are rounded somehow: round_angles(positions, inv_freq, dtype)."""

    def answer(x, positions, base):
        d = x.shape[1]
        inv_freq = np.array([speed(i, d, base) for i in range(d // 2)])
        angles = round_angles(positions, inv_freq, dtype)
        out = np.empty(x.shape, dtype=np.result_type(dtype, "float32"))
        out[:, ::2] = x[:, ::2] * np.cos(angles) - x[:, 1::2] * np.sin(angles)
        out[:, 1::2] = x[:, ::2] * np.sin(angles) + x[:, 1::2] * np.cos(angles)
        return out

    return answer


def rounded_after(positions, inv_freq, dtype):
    return np.outer(positions, inv_freq).astype(dtype)


def to_bfloat16(numbers):
    return torch.tensor(numbers).bfloat16().double().numpy()


def rounded_to_bfloat16(positions, inv_freq, dtype):
    return to_bfloat16(np.outer(to_bfloat16(positions), to_bfloat16(inv_freq)))


def rounded_before(positions, inv_freq, dtype):
    return np.outer(positions.astype(dtype), inv_freq.astype(dtype))


TURNING_MISTAKES = {
    "exponent doubled": turning(lambda p, i, d, base: p / base ** (2 * (2 * i) / d)),
    "exponent halved": turning(lambda p, i, d, base: p / base ** (i / d)),
    "not divided by head_dim": turning(lambda p, i, d, base: p / base ** (2 * i)),
    "half_split instead of interleaved": from_to(halves_of, halves_of),
    "sign of the sine": turning(lambda p, i, d, base: -p * speed(i, d, base)),
    "output concatenated": from_to(pairs_of, halves_of),
    "halves read, neighbours written": from_to(halves_of, pairs_of),
    "two layouts mixed": rotate_half,
    "nothing turned": lambda x, positions, base: x.tolist(),
    "positions ignored": lambda x, p, base: turning()(x, np.arange(len(p)), base),
    "positions from 1": turning(lambda p, i, d, base: (p + 1) * speed(i, d, base)),
    "pairs from 1": turning(lambda p, i, d, base: p * speed(i + 1, d, base)),
    "one angle for all pairs": turning(lambda p, i, d, base: p),
    "a frequency for every column": column_by_column(lambda j, d: j / d),
    "column number as i": column_by_column(lambda j, d: 2 * j / d),
    "base ignored": turning(lambda p, i, d, base: p * speed(i, d, 10_000)),
    "base and head_dim swapped": turning(lambda p, i, d, base: p / d ** (2 * i / base)),
    "minus of the exponent missing": turning(lambda p, i, d, base: p * base ** (2 * i / d)),
    "minus of the sine missing": without_minus(in_pairs=lambda d: range(d // 2)),
    "minus missing in the last pair": without_minus(in_pairs=lambda d: [d // 2 - 1]),
    "overwritten too soon": in_place,
    "angles taken for degrees": turning(
        lambda p, i, d, base: p * speed(i, d, base) * 2 * math.pi / 360
    ),
    "angles turned into degrees": turning(
        lambda p, i, d, base: p * speed(i, d, base) * 360 / (2 * math.pi)
    ),
    "half of each pair written": first_of_each_pair(np.zeros_like),
    "half of each pair turned": first_of_each_pair(np.copy),
    "angles in float16": narrowed(rounded_after, "float16"),
    "numbers in bfloat16": narrowed(rounded_to_bfloat16, "float32"),
}


def plane(angle):
    z = cmath.exp(1j * angle)
    return [[z.real, -z.imag], [z.imag, z.real]]


SLIP_MISTAKES = {
    "m − n instead of n − m": plane((7 - 4) * 0.5),
    "m + n": plane((7 + 4) * 0.5),
    "degrees": plane(2 * math.pi * (4 - 7) * 0.5 / 360),
    "inv_freq forgotten": plane(4 - 7),
    "the query's matrix": plane(7 * 0.5),
    "the key's matrix": plane(4 * 0.5),
    "identity": [[1, 0], [0, 1]],
    "no rotation": [[0.0707, 0.9975], [0.9975, 0.0707]],
}

MISTAKES = [(check_apply_rotary, TURNING_MISTAKES), (check_slip, SLIP_MISTAKES)]


def test_the_solutions_are_correct():
    assert check_apply_rotary(turning()).status == "correct"
    assert check_apply_rotary(from_to(pairs_of, pairs_of)).status == "correct"
    assert check_slip(plane(-1.5)).status == "correct"
    assert check_slip(np.round(plane(-1.5), 3)).status == "correct"


def test_a_wrong_layout_that_turns_clockwise_is_told_both():
    feedback = check_apply_rotary(from_to(halves_of, halves_of, sign=-1))
    assert feedback.mistake == "half_split instead of interleaved, and sign of the sine"


@pytest.mark.parametrize("rounding", [rounded_before, rounded_after])
def test_angles_in_float32_are_correct_and_in_float16_are_named(rounding):
    assert check_apply_rotary(narrowed(rounding, "float32")).status == "correct"
    assert check_apply_rotary(narrowed(rounding, "float16")).mistake == "angles in float16"


@pytest.mark.parametrize("furthest", [200, 1_000])
def test_another_mistake_is_not_taken_for_few_bits(furthest):
    def not_beyond(x, positions, base):
        return turning()(x, np.minimum(positions, furthest), base)

    assert check_apply_rotary(not_beyond).status == "wrong"


@pytest.mark.parametrize(
    ("dtype", "name"), [("float16", "angles in float16"), ("bfloat16", "numbers in bfloat16")]
)
def test_an_answer_all_of_whose_numbers_have_few_bits_is_named(dtype, name):
    def narrow(*given):
        x, positions, base = (torch.tensor(a).to(getattr(torch, dtype)) for a in given)
        inv_freq = base ** (-torch.arange(0, x.shape[1], 2).to(x) / x.shape[1])
        turns = torch.outer(positions, inv_freq)
        first, second = x[:, ::2], x[:, 1::2]
        turned = first * turns.cos() - second * turns.sin()
        return torch.stack([turned, first * turns.sin() + second * turns.cos()], -1).flatten(1)

    assert check_apply_rotary(narrow).mistake == name


def test_a_result_in_bfloat16_is_named_and_one_in_float16_is_correct():
    def cast(dtype):
        return lambda *given: torch.tensor(turning()(*given)).to(dtype)

    assert check_apply_rotary(cast(torch.bfloat16)).mistake == "numbers in bfloat16"
    assert check_apply_rotary(cast(torch.float16)).status == "correct"


def test_angles_with_pairs_for_rows_stop_the_code():
    def pairs_by_positions(x, positions, base):
        angles = np.outer(speed(np.arange(x.shape[1] // 2), x.shape[1], base), positions)
        out = np.empty_like(x)
        out[:, ::2] = x[:, ::2] * np.cos(angles) - x[:, 1::2] * np.sin(angles)
        out[:, 1::2] = x[:, ::2] * np.sin(angles) + x[:, 1::2] * np.cos(angles)
        return out

    assert all(len(p) != x.shape[1] // 2 for x, p, _ in check_apply_rotary.cases())
    assert check_apply_rotary(pairs_by_positions).status == "error"


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.0707, -0.9975], [-0.9975, 0.0707]],
        [[0.0707, 0.9975], [0.9975, -0.0707]],
        [[0, 1.5], [-1.5, 0]],
        [[1, 1], [1, 1]],
    ],
)
def test_any_matrix_that_is_no_rotation_is_named(matrix):
    assert check_slip(matrix).mistake == "no rotation"


def test_an_unlisted_rotation_is_wrong_and_nothing_more_is_said():
    feedback = check_slip(plane(0.3))
    assert (feedback.status, feedback.mistake) == ("wrong", None)


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_the_doubled_exponent_is_told_in_these_words():
    message = check_apply_rotary(TURNING_MISTAKES["exponent doubled"]).message
    assert message.startswith("Your pairs slow down too fast")
    assert "2i is already the dimension index" in message


def test_the_smallest_failing_input_of_a_wrong_layout_has_two_pairs():
    # With one pair neighbours are halves.
    evidence = check_apply_rotary(TURNING_MISTAKES["half_split instead of interleaved"]).evidence
    assert len(re.findall(r"\.\d+", evidence.splitlines()[0])) == 4


def test_the_right_matrix_scores_as_the_turned_vectors_and_the_slip_does_not():
    q, k = 1 + 0.5j, 0.3 + 1.2j
    turned = (q * cmath.exp(7 * 0.5j) * (k * cmath.exp(4 * 0.5j)).conjugate()).real
    scores = [
        np.array([q.real, q.imag]) @ matrix @ [k.real, k.imag]
        for matrix in (plane(-1.5), SLIP_MISTAKES["m − n instead of n − m"])
    ]
    assert scores == pytest.approx([1.1110, -0.9837], abs=5e-5)
    assert turned == pytest.approx(scores[0])
