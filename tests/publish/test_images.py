"""Images of the site, light and dark: every lesson has a card, every picture is there in small."""

import numpy as np
import pytest
from PIL import Image

from posviz_course.course import EXAMINATION, LESSONS
from posviz_course.lessons import load
from posviz_tools.publish import images


def test_every_lesson_has_a_card():
    assert [*images.CARDS] == [lesson.notebook for lesson in (*LESSONS, EXAMINATION)]


@pytest.mark.slow("half a second each")
@pytest.mark.parametrize("stem", ["05_rope", "13_choosing"])
def test_a_card_is_as_wide_as_previews_and_light_or_dark(stem, tmp_path):
    images.write_card(stem, tmp_path)
    for ending, paper in (("", 255), ("_dark", 30)):
        card = Image.open(tmp_path / "assets" / "cards" / f"{stem}{ending}.png").convert("L")
        pixels = np.asarray(card)
        assert card.size == images.CARD
        assert np.all(np.abs(pixels[:, :20].astype(int) - paper) < 4), "the rim is empty"
        assert np.mean(np.abs(pixels.astype(int) - paper) > 40) > 0.02


@pytest.mark.slow("half a second")
def test_a_narrow_picture_is_light_and_dark_and_600_pixels_wide(tmp_path):
    narrow = images.write_narrow(load("AlibiSlopes")(), tmp_path)
    assert narrow.file == "assets/pictures/AlibiSlopes", "as the gallery shows it"
    light, dark = (Image.open(tmp_path / f"{narrow.file}{ending}.png") for ending in ("", "_dark"))
    assert light.width == dark.width == images.WIDTH
    assert light.height / light.width == pytest.approx(narrow.height / narrow.width, abs=0.01)
    assert np.median(light.convert("L")) > 200
    assert np.median(dark.convert("L")) < 60
    other = images.write_narrow(load("AlibiSlopes")(head=2), tmp_path)
    assert other.file.startswith("assets/pictures/AlibiSlopes-"), "two pictures are two files"
