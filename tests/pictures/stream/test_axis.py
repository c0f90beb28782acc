"""An axis that is written down part by part is the one that matplotlib draws."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posviz.pictures.stream.recorder import Recorder
from posviz.pictures.style import style_context
from tests.pictures.stream.replay import replayed, white
from tests.pictures.stream.test_recorder import agree, drawn

LOOKS = {
    "linear": {"xlim": (0, 97), "xlabel": "offset (tokens)"},
    "logarithmic": {"xlim": (1, 1e5), "xscale": "log", "xlabel": "distance"},
    "an offset": {"xlim": (1e9, 1e9 + 3)},
    "the other side": {"xlim": (0, 97), "xlabel": "offset (tokens)"},
    "its own labels": {"xlim": (0, 2), "xticks": (0, 1, 2), "xticklabels": ("the", "cat", "sat")},
}


@pytest.mark.parametrize("name", ["xaxis", "yaxis"])
@pytest.mark.parametrize("look", LOOKS)
def test_a_recorded_axis_is_the_drawn_one(look, name):
    values = {key.replace("x", name[0], 1): value for key, value in LOOKS[look].items()}
    with style_context():
        figure = Figure(figsize=(4, 3), dpi=100, layout="none")
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.2, 0.2, 0.7, 0.7), **values)
        axes.grid(look == "linear")
        axis = getattr(axes, name)
        if look == "the other side":
            side = {"xaxis": "top", "yaxis": "right"}[name]
            axis.set_ticks_position(side)
            axis.set_label_position(side)
        recording = Recorder(figure.canvas.get_renderer()).record(axis)
        found = replayed(recording, white(figure))
        wanted = drawn_alone(figure, axis)
    assert agree(found, wanted, letters=30)
    assert (wanted[..., :3] < 128).any()


def drawn_alone(figure, artist):
    """What Agg draws of an artist on an empty page."""
    others = [each for axes in figure.axes for each in axes.get_children() if each is not artist]
    for each in others:
        each.set_visible(False)
    return drawn(figure)
