"""The film of the front page: small, short, and in the end as the picture is stored."""

import json
import zlib

import pytest

from posviz_course.lessons import load
from posviz_tools.publish import film
from posviz_tools.publish.site.pages import FILM, FILMED

pytestmark = pytest.mark.slow("a picture is drawn six times in four ways")
MOST_BYTES, MOST_MILLISECONDS = 200_000, 5000


def test_a_film_is_small_and_each_of_its_frames_moves_the_same_artists(tmp_path):
    film.write_film(load(FILMED)(), FILM, tmp_path)
    files = [tmp_path / film.FOLDER / f"{FILMED}{ending}.bin" for ending in film.ENDINGS]
    assert len(files) == 4
    for file in files:
        assert file.stat().st_size <= MOST_BYTES
        head, _, rest = zlib.decompress(file.read_bytes()).partition(b"\n")
        told = json.loads(head)
        assert sum(sum(frame["sizes"]) for frame in told["frames"]) == len(rest)
        first, *others = told["frames"]
        assert first["whole"]
        assert not any(frame["whole"] for frame in others)
        (moved,) = {tuple(part[0] for part in frame["moved"]) for frame in others}
        assert moved, "so that they may come in any order"
        assert {number for number, _ in told["way"]} == {*range(1, len(others) + 1)}


def test_a_film_begins_and_ends_as_the_stored_picture_within_five_seconds():
    stored = getattr(load(FILMED)(), FILM.knob)
    assert FILM.values[0] == FILM.values[-1] == stored
    assert min(FILM.values) == 0
    assert sum(FILM.milliseconds) <= MOST_MILLISECONDS
