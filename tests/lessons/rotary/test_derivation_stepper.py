"""The picture of a derivation: a line turns red when, and only when, its value says so."""

import numpy as np
import pytest

from posviz.lessons.rotary.derivation_stepper import WRONG as REDS
from posviz.lessons.rotary.derivation_stepper import DerivationStepper
from posviz.lessons.rotary.derivations import setting
from tests.pictures.test_style import contrast

WRONG = REDS["light"]


def marks(**knobs):
    """Colours of the lines shown, and the crosses, (value, row)."""
    picture = DerivationStepper(**knobs)
    figure = picture.figure()
    words, plot = figure.axes
    lines = [text for text in words.texts if text.get_position()[0] == 1.8 and text.get_visible()]
    [crosses] = [line for line in plot.lines if line.get_label() == "does not follow"]
    return [text.get_color() for text in lines], crosses.get_xydata().tolist()


def test_the_slip_is_red_and_stands_aside():
    colours, [(value, row)] = marks()
    assert colours == ["black"] * 4 + [WRONG]
    assert (round(value, 4), row) == (-0.9837, 4)


@pytest.mark.parametrize(("style", "dark"), [("notebook", True), ("paper", False)])
def test_the_red_line_is_read_on_its_background(style, dark):
    words, plot = DerivationStepper().figure(style, dark).axes
    row = [text for text in words.texts if text.get_position()[1] == 4 and text.get_visible()]
    _, *formula_and_value = [text.get_color() for text in row]
    [cross] = [line.get_color() for line in plot.lines if line.get_label() == "does not follow"]
    assert formula_and_value == [cross, cross]
    assert contrast(cross, words.get_facecolor()[:3]) >= 4.5  # WCAG 2.2, level AA


@pytest.mark.parametrize("knobs", [{"version": "right"}, {"line": 4}, {"m": 4}, {"inv_freq": 0.0}])
def test_nothing_is_red_where_every_line_follows(knobs):
    colours, crosses = marks(**knobs)
    assert set(colours) == {"black"}
    assert len(colours) == knobs.get("line", 5)
    assert crosses == []


@pytest.mark.parametrize("derivation", DerivationStepper.knobs()["derivation"].options)
def test_in_a_narrow_notebook_no_line_has_less_than_11_pixels(derivation):
    words, _ = DerivationStepper(derivation=derivation).figure().axes
    assert min(text.get_fontsize() for text in words.texts) / 72 * 599 / 8 >= 11


def test_a_rotation_the_wrong_way_round_turns_lines_red(monkeypatch):
    right = setting.rotation_matrix
    monkeypatch.setattr(setting, "rotation_matrix", lambda angles: right(angles).T)
    assert marks(version="right")[0] == ["black", WRONG, WRONG, "black", WRONG]


def test_of_a_vector_only_what_is_off_is_crossed_out():
    colours, [(value, row)] = marks(derivation="sparse", m=5, line=3)
    last = np.random.default_rng(0).standard_normal(8)[6:]
    assert colours == ["black", "black", WRONG]
    assert row == 2
    assert value == pytest.approx(last[0] * np.cos(0.005) + last[1] * np.sin(0.005))
