"""Controls: a knob and its widget say the same, whichever of them was turned."""

import ipywidgets as widgets
import pytest

from posviz import arrays
from posviz.engine import knobs
from posviz.engine.controls import control
from posviz.engine.picture import Picture
from tests.engine.sample import Waves

CHANGES = {
    "lines": 4,
    "position": 39,
    "width": 64,
    "shape": "cosine",
    "marked": False,
    "words": "a dog",
    "where": "torch CPU",
}
CONTINUOUS = ("base", "phase")


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine with torch and without a GPU, wherever the tests run."""
    found = {"NumPy": "", "torch CPU": "", "CUDA": "no <GPU> driver", "MPS": "needs a Mac"}
    monkeypatch.setattr(arrays, "devices", lambda: found)


@pytest.fixture
def picture():
    return Waves()


def make(picture, name, report=pytest.fail):
    return control(picture, name, report)


def test_every_knob_is_tried():
    assert {*CHANGES, *CONTINUOUS} == set(Waves.knobs())


@pytest.mark.parametrize("name", Waves.knobs())
def test_a_widget_shows_the_knobs_label(picture, name):
    assert make(picture, name)[1].description == picture.knobs()[name].label


@pytest.mark.parametrize("name", CHANGES)
def test_knob_and_widget_follow_each_other(picture, name):
    _, main, _ = make(picture, name)
    before = picture.values()
    assert main.value == before[name]
    main.value = CHANGES[name]
    assert picture.values() == before | {name: CHANGES[name]}
    setattr(picture, name, before[name])
    assert main.value == before[name]


@pytest.mark.parametrize("name", CHANGES)
def test_an_unlinked_widget_and_its_knob_part(picture, name):
    _, main, links = make(picture, name)
    for link in links:
        link.unlink()
    before = main.value
    setattr(picture, name, CHANGES[name])
    assert main.value == before
    setattr(picture, name, before)
    main.value = CHANGES[name]
    assert getattr(picture, name) == before


@pytest.mark.parametrize(("name", "step"), [("lines", 1), ("position", 1), ("width", 2)])
def test_a_slider_of_whole_numbers_spans_the_range(picture, name, step):
    _, slider, _ = make(picture, name)
    knob = picture.knobs()[name]
    assert (slider.min, slider.max, slider.step) == (knob.low, knob.high, step)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_every_place_of_a_continuous_slider_has_its_value(picture, name):
    _, slider, _ = make(picture, name)
    knob, values = picture.knobs()[name], []
    for place in [1, *range(slider.max + 1)]:
        slider.value = place
        values.append(getattr(picture, name))
    assert values[1:] == sorted({*values})
    assert (values[1], values[-1]) == (knob.low, knob.high)
    for place, value in enumerate(values[1:]):
        setattr(picture, name, value)
        assert slider.value == place


@pytest.mark.parametrize(("name", "value"), [("base", 1234.567), ("phase", 0.12345)])
def test_a_value_between_two_places_lasts(picture, name, value):
    box, slider, _ = make(picture, name)
    typed = box.children[1]
    setattr(picture, name, value)
    assert getattr(picture, name) == typed.value == value
    slider.value += 1
    assert getattr(picture, name) == typed.value > value
    typed.value = value
    slider.value -= 1
    assert getattr(picture, name) == typed.value < value


def test_places_of_a_log_slider_are_even_in_the_exponent(picture):
    _, slider, _ = make(picture, "base")
    picture.base = 10**2.5  # half of the way from 10 to 10,000
    assert slider.value == slider.max // 2


@pytest.mark.parametrize("name", CONTINUOUS)
def test_what_is_typed_stays_in_the_range(picture, name):
    typed = make(picture, name)[0].children[1]
    knob = picture.knobs()[name]
    typed.value = 1e9
    assert getattr(picture, name) == typed.value == knob.high
    typed.value = -1e9
    assert getattr(picture, name) == typed.value == knob.low


def test_few_short_options_are_buttons_and_many_a_list():
    class Many(Picture):
        few = knobs.choice("a", options=("a", "b", "c", "d"))
        many = knobs.choice("a", options=tuple("abcde"))
        long = knobs.choice("x" * 30, options=("x" * 30, "y" * 30))
        numbers = knobs.choice(2, options=(1, 2, 4))

    kinds = {name: type(make(Many(), name)[1]) for name in Many.knobs()}
    assert kinds["few"] is kinds["numbers"] is widgets.ToggleButtons
    assert kinds["many"] is kinds["long"] is widgets.Dropdown


def test_absent_devices_are_named_with_the_reason(picture):
    box, picker, _ = make(picture, "where")
    assert [value for _, value in picker.options] == ["NumPy", "torch CPU"]
    assert "CUDA: no &lt;GPU&gt; driver; MPS: needs a Mac" in box.children[1].value


def test_only_a_knob_that_asks_for_it_can_play(picture):
    can_play = [name for name in picture.knobs() if player(make(picture, name)[0])]
    assert can_play == ["position"]


@pytest.mark.parametrize(
    "knob",
    [
        knobs.integer(3, low=-2, high=39, play=True),
        knobs.even(8, low=2, high=64, play=True),
        knobs.real(0.5, low=0, high=1, play=True),
        knobs.log(100, low=10, high=1000, play=True),
    ],
    ids=lambda knob: type(knob).__name__,
)
def test_play_walks_over_the_whole_slider_from_where_it_stands(knob):
    picture = type("Playing", (Picture,), {"moving": knob})()
    box, slider, links = make(picture, "moving")
    play = player(box)
    for trait in ("min", "max", "step", "value"):
        assert getattr(play, trait) == getattr(slider, trait), trait
    assert (links[-1].source, links[-1].target) == ((play, "value"), (slider, "value"))


def player(box):
    """The Play widget in a box, or None."""
    return next((each for each in box.children if isinstance(each, widgets.Play)), None)


def test_a_refused_value_is_reported_and_taken_back(picture):
    reported = []
    _, slider, _ = make(picture, "width", reported.append)
    slider.value = 7
    assert (picture.width, slider.value) == (8, 8)
    assert [str(error) for error in reported] == [
        "width = 7 is refused: it must be an even whole number between 2 and 64."
    ]


def test_an_error_of_another_kind_is_not_swallowed(picture):
    _, slider, _ = make(picture, "width")
    picture.observe(lambda _: 1 / 0, "width")
    with pytest.raises(ZeroDivisionError):
        slider.value = 10
