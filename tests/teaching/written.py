"""Answers as a reader would write them, where the checker's own functions look quite different."""

import cmath
import math

import numpy as np
import torch

from posviz.encodings.xpos import xpos_scale
from posviz_course.lessons.sinusoidal import found_table
from tests.teaching.checkers import SOLUTIONS


def masked_by_a_number(name, number=-1e9):
    """The solution with a number for every key ahead, as a mask would have it."""

    def answer(*given):
        right = np.asarray(SOLUTIONS[name](*given), dtype=float)
        return np.where(np.tri(right.shape[-1], dtype=bool), right, number)

    return answer


# ---------------------------------------------------------------- 01 order


def order_of_close_rows(head, inputs, outputs):
    rows = head(inputs)
    return [i for output in outputs for i, row in enumerate(rows) if np.allclose(row, output)]


def order_of_equal_rows(head, inputs, outputs):
    rows = head(inputs).tolist()
    return [rows.index(output) for output in outputs.tolist()]


# ---------------------------------------------------------------- 02 sinusoidal, 03 learned


def base_by_column(column, pair, sine=math.asin):
    """Solve the frequency of a pair for the base, as read with four digits."""
    return round(sine(round(found_table()[1, column], 4)) ** (-8 / (2 * pair)), 3)


# ---------------------------------------------------------------- 05 rotary


def rotated_as_complex_numbers(x, positions, base):
    rows = []
    for row, position in zip(x.tolist(), positions.tolist(), strict=True):
        rotated = []
        for i in range(0, len(row), 2):
            z = complex(row[i], row[i + 1]) * cmath.exp(1j * position * base ** (-i / len(row)))
            rotated += [z.real, z.imag]
        rows.append(rotated)
    return rows


def rotated_in_place(x, positions, base):
    for i in range(0, x.shape[1], 2):
        angles = positions * base ** (-i / x.shape[1])
        x[:, i] = x[:, i] * np.cos(angles) - x[:, i + 1] * np.sin(angles)
        x[:, i + 1] = x[:, i] * np.sin(angles) + x[:, i + 1] * np.cos(angles)
    return x


def rotated_in(dtype):
    """RoPE all of whose numbers have the bits of this dtype of torch."""

    def answer(*given):
        x, positions, base = (torch.tensor(a).to(dtype) for a in given)
        inv_freq = base ** (-torch.arange(0, x.shape[1], 2).to(x) / x.shape[1])
        angles = torch.outer(positions, inv_freq)
        first, second = x[:, ::2], x[:, 1::2]
        rotated = first * angles.cos() - second * angles.sin()
        return torch.stack([rotated, first * angles.sin() + second * angles.cos()], -1).flatten(1)

    return answer


def plane(angle):
    """The 2 × 2 matrix that rotates by an angle."""
    return [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]


# ------------------------------------------- 02, 05, 06, 07: exponents, layouts, a shift

