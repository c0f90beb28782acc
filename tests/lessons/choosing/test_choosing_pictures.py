"""What the pictures of lesson 13 show: rows that stay lit, weights of one text, bars that count."""

import numpy as np
import pytest

from posviz.choosing.census import CENSUS
from posviz.choosing.guide import choose
from posviz.choosing.rows import ROWS
from posviz.lessons.choosing.census import Census
from posviz.lessons.choosing.chooser import Chooser
from posviz.lessons.choosing.same_x import SameX
from tests.lessons.by_hand import caption_of, drawn


def test_lit_rows_are_bold_and_the_others_have_their_reason():
    arrays, (*columns, advice) = drawn(Chooser(reads="patches of an image"))
    lines = [part.artist.get_text().split("\n") for part in columns]
    lit = [line for part in lines[::2] for line in part if line]
    dark = [line for part in lines[1::2] for line in part if line]
    assert lit == ["✓ RoPE in 2-D"] == [f"✓ {row}" for row in arrays.lit]
    assert len(dark) == len(ROWS) - 1
    assert "✗ RoPE: sees no line's end" in dark
    assert all(
        len(above) == len(below) for above, below in zip(lines[::2], lines[1::2], strict=True)
    )
    assert (
        advice.artist.get_text().replace("\n", " ")
        == choose(Chooser(reads="patches of an image").values()).advice
    )


@pytest.mark.parametrize("causal", [True, False])
def test_every_row_of_weights_sums_to_1_and_hides_what_is_ahead(causal):
    arrays = SameX(causal=causal, head=3, first=500).compute()
    assert len(arrays.weights) == len(ROWS)
    for weights in arrays.weights.values():
        np.testing.assert_allclose(np.nansum(weights, axis=-1), 1)
        assert np.isnan(weights).sum() == (16 * 15 / 2 if causal else 0)


def test_identical_tokens_without_positions_share_their_weight():
    here, there = (SameX(content=0.0, first=first).compute() for first in (0, 1000))
    even = np.tril(np.ones((16, 16))) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(np.nan_to_num(here.weights["none (NoPE)"]), even)
    changed = {row for row in ROWS if np.nanmax(abs(here.weights[row] - there.weights[row])) > 1e-9}
    assert changed == {"sinusoidal", "learned", "FIRE"}
    assert here.moved["none (NoPE)"] == 0


def test_the_weight_that_an_encoding_moves_is_counted_once_and_told():
    picture = SameX(head=2)
    arrays = picture.compute()
    plain = np.nan_to_num(arrays.weights["none (NoPE)"])
    for row, weights in arrays.weights.items():
        gained = np.maximum(np.nan_to_num(weights) - plain, 0).sum(axis=-1)
        assert arrays.moved[row] == pytest.approx(gained.mean())
    ordered = sorted(arrays.moved, key=arrays.moved.get)
    assert ordered[0] == "none (NoPE)"
    told = f"{ordered[-1]} moves {arrays.moved[ordered[-1]]:.0%} of the weight to other keys, "
    assert caption_of(picture).endswith(f"{told}{ordered[1]} {arrays.moved[ordered[1]]:.0%}.")


@pytest.mark.parametrize("encoding", list(CENSUS)[::9])
def test_the_marked_bar_is_as_long_as_its_number(encoding):
    _, (bar, mark, words) = drawn(Census(encoding=encoding))
    assert bar.artist.get_width() == CENSUS[encoding].files
    assert mark.line.get_ydata()[0] == list(CENSUS).index(encoding)
    assert words.artist.get_text().replace("\n", " ").startswith("grep -lPz '")
    assert f"{CENSUS[encoding].files} of 530" in caption_of(Census(encoding=encoding))
