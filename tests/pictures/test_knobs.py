"""Knobs: what is let in, what is refused, and in which words."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import traitlets

from posviz.pictures.animation import animate
from posviz.pictures.knobs import Knob, LogInteger
from posviz.wording import quoted
from tests.pictures.films import gif_frames
from tests.pictures.sample import Browser, Hand, Waves

NAN = float("nan")
NO_NUMBER = [NAN, None, True, "5", np.array([5])]
REFUSED = {
    "position": [-1, 40, 5.0, *NO_NUMBER],
    "width": [0, 7, 66],
    "base": [9.99, 10_001],
    "phase": [-0.001, 1.001, *NO_NUMBER],
    "shape": ["Sine", None, ["sine"]],
    "marked": [1, "True", None],
    "words": [None, 3],
    "where": ["numpy", None],
}
RULES = {
    "position": "a whole number between 0 and 39",
    "width": "an even whole number between 2 and 64",
    "base": "a number between 10 and 10,000",
    "phase": "a number between 0 and 1",
    "shape": "one of 'sine', 'cosine'",
    "marked": "True or False",
    "words": "text",
    "where": "one of 'NumPy'",
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in REFUSED.items() for value in values],
    ids=lambda value: repr(value)[:20],
)
def test_a_refusal_names_knob_value_and_rule_and_changes_nothing(name, value):
    picture = Waves()
    before = picture.values()
    with pytest.raises(traitlets.TraitError) as refusal:
        setattr(picture, name, value)
    message = str(refusal.value)
    assert message.startswith(f"{name} = {quoted(value)} is refused: it must be {RULES[name]}")
    assert picture.values() == before
    with pytest.raises(traitlets.TraitError, match=f"^{name} = "):
        Waves(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("position", np.int8(39), int),
        ("base", np.float32(10_000), float),
        ("phase", Fraction(1, 4), float),
        ("shape", np.str_("cosine"), str),
    ],
)
def test_numbers_of_other_libraries_become_plain(name, value, kind):
    picture = Waves(**{name: value})
    assert getattr(picture, name) == value
    assert type(getattr(picture, name)) is kind


@pytest.mark.parametrize("control", ["\0", "\n", "\x1b", "\u202e"])
def test_text_loses_control_characters(control):
    assert Waves(words=f"a{control}b").words == "ab"


def test_a_log_knob_of_whole_numbers_skips_none_that_are_far_apart():
    knob = LogInteger(30, low=1, high=4095)
    places = knob.values
    assert places[:14] == list(range(1, 15))
    assert places[-1] == 4095
    assert {type(value) for value in places} == {int}
    for value, following in itertools.pairwise(places):
        assert 0 < following - value <= 1 + 0.075 * value  # one may be a power of two


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("position", "7", 7),
        ("base", "1e3", 1000),
        ("base", " 10,000 ", 10_000),
        ("shape", "cosine", "cosine"),
        ("marked", "false", False),
        ("marked", "True", True),
        ("words", "True", "True"),
        ("where", "numpy", "NumPy"),
    ],
)
def test_what_is_typed_becomes_a_value(name, typed, value):
    picture = Waves()
    read = picture.knobs()[name].read(typed)
    assert (type(read), read) == (float if name == "base" else type(value), value)
    setattr(picture, name, read)
    assert getattr(picture, name) == value


@pytest.mark.parametrize("typed", ["1,0000", "1,00", "1,0,0", "ten", ""])
def test_what_is_typed_and_no_number_is_refused(typed):
    with pytest.raises(traitlets.TraitError, match=f"^base = {typed!r} is refused"):
        Waves.knobs()["base"].read(typed)


def test_the_stops_of_a_film_go_from_end_to_end():
    found = Waves.knobs()
    assert found["position"].samples(1000) == list(range(40))
    assert found["position"].samples(4) == [0, 13, 26, 39]
    assert found["width"].samples(3) == [2, 34, 64]
    assert found["base"].samples(4) == [10, 100, 1000, 10_000]
    assert found["position"].samples(1) == [0]
    assert found["shape"].samples(9) == ["sine", "cosine"]
    assert found["marked"].samples(9) == [False, True]
    assert found["words"].samples(9) == found["where"].samples(9) == []


def test_a_text_has_its_default_and_its_length():
    assert Waves().words == Waves.words.default()
    assert Waves().words != ""
    assert len(Waves(words="i" * 500).words) == Waves.words.max_length


class Power(Knob):
    """A power of two on a slider: a kind that no other file knows."""

    kind = "slider"
    is_ordered = True

    def __init__(self, default, *, most, **shared):
        super().__init__(default, **shared)
        self.options = [2**k for k in range(most + 1)]

    def read(self, text):
        """2^3 or 8."""
        base, _, exponent = text.partition("^")
        return int(base) ** int(exponent or 1)

    def write(self, value):
        return f"2^{value.bit_length() - 1}"


class Doubled(Waves):
    """Waves of which there are one, two, four or eight."""

    size = (2.0, 1.0)
    lines = 2

    width = Power(8, most=6)


def test_a_new_kind_of_knob_needs_no_other_edit(tmp_path):
    picture = Doubled()
    hand = Hand(Browser(picture), "width")
    [shown] = [row for row in hand.browser.explorer.shown["controls"] if row["name"] == "width"]
    assert (shown["kind"], shown["last_place"], shown["width"]) == ("slider", 6, 3)
    assert (hand.heard["place"], hand.heard["text"]) == (3, "2^3")
    hand.move(5)
    assert picture.width == 32
    hand.type("2^2")
    assert (picture.width, hand.heard["place"]) == (4, 2)
    hand.type("2^9")
    assert "width = 512 is refused: it must be one of 1, 2," in hand.heard["refused"]
    assert Doubled.width.ends() == [1, 2, 4, 8, 16, 32, 64]
    there_and_back = gif_frames(animate(picture, "width", tmp_path / "waves.gif"))
    assert len(there_and_back) == 7 + 5
