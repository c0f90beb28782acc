"""Cards: every lesson has one, in light and dark, and it has few letters."""

import numpy as np
import pytest
from PIL import Image

from posviz.course import EXAMINATION, LESSONS
from posviz.publish import cards


def test_every_lesson_has_a_card():
    assert [*cards.CARDS] == [lesson.notebook for lesson in (*LESSONS, EXAMINATION)]


@pytest.mark.slow("half a second each")
@pytest.mark.parametrize("stem", ["05_rope", "13_choosing"])
def test_a_card_is_as_wide_as_previews_and_light_or_dark(stem, tmp_path):
    cards.write_card(stem, tmp_path)
    for ending, paper in (("", 255), ("_dark", 30)):
        card = Image.open(tmp_path / "assets" / "cards" / f"{stem}{ending}.png").convert("L")
        pixels = np.asarray(card)
        assert card.size == cards.SIZE
        assert np.all(np.abs(pixels[:, :20].astype(int) - paper) < 4), "the rim is empty"
        assert np.mean(np.abs(pixels.astype(int) - paper) > 40) > 0.02
