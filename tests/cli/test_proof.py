"""A proof: every style and every knob's ends are drawn, and what is wrong there is told."""

import importlib.util
import sys
from io import BytesIO

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from posviz_tools.cli import proof

SOURCE = '''
from types import SimpleNamespace

from posviz.pictures.knobs import Integer, Switch, TypedText
from posviz.pictures.picture import Picture


class Wave(Picture):
    """A wave."""

    size = (4.0, 2.0)
    count = Integer(3, low=2, high=5)
    grid = Switch(False)
    words = TypedText("so", max_length=90)

    def compute(self):
        return SimpleNamespace(values=range(self.count), grid=self.grid, words=self.words)

    def draw(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0, 5), ylim=(0, 5))
        return [axes.plot([], [], animated=True)[0], figure.text(0.3, 0.5, "", animated=True)]

    def update(self, artists, arrays):
        artists[0].set_data(arrays.values, arrays.values)
        artists[0].set_visible(arrays.grid)
        artists[1].set_text(arrays.words)

    def caption(self, arrays):
        return f"A wave of {len(arrays.values)} points."
'''


@pytest.fixture
def kind(tmp_path):
    """The picture's class in a file of its own, with one text in another's place."""

    def loaded(old="", new=""):
        file = tmp_path / "wave.py"
        file.write_text(SOURCE.replace(old, new) if old else SOURCE)
        spec = importlib.util.spec_from_file_location("wave", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules["wave"] = module
        spec.loader.exec_module(module)
        return module.Wave

    return loaded


@pytest.mark.slow("seconds")
def test_every_style_and_every_knobs_ends_are_seen(kind):
    views = {view.label: view for view in proof.views(kind())}
    styles = ["notebook", "notebook, dark", "slide", "paper", "poster"]
    parts = ["slide, body", "slide, half"]
    ends = ["count = 2", "count = 5", "grid = True", "words = ", "words = " + 60 * "W"]
    assert list(views) == styles + parts + ends
    light, dark = (Image.open(BytesIO(views[look].image)) for look in styles[:2])
    assert light.size == (400, 200)
    assert max(dark.convert("RGB").getpixel((0, 0))) < 64
    assert views["count = 5"].caption == "A wave of 5 points."
    assert {label for label, view in views.items() if view.faults} == {ends[-1]}
    assert views[ends[-1]].faults == (f"{90 * 'W'!r} is cut off",)


def test_an_error_is_told_with_its_line_and_nothing_else_is_drawn(kind):
    (view,) = proof.views(kind("range(", "rang("))
    told = "wave.py, line 17: NameError: name 'rang' is not defined"
    assert (view.image, view.faults) == (b"", (told,))


@pytest.mark.slow("seconds")
def test_an_error_at_an_end_leaves_the_other_views(kind, monkeypatch):
    monkeypatch.setattr(proof, "LOOKS", {})
    broken = kind("values=range(self.count)", "values=[1 / (5 - self.count)] * 3")
    views = {view.label: view for view in proof.views(broken)}
    assert not views["count = 5"].image
    assert "line 17: ZeroDivisionError" in views["count = 5"].faults[0]
    assert views["count = 2"].faults == ()


def test_a_warning_is_a_fault(kind):
    odd = kind("return Simple", "import warnings; warnings.warn('odd'); return Simple")
    assert next(proof.views(odd)).faults == ("UserWarning: odd",)


def test_a_sheet_is_written_and_what_is_wrong_is_told(kind, tmp_path, monkeypatch):
    wrong = proof.ProofView("slide", b"x", "A wave.", ("'<' is cut off",), "no room: it is small")
    monkeypatch.setattr(proof, "views", lambda kind: [wrong, proof.ProofView("paper", b"x")])
    path, told, count = proof.write(kind(), tmp_path / "new")
    assert (path, count) == (tmp_path / "new" / "Wave.html", 1)
    assert told == ["slide: '<' is cut off", "slide: no room: it is small"]
    page = BeautifulSoup(path.read_text(), "html.parser")
    assert [len(page.select(each)) for each in ("figure", "img", "strong")] == [2, 2, 2]
    assert "faults in 2 views: 1" in page.text
