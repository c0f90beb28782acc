"""The numbers in lesson 05's picture of all scores: its maps and their means."""

import math

import numpy as np
import pytest

from posviz.lessons.rotary.rotary_scores import RotaryScores
from tests.lessons.by_hand import assert_curve_covers, complex_scores

CONTENTS = ["aligned", "random"]
LENGTHS = [  # seq_len, head_dim, base
    (64, 64, 10_000),
    (513, 32, 100),
    (1300, 16, 10_000),
]


def both_maps(picture):
    """Every score [len, len] in float64, without RoPE and with it."""
    q, k = picture._vectors(picture.seq_len)
    scale = math.sqrt(picture.head_dim)
    return q @ k.T / scale, complex_scores(q, k, picture.base) / scale


def reduced(scores):
    """Means of blocks so wide that 512 of them hold a row; the last row and column may be short."""
    width = next(width for width in range(1, len(scores) + 1) if width * 512 >= len(scores))
    starts = range(0, len(scores), width)
    blocks = [range(start, min(start + width, len(scores))) for start in starts]
    shares = np.zeros((len(blocks), len(scores)))
    for row, block in zip(shares, blocks, strict=True):
        row[block] = 1 / len(block)
    return shares @ scores @ shares.T


def means_by_offset(scores):
    """The mean of each diagonal, query − key from 1 − len to len − 1."""
    last = len(scores) - 1
    return [np.diagonal(scores, -offset).mean() for offset in range(-last, last + 1)]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(("seq_len", "head_dim", "base"), LENGTHS)
def test_maps_and_means_are_those_of_all_scores(content, seq_len, head_dim, base):
    picture = RotaryScores(
        content=content, seq_len=seq_len, head_dim=head_dim, base=base, seed=seq_len % 100
    )
    arrays = picture.compute()
    apart = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    for i, scores in enumerate(both_maps(picture)):
        np.testing.assert_allclose(arrays.maps[i], reduced(scores), rtol=0, atol=1e-10)
        near, far = scores[abs(apart) <= 2].mean(), scores[abs(apart) > 2].mean()
        np.testing.assert_allclose(arrays.means[i], (near, far), rtol=0, atol=1e-10)
        assert_curve_covers(arrays.curves[i], 1 - seq_len, means_by_offset(scores))


def test_contents_are_what_they_are_called():
    def vectors(content):
        return RotaryScores(content=content, sentence="a cat a dog")._vectors(9)

    for one in vectors("one token"):
        assert len({tuple(x) for x in one}) == 1
    assert not np.array_equal(*vectors("one token"))
    assert np.array_equal(*vectors("aligned"))
    for many in vectors("random"):
        assert len({tuple(x) for x in many}) == 9
    for words in vectors("sentence"):
        names = ["a", "cat", "a", "dog", "a", "cat", "a", "dog", "a"]
        pairs = [(i, j) for i in range(9) for j in range(9)]
        assert all((names[i] == names[j]) == np.array_equal(words[i], words[j]) for i, j in pairs)
