"""A control: what its views send and hear, and what comes too late."""

import pytest

from posviz import arrays
from posviz.pictures import knobs
from posviz.pictures.picture import Picture
from tests.pictures.sample import Browser, Hand, Waves


@pytest.fixture
def picture():
    return Waves()


def make(picture, name):
    return Hand(Browser(picture), name)


def shown(picture, name):
    """What a view is given to draw of a control."""
    [found] = [each for each in Browser(picture).explorer.shown["controls"] if each["name"] == name]
    return found


@pytest.mark.parametrize("name", ["position", "base", "phase"])
def test_a_slider_shows_label_range_and_number_of_places(picture, name):
    slider, knob = shown(picture, name), picture.knobs()[name]
    assert (slider["kind"], slider["label"], slider["play"]) == (
        "slider",
        knob.label,
        name == "position",
    )
    assert slider["range"] == f"from {knob.low:,} to {knob.high:,}"
    assert knob.values[slider["last_place"]] == knob.high


def test_the_handle_moves_the_knob_and_every_move_is_answered(picture):
    hand = make(picture, "width")
    for place, width in [(0, 2), (31, 64), (4, 10)]:
        hand.move(place)
        assert picture.width == width
        said = {"view": "a", "number": hand.number}
        stands = {"place": place, "text": str(width), "change": 0}
        limits = {"idle": "", "range": "from 2 to 64", "last_place": 31}
        assert hand.heard == {"knob": "width"} | said | stands | limits


def test_a_knob_changed_in_code_is_told_and_what_was_under_way_is_dropped(picture):
    hand = make(picture, "position")
    picture.position = 20
    assert hand.heard.items() >= {"place": 20, "text": "20", "change": 1}.items()
    assert "view" not in hand.heard
    hand.send(place=5, change=0)
    assert picture.position == 20
    assert (hand.heard["number"], hand.heard["place"], hand.heard["change"]) == (2, 20, 1)
    hand.move(6)
    assert picture.position == 6


def test_the_exact_value_lasts_until_the_handle_moves(picture):
    hand = make(picture, "base")
    hand.type("1234.567")
    assert (picture.base, hand.heard["text"]) == (1234.567, "1,234.567")
    nearest = hand.heard["place"]
    hand.move(nearest)
    assert (
        picture.base == picture.knobs()["base"].values[nearest] == pytest.approx(1234.567, rel=0.03)
    )


@pytest.mark.parametrize(("name", "typed"), [("width", "7"), ("phase", "0,5"), ("base", "1,00")])
def test_what_is_no_allowed_number_is_refused_and_changes_nothing(picture, name, typed):
    before = picture.values()
    hand = make(picture, name)
    shown = hand.heard["text"]
    hand.type(typed)
    assert picture.values() == before
    assert hand.heard["text"] == shown
    assert " is refused: it must be " in hand.heard["refused"]
    hand.type(shown)
    assert "refused" not in hand.heard


class KeptTable(Picture):
    """A row of a table that may be short, and a turn that only some tables have."""

    row = knobs.Integer(5, low=0, high=9, until=lambda table: table.rows - 1, play=True)
    rows = knobs.Integer(10, low=1, high=10)
    kind = knobs.Choice("turned", options=("turned", "shifted", "plain"))
    turn = knobs.Integer(0, low=0, high=90, when={"kind": ("turned", "shifted")})
    more = knobs.Integer(0, low=0, high=9, when={"rows": range(3, 11)})


def test_a_range_that_another_knob_shortens_comes_back():
    table = KeptTable()
    hand = make(table, "row")
    table.rows = 4
    assert (hand.heard["last_place"], hand.heard["range"]) == (3, "from 0 to 3")
    assert (hand.heard["place"], hand.heard["text"]) == (3, "3")
    assert table.row == 3
    hand.type("4")
    assert hand.heard["refused"] == "row = 4 is refused: it ends at 3 now."
    hand.type("10")
    assert hand.heard["refused"].endswith("between 0 and 9.")
    hand.move(2)
    assert table.row == 2
    table.rows = 10
    assert (hand.heard["last_place"], hand.heard["text"]) == (9, "2")


def test_a_slider_that_moves_nothing_says_when_it_would():
    table = KeptTable()
    hand = make(table, "turn")
    assert hand.heard["idle"] == ""
    table.kind = "plain"
    assert hand.heard["idle"] == "only with kind turned or shifted"
    table.kind = "shifted"
    assert hand.heard["idle"] == ""
    hand = make(table, "more")
    assert hand.heard["idle"] == ""
    table.rows = 2
    assert hand.heard["idle"] == "only with rows 3 or more"


def test_a_closed_explorer_stops_observing_the_knobs(picture):
    hand = make(picture, "position")
    hand.browser.explorer.close()
    count = len(hand.all_heard)
    picture.position = 20
    assert len(hand.all_heard) == count


KNOBS = {
    "integer": knobs.Integer(3, low=-2, high=39, play=True),
    "even": knobs.Even(8, low=2, high=64),
    "real": knobs.Real(0.5, low=0, high=1),
    "log": knobs.Log(100, low=10, high=1000),
    "whole": knobs.LogInteger(64, low=8, high=4096),
}
Numbers = type("Numbers", (Picture,), dict(KNOBS))


@pytest.mark.parametrize("name", KNOBS)
def test_every_place_has_a_value_of_its_own_and_the_ends_are_the_range(name):
    picture, knob = Numbers(), KNOBS[name]
    values = knob.values
    assert (values[0], values[-1]) == (knob.low, knob.high)
    assert values == sorted({*values})
    assert [knob.place_of(value) for value in values] == list(range(knob.last_place + 1))
    hand = make(picture, name)
    for place, value in enumerate(values):
        hand.move(place)
        assert getattr(picture, name) == value
        assert float(hand.heard["text"].replace(",", "")) == value


# ---------------------------------------------------------------- what is no number


@pytest.fixture
def machine(monkeypatch):
    """A machine with torch and without a GPU, wherever the tests run."""
    found = {"NumPy": "", "torch CPU": "", "CUDA": "no <GPU> driver", "MPS": "needs a Mac"}
    monkeypatch.setattr(arrays, "devices", lambda: found)


@pytest.mark.parametrize(
    ("name", "kind", "sent", "value", "back"),
    [
        ("shape", "buttons", {"place": 1}, "cosine", {"place": 0}),
        ("marked", "switch", {"place": 0}, False, {"place": 1}),
        ("words", "text", {"typed": "a dog"}, "a dog", {"text": "a cat"}),
        ("where", "buttons", {"place": 1}, "torch CPU", {"place": 0}),
    ],
)
def test_knob_and_control_follow_each_other(machine, picture, name, kind, sent, value, back):
    before = picture.values()
    assert shown(picture, name)["kind"] == kind
    hand = make(picture, name)
    hand.send(**sent)
    assert picture.values() == before | {name: value}
    setattr(picture, name, before[name])
    told = back if name != "words" else {"text": before[name]}
    assert hand.heard.items() >= told.items()


def test_absent_devices_are_there_with_the_reason_and_cannot_be_chosen(machine, picture):
    control = shown(picture, "where")
    assert control["texts"] == ["NumPy", "torch CPU", "CUDA", "MPS"]
    assert control["absent"] == {"CUDA": "no <GPU> driver", "MPS": "needs a Mac"}
    hand = make(picture, "where")
    hand.move(3)
    assert (hand.heard["place"], picture.where) == (0, "NumPy")
    assert hand.heard["refused"] == "MPS is not here: needs a Mac."
