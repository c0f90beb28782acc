"""Layers: background and front together are, pixel by pixel, what a plain full draw gives."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from posviz.pictures.stream.layers import FigureLayers, drawing_order, front
from tests.pictures.stream.artist_cases import CASES

pytestmark = pytest.mark.slow("figures")


def full_draw(figure) -> np.ndarray:
    """The pixels of a figure drawn as a whole, without layers."""
    for artist in figure.findobj(lambda artist: artist.get_animated()):
        artist.set_animated(False)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


def differing(frame, other) -> int:
    """How many pixels of two frames differ."""
    return int(np.any(frame != other, axis=-1).sum())


def test_ticks_and_titles_stay_in_the_background():
    figure, _ = next(case for case in CASES if case.make.__name__ == "line").build()
    axes = figure.axes[0]
    axes.set(title="title", xlabel="x")
    above = front([*drawing_order(figure)])
    assert above[0] is axes.lines[0]
    assert not {axes.xaxis, axes.yaxis, axes.title} & {*above}
    axes.grid(True)
    assert axes.xaxis not in front([*drawing_order(figure)])  # drawn before the line
    axes.set_axisbelow(False)
    assert axes.xaxis in front([*drawing_order(figure)])


def named(name):
    """A case's settled figure and what moves it."""
    return next(case for case in CASES if case.make.__name__ == name).build()


def test_background_has_a_new_token_only_when_it_was_redrawn():
    """A change at rest redraws it once, and is drawn over it from then on."""
    figure, move = named("line")
    layers = FigureLayers(figure)
    tokens = [layers.background_id]
    axes = figure.axes[0]
    higher, farther = (lambda: axes.set_ylim(0, 2)), (lambda: axes.set_ylim(0, 3))

    for moves in (None, None, move, higher, move, farther):
        if moves:
            moves()
        redrawn = layers.paint()
        layers.recordings()
        layers.background()
        tokens.append(layers.background_id)
        assert redrawn == (tokens[-1] is not tokens[-2])
    new = [after is not before for before, after in itertools.pairwise(tokens)]
    assert new == [True, False, False, True, False, False]


def test_an_image_that_stays_is_not_recorded_again():
    figure, move = named("marker_over_an_image_that_stays")
    layers = FigureLayers(figure)
    layers.paint()
    image, *others = layers.recordings()
    move()
    again = layers.recordings()
    assert again[0] is image
    assert again[1:] != others
    layers.pixels()  # after which nothing looks as if it had moved
    move()
    layers.pixels()
    assert layers.recordings()[1:] not in (others, again[1:])


def test_a_line_is_recorded_again_when_it_or_its_axes_move():
    figure, move = named("line")
    layers = FigureLayers(figure)
    axes = figure.axes[0]

    def recorded():
        layers.paint()
        return layers.recordings()[layers.front.index(axes.lines[0])]

    first = recorded()
    assert recorded() is first
    ends = (lambda top=top: axes.set_ylim(0, top) for top in (2, 3))  # the first draws all anew
    for change in (move, *ends, lambda: axes.set_position((0, 0, 1, 1))):
        before = recorded()
        change()
        assert recorded() != before


def connected(axes):
    patch = axes.add_artist(ConnectionPatch((0, 0), (1, 1), "data"))
    return patch, lambda: setattr(patch, "xy1", (0.5, 0))


def boxed(axes):
    text = axes.text(0.5, 0.5, "word", bbox={"facecolor": "w"})
    return text, lambda: text.get_bbox_patch().set_facecolor("r")


@pytest.mark.parametrize("make", [connected, boxed])
def test_artist_that_moves_without_notice_is_recorded_anew(make):
    figure = Figure(figsize=(3, 2))
    FigureCanvasAgg(figure)
    artist, move = make(figure.add_subplot())
    artist.set_animated(True)
    layers = FigureLayers(figure)
    layers.paint()
    [before] = [r for r, a in zip(layers.recordings(), layers.front, strict=True) if a is artist]
    move()
    layers.paint()
    [after] = [r for r, a in zip(layers.recordings(), layers.front, strict=True) if a is artist]
    assert before != after


def test_pixels_and_recordings_taken_in_turn_stay_whole():
    figure, move = named("image_under_static_line_under_marker")
    twin, move_twin = named("image_under_static_line_under_marker")
    layers = FigureLayers(figure)
    layers.paint()
    for look in (layers.pixels, layers.recordings, layers.pixels, layers.pixels) * 2:
        move()
        move_twin()
        assert layers.paint() is False
        look()
        assert differing(layers.pixels(), full_draw(twin)) == 0
