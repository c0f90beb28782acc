"""The slider: what its views send and hear, and what comes too late."""

import gc
import weakref

import pytest

from posviz.pictures import knobs
from posviz.pictures.picture import Picture
from posviz.pictures.slider import Slider
from tests.pictures.sample import Hand, Waves


@pytest.fixture
def picture():
    return Waves()


def make(picture, name):
    return Slider(picture, name)


@pytest.mark.parametrize("name", ["position", "base", "phase"])
def test_it_knows_label_range_and_number_of_places(picture, name):
    slider, knob = make(picture, name), picture.knobs()[name]
    assert (slider.label, slider.play) == (knob.label, name == "position")
    assert slider.range == f"from {knob.low:,} to {knob.high:,}"
    assert knob.at(slider.last_place) == knob.high


def test_the_handle_moves_the_knob_and_every_move_is_answered(picture):
    hand = Hand(make(picture, "width"))
    for place, width in [(0, 2), (31, 64), (4, 10)]:
        hand.move(place)
        assert picture.width == width
        assert hand.heard == {
            "view": "a",
            "number": hand.number,
            "place": place,
            "text": str(width),
            "change": 0,
        }


def test_a_knob_changed_in_code_is_told_and_what_was_under_way_is_dropped(picture):
    hand = Hand(make(picture, "position"))
    picture.position = 20
    assert hand.heard == {"place": 20, "text": "20", "change": 1}
    hand.send(place=5, change=0)
    assert picture.position == 20
    assert (hand.heard["number"], hand.heard["place"], hand.heard["change"]) == (2, 20, 1)
    hand.move(6)
    assert picture.position == 6


def test_the_exact_value_lasts_until_the_handle_moves(picture):
    hand = Hand(make(picture, "base"))
    hand.type("1234.567")
    assert (picture.base, hand.heard["text"]) == (1234.567, "1234.567")
    nearest = hand.heard["place"]
    hand.move(nearest)
    assert picture.base == picture.knobs()["base"].at(nearest) == pytest.approx(1234.567, rel=0.03)


@pytest.mark.parametrize(
    ("name", "typed", "allowed"),
    [
        ("width", "7", "an even whole number between 2 and 64"),
        ("position", "many", "a whole number between 0 and 39"),
        ("phase", "0,5", "a number between 0 and 1"),
        ("base", "1e9", "a number between 10 and 10,000"),
        ("base", "1,00", "a number between 10 and 10,000"),
    ],
)
def test_what_is_no_allowed_number_is_refused_and_changes_nothing(picture, name, typed, allowed):
    before = picture.values()
    hand = Hand(make(picture, name))
    shown = hand.heard["text"]
    hand.type(typed)
    assert picture.values() == before
    assert hand.heard["text"] == shown
    assert hand.heard["refused"].endswith(f" is refused: it must be {allowed}.")
    hand.type(shown)
    assert "refused" not in hand.heard


class Table(Picture):
    """A row of a table that may be short, and a turn that only some tables have."""

    row = knobs.integer(5, low=0, high=9, until=lambda table: table.rows - 1, play=True)
    rows = knobs.integer(10, low=1, high=10)
    kind = knobs.choice("turned", options=("turned", "shifted", "plain"))
    turn = knobs.integer(0, low=0, high=90, when={"kind": ("turned", "shifted")})
    more = knobs.integer(0, low=0, high=9, when={"rows": range(3, 11)})


def test_a_range_that_another_knob_shortens_is_shown_shortened_and_comes_back():
    table = Table()
    slider = make(table, "row")
    hand = Hand(slider)
    table.rows = 4
    assert (slider.last_place, slider.range) == (3, "from 0 to 3")
    assert (hand.heard["place"], hand.heard["text"]) == (3, "3")
    assert table.row == 3
    hand.type("4")
    assert hand.heard["refused"] == "row = 4 is refused: it ends at 3 now."
    hand.type("10")
    assert hand.heard["refused"].endswith("between 0 and 9.")
    hand.move(2)
    assert table.row == 2
    table.rows = 10
    assert (slider.last_place, hand.heard["text"]) == (9, "2")


def test_a_slider_that_moves_nothing_says_when_it_would():
    table = Table()
    slider = make(table, "turn")
    assert slider.idle == ""
    table.kind = "plain"
    assert slider.idle == "only with kind turned or shifted"
    table.kind = "shifted"
    assert slider.idle == ""
    slider = make(table, "more")
    assert slider.idle == ""
    table.rows = 2
    assert slider.idle == "only with rows 3 or more"


@pytest.mark.parametrize("typed", ["10,000", "1e4", " 10000 "])
def test_number_may_be_typed_in_several_ways(picture, typed):
    hand = Hand(make(picture, "base"))
    hand.type(typed)
    assert (picture.base, hand.heard["text"]) == (10_000, "10000")


@pytest.mark.parametrize(
    "changed",
    [
        {"view": ["a"]},
        {"number": "7"},
        {"change": -2},
        *({"place": place} for place in ("4", 4.0, 32)),
        {"typed": "8"},
    ],
)
def test_what_no_view_would_send_is_passed_over(picture, changed):
    hand = Hand(make(picture, "width"))
    sent = {"view": "a", "number": 7, "change": 0, "place": 4}
    hand.wire.screen._receive(None, sent | changed, [])
    assert (picture.width, len(hand.wire.messages)) == (8, 1)
    hand.wire.screen._receive(None, sent, [])
    assert (picture.width, len(hand.wire.messages)) == (10, 2)


def test_a_closed_slider_stops_observing_the_knob_and_is_freed(picture):
    slider = make(picture, "position")
    alive = weakref.ref(slider)
    slider.close()
    slider.close()
    picture.position = 20
    del slider
    gc.collect()
    assert alive() is None


KNOBS = {
    "integer": knobs.integer(3, low=-2, high=39, play=True),
    "even": knobs.even(8, low=2, high=64),
    "real": knobs.real(0.5, low=0, high=1),
    "log": knobs.log(100, low=10, high=1000),
    "whole": knobs.log_integer(64, low=8, high=4096),
}
Numbers = type("Numbers", (Picture,), dict(KNOBS))


@pytest.mark.parametrize("name", KNOBS)
def test_every_place_has_a_value_of_its_own_and_the_ends_are_the_range(name):
    picture, knob = Numbers(), KNOBS[name]
    values = [knob.at(place) for place in range(knob.last_place + 1)]
    assert (values[0], values[-1]) == (knob.low, knob.high)
    assert values == sorted({*values})
    assert [knob.place(value) for value in values] == list(range(knob.last_place + 1))
    hand = Hand(make(picture, name))
    for place, value in enumerate(values):
        hand.move(place)
        assert getattr(picture, name) == value
        assert float(hand.heard["text"]) == value
