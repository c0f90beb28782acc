"""Every picture as a file, in every style and format, opened by other people's readers."""

import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.image import AxesImage
from PIL import Image
from pypdf import PdfReader

import posviz_course.lessons
from posviz.pictures import knobs
from posviz.pictures.export import FORMATS, method_call, python_line, save_all
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES, style_context
from posviz_tools.cli.faults import LEAST_POINTS, drawn_texts, text_faults
from tests.colour_vision import EVERYONE, least_distance
from tests.line_faults import line_faults

NAMES = posviz_course.lessons.names()
LOOKS = [*((style, False) for style in STYLES), ("notebook", True)]
DOTS = {"notebook": 100, "slide": 144, "paper": 300, "poster": 150}  # per inch
HOSTILE = [
    "\"><script>alert(1)</script> ]]> '",
    "javascript:alert(1) url(http://a.example/) \u202egnp.exe",
    "</style></text><a onclick=x href='//b'> &#x202e; \0\x1b[31m",
]
WITH_CIRCLES = (
    *("CounterToClock", "HandAndWave", "OneMatrix", "PhasesSeen"),
    *("RotatingVectors", "ShiftIsRotation", "TwoHands", "WavelengthClocks"),
)

# All that an SVG needs. Not among them: script, a, foreignObject, animate.
DRAWING = {"svg", "title", "desc", "metadata", "defs", "style", "clipPath", "pattern"}
DRAWING |= {"g", "path", "use", "image", "rect"}
# As 1000, 1e-4, 7.9e-05, 10^3 or -1; years have no comma.
OTHER_NUMBERS = re.compile(
    r"\d[eE][-+−]?\d|(?<![\w.,/-])(?!(?:19|20)\d\d(?!\d))\d{4,}(?!\w)|(?<![\w)])-\d|\d\^|10\$"
)
SEEN = ("RotaryScores",)  # in every style and format; the others before a release
LATER = pytest.mark.release("all pictures in all looks, and as films")


def by_release(names, seen=SEEN) -> list:
    """The names as parameters, of which only some are tried before a release."""
    return [pytest.param(name, marks=() if name in seen else LATER) for name in names]


@pytest.fixture(params=NAMES)
def picture(request) -> Picture:
    """Each picture in turn, as it is without any setting."""
    return posviz_course.lessons.load(request.param)()


def inches(picture, style) -> tuple[float, float]:
    """The size that a figure in a style should have."""
    fixed = {"slide": (40 / 3, 7.5), "poster": (18, 12)}
    return fixed.get(style) or {"notebook": picture.size, "paper": picture.paper_size}[style]


# ---------------------------------------------------------------- files


@pytest.mark.slow("files in every format")
@pytest.mark.parametrize("name", by_release(NAMES))
@pytest.mark.parametrize(("style", "dark"), LOOKS)
def test_every_style_and_format_opens_elsewhere(name, style, dark, tmp_path):
    picture = posviz_course.lessons.load(name)()
    title, caption = picture.title(), picture.caption(picture.compute())
    paths = [tmp_path / f"figure.{kind}" for kind in FORMATS]
    for path in save_all(picture, paths, style=style, dark=dark):
        words = CHECKS[path.suffix](path, inches(picture, style), DOTS[style], dark)
        line = python_line(picture, method_call("save", path.name, style=style, dark=dark))
        assert words == (title, caption, line), path.name
    svg = ET.parse(tmp_path / "figure.svg").getroot()
    assert has_images_of_heatmaps_only(svg, picture.figure(style, dark))


def check_png(path, size, dots, dark):
    """As many pixels as asked for, on the right background; title, caption, Python line."""
    with Image.open(path) as image:
        image.load()
        assert image.size == tuple(int(round(inches * dots, 6)) for inches in size)
        assert image.info["dpi"] == pytest.approx((dots, dots), abs=0.02)
        assert (sum(image.convert("RGB").getpixel((0, 0))) < 200) == dark
        return tuple(image.text[name] for name in ("Title", "Description", "Comment"))


def check_svg(path, size, dots, dark):
    """Outlines alone, nothing that could act; its title, caption, Python line."""
    root = ET.parse(path).getroot()
    points = tuple(float(root.get(side).removesuffix("pt")) for side in ("width", "height"))
    assert points == pytest.approx(np.multiply(size, 72), abs=0.01)
    assert svg_tags(root).keys() <= DRAWING
    names = "title", "description", "source"
    return tuple(root.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}").text for name in names)


def svg_tags(root) -> Counter:
    """How many elements of each name an SVG has outside its metadata."""
    described = set(root.find("{http://www.w3.org/2000/svg}metadata").iter())
    return Counter(e.tag.rpartition("}")[2] for e in root.iter() if e not in described)


def has_images_of_heatmaps_only(root, figure):
    """Whether an SVG holds pixels where cells of a heatmap are, and nowhere else."""
    heatmaps, scales = (len(figure.findobj(kind)) for kind in (AxesImage, QuadMesh))
    images = svg_tags(root)["image"]
    return images <= heatmaps + scales and (images > 0) == (heatmaps > 0)


def check_pdf(path, size, dots, dark):
    """One page, every font embedded as TrueType; its title, caption and Python line."""
    reader = PdfReader(path)
    (page,) = reader.pages
    assert [float(side) for side in page.mediabox[2:]] == pytest.approx(
        np.multiply(size, 72), abs=0.01
    )
    found = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    assert found
    for font in found:
        assert font["/Subtype"] == "/Type0", font
        (inner,) = font["/DescendantFonts"]
        assert inner.get_object()["/Subtype"] == "/CIDFontType2", inner
        assert inner.get_object()["/FontDescriptor"]["/FontFile2"].get_data()
    told = reader.metadata
    return told.title, told.subject, told.keywords


