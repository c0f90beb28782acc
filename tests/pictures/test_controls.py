"""Controls: a knob and its widget say the same, whichever of them was changed."""

import pytest

from posviz import arrays
from posviz.pictures import knobs
from posviz.pictures.controls import control
from posviz.pictures.picture import Picture
from posviz.pictures.slider import Slider
from tests.pictures.sample import Waves

CHANGES = {"shape": "cosine", "marked": False, "words": "a dog", "where": "torch CPU"}
NUMBERS = ("position", "base")


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


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_has_a_slider(picture, name):
    shown, slider, links = make(picture, name)
    assert isinstance(slider, Slider)
    assert (shown, links) == (slider, [])
    assert slider.name == name


@pytest.mark.parametrize("name", CHANGES)
def test_knob_and_widget_follow_each_other(picture, name):
    _, main, _ = make(picture, name)
    before = picture.values()
    assert main.value == before[name]
    main.value = CHANGES[name]
    assert picture.values() == before | {name: CHANGES[name]}
    setattr(picture, name, before[name])
    assert main.value == before[name]


def test_absent_devices_are_grey_and_tell_the_reason(picture):
    reported = []
    _, picker, _ = make(picture, "where", reported.append)
    assert list(picker.options) == ["NumPy", "torch CPU", "CUDA", "MPS"]
    assert picker.tooltips[2:] == ("no <GPU> driver", "needs a Mac")
    assert {"posviz-absent-3", "posviz-absent-4"} < {*picker._dom_classes}
    picker.value = "MPS"
    assert (picker.value, picture.where) == ("NumPy", "NumPy")
    assert str(reported[0]) == "MPS is not here: needs a Mac."


class Short(knobs.text):
    """Up to three letters."""

    def validate(self, obj, value):
        return value if len(value) <= 3 else self.refuse(value)


class Shy(Picture):
    """A word that is refused where it is not short."""

    word = Short("cat")


def test_a_refused_value_is_reported_and_taken_back():
    reported = []
    shy = Shy()
    _, line, _ = make(shy, "word", reported.append)
    line.value = "horse"
    assert (shy.word, line.value) == ("cat", "cat")
    assert [str(error) for error in reported] == ["word = 'horse' is refused: it must be text."]


class Steps(Picture):
    """Steps of one of two proofs, and a remark that only one of them has."""

    proof = knobs.choice("long", options=("long", "short"), restarts=("step",))
    step = knobs.integer(5, low=1, high=9)
    remark = knobs.text("so", when={"proof": ("long",)})


def test_a_reader_who_chooses_begins_again_and_code_does_not():
    steps = Steps()
    _, picker, _ = make(steps, "proof")
    steps.proof = "short"
    assert steps.step == 5
    picker.value = "long"
    assert steps.step == 1


def test_a_widget_that_changes_nothing_is_grey_and_says_when_it_would():
    steps = Steps(proof="short")
    box, line, links = make(steps, "remark")
    note = box.children[1]
    assert (line.disabled, note.value) == (True, "only with proof long")
    steps.proof = "long"
    assert (line.disabled, note.value) == (False, "")
    for link in links:
        link.unlink()
    steps.proof = "short"
    assert not line.disabled
