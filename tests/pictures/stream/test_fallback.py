"""What draw calls cannot show is shown by its pixels, from the frame on in which it appears."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from posviz.pictures.knobs import choice, integer, switch
from posviz.pictures.picture import Picture
from posviz.pictures.stream.letters import letters_at
from tests.pictures.sample import Browser
from tests.pictures.stream.replay import Scene, decoded


class Hologram(Artist):
    """Draws by a method that no renderer but ours has."""

    def draw(self, renderer):
        if self.get_visible():
            renderer.draw_hologram(self)


def hatch(axes):
    axes.add_patch(Rectangle((0.1, 0.1), 0.8, 0.8, hatch="/", animated=True))


def mesh(axes):
    axes.pcolormesh(np.eye(4) / 4, animated=True)


def colours(axes):
    axes.imshow(np.random.default_rng(0).random((3, 3, 3)), extent=(0, 1, 0, 1), animated=True)


def rotated(axes):
    image = axes.imshow(np.eye(3), extent=(0, 1, 0, 1), animated=True)
    image.set_transform(Affine2D().rotate_deg(10) + axes.transData)


def line(axes):
    axes.plot([0, 1], [0, 1], lw=5, color="C1", animated=True)


def image(axes):
    axes.imshow(np.eye(3), extent=(0, 1, 0, 1), animated=True)


def tex(axes):
    axes.text(0.5, 0.5, "tex", usetex=True, animated=True)


def font_features(axes):
    axes.text(0.2, 0.5, "fluffiest", fontfeatures=["-liga"], animated=True)


def unknown(axes):
    axes.add_artist(Hologram()).set_animated(True)


def visible(artist, on):
    artist.set_visible(on)


def rasterised(artist, on):
    artist.set(rasterized=on, alpha=0.5 if on else 1)


def filtered(artist, on):
    """Whether an Agg filter makes it darker."""
    artist.set_agg_filter((lambda image, _: (image * [0.5, 0.5, 0.5, 1], 0, 0)) if on else None)


AWKWARD = {
    "Unfaithful: hatched": [hatch],
    "Unfaithful: not antialiased": [mesh],
    "Unfaithful: an image that is not of cells": [colours],
    "Unfaithful: an image that is not upright": [rotated],
    "Unfaithful: a rasterised artist": [(line, rasterised)],
    "Unfaithful: an Agg filter": [(image, filtered)],
    "Unfaithful: text set by TeX": [tex],
    "Unfaithful: a text with font features": [font_features],
    "AttributeError: 'Recorder' object has no attribute 'draw_hologram'": [unknown],
}


class Awkward(Picture):
    """A line that moves beside something awkward that appears when it is told to."""

    size = (3.0, 2.0)
    make, turn = None, visible  # what makes it, and what turns it on and off

    place = integer(3, low=0, high=9)
    appears = switch(False)
    kind = choice("one", options=("one", "other"), redraw=True)

    def compute(self):
        return SimpleNamespace(height=self.place / 10, appears=self.appears)

    def draw(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        before = set(axes.get_children())
        if self.kind == "one":
            type(self).make(axes)
            axes.set(xlim=(0, 1), ylim=(0, 1), aspect="auto")
        [awkward] = set(axes.get_children()) - before or [None]
        [line] = axes.plot([0, 1], [0, 0], lw=3, animated=True)
        return SimpleNamespace(awkward=awkward, line=line, on=None)

    def update(self, artists, arrays):
        artists.line.set_ydata([arrays.height, 1 - arrays.height])
        if artists.awkward and artists.on != arrays.appears:
            artists.on = arrays.appears
            type(self).turn(artists.awkward, artists.on)

    def caption(self, arrays):
        return f"The line begins at {arrays.height}."


@pytest.fixture
def agg_can_more(monkeypatch):
    """Agg draws what is set by TeX, though TeX is not there, and holograms."""

    def strike(renderer, *_, mtext=None):
        np.asarray(renderer.buffer_rgba())[50:60, 99:120] = (255, 0, 0, 255)

    monkeypatch.setattr(RendererAgg, "draw_tex", strike)
    monkeypatch.setattr(RendererAgg, "draw_hologram", strike, raising=False)
    monkeypatch.setattr(RendererAgg, "get_text_width_height_descent", lambda *_: (30, 10, 2))
    letters_at.cache_clear()  # what was measured is kept for all pictures
    yield
    letters_at.cache_clear()


class View:
    """A browser that shows every frame as it comes, and the picture it should show."""

    def __init__(self, picture):
        self.picture, self.browser, self.scene = picture, Browser(picture), Scene()
        self.explorer = self.browser.explorer
        self.taken = 0
        self.browser.say("a", ratio=1)

    @property
    def why(self):
        return self.explorer.live.layers.only_pixels

    def newest(self):
        """Take in the one frame that is new, check what is seen, and return the message."""
        frames = [sent for sent in self.browser.messages if "frame" in sent[0]]
        [(message, buffers)] = frames[self.taken :]
        self.taken += 1
        assert message["frame"] == self.taken
        self.scene.take(message, buffers)
        figure = self.picture.figure()
        figure.canvas.draw()
        wanted = np.asarray(figure.canvas.buffer_rgba()).astype(int)
        assert np.abs(self.scene.pixels() - wanted).max() <= 2
        if self.why:
            assert (message["whole"], message["moved"]) == (True, [])
            assert np.array_equal(decoded(buffers[0]), wanted)
        return message


def awkward(make, turn=visible, **knobs):
    """A picture with this beside its line."""
    return type("Picture", (Awkward,), {"make": make, "turn": turn})(**knobs)


CASES = [(why, how) for why, hows in AWKWARD.items() for how in hows]


@pytest.mark.slow("draws nine figures five times")
@pytest.mark.parametrize(("why", "how"), CASES)
def test_pixels_are_sent_from_the_frame_on_in_which_it_appears(why, how, request):
    if how in (tex, unknown):
        request.getfixturevalue("agg_can_more")
    picture = awkward(*(how if isinstance(how, tuple) else (how,)))
    view = View(picture)
    view.newest()
    picture.place = 4
    assert not view.newest()["whole"]
    assert view.why == ""
    before = view.scene.pixels()
    picture.appears = True
    view.newest()
    assert view.why == why
    assert not np.array_equal(view.scene.pixels(), before)
    picture.place = 5
    view.newest()
    picture.appears = False  # it stays so, rather than to change to and fro
    view.newest()
    assert view.why == why
    assert view.explorer.error == ""
    view.explorer.close()


def test_new_artists_are_tried_as_draw_calls_again():
    picture = awkward(hatch, appears=True)
    view = View(picture)
    view.newest()
    assert view.why == "Unfaithful: hatched"
    picture.kind = "other"
    assert view.newest()["artists"] > 0
    picture.place = 7
    assert not view.newest()["whole"]
    assert view.why == ""
    view.explorer.close()
