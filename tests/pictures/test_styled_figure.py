"""A figure gives back what it was drawn into: a notebook keeps every figure that it shows."""

import gc
import weakref

import pytest
from matplotlib.backends.backend_agg import RendererAgg

from posviz.pictures.bitmaps import notebook_png
from posviz.pictures.live_figure import LiveFigure
from tests.pictures.sample import Waves


@pytest.fixture
def bitmaps(monkeypatch):
    """How many renderers, each with its bitmap, are alive; cycles are left uncollected."""
    made, initialise = [], RendererAgg.__init__

    def noted(renderer, *size):
        initialise(renderer, *size)
        made.append(weakref.ref(renderer))

    monkeypatch.setattr(RendererAgg, "__init__", noted)
    gc.disable()
    yield lambda: (len(made) > 0, sum(renderer() is not None for renderer in made))
    gc.enable()


def test_a_figure_that_is_shown_keeps_no_bitmap(bitmaps):
    figure = Waves().figure()
    notebook_png(figure)
    assert bitmaps() == (True, 0)


@pytest.mark.slow("draws many figures")
def test_a_saved_figure_leaves_no_bitmap_behind(bitmaps, tmp_path):
    for kind in ("png", "svg", "pdf"):
        Waves().save(tmp_path / f"waves.{kind}")
    assert bitmaps() == (True, 0)


def test_a_live_figure_that_nobody_sees_leaves_no_bitmap_behind(bitmaps):
    live = LiveFigure(Waves())
    live.follow()
    live.paint()
    live.layers.pixels()
    assert bitmaps()[1] > 0
    live.release()
    assert bitmaps() == (True, 0)
