"""What the pictures of lesson 13 show: rows that stay lit, and weights of one text."""

import numpy as np

from posviz.choosing.rows import ROWS
from posviz.lessons.choosing.chooser import Chooser
from posviz.lessons.choosing.same_x import SameX
from tests.lessons.by_hand import drawn


def test_each_row_is_lit_or_has_its_reason():
    arrays, (*columns, _) = drawn(Chooser(reads="patches of an image"))
    lines = [part.artist.get_text().split("\n") for part in columns]
    lit, dark = ([line for part in lines[at::2] for line in part if line] for at in (0, 1))
    assert lit == ["✓ RoPE in 2-D"] == [f"✓ {row}" for row in arrays.lit]
    assert len(dark) == len(ROWS) - 1
    assert "✗ RoPE: sees no line's end" in dark
    for bold, pale in zip(lines[::2], lines[1::2], strict=True):
        assert [bool(a) + bool(b) for a, b in zip(bold, pale, strict=True)] == [1] * len(bold)


def test_identical_tokens_without_positions_share_their_weight():
    here, there = (SameX(content=0.0, first=first).compute() for first in (0, 1000))
    even = np.tril(np.ones((16, 16))) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(np.nan_to_num(here.weights["none (NoPE)"]), even)
    changed = {row for row in ROWS if np.nanmax(abs(here.weights[row] - there.weights[row])) > 1e-9}
    assert changed == {"sinusoidal", "learned", "FIRE"}
    assert here.moved["none (NoPE)"] == 0
