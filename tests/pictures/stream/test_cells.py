"""Cells: a heatmap's pixels are those of matplotlib's own resampling, or it is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import BoundaryNorm, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.transforms import Affine2D

from posviz.pictures.stream.cells import Unfaithful, cells_of_image
from posviz.pictures.stream.recorder import Recorder
from tests.pictures.stream.replay import coloured, replayed, white

ENDS = st.tuples(st.floats(-3, 3), st.floats(-3, 3)).filter(lambda ends: abs(np.ptp(ends)) > 0.01)
NORMS = {
    "plain": lambda: Normalize(-0.5, 0.7),
    "clipped": lambda: Normalize(0, 0.4, clip=True),
    "steps": lambda: BoundaryNorm([0, 0.1, 0.4, 0.45, 0.8], 256, extend="both"),
    "few steps": lambda: BoundaryNorm([0, 0.3, 0.6], 256),
    "log": lambda: LogNorm(1e-3, 0.8),
    "flat": lambda: Normalize(0.5, 0.5),
}


def page(size=(3, 2), dpi=100):
    figure = Figure(figsize=size, dpi=dpi)
    FigureCanvasAgg(figure)
    return figure


def shown(axes, data, **settings):
    """An image on bare axes."""
    axes.set_axis_off()
    return axes.imshow(data, **{"interpolation": "nearest", "aspect": "auto", **settings})


def by_agg(figure) -> np.ndarray:
    """The figure as matplotlib draws it."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


def by_cells(image) -> np.ndarray:
    """An empty page with the image's cells on it."""
    figure = image.get_figure(root=True)
    recording = Recorder(figure.canvas.get_renderer()).record(image)
    return replayed(recording, white(figure))


def apart(image) -> int:
    """How many levels the two ways to draw it differ at most."""
    wanted = by_agg(image.get_figure(root=True)).astype(int)
    return int(np.abs(by_cells(image) - wanted).max())


@st.composite
def grids(draw):
    """Numbers of many kinds, with holes and infinities."""
    shape = draw(st.tuples(st.integers(1, 60), st.integers(1, 60)))
    kind = draw(st.sampled_from(["f8", "f4", "u1", "i8", "?"]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    grid = rng.normal(0.2, 0.5, shape)
    if kind[0] != "f":
        return (3 * np.abs(grid)).astype(kind)
    if draw(st.booleans()):
        grid[rng.random(shape) < 0.1] = np.nan
    if draw(st.booleans()):
        grid[rng.random(shape) < 0.05] = np.inf
    masked = draw(st.booleans())
    return np.ma.array(grid.astype(kind), mask=rng.random(shape) < (0.2 if masked else 0))


@st.composite
def images(draw):
    """An image somewhere on a page, seen as a whole or in part."""
    figure = page(
        draw(st.tuples(st.floats(0.5, 5), st.floats(0.5, 4))),
        draw(st.sampled_from([72, 100, 110.0000023, 133.3, 200])),
    )
    left, low = draw(st.floats(-0.2, 0.5)), draw(st.floats(-0.2, 0.5))
    axes = figure.add_axes([left, low, draw(st.floats(0.2, 0.7)), draw(st.floats(0.2, 0.7))])
    image = shown(
        axes,
        draw(grids()),
        norm=NORMS[draw(st.sampled_from(list(NORMS)))](),
        cmap=draw(st.sampled_from(["viridis", "RdBu_r", "tab10"])),
        origin=draw(st.sampled_from(["upper", "lower"])),
        extent=draw(st.none() | st.tuples(ENDS, ENDS).map(lambda ends: (*ends[0], *ends[1]))),
        alpha=draw(st.sampled_from([None, 1, 0.5])),
        interpolation=draw(st.sampled_from(["nearest", "none"])),
    )
    if draw(st.booleans()):
        image.set_cmap(image.cmap.with_extremes(under="red", over=(0, 1, 0, 0.5), bad="0.7"))
    if draw(st.booleans()):
        axes.set(xlim=draw(ENDS), ylim=draw(ENDS))
    image.set_clip_on(draw(st.booleans()))
    return image


@pytest.mark.slow("draws many figures")
@settings(max_examples=30, deadline=None)
@given(images())
def test_the_pixels_are_those_of_agg(image):
    seen_through = image.get_alpha() == 0.5 or image.cmap.get_over()[3] < 1
    assert apart(image) <= seen_through  # Agg and the replay round a mixture each in their way


def test_a_large_map_sends_colours_and_a_small_one_bytes():
    image = shown(page().add_axes([0, 0, 1, 1]), np.eye(2), vmin=0, vmax=1)
    for count, wide in [(200, 1), (256, 1), (1000, 2)]:
        image.set_cmap(image.cmap.resampled(count))
        image.set_data([[0, 0.5], [0.99, 0.25]])
        cells = cells_of_image(image)
        assert cells.indices.itemsize == wide
        sizes, data = cells.packed()
        assert len(data) == 4 * (count + 3) + 2 * (300 + 200) + 4 * wide
        height, width, _ = coloured(sizes, data).shape
        assert (width, height) == (sizes["width"], sizes["height"])
        assert apart(image) == 0


def added(data=None, **settings):
    """An image on axes of its own."""
    return shown(page().add_subplot(), np.eye(3) if data is None else data, **settings)


def rotated():
    image = added()
    image.set_transform(Affine2D().rotate_deg(10) + image.axes.transData)
    return image


REFUSED = {
    "colours": lambda: added(data=np.zeros((3, 3, 3))),
    "bilinear": lambda: added(interpolation="bilinear"),
    "an alpha for each cell": lambda: added(alpha=np.full((3, 3), 0.5)),
    "rotated": rotated,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_cells_is_refused(name):
    image = REFUSED[name]()
    with pytest.raises(Unfaithful, match="image that is not"):
        cells_of_image(image)
    with pytest.raises(Unfaithful, match="image that is not"):
        Recorder(image.figure.canvas.get_renderer()).record(image)
