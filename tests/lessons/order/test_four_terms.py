"""The position–position term in lesson 01's picture: what each offset has of it."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from posviz.lessons.order.four_terms import FourTerms
from posviz.pictures.style import style_context
from tests.lessons.by_hand import drawn


def test_the_chart_has_the_colour_of_the_map_that_it_shows():
    figure = FourTerms().figure()
    chart, last = figure.axes[2], figure.axes[4]
    term = FourTerms().compute().terms[3]
    assert np.array_equal(last.images[0].get_array(), term / abs(term).max())
    assert last.texts[0].get_text() == f"largest {abs(term).max():.1f}"
    [strokes] = chart.lines
    framed = {spine.get_edgecolor() for spine in last.spines.values() if spine.get_visible()}
    with style_context():
        colours = [to_rgba(each.get_color()) for each in (strokes, chart._left_title)]
    assert framed == {*colours}


@pytest.mark.parametrize("projection", ["random", "identity"])
def test_a_stroke_reaches_over_all_pairs_at_its_offset(projection):
    arrays, (*_, strokes) = drawn(FourTerms(seq_len=9, projection=projection))
    term, ends = arrays.terms[3], {}
    for query, key in np.ndindex(term.shape):
        ends.setdefault(query - key, []).append(term[query, key])
    points = strokes.line.get_xydata().reshape(-1, 3, 2)[:, :2]
    assert points[:, :, 0].tolist() == [[offset, offset] for offset in range(-8, 9)]
    expected = [[min(ends[offset]), max(ends[offset])] for offset in range(-8, 9)]
    np.testing.assert_array_equal(points[:, :, 1], expected)
