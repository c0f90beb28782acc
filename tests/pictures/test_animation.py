"""Animations: what other people's readers find in them is the picture at each of its stops."""

import re

import numpy as np
import pytest
from PIL import Image

from posviz.pictures import animation
from posviz.pictures.animation import animate
from posviz.pictures.knobs import Integer
from posviz.pictures.live_figure import LiveFigure
from tests.pictures.films import difference, gif_frames, gif_seconds, shown
from tests.pictures.sample import Failing, Waves


class Small(Waves):
    """Waves in a small figure with odd sides and few positions."""

    size = (3.01, 1.51)
    width, base = 8, 100

    position = Integer(3, low=0, high=15, play=True)


POSITIONS = [*range(16), *range(14, 0, -1)]  # there and back, neither end twice


# ---------------------------------------------------------------- what a reader finds


@pytest.mark.slow("a film")
def test_frame_of_a_gif_is_the_figure_at_its_stop(tmp_path):
    dark = True
    picture = Small(phase=0.25, words="dog")
    frames = gif_frames(animate(picture, "position", tmp_path / "waves.gif", dark=dark))
    assert len(frames) == len(POSITIONS)
    for index in (0, 8, 15, 29):
        expected = shown(picture, dark=dark, position=POSITIONS[index])
        assert difference(frames[index], expected) < 0.4, index
        assert np.array_equal(frames[index][0, 0], expected[0, 0]), "the background"
        neighbour = shown(picture, dark=dark, position=POSITIONS[index - 3])
        assert difference(frames[index], neighbour) > 0.5


@pytest.mark.slow("a film")
@pytest.mark.parametrize(("knob", "stops", "hundredths"), [("lines", 6, 100), ("shape", 2, 100)])
def test_film_repeats_for_ever_at_a_speed_to_follow(tmp_path, knob, stops, hundredths):
    path = animate(Small(), knob, tmp_path / "waves.gif")
    image = Image.open(path)
    assert (image.info["loop"], image.n_frames) == (0, stops)
    assert gif_seconds(path) == pytest.approx(stops * hundredths / 100)


class Settling(Small):
    """Waves that stand still where their position is high."""

    def update(self, artists, arrays):
        arrays.position = min(arrays.position, 5)
        super().update(artists, arrays)


@pytest.mark.slow("a film")
def test_film_keeps_its_length_where_nothing_changes(tmp_path):
    path = animate(Settling(), "position", tmp_path / "waves.gif")
    frames = gif_frames(path)
    assert len(frames) == len([0, 1, 2, 3, 4, 5, 4, 3, 2, 1])
    for index, position in ((0, 0), (5, 5), (6, 4), (9, 1)):
        assert difference(frames[index], shown(Small(), position=position)) < 0.5
    assert gif_seconds(path) == pytest.approx(10)


def test_a_film_of_few_stops_is_slow_and_others_take_three_seconds():
    assert [stops * animation.delay(stops) for stops in (12, 15, 30, 60)] == [1200, 300, 300, 300]


def test_loop_turns_back_at_the_ends_of_numbers_and_repeats_options():
    film = animation.Film(Waves(), "lines")
    assert film.loop(film.stops) == [1, 2, 3, 4, 3, 2]
    film = animation.Film(Failing(), "fail")
    assert film.loop(film.stops) == ["nowhere", "compute", "caption", "update", "drawing"]
    assert animation.Film(Waves(), "marked").loop([False, True]) == [False, True]


@pytest.mark.slow("a film")
def test_the_line_in_a_film_makes_the_same_bytes(tmp_path, monkeypatch):
    picture = Small(words="it's", position=7)
    path = animate(picture, "shape", tmp_path / "waves.gif", style="paper", dark=True)
    comment = Image.open(path).info["comment"].decode()
    line = re.search(r"from \S+ import Small\n.*\)$", comment, re.MULTILINE)[0]
    assert "animate('shape', 'waves.gif', style='paper', dark=True)" in line
    (tmp_path / "again").mkdir()
    monkeypatch.chdir(tmp_path / "again")
    exec(line, {})
    assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


# ---------------------------------------------------------------- the picture itself


@pytest.mark.slow("seconds")
def test_the_picture_stays_as_it_is_and_hears_of_nothing(tmp_path):
    picture = Small(position=7)
    before, heard = picture.values(), []
    picture.observe(heard.append)
    picture.animate("marked", tmp_path / "waves.gif")
    assert (picture.values(), heard) == (before, [])


def test_error_of_compute_is_raised_and_the_old_file_stays(tmp_path, monkeypatch):
    released = []
    monkeypatch.setattr(LiveFigure, "release", lambda live: released.append(live))
    path = tmp_path / "waves.gif"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="too <wide> & too long"):
        animate(Failing(), "fail", path)
    assert len(released) == 1
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("knob", "message"),
    [
        ("positon", "Waves has no knob 'positon'; .* Did you mean 'position'?"),
        (
            "words",
            "'words' cannot move in an animation: choose one of position, width, .*marked\\.",
        ),
        ("where", "knob = 'where' cannot move in an animation: choose one of "),
    ],
)
def test_a_knob_that_cannot_move_is_refused_with_the_reason(tmp_path, knob, message):
    with pytest.raises(ValueError, match=message):
        animate(Waves(), knob, tmp_path / "waves.gif")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"'.webp': choose one of .gif; save writes .png"):
        animate(Waves(), "position", tmp_path / "waves.webp")
    assert animate(Waves(), "marked", str(tmp_path / "WAVES.GIF")).exists()
