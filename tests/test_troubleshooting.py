"""The numbers of docs/troubleshooting.md, computed anew."""

from pathlib import Path

import numpy as np
import pytest

from posviz import Rotary, identify
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary

PAGE = (Path(__file__).parent.parent / "docs" / "troubleshooting.md").read_text("utf-8")


def rotates(**options):
    """A program rotate(x, positions) with the 64 of 128 columns of the page."""
    rotary = Rotary(layout="half_split", **{"rotary_dim": 64, **options})
    return lambda x, positions: rotary.at_query(x[None, None], positions)[0, 0]


RIGHT = rotates()


def with_wrong_pairs(x, positions):
    order = np.r_[0:32, 64:96, 32:64, 96:128]
    out = np.empty_like(x)
    out[:, order] = RIGHT(x[:, order], positions)
    return out


def in_half_precision(x, positions):
    frequencies = rotary_frequencies(64).astype(np.float16)
    angles = np.multiply.outer(np.asarray(positions, np.float16), frequencies)
    return apply_rotary(x, angles.astype(float), layout="half_split")


def with_a_short_table(x, positions):
    return RIGHT(x, np.minimum(positions, 4095))


def with_frequencies_of_the_head(x, positions):
    angles = rotary_angles(positions, rotary_frequencies(128)[:32])
    return apply_rotary(x, angles, layout="half_split")


FAR = [  # program, what is right, what identify says, errors, whether score(p) is constant
    (with_frequencies_of_the_head, RIGHT, "The base is 100.", (0.10, 1.8, 0.10), True),
    (with_wrong_pairs, RIGHT, "in pairs (0, 64), (1, 65), …", (0.16, 0.76, 0.16), True),
    (RIGHT, rotates(base=500_000.0), "The base is 10,000.", (0.035, 0.96, 0.035), True),
    (in_half_precision, RIGHT, "The angles are rounded to float16", (0.0001, 0.004, 0.17), False),
    (with_a_short_table, RIGHT, "come out alike", (0, 0, 0.17), False),
]


@pytest.mark.parametrize(("program", "right", "said", "errors", "constant"), FAR)
def test_far_mistakes_have_the_errors_of_the_page(program, right, said, errors, constant):
    rng = np.random.default_rng(0)
    q = rng.normal(size=(4000, 128))
    k = q + rng.normal(size=q.shape)

    def score(rotate, i, j):
        return (rotate(q, np.full(len(q), i)) * rotate(k, np.full(len(q), j))).sum(-1)

    def error(i, j):
        meant = score(right, i, j)
        return np.sqrt(np.mean((score(program, i, j) - meant) ** 2)) / meant.std()

    found = [error(11, 10), error(74, 10), error(10_001, 10_000)]
    np.testing.assert_allclose(found, errors, rtol=0.06, atol=5e-5)
    same = np.allclose(score(program, 11, 10), score(program, 10_001, 10_000))
    assert same is constant
    assert said in str(identify(program, head_dim=128))
    row = " | ".join(f"{value:g}" for value in errors)
    assert f"| {row} |".replace("0.1 |", "0.10 |") in PAGE
    assert said in PAGE
