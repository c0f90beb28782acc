"""RoPE one pair at a time, as an oracle for the claims about it."""

import math

import numpy as np

QUERY, KEY = np.random.default_rng(0).normal(size=(2, 64)).tolist()
INTERLEAVED = [(2 * pair, 2 * pair + 1) for pair in range(32)]
HALF_SPLIT = [(pair, pair + 32) for pair in range(32)]
FREQUENCIES = np.array([10_000 ** (-pair / 32) for pair in range(32)])


def turned(x, position, pairing=INTERLEAVED):
    """The 64 numbers x with each pair turned by its own angle, with plane trigonometry."""
    result = [0.0] * 64
    for pair, (first, second) in enumerate(pairing):
        cos, sin = (wave(position / 10_000 ** (pair / 32)) for wave in (math.cos, math.sin))
        result[first] = x[first] * cos - x[second] * sin
        result[second] = x[first] * sin + x[second] * cos
    return result


def product(x, y):
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def shown(number):
    return f"{number:.4g}"


def slow_outputs(q, k, v, causal=False):
    """Attention of vectors already turned, one query at a time."""
    outputs = []
    for i, query in enumerate(q):
        seen = i + 1 if causal else len(k)
        powers = [math.exp(product(query, key) / 8) for key in k[:seen]]
        outputs.append(np.array(powers) @ v[:seen] / math.fsum(powers))
    return np.array(outputs)


def at(rows, start):
    return np.array([turned(row, start + i) for i, row in enumerate(rows)])


def not_turned(x, angles):
    return x


def not_turned_at_its_door(self, x, waves, sign):
    return x
