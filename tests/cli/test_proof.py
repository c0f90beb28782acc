"""A proof: every style and every knob's ends are drawn, and what is wrong there is told."""

from html import escape
from io import BytesIO

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from posviz.cli import proof

SOURCE = '''
from types import SimpleNamespace

from posviz.pictures.knobs import integer, switch, text
from posviz.pictures.picture import Picture


class Wave(Picture):
    """A wave."""

    size = (4.0, 2.0)
    count = integer(3, low=2, high=5)
    grid = switch(False)
    words = text("so", max_length=90)

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
def write(tmp_path):
    """Write the picture's file, with one text in another's place."""

    def written(old="", new=""):
        file = tmp_path / "wave.py"
        file.write_text(SOURCE.replace(old, new) if old else SOURCE)
        return file

    return written


@pytest.mark.slow("seconds")
def test_every_style_and_every_knobs_ends_are_seen(write):
    views = {view.label: view for view in proof.views(write())}
    styles = ["notebook", "notebook, dark", "slide", "paper", "poster"]
    parts = ["slide, body", "slide, half"]
    ends = ["count = 2", "count = 5", "grid = True", "words = ", "words = " + 60 * "W"]
    assert list(views) == styles + parts + ends
    light, dark = (Image.open(BytesIO(views[look].image)) for look in styles[:2])
    assert light.size == (400, 200)
    assert max(dark.convert("RGB").getpixel((0, 0))) < 64
    assert views["count = 5"].caption == "A wave of 5 points."
    assert {label for label, view in views.items() if view.faults} == {ends[-1]}
    assert views[ends[-1]].faults == [f"{90 * 'W'!r} is cut off"]


def test_a_file_written_twice_in_a_second_is_read_twice(write):
    kinds = [proof.load(write()), proof.load(write("(3, low", "(4, low"))]
    assert [kind().count for kind in kinds] == [3, 4]


def test_a_picture_of_the_course_is_loaded_from_its_file():
    from posviz.cli.arguments import picture_files

    (file,) = picture_files(["threedoors"])
    kind = proof.load(file)
    assert (kind.__name__, kind.__module__) == ("ThreeDoors", "posviz.lessons.start.three_doors")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("range(", "rang(", "wave.py, line 17: NameError: name 'rang' is not defined    return "),
        ("def draw(self,", "def draw(self,,", "wave.py, line 19: SyntaxError: invalid syntax   "),
        ("import Picture", "import Pictures", "wave.py, line 5: ImportError: cannot import name"),
        ("class Wave(Picture)", "class Wave", "ValueError: wave.py defines no Picture"),
    ],
)
def test_an_error_is_told_with_its_line_and_nothing_else_is_drawn(write, old, new, told):
    (view,) = proof.views(write(old, new))
    assert not view.image
    assert view.faults[0].startswith(told)
    assert escape(told) in proof.sheet("wave.py", [view])


@pytest.mark.slow("seconds")
def test_an_error_at_an_end_leaves_the_other_views(write, monkeypatch):
    monkeypatch.setattr(proof, "LOOKS", [])
    file = write("values=range(self.count)", "values=[1 / (5 - self.count)] * 3")
    views = {view.label: view for view in proof.views(file)}
    assert not views["count = 5"].image
    assert "line 17: ZeroDivisionError" in views["count = 5"].faults[0]
    assert views["count = 2"].faults == []


def test_a_warning_is_a_fault(write):
    file = write("return Simple", "import warnings; warnings.warn('odd'); return Simple")
    assert next(proof.views(file)).faults == ["UserWarning: odd"]


def test_the_sheet_has_each_group_in_a_grid_of_its_own():
    views = [proof.ProofView(group, "label", b"x", "", []) for group in ("styles", "knob", "knob")]
    soup = BeautifulSoup(proof.sheet("wave.py", views), "html.parser")
    assert [len(section.select("img")) for section in soup.select("section")] == [1, 2]


def test_a_sheet_is_written_and_its_faults_are_told(write, tmp_path):
    path, faults = proof.write(write("range(", "rang("), tmp_path / "new")
    assert path == tmp_path / "new" / "wave.html"
    assert "faults in 1 views: 1" in path.read_text()
    assert [fault.partition(":")[0] for fault in faults] == ["notebook"]
