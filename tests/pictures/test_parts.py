"""Every part is moved once, to arrays and then to others: nothing of the first ones stays."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from posviz.pictures import parts


@pytest.fixture
def axes():
    return Figure().add_subplot()


def moved(part, **arrays):
    """The part after it was moved to arrays."""
    part.move(SimpleNamespace(**arrays))
    return part


def test_a_curve_that_stays_is_not_stale(axes):
    part = parts.Curve(axes, "C0-", lambda a: (a.x, a.y))
    moved(part, x=[1, 2, 3], y=[1, np.nan, 2]).line.stale = False
    assert not moved(part, x=np.arange(1, 4), y=[1, np.nan, 2]).line.stale
    assert moved(part, x=[1, 2, 3], y=[1, np.nan, 3]).line.stale


def test_what_stands_is_set_only_where_it_is_new(axes):
    given = []
    part = parts.Background(given.append, lambda a: {"end": a.end})
    for end in (1, 1, 2, 1):
        moved(part, end=end)
    assert given == [{"end": 1}, {"end": 2}, {"end": 1}]
    moved(parts.Limits(axes, lambda a: {"xlim": (0, a.end)}), end=9)
    assert axes.get_xlim() == (0, 9)


def test_a_map_fits_what_it_shows(axes):
    part = parts.Map(axes, lambda a: a.values, most=(20, 30), row=lambda a: a.row)
    assert axes.get_xlim() == (-0.5, 29.5)  # the layout leaves room for the largest
    for shape in ((20, 30), (2, 3), (2, 5)):
        values = np.random.default_rng(0).random(shape)
        moved(part, values=values, row=1)
        assert np.array_equal(part.image.get_array(), values)
        assert part.image.get_extent() == [-0.5, shape[1] - 0.5, shape[0] - 0.5, -0.5]
        assert axes.get_xlim() == (-0.5, shape[1] - 0.5)
        assert axes.get_ylim() == (shape[0] - 0.5, -0.5)
        assert [marker.get_ydata() for marker in part.markers] == [[1, 1], [1, 1]]


def test_a_map_is_set_again_only_to_other_values(axes):
    part, values = parts.Map(axes, lambda a: a.values, most=(3, 3)), np.diag([1, np.nan, 1])
    moved(part, values=values)
    part.image.stale = False
    moved(part, values=values.copy())
    assert not part.image.stale
    moved(part, values=values + np.eye(3))
    assert part.image.stale


def test_strokes_are_one_line_with_gaps():
    strokes = np.arange(12).reshape(3, 2, 2)
    x, y = parts.broken(strokes)
    assert np.isnan([x[2::3], y[2::3]]).all()
    for i in range(3):
        assert np.array_equal((x[3 * i : 3 * i + 2], y[3 * i : 3 * i + 2]), strokes[i].T)
