"""Letters: what a text covers is what Agg draws, wherever it starts and however it is turned."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from posviz.pictures.stream.letters import Letters
from posviz.pictures.style import style_context

WIDTH, HEIGHT = 200, 120


@pytest.mark.parametrize(
    "words", ["123", "fj−AV", r"$\mathdefault{10^{-3}}$", r"$\frac{a}{\sqrt{b}}$", " "]
)
def test_a_text_covers_what_agg_draws(words):
    rng = np.random.default_rng(0)
    is_math = words.startswith("$")
    with style_context():
        letters = Letters(100)
        for angle in (0, 90, 30) * 6:
            column, row = 60, 60
            between = is_math or angle == 30  # the places of Agg's grid
            x, y = 64 * rng.random(2) if between else rng.integers(64, size=2)
            prop = FontProperties(size=rng.choice([8, 10, 10.5]))
            agg = RendererAgg(WIDTH, HEIGHT, 100)
            gc = agg.new_gc()
            agg.draw_text(gc, column + x / 64, row + y / 64, words, prop, angle, is_math)
            wanted = np.asarray(agg.buffer_rgba())[..., 3].astype(int)
            left, top, cover = letters.cover(words, prop, is_math, angle, x, y, True)
            height, width = cover.shape
            found = np.zeros((HEIGHT, WIDTH), int)
            found[row + top : row + top + height, column + left : column + left + width] = cover
            assert np.abs(found - wanted).max() <= 1
            if not is_math:
                size = agg.get_text_width_height_descent(words, prop, False)
                assert letters.measure(words, prop, False) == size