EXPONENTS = {  # of pair n of d dimensions
    "minus missing": lambda n, d: 2 * n / d,
    "pairs from 1": lambda n, d: -2 * (n + 1) / d,
    "odd numerators": lambda n, d: -(2 * (n + 1) - 1) / d,
    "odd numerators from −1": lambda n, d: -(2 * n - 1) / d,
    "integer division": lambda n, d: -(2 * n // d),
    "integer division after the minus": lambda n, d: -2 * n // d,
}


def frequencies(exponent, width, base):
    return float(base) ** exponent(np.arange(width // 2), width)


def right(n, d):
    return -2 * n / d


def filled_in(exponent):
    def answer(positions, d_model, base):
        angles = np.outer(positions, frequencies(exponent, d_model, base))
        table = np.zeros((len(positions), d_model))
        table[:, ::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
        return table

    return answer


def rotated_neighbours(exponent, *, widen=lambda angles: np.repeat(angles, 2, axis=1), first=0):
    def answer(x, positions, base=10_000):
        angles = widen(np.outer(positions + first, frequencies(exponent, x.shape[1], base)))
        partners = np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape)
        return x * np.cos(angles) + partners * np.sin(angles)

    return answer


def twice(angles):
    return np.concatenate([angles, angles], axis=1)


def with_rotate_half(x, positions):
    angles = np.repeat(np.outer(positions, frequencies(right, x.shape[1], 10_000)), 2, axis=1)
    first, second = np.split(x, 2, axis=1)
    return x * np.cos(angles) + np.concatenate([-second, first], axis=1) * np.sin(angles)


def of_both_axes(exponent, *, first=0, unit=1):
    def answer(rows, columns, head_dim, base):
        inv_freq = frequencies(exponent, head_dim // 2, base) * unit
        return np.hstack([np.outer(axis + first, inv_freq) for axis in (columns, rows)])

    return answer


def cached_keys_counted_twice(q, k, cached_keys, inv_freq):
    start = len(cached_keys)

    def rotate(vector, position):
        pairs = (vector[::2] + 1j * vector[1::2]) * np.exp(1j * (position + start) * inv_freq)
        return pairs.view(float)

    return np.vstack([cached_keys, rotate(k, start)]) @ rotate(q, start)


# ---------------------------------------------------------------- 08 ALiBi, 09 xPos


def head_of_slope(slope):
    return lambda weights: -math.log2(slope(weights))


def neighbours(weights):
    return math.log(weights[-1] / weights[-2])


def head_cut_off(weights):
    """As int() does, with the rounding errors of some curves on the wrong side."""
    return math.floor(head_of_slope(neighbours)(weights) + (1e-9 if len(weights) % 2 else -1e-9))


def xpos_with_the_default_scale_base(q, k, positions, inv_freq, zeta, scale_base):
    turn = np.exp(1j * np.outer(positions, inv_freq))
    scale = xpos_scale(positions, 2 * len(zeta))
    return np.tril(((q * turn * scale) @ (k * turn / scale).conj().T).real)


def mask_by_bits(length, block):
    i = np.arange(length)
    oldest = (i & -block) - block
    return (i <= i[:, None]) & (i >= oldest[:, None])


def mask_by_halves(length, block):
    pair = np.arange(length) // (2 * (block // 2))
    return np.tril(pair[:, None] - pair <= 1)


# ---------------------------------------------------------------- 12 length


def report_by(best):
    """A report of the learning rate whose runs inside are best by this rule."""

    def answer(inside, beyond, solved):
        runs = beyond[np.argmax(best(inside))]
        return np.array([np.median(runs), runs.min(), runs.max(), np.mean(runs >= solved)])

    return answer


def upper_middle(inside):
    return np.sort(inside, axis=1)[:, inside.shape[1] // 2]


WRONG = {
    "check_permutation": {
        "exact comparison": order_of_equal_rows,
        "inverse permutation": lambda *given: np.argsort(order_of_close_rows(*given)),
    },
    "check_sinusoidal": {name: filled_in(exponent) for name, exponent in EXPONENTS.items()},
    "check_base": {
        "sine instead of angle": base_by_column(1, 1, float),
        "last pair at 1/base": 1 / round(found_table()[1, 3], 4),
        "power not undone": 1 / math.asin(found_table()[1, 1]),
        "d of the sines alone": math.asin(found_table()[1, 1]) ** -2,
        "frequency of hand 1": math.asin(found_table()[1, 1]),
        "nearly": base_by_column(1, 1),
        "squared": base_by_column(2, 1, float),
        "sign of the exponent": found_table()[1, 1] ** 4,
    },
    "check_apply_rotary": {
        "overwritten too soon": rotated_in_place,
        "angles in two halves": rotated_neighbours(right, widen=twice),
        "positions from 1": rotated_neighbours(right, first=1),
    }
    | {name: rotated_neighbours(exponent) for name, exponent in EXPONENTS.items()},
    "check_cached_scores": {"cached keys counted twice": cached_keys_counted_twice},
    "check_port": {
        "angles in two halves": rotated_neighbours(right, widen=twice),
        "two layouts mixed": with_rotate_half,
    },
    "check_axial": {
        "positions from 1": of_both_axes(right, first=1),
        "degrees": of_both_axes(right, unit=np.pi / 180),
    }
    | {name: of_both_axes(exponent) for name, exponent in EXPONENTS.items()},
    "check_slip": {
        "identity": [[1, 0], [0, 1]],
        "no rotation": [[0.0707, 0.9975], [0.9975, 0.0707]],
    },
    "check_alibi_bias": {
        "a large negative number ahead": masked_by_a_number("check_alibi_bias"),
    },
    "check_head_from_curve": {
        "curve reversed": head_of_slope(lambda weights: math.log(weights[0] / weights[1])),
        "cut off": head_cut_off,
        "long rows only": head_of_slope(lambda weights: -math.log(1 - weights[-1])),
    },
    "check_xpos": {
        "512 for scale_base": xpos_with_the_default_scale_base,
    },
    "check_report": {"an odd number of seeds only": report_by(upper_middle)},
    "check_blockwise_mask": {"blocks of a power of two only": mask_by_bits},
}

RIGHT = {
    "check_permutation": [order_of_close_rows],
    "check_apply_rotary": [rotated_as_complex_numbers, rotated_in(torch.float32)],
    "check_slip": [np.round(plane(-1.5), 3)],
    "check_head_from_curve": [head_of_slope(neighbours)],
}
