"""Files: the picture as it stands, whole or not at all, and the same bytes every time."""

import errno
import io
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader

from posviz import ThreeDoors, __version__
from posviz.files import SETTING
from posviz.pictures.bitmaps import notebook_png, png_bytes
from posviz.pictures.export import FORMATS
from posviz.pictures.style import STYLES
from tests.pictures.sample import ROOT, Failing, Waves

pytestmark = pytest.mark.slow("figures")

MAGIC = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-1."}
SVG = "{http://www.w3.org/2000/svg}"
INCHES = {"notebook": (4, 2), "slide": (40 / 3, 7.5), "paper": (3.3, 2.4), "poster": (18, 12)}


@pytest.fixture
def picture():
    return Waves(position=20)


LOOKS = [("png", style) for style in STYLES] + [("svg", "notebook"), ("pdf", "notebook")]


def test_a_png_shows_the_pixels_of_the_figure(picture, tmp_path):
    with matplotlib.rc_context({"savefig.dpi": 37, "savefig.bbox": "tight", "font.size": 30}):
        path = picture.save(tmp_path / "waves.png", style="slide", dark=True)
    figure = picture.figure("slide", True)
    figure.canvas.draw()
    expected = np.asarray(figure.canvas.buffer_rgba())
    assert np.array_equal(np.asarray(Image.open(path)), expected)


def test_picture_of_the_course_names_its_licence(tmp_path):
    title, _, line, program, rights = described(ThreeDoors().save(tmp_path / "doors.png"))
    assert title == ThreeDoors.title()
    assert line.startswith("from posviz import ThreeDoors\nThreeDoors(door=")
    assert program == f"posviz {__version__}"
    assert "CC BY 4.0" in rights
    assert "Attribution 4.0" in (ROOT / "notebooks" / "LICENSE").read_text("utf-8")


@pytest.mark.slow("draws many figures")
@pytest.mark.parametrize("kind", FORMATS)
def test_the_line_in_a_file_makes_the_same_bytes(tmp_path, monkeypatch, kind):
    look = {"style": "slide", "dark": True, "layout": "half", "font": "DejaVu Serif"}
    path = Waves(words='it\'s "<b>"', phase=0.1, position=7).save(
        tmp_path / f"waves.{kind}", **look
    )
    again = tmp_path / "again"
    again.mkdir()
    monkeypatch.chdir(again)
    exec(described(path)[2], {})
    assert [file.name for file in again.iterdir()] == [path.name]
    assert (again / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("values", [(), {"position": (1, 2)}])
def test_a_transparent_figure_has_no_background(tmp_path, values):
    path = Waves().save(tmp_path / "waves.png", transparent=True, multiples=values)
    opaque = np.asarray(Image.open(path))[..., 3]
    assert opaque[0, 0] == 0
    assert 0 < np.mean(opaque > 0) < 0.5


def described(path) -> tuple:
    """What other people's readers find: title, caption, Python line, program and rights."""
    if path.suffix == ".png":
        names = ("Title", "Description", "Comment", "Software", "Copyright")
        return tuple(map(Image.open(path).text.get, names))
    if path.suffix == ".pdf":
        found = PdfReader(path).metadata
        return found.title, found.subject, found.keywords, found.creator, found.author
    core = "{http://purl.org/dc/elements/1.1/}"
    root = ET.parse(path).getroot()
    one_of = [f".//{core}{name}" for name in ("title", "description", "source")]
    agents = [f".//{core}{name}//{core}title" for name in ("creator", "rights")]
    return tuple(root.findtext(place) for place in one_of + agents)


@pytest.mark.slow("a process")
def test_another_process_writes_the_same_bytes(tmp_path):
    program = (
        "import sys; from tests.pictures.sample import Waves\n"
        "for path in sys.argv[1:]: Waves().save(path)"
    )
    (tmp_path / "other").mkdir()
    environment = os.environ | {"PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1000000000"}
    others = [tmp_path / "other" / f"waves.{kind}" for kind in FORMATS]
    command = [sys.executable, "-c", program, *others]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    for other in others:
        assert Waves().save(tmp_path / other.name).read_bytes() == other.read_bytes()
        assert matplotlib.__version__.encode() not in other.read_bytes(), other


# ---------------------------------------------------------------- what cannot be written


@pytest.mark.parametrize("name", ["waves.jpg", "waves"])
def test_an_unknown_ending_is_refused_before_anything_is_drawn(tmp_path, name):
    with pytest.raises(ValueError, match=r"choose one of \.png, \.svg, \.pdf") as refusal:
        Failing(fail="compute").save(tmp_path / name)
    assert repr(str(tmp_path / name)) in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_no_folder_is_named(picture, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    path = tmp_path / "file" / "waves.png"
    with pytest.raises(OSError, match="cannot write: its folder is a file") as refusal:
        picture.save(path)
    assert refusal.value.filename == str(path)
    assert str(path) in str(refusal.value)


def test_where_nobody_may_write_one_line_says_what_to_do(picture, tmp_path, monkeypatch):
    number = errno.EACCES

    def refuse(*_, **__):
        raise OSError(number, "No")

    monkeypatch.setattr(Path, "mkdir", refuse)
    advised = {"figures/a.png": f"set {SETTING} to", tmp_path / "a.png": "choose"}
    for path, advice in advised.items():
        with pytest.raises(OSError, match="cannot write: ") as refusal:
            picture.save(path)
        what = f"cannot write: No; {advice} a folder that you may write to: {str(path)!r}"
        assert str(refusal.value) == f"[Errno {number}] {what}"


@pytest.mark.parametrize(
    "write",
    [
        lambda picture, folder: picture.save(folder / "a.png"),
        lambda picture, folder: picture.animate("position", folder / "a.gif"),
    ],
)
def test_an_interrupt_leaves_nothing(picture, tmp_path, monkeypatch, write):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(picture), "update", stop)
    with pytest.raises(KeyboardInterrupt):
        write(picture, tmp_path)
    assert [*tmp_path.iterdir()] == []


# ---------------------------------------------------------------- notebooks


def test_a_figure_in_a_notebook_is_one_png_at_its_true_size(picture):
    style, width = "notebook", 400
    figure = picture.figure(style)
    png, metadata = notebook_png(figure)
    image = Image.open(io.BytesIO(png))
    assert (image.mode, image.width) == ("P", width)
    assert metadata == {"width": width, "alt": picture.caption(picture.compute())}
    assert notebook_png(picture.figure(style))[0] == png


def test_a_smooth_map_is_smooth_in_a_notebook():
    """An area of noise has most of the pixels, a colour bar few: it keeps its shades."""
    maps = matplotlib.colormaps
    noise = maps["viridis"](np.random.default_rng(0).random((300, 300)))
    bar = np.repeat(maps["RdBu_r"](np.linspace(0, 1, 300))[None], 15, axis=0)
    plain = np.tile([0.14, 0.55, 0.54, 1], (60, 300, 1))  # as some of the noise nearly is
    pixels = np.round(255 * np.vstack([noise, bar, plain])).astype(np.uint8)
    shown = np.asarray(Image.open(io.BytesIO(png_bytes(pixels, 128))).convert("RGBA"))
    differences = np.abs(shown.astype(int) - pixels)
    assert differences[:300].mean() < 3
    assert differences[300:315].mean() < 5
    assert differences[315:].max() == 0
