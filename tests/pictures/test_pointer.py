"""What a pointer is told of a picture, and what it moves there."""

import numpy as np
import pytest

from posviz.pictures.drawing import Drawing
from posviz.pictures.knobs import Integer
from posviz.pictures.live_figure import LiveFigure


class Pointed(Drawing):
    """A map of words by positions, and below it two curves."""

    query = Integer(0, low=0, high=2)

    def compute(self):
        return self.arrays()

    def draw(self, figure):
        top, bottom = figure.subplots(2)
        top.imshow([[0.25, -2.0, np.nan], [1500.0, 0, 1], [0, 0, 0]], aspect="auto")
        top.set(
            ylabel="query (position)", xlabel="key", xticks=range(3), xticklabels=["a", "b", "c"]
        )
        bottom.plot([1, 2, 3], [0, 0.5, 0], label="RoPE")
        bottom.plot([1, 3], [0.5, 0.1])
        bottom.set(xlabel="offset, query − key (tokens)", ylabel="score\n(nats)")
        return []

    def caption(self, arrays):
        return ""


def at(live, axes, x, y):
    figure = live.layers.figure
    across, up = figure.axes[axes].transData.transform((x, y)) / figure.bbox.size
    return float(across), float(1 - up)


@pytest.fixture
def live():
    live = LiveFigure(Pointed())
    live.follow()
    live.paint()
    return live


@pytest.mark.parametrize(
    ("axes", "x", "y", "words"),
    [
        (0, 0.1, -0.2, "query 0, key a: 0.25"),
        (0, 1.2, 0.4, "query 0, key b: −2"),
        (0, 0, 1.4, "query 1, key a: 1,500"),
        (0, 2, 0, ""),
        (1, 1.98, 0.49, "RoPE: offset, query − key 2, score 0.5"),
        (1, 3.01, 0.11, "offset, query − key 3, score 0.1"),
        (1, 2, 0.2, ""),
        (1, 2, 3, ""),
    ],
)
def test_the_cell_or_the_nearest_point_is_said(live, axes, x, y, words):
    assert live.words_at(*at(live, axes, x, y)) == words


def test_a_knob_that_an_axis_is_named_after_moves_with_the_pointer(live):
    assert live.drags == "along"
    live.drag(*at(live, 0, 1, 1.8))
    assert live.picture.query == 2
    live.drag(*at(live, 1, 1, 0.4))
    assert live.picture.query == 2
