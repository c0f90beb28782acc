"""Frames: only what the browser has not got is sent, and then it shows the whole picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from posviz.pictures.stream.frames import encode_png
from tests.pictures.sample import Waves
from tests.pictures.stream.replay import Wire, decoded


@settings(max_examples=10, deadline=None)
@given(arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(4))))
def test_a_png_holds_the_pixels_it_was_made_of(pixels):
    assert np.array_equal(decoded(encode_png(pixels)), pixels)


@pytest.fixture
def wire():
    return Wire(Waves())


def test_the_first_frame_is_whole_and_the_next_bring_only_what_moved(wire):
    first = wire.send()
    assert first.whole
    assert first.artists == len(wire.live.layers.front) == len(first.moved)
    wire.picture.position = 30
    sent = wire.send()
    assert not sent.whole
    assert wire.artists(sent) == {wire.moving.mark}
    wire.picture.words = "a dog"
    assert wire.artists(wire.send()) == {wire.moving.words}
    assert wire.is_right()
    wire.picture.phase = 0.9
    assert wire.artists(wire.send()) == {wire.moving.image, *wire.moving.curves}
    wire.picture.marked = False
    assert wire.artists(wire.send()) == {wire.moving.mark, wire.moving.band}
    assert wire.is_right()


def test_a_marker_over_a_heatmap_takes_less_than_a_kibibyte(wire):
    wire.send()
    wire.picture.position = 30
    assert wire.send().size < 1024


@pytest.mark.slow("draws many figures")
def test_a_background_redrawn_comes_with_everything_over_it(wire):
    wire.send()
    wire.picture.width = 20
    assert wire.send().whole
    assert wire.is_right()
    wire.live.ratio = 2.0
    sent = wire.send()
    assert sent.whole
    assert decoded(sent.buffers[0]).shape == (400, 800, 4)
    assert wire.is_right()
    wire.picture.lines = 4  # other artists
    assert wire.send().whole
    assert wire.is_right()


class Dots(Waves):
    """Waves with dots over them whose colours leave no trace."""

    def draw(self, figure):
        artists = super().draw(figure)
        artists.dots = artists.right.scatter(
            np.arange(9), np.zeros(9), c=np.zeros(9), vmin=-1, vmax=1, zorder=9, animated=True
        )
        artists.note = artists.right.annotate(
            "", (0, 0), (3, 1), arrowprops={"arrowstyle": "->"}, animated=True
        )
        return artists

    def update(self, artists, arrays):
        super().update(artists, arrays)
        artists.dots.set_array(arrays.curves[-1][:9])
        artists.note.xy = (arrays.position / 10, 0)


@pytest.mark.slow("draws many figures")
def test_what_does_not_say_that_it_moved_is_sent_nevertheless():
    wire = Wire(Dots())
    wire.send()
    for phase in (0.7, 0.8):
        wire.picture.phase = phase
        assert wire.moving.dots in wire.artists(wire.send())
        assert wire.is_right()
    for position in (7, 8):
        wire.picture.position = position
        assert wire.artists(wire.send()) == {wire.moving.mark, wire.moving.note}
        assert wire.is_right()
