"""Which settings a page can show: each knob by itself, and together what belongs together."""

import itertools

import pytest

from posviz.pictures.knobs import choice, integer
from posviz.pictures.sweeps import numbers, sweeps
from tests.pictures.sample import Waves


class Both(Waves):
    """Waves that move in three directions at once."""

    combined = (("position", "shape", "width"),)


class Waiting(Waves):
    """Waves with knobs that wait for others, and end where others say."""

    kind = choice("plain", options=("plain", "fine", "finer"))
    fineness = integer(3, low=1, high=9, when={"kind": ("fine", "finer")})
    last = integer(4, low=0, high=99, until=lambda picture: 10 * picture.lines)


def moved(settings):
    """Of each setting but the first, which knobs are elsewhere than in the first."""
    first, *others = settings
    return [{name for name in first if one[name] != first[name]} for one in others]


def values(settings, name):
    return {one[name] for one in settings}


def test_one_knob_moves_at_a_time_and_each_that_can_be_moved_does():
    picture = Waves(position=7, phase=0.255)
    settings = sweeps(picture, 2)
    assert settings[0] == picture.values()
    assert all(len(names) == 1 for names in moved(settings))
    still = {"words", "where"}  # a reader types the one, the other changes no picture
    assert set.union(*moved(settings)) == picture.knobs().keys() - still


def test_a_slider_stops_at_its_ends_where_it_stands_and_at_what_is_told():
    settings = sweeps(Waves(position=7, width=10), 1, [33, 12, 0.5, 400, 13])
    assert values(settings, "width") == {2, 10, 12, 64}
    assert values(settings, "base") == {10, 12, 13, 33, 100, 400, 10_000}
    assert values(settings, "phase") == {0, 0.5, 1}
    assert {0, 7, 12, 13, 33, 39} <= values(settings, "position")  # which plays
    assert len(values(settings, "position")) == 5 + 4


def test_what_belongs_together_is_there_in_every_combination():
    settings = sweeps(Both(position=7, width=10), 1, [33])
    there = {(one["position"], one["shape"], one["width"]) for one in settings}
    assert there == set(
        itertools.product(*(values(settings, name) for name in ("position", "shape", "width")))
    )
    assert max(map(len, moved(settings))) == 3


def test_a_knob_that_waits_brings_along_what_it_waits_for():
    settings = sweeps(Waiting(), 1)
    with_effect = {(one["kind"], one["fineness"]) for one in settings}
    assert with_effect == {
        ("plain", 3),
        *((kind, fineness) for kind in ("fine", "finer") for fineness in (1, 3, 9)),
    }
    ready = sweeps(Waiting(kind="fine"), 1)
    assert {"fineness"} in moved(ready)
    assert not any(one["kind"] == "finer" and one["fineness"] != 3 for one in ready)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Set `base` to 10, then to 10 000.", [10, 10_000]),
        ("at 10, 25 and 50 % of the 400 steps", [10, 25, 50, 400]),
        ("16\u202f383 tokens, or 1\xa0000\xa0000", [16_383, 1_000_000]),
        ("set it to 0.9, not to v1.5", [0.9]),
        ("1. Press Play.\n2. Go to 16. 3 is odd.", [16, 3]),
    ],
)
def test_numbers_are_read_as_people_write_them(text, told):
    assert numbers(text) == told
