"""Layers: background and front together are, pixel by pixel, what a plain full draw gives."""

from pathlib import Path

import numpy as np
import pytest

from posviz.engine.layers import Layers, front
from tests.engine import artist_cases, artist_cases_of_axes, artist_cases_of_shapes_and_texts

FILES = (artist_cases, artist_cases_of_axes, artist_cases_of_shapes_and_texts)  # each adds its own
CASES = artist_cases.CASES


def full_draw(figure) -> np.ndarray:
    """The pixels of a figure drawn as a whole, without layers."""
    for artist in figure.findobj(lambda artist: artist.get_animated()):
        artist.set_animated(False)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


def differing(frame, other) -> int:
    """How many pixels of two frames differ."""
    return int(np.any(frame != other, axis=-1).sum())


def test_every_case_of_every_file_is_there():
    written = "".join(Path(file.__file__).read_text() for file in FILES)
    assert len(CASES) == written.count("\n@case") >= 45


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.make.__name__)
def test_layers_give_the_pixels_of_a_full_draw(case):
    figure, move = case.build()
    twin, move_twin = case.build()
    layers = Layers(figure)
    layers.paint()
    frames = [layers.pixels().copy()]
    assert differing(frames[0], full_draw(twin)) == 0
    for _ in range(2):
        move()
        move_twin()
        figure.stale |= case.by_hand
        assert layers.paint() is case.redraws
        frames.append(layers.pixels().copy())
        assert differing(frames[-1], full_draw(twin)) == 0
    assert differing(frames[0], frames[1]) > 0


def test_ticks_and_titles_stay_in_the_background():
    figure, _ = next(case for case in CASES if case.make.__name__ == "line").build()
    axes = figure.axes[0]
    axes.set(title="title", xlabel="x")
    above = front(figure)
    assert above[0] is axes.lines[0]
    assert not {axes.xaxis, axes.yaxis, axes.title} & {*above}
    axes.grid(True)
    assert axes.xaxis not in front(figure)  # drawn before the line
    axes.set_axisbelow(False)
    assert axes.xaxis in front(figure)
