"""The picture of a derivation: a line turns red when, and only when, its value says so."""

import pytest

from posviz_course.lessons.rotary import _derivations
from posviz_course.lessons.rotary.derivation_stepper import WRONG, DerivationStepper
from tests.pictures.test_style import contrast


def marks(style="notebook", dark=False, **knobs):
    """Axes, colours of the formulas shown, and the crosses, (value, row)."""
    words, plot = DerivationStepper(**knobs).figure(style, dark).axes
    lines = [text for text in words.texts if text.get_position()[0] == 1.8 and text.get_visible()]
    [crosses] = [line for line in plot.lines if line.get_label() == "does not follow"]
    return words, [text.get_color() for text in lines], crosses


def test_it_opens_on_the_right_derivation_with_four_controls():
    assert DerivationStepper().values() == {
        "derivation": "matrices",
        "version": "right",
        "line": 5,
        "query": 7,
    }


@pytest.mark.parametrize(("style", "dark"), [("notebook", True), ("paper", False)])
def test_the_mistake_is_red_stands_aside_and_can_be_read(style, dark):
    words, colours, crosses = marks(style, dark, version="with a mistake")
    red = WRONG["dark" if dark else "light"]
    assert [colour == red for colour in colours] == [False] * 4 + [True]
    assert crosses.get_color() == red
    [(value, row)] = crosses.get_xydata()
    assert (round(value, 4), row) == (-0.9837, 4)
    assert contrast(red, words.get_facecolor()[:3]) >= 4.5  # WCAG 2.2, level AA


@pytest.mark.parametrize("knobs", [{"version": "right"}, {"line": 4}, {"query": 4}])
def test_nothing_is_red_where_every_line_follows(knobs):
    _, colours, crosses = marks(**{"version": "with a mistake"} | knobs)
    assert colours == ["black"] * knobs.get("line", 5)
    assert crosses.get_xydata().tolist() == []


@pytest.mark.parametrize("derivation", DerivationStepper.knobs()["derivation"].options)
def test_in_a_narrow_notebook_no_line_has_less_than_11_pixels(derivation):
    words, _ = DerivationStepper(derivation=derivation).figure().axes
    assert min(text.get_fontsize() for text in words.texts) / 72 * 599 / 8 >= 11


def test_a_rotation_the_wrong_way_round_turns_lines_red(monkeypatch):
    right = _derivations.rotation_matrix
    monkeypatch.setattr(_derivations, "rotation_matrix", lambda angles: right(angles).T)
    _, colours, _ = marks()
    assert [colour != "black" for colour in colours] == [False, True, True, False, True]
