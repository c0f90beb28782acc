"""A picture: declared once, drawn as a plain figure that depends on nothing but its knobs."""

import subprocess
import sys
from weakref import WeakKeyDictionary

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from posviz.pictures import drawing as module
from posviz.pictures.knobs import Integer, Switch
from posviz.pictures.picture import Picture
from tests.pictures.sample import ROOT, Failing, Waves

LOUD = {"axes.facecolor": "yellow", "figure.dpi": 37, "font.size": 31, "savefig.bbox": "tight"}


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


class Rows(Picture):
    """A row of a table that another knob shortens."""

    row = Integer(5, low=0, high=9, until=lambda table: table.rows - 1)
    rows = Integer(10, low=1, high=10)
    name = Switch(True)

    def compute(self):
        return self.arrays(rows=np.arange(self.rows), last=self.row == self.rows - 1)


@pytest.mark.parametrize(
    ("rows", "held", "last"),
    [(10, 5, False), (6, 5, True), (5, 4, True), (1, 0, True)],
)
def test_arrays_hold_the_knobs_within_their_range(rows, held, last):
    picture = Rows(rows=rows)
    arrays = picture.compute()
    assert vars(arrays).keys() == {"row", "rows", "name", "last"}
    assert (arrays.row, arrays.last, arrays.name) == (held, last, True)
    assert len(arrays.rows) == rows
    assert picture.row == held
    picture.rows = 10
    assert picture.row == 5


def test_an_unknown_knob_is_named_with_its_nearest():
    with pytest.raises(TypeError) as refusal:
        Waves(widht=8)
    message = str(refusal.value)
    assert message.startswith("Waves has no knob 'widht'; it has lines, position, width, ")
    assert message.endswith("Did you mean 'width'?")
    with pytest.raises(TypeError, match=r"it has lines, .*where\.$"):
        Waves(zzz=8)


def test_values_and_repr_tell_the_knobs():
    picture = Waves(width=64, words="a cat")
    assert picture.values() == {
        "lines": 2,
        "position": 3,
        "width": 64,
        "base": 100,
        "phase": 0.5,
        "shape": "sine",
        "marked": True,
        "words": "a cat",
        "where": "NumPy",
    }
    twin = eval(repr(picture), {"Waves": Waves})
    assert twin.values() == picture.values()


def test_the_knob_that_plays_is_filmed_first_and_numbers_before_options():
    assert Waves.filmed_knobs()[0] == "position"

    class Still(Waves):
        position = Switch(True)

    assert Still.filmed_knobs()[0] == "width"  # other lines would have to be made anew


def test_a_figure_is_plain_and_its_own():
    picture = Waves()
    first, second = picture.figure(), picture.figure()
    assert isinstance(first, Figure)
    assert not [artist for artist in first.findobj() if artist.get_animated()]
    assert not {*map(id, first.findobj())} & {*map(id, second.findobj())}
    assert np.array_equal(pixels(first), pixels(second))
    first.axes[1].lines[0].set_color("red")
    assert not np.array_equal(pixels(first), pixels(second))
    assert "pyplot" not in type(first.canvas).__module__


class Named(Waves):
    """Waves whose axis has a name, a line of it for each wave."""

    given_data = ("name",)

    def __init__(self, name="", **values):
        self.name = name
        super().__init__(**values)

    def draw(self, figure):
        artists = super().draw(figure)
        artists.right.set_ylabel(self.name + self.lines * "\n")
        return artists


@pytest.mark.slow("draws many figures")
def test_a_layout_is_kept_for_its_own_picture_and_artists(monkeypatch):
    pictures = [Waves(), Named("y"), Named(6 * "high\n")]

    def corners(picture):
        return [axes.get_position().bounds for axes in picture.figure().axes]

    kept = [corners(picture) for picture in pictures + pictures]
    alone = []
    for picture in pictures:
        monkeypatch.setattr(module, "_layouts", WeakKeyDictionary())
        alone.append(corners(picture))
    assert kept == alone + alone


def test_settings_of_session_and_figure_leave_each_other_alone():
    style = "notebook"
    calm = pixels(Waves().figure(style))
    with matplotlib.rc_context(LOUD):
        before = dict(matplotlib.rcParams)
        loud = pixels(Waves().figure(style))
        assert dict(matplotlib.rcParams) == before
        with pytest.raises(ValueError, match="too <wide>"):
            Failing(fail="compute").figure(style)
        with pytest.raises(RuntimeError):
            Failing(fail="update").figure(style)
        assert dict(matplotlib.rcParams) == before
    assert np.array_equal(loud, calm)


@pytest.mark.slow("a process")
def test_a_figure_shows_itself_in_a_notebook_and_pyplot_stays_away():
    program = """
from IPython.core.interactiveshell import InteractiveShell
import io, sys
shell = InteractiveShell.instance()
from PIL import Image
from tests.pictures.sample import Waves
figure = Waves().figure()
data, metadata = shell.display_formatter.format(figure)
image = Image.open(io.BytesIO(data["image/png"]))
print(image.format, image.size, figure.get_dpi(), metadata["image/png"])
print("matplotlib.pyplot" in sys.modules)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    told = {"width": 400, "alt": Waves().caption(Waves().compute())}
    expected = [f"PNG (400, 200) 100 {told}", "False"]
    assert done.stdout.splitlines() == expected, done.stderr
