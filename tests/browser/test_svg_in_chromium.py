"""SVG files in a browser that has none of their fonts: the same picture, and text to be found."""

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import posviz.lessons
from posviz.pictures.export import save_all
from tests import reading_svg

# Formulas, bold text, sub- and superscripts, spaces that count, a sentence, heatmaps, arrows.
NAMES = ("EncodingMap", "DerivationStepper")
OTHERS = ("RelShift", "ShuffledSentence", "OneMatrix")
DOTS = 144 / 72  # pixels of a slide for each point, which is what an SVG counts in
FACES = re.compile(r"@font-face\{.*?\}", re.S)


@pytest.fixture
def page(browser):
    """A page as large as a slide; whatever it asks for from elsewhere is a failure."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def shown(page, svg, folder) -> np.ndarray:
    """The pixels [1080, 1920, 3] of an SVG that a browser opens from disk, at a slide's size."""
    file = folder / "shown.svg"
    file.write_text(svg.replace('width="960pt" height="540pt"', 'width="1920" height="1080"'))
    page.goto(file.as_uri())
    page.evaluate("document.fonts.ready.then(() => null)")
    return pixels(page.screenshot())


def pixels(png) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(float)


def apart(first, second) -> float:
    """Mean difference of levels between two pictures, each seen from afar.

    Every pixel is the mean of 12 x 12, so that a stroke counts and its softened rim does not.
    """
    small = (image.reshape(90, 12, 160, 12, 3).mean(axis=(1, 3)) for image in (first, second))
    return float(abs(next(small) - next(small)).mean())


@pytest.mark.parametrize(
    "name", [*NAMES, *(pytest.param(name, marks=pytest.mark.release("more")) for name in OTHERS)]
)
def test_the_fonts_in_the_file_give_the_picture_that_agg_draws(page, tmp_path, name):
    paths = [tmp_path / f"figure.{kind}" for kind in ("png", "svg")]
    save_all(posviz.lessons.load(name)(), paths, style="slide")
    png, svg = (path.read_bytes() for path in paths)
    # Only the names of our own are left, which no font of this machine has.
    alone = re.sub(r", '(?!posviz )[^']*'|, sans-serif", "", svg.decode())
    assert "'DejaVu Sans'" not in alone
    drawn = pixels(png)
    with_fonts, without = (shown(page, text, tmp_path) for text in (alone, FACES.sub("", alone)))
    assert apart(with_fonts, drawn) < 1.1  # the map, all text, has 1.005; others up to 0.87
    assert apart(without, drawn) > 2 * apart(with_fonts, drawn)


def test_all_text_can_be_selected(page, tmp_path):
    path = posviz.lessons.load("DerivationStepper")().save(tmp_path / "figure.svg", style="slide")
    shown(page, path.read_text(), tmp_path)
    page.evaluate("getSelection().selectAllChildren(document.documentElement)")
    found = page.evaluate("getSelection().toString()")
    statuses = page.evaluate("[...document.fonts].map(font => font.status)")
    assert set(statuses) == {"loaded"}
    for text in reading_svg.texts(ET.parse(path).getroot()):
        assert text.strip() in found
