"""A live figure: it follows the knobs, and shows what a fresh figure would show."""

import gc
import weakref

import matplotlib
import numpy as np
import pytest

from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.style import Appearance
from tests.pictures.sample import Dragged, Failing, Waves, place_of
from tests.pictures.stream.replay import fresh_pixels

pytestmark = pytest.mark.slow("figures")


def live_pixels(live) -> np.ndarray:
    live.follow()
    live.paint()
    return live.layers.pixels().copy()


def change_at_random(picture, rng):
    """Change one knob of a Waves picture."""
    values = {
        "lines": rng.integers(1, 5),
        "position": rng.integers(40),
        "width": 2 * rng.integers(1, 33),
        "base": 10 ** rng.uniform(1, 4),
        "phase": rng.random(),
        "shape": ("sine", "cosine")[rng.integers(2)],
        "marked": bool(rng.integers(2)),
        "words": "a cat$ sat \\frac"[: rng.integers(17)],
    }
    name = rng.choice(list(values), p=[0.02, *[0.14] * 7])
    setattr(picture, name, values[name])


@pytest.mark.slow("draws many figures")
def test_after_many_changes_the_pixels_are_those_of_a_fresh_figure():
    rng = np.random.default_rng(0)
    picture = Waves()
    live = LiveFigure(picture)
    with matplotlib.rc_context({"axes.titlesize": 30, "xtick.color": "red"}):
        for _ in range(20):
            change_at_random(picture, rng)
            pixels = live_pixels(live)
        assert np.array_equal(pixels, fresh_pixels(picture)), picture


@pytest.mark.slow("draws many figures")
def test_a_figure_comes_back_with_its_value_and_few_are_kept():
    picture = Waves()
    live, figures = LiveFigure(picture), []
    for lines, position in [(1, 5), (2, 6), (1, 7)]:
        picture.lines, picture.position = lines, position
        pixels = live_pixels(live)
        figures.append(weakref.ref(live.layers.figure))
    assert figures[0]() is figures[2]() is not figures[1]()
    assert np.array_equal(pixels, fresh_pixels(picture))
    assert hasattr(figures[0]().canvas, "renderer")
    assert not hasattr(figures[1]().canvas, "renderer")  # what is not shown has no pixels
    for lines, dark in [(3, False), (4, False), (1, False), (2, True), (3, True), (1, True)]:
        picture.lines, live.look = lines, Appearance(dark=dark)
        live.follow()
    gc.collect()
    assert figures[1]() is None  # the one that was shown longest ago
    assert figures[0]() is not None


def test_only_what_changes_the_axes_redraws_the_background():
    picture = Waves()
    live = LiveFigure(picture)
    live_pixels(live)
    redrawn = []
    for name, value in [("position", 30), ("words", "a dog"), ("phase", 0), ("width", 12)]:
        setattr(picture, name, value)
        live.follow()
        redrawn.append(live.paint())
        live.layers.pixels()
    assert redrawn == [False, False, False, True]


@pytest.mark.parametrize(("place", "error"), [("compute", ValueError), ("caption", KeyError)])
def test_an_error_before_anything_moved_leaves_the_good_picture(place, error):
    picture = Failing()
    live = LiveFigure(picture)
    good, caption = live_pixels(live), live.caption
    picture.position, picture.fail = 20, place
    with pytest.raises(error):
        live.follow()
    assert live.caption == caption
    live.paint()
    assert np.array_equal(live.layers.pixels(), good)
    picture.fail = "nowhere"
    assert np.array_equal(live_pixels(live), fresh_pixels(picture))
    assert live.caption == picture.caption(picture.compute()) != caption


def test_after_an_error_half_way_the_next_figure_is_whole():
    picture = Failing()
    live = LiveFigure(picture)
    live_pixels(live)
    picture.position, picture.fail = 20, "update"
    with pytest.raises(RuntimeError):
        live.follow()
    assert live.layers is None
    picture.fail = "nowhere"
    assert np.array_equal(live_pixels(live), fresh_pixels(picture))


def test_a_drag_sets_knobs_at_their_nearest_places():
    ratio = 2.5
    live = LiveFigure(Dragged(width=8, phase=0.5))
    live.drag(0.5, 0.5)  # there is no figure yet
    live.ratio = ratio
    live.follow()
    live.paint()

    def knobs_after(x, y):
        live.drag(*place_of(live, x, y))
        return live.picture.width, live.picture.phase

    assert knobs_after(31.2, 0.123) == (32, 0.12)
    assert knobs_after(99, 1.9) == (64, 0.75)
    assert knobs_after(1, -0.9) == (2, 0)
    assert knobs_after(-1, 1) == knobs_after(10, 2.1) == (2, 0)  # outside
