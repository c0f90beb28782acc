"""What draw calls cannot show is shown by its pixels, from the frame on in which it appears."""

import ast
import re
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from posviz.pictures.knobs import Choice, Integer, Switch
from posviz.pictures.picture import Picture
from posviz.pictures.stream import private
from posviz.pictures.stream.letters import letters_at
from tests.pictures.sample import Browser
from tests.pictures.stream.replay import Scene, decoded


def hatch(axes):
    axes.add_patch(Rectangle((0.1, 0.1), 0.8, 0.8, hatch="/", animated=True))


def image(axes):
    axes.imshow(np.eye(3), extent=(0, 1, 0, 1), animated=True)


def font_features(axes):
    axes.text(0.2, 0.5, "fluffiest", fontfeatures=["-liga"], animated=True)


def words(axes):
    axes.text(0.3, 0.5, "a word", animated=True)


def visible(artist, on):
    artist.set_visible(on)


def filtered(artist, on):
    """Whether an Agg filter makes it darker."""
    artist.set_agg_filter((lambda image, _: (image * [0.5, 0.5, 0.5, 1], 0, 0)) if on else None)


AWKWARD = {
    "hatched": (hatch,),
    "an Agg filter": (image, filtered),
    "a text with font features": (font_features,),
}


class Awkward(Picture):
    """A line that moves beside something awkward that appears when it is told to."""

    size = (3.0, 2.0)
    make, turn = None, visible  # what makes it, and what turns it on and off

    place = Integer(3, low=0, high=9)
    appears = Switch(False)
    kind = Choice("one", options=("one", "other"), redraw=True)

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


class OpenView:
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


@pytest.mark.slow("draws four figures five times")
@pytest.mark.parametrize("why", AWKWARD)
def test_pixels_are_sent_from_the_frame_on_in_which_it_appears(why):
    picture = awkward(*AWKWARD[why])
    view = OpenView(picture)
    view.newest()
    picture.place = 4
    assert not view.newest()["whole"]
    assert view.why == ""
    before = view.scene.pixels()
    picture.appears = True
    view.newest()
    assert view.why == f"Unfaithful: {why}"
    assert not np.array_equal(view.scene.pixels(), before)
    picture.place = 5
    view.newest()
    picture.appears = False  # it stays so, rather than to change to and fro
    view.newest()
    assert view.why == f"Unfaithful: {why}"
    assert view.explorer.error == ""
    view.explorer.close()


def test_new_artists_are_tried_as_draw_calls_again():
    picture = awkward(hatch, appears=True)
    view = OpenView(picture)
    view.newest()
    assert view.why == "Unfaithful: hatched"
    picture.kind = "other"
    assert view.newest()["artists"] > 0
    picture.place = 7
    assert not view.newest()["whole"]
    assert view.why == ""
    view.explorer.close()


# ---------------------------------------------------------------- the fence around private names


def test_without_private_names_of_matplotlib_pixels_are_sent(monkeypatch):
    def fail(*_):
        raise AttributeError("gone")

    functions = [name for name, each in vars(private).items() if isinstance(each, FunctionType)]
    for name in {*functions} - {"aligned_axes"}:
        monkeypatch.setattr(private, name, fail)
    letters_at.cache_clear()  # what was laid out is kept for all pictures
    picture = awkward(words, appears=True)
    figure = picture.build()[0]
    del figure._align_label_groups
    assert private.aligned_axes(figure.axes[0].xaxis) == [figure.axes[0]]
    view = OpenView(picture)
    view.newest()
    assert view.why == "AttributeError: gone"
    picture.place = 7
    view.newest()
    assert view.explorer.error == ""
    view.explorer.close()


def test_private_names_of_matplotlib_stand_in_one_file():
    for file in Path(private.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        names = [name.name for node in ast.walk(tree) for name in getattr(node, "names", ())]
        names += [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) != "self"
        ]
        found = [name for name in names if re.match("_[a-z]", name)]
        assert bool(found) == (file.name == "private.py"), (file, found)
