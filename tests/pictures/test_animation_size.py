"""The size of animations: stops that give way, and colours that stay."""

import numpy as np
import pytest

from posviz.pictures import animation
from posviz.pictures.animation import animate, in_palette, shared_palette
from tests.pictures.films import difference, gif_frames, gif_seconds, shown
from tests.pictures.sample import Failing, Waves
from tests.pictures.test_animation import Small


@pytest.mark.slow("seconds")
def test_a_gif_that_would_be_too_large_has_fewer_stops(tmp_path, monkeypatch):
    all_stops = animate(Small(), "position", tmp_path / "all.gif")
    monkeypatch.setattr(animation, "MAX_BYTES", all_stops.stat().st_size * 0.75)
    path = animate(Small(), "position", tmp_path / "few.gif")
    assert path.stat().st_size <= animation.MAX_BYTES
    frames = gif_frames(path)
    assert len(frames) == 16  # 0, 2, ... 15, 13, ... 2
    for index, position in ((0, 0), (1, 2), (8, 15), (15, 2)):
        assert difference(frames[index], shown(Small(), position=position)) < 0.5, index
    seconds = [gif_seconds(path) for path in (all_stops, path)]
    assert seconds[1] == pytest.approx(seconds[0], rel=0.1)


def test_stops_are_thinned_evenly_with_both_ends_and_options_are_not():
    film = animation.Film(Waves(), "position")
    ways = list(film.thinned(film.stops))
    assert [len(way) for way in ways] == [40, 21, 11]
    for way in ways:
        assert (way[0], way[-1]) == (0, 39)
        gaps = np.diff(way)
        assert gaps.max() - gaps.min() <= 1
    assert list(film.thinned([1, 2, 3])) == [[1, 2, 3]]
    film = animation.Film(Failing(), "fail")
    assert list(film.thinned(film.stops)) == [film.stops]


def test_the_background_is_exact_and_other_colours_are_the_nearest():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (200, 200, 4), np.uint8)
    pixels[:100] = 255  # a background, and what is nearly like it
    pixels[::3, ::3] = rng.integers(245, 256, pixels[::3, ::3].shape)
    pixels[..., 3] = 255
    palette = shared_palette(pixels)
    assert len(palette) <= 255
    found = np.asarray(in_palette(pixels, palette).convert("RGB"))
    pixels = pixels[..., :3]
    background = (pixels == 255).all(axis=-1)
    assert np.array_equal(found[background], pixels[background])
    distances = np.square(pixels[:, ::20, None].astype(int) - palette).sum(axis=-1)
    assert np.array_equal(found[:, ::20], palette[distances.argmin(axis=-1)])