CHECKS = {".png": check_png, ".svg": check_svg, ".pdf": check_pdf}


@pytest.mark.slow("films")
@pytest.mark.parametrize("name", by_release(NAMES, ["CounterToClock"]))
def test_an_animation_moves_fits_and_opens_elsewhere(name, tmp_path):
    picture = posviz_course.lessons.load(name)()
    (knob, *_), before = picture.filmed_knobs(), picture.values()
    gif = picture.animate(knob, tmp_path / "film.gif")
    assert picture.values() == before
    width, height = (round(100 * side) for side in picture.size)
    assert gif.stat().st_size < 3_000_000
    with Image.open(gif) as image:
        assert image.size == (width, height)
        assert image.n_frames > 1
        assert image.info["loop"] == 0  # for ever
        call = method_call("animate", knob, "film.gif", style="notebook", dark=False)
        assert f"\n{python_line(picture, call)}\n" in image.info["comment"].decode()


TYPED = [
    (name, knob)
    for name in NAMES
    for knob, kind in posviz_course.lessons.load(name).knobs().items()
    if isinstance(kind, knobs.TypedText)
]


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("typed", by_release(TYPED, TYPED[:1]), ids=str)
def test_what_a_reader_typed_is_inert_in_every_format(tmp_path, typed, words):
    name, knob = typed
    picture = posviz_course.lessons.load(name)(**{knob: words})
    paths = [tmp_path / f"figure.{kind}" for kind in FORMATS]
    png, svg, pdf = save_all(picture, paths)
    assert svg_tags(ET.parse(svg).getroot()).keys() <= DRAWING
    call = method_call("save", "figure.png", style="notebook", dark=False)
    assert Image.open(png).text["Comment"] == python_line(picture, call)
    assert not PdfReader(pdf).pages[0].annotations
    assert not {"/OpenAction", "/AA", "/Names"} & set(PdfReader(pdf).root_object)


# ---------------------------------------------------------------- texts, marks, colours


@pytest.mark.slow("a third of a second for each picture")
def test_a_figure_in_a_paper_has_no_faults_and_curves_that_differ(picture):
    """In a column of a paper, where there is least room."""
    figure = picture.figure("paper")
    assert text_faults(figure, LEAST_POINTS["paper"]) + line_faults(figure) == []
    texts = [figure.caption, *(text.get_text() for text in drawn_texts(figure))]
    assert [text for text in texts if OTHER_NUMBERS.search(text)] == []
    with style_context("paper"):
        assert curves_alike(figure) == []


@pytest.mark.slow("figures")
@pytest.mark.parametrize(
    "style", ["paper", *(pytest.param(s, marks=LATER) for s in ("slide", "poster"))]
)
@pytest.mark.parametrize("name", WITH_CIRCLES)
def test_a_circle_is_round(name, style):
    """Where angles or lengths are read off, one step to the right is on screen one step up."""
    figure = posviz_course.lessons.load(name)().figure(style)
    figure.draw_without_rendering()
    dials = [axes for axes in figure.axes if axes.get_aspect() == 1 and not axes.images]
    assert dials
    for axes in dials:
        step = axes.transData.transform([(0, 0), (1, 0), (0, 1)])
        (across, _), (_, up) = abs(step[1:] - step[0])
        assert across == pytest.approx(up)


@pytest.mark.parametrize(
    "text", ["1000", "1e-4", "7.9e−05 in float32", "10^3", "$10^3$", "a weight of -1"]
)
def test_numbers_of_other_kinds_are_found(text):
    assert OTHER_NUMBERS.search(text)


@pytest.mark.parametrize(
    "text", ["1,000", "in 2017", "10⁻⁴", "−1", "0.0001", "7.9 × 10⁻⁵", "1/256"]
)
def test_numbers_of_the_one_kind_are_no_fault(text):
    assert not OTHER_NUMBERS.search(text)


def curves_alike(figure) -> list[tuple]:
    """Curves in one axes that somebody cannot tell apart, by their colour or their strokes."""
    return [
        (first, second)
        for axes in figure.axes
        for first, second in itertools.combinations(marks(axes), 2)
        if first[1:] == second[1:]
        and least_distance([first[0], second[0]], "usual") > 15  # colour tells them apart
        and min(least_distance([first[0], second[0]], kind) for kind in EVERYONE) < 15
    ]


def marks(axes) -> list[tuple]:
    """Colour on this background and other traits of each curve and set of markers in some axes."""
    found = []
    for line in axes.lines:
        drawn = [trait not in ("None", "none", "", " ") for trait in traits(line)[:2]]
        if line.get_visible() and any(drawn) and len(line.get_xdata()):
            face = line.get_markerfacecolor()
            filled = not (isinstance(face, str) and face == "none")
            color = line.get_color() if drawn[0] or not filled else face
            found.append((on_background(color, line.get_alpha(), axes), *traits(line), filled))
    return found


def traits(line) -> tuple:
    """What tells a line from another but its colour: strokes, marker, width."""
    return line.get_linestyle(), str(line.get_marker()), round(line.get_linewidth(), 1)


def on_background(color, alpha, axes) -> tuple:
    """A colour as it appears in the axes."""
    background, (*rgb, opaque) = np.array(to_rgb(axes.get_facecolor())), to_rgba(color)
    opaque = opaque if alpha is None else alpha
    return tuple(opaque * np.array(rgb) + (1 - opaque) * background)
