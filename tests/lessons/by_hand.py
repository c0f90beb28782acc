"""For tests of pictures: one drawn, its caption, its settings; and RoPE and softmax by hand."""

import math

import numpy as np

from posviz.pictures.style import style_context
from tests.lessons.test_pictures import extremes, random_settings


def every_setting(kind, count=16, **kept):
    """Pictures of a kind with each knob at its ends, and ``count`` with all knobs at random."""
    picture = kind()
    for setting in [*extremes(picture), *random_settings(picture, count)]:
        yield kind(**setting | kept)


def drawn(picture):
    """Its arrays, and its artists moved to them."""
    arrays, (_, artists) = picture.compute(), picture.build()
    with style_context():
        picture.update(artists, arrays)
    return arrays, artists


def named_lines(picture):
    """What its lines show, [2, points], by the names that a legend has for them."""
    lines = [line for axes in picture.figure().axes for line in axes.lines]
    return {line.get_label(): line.get_xydata().T for line in lines}


def caption_of(picture):
    """With an ASCII minus, as Python writes it."""
    return picture.caption(picture.compute()).replace("−", "-")


def frequencies(head_dim, base):
    return [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]


def partners(head_dim, layout):
    """Which two columns are a pair, for each pair."""
    half = head_dim // 2
    if layout == "interleaved":
        return [(2 * i, 2 * i + 1) for i in range(half)]
    return [(i, i + half) for i in range(half)]


def turned(x, position, base=10_000, layout="interleaved"):
    """x with each pair turned by its own angle, with plane trigonometry."""
    result = list(x)
    pairs = zip(partners(len(x), layout), frequencies(len(x), base), strict=True)
    for (first, second), speed in pairs:
        cos, sin = math.cos(position * speed), math.sin(position * speed)
        result[first] = x[first] * cos - x[second] * sin
        result[second] = x[first] * sin + x[second] * cos
    return result


def product(x, y):
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def complex_scores(q, k, base):
    """Scores [len, len] before 1/√head_dim: each pair a complex number, turned by e^(i·angle)."""
    angles = np.outer(np.arange(len(q)), frequencies(q.shape[1], base))
    q, k = ((x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles) for x in (q, k))
    return (q @ k.conj().T).real
