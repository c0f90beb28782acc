"""The judge of figures, on some whose faults are known."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posviz.pictures.faults import LEAST_POINTS, drawn_texts, text_faults
from tests.line_faults import line_faults


@pytest.fixture
def figure():
    figure = Figure(figsize=(4, 3), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def test_tidy_axes_have_no_fault(figure):
    axes = figure.add_subplot(title="title", xlabel="position (tokens)", ylabel="value")
    axes.plot([0, 1], label="a line")
    axes.legend()
    assert text_faults(figure) == []
    written = {text.get_text() for text in drawn_texts(figure)}
    assert {"title", "position (tokens)", "value", "a line", "0.2"} <= written


def test_texts_that_nobody_sees_do_not_count(figure):
    axes = figure.add_subplot(xticks=[0.5, 7], yticks=[])
    axes.set_xlim(0, 1)
    axes.text(0.5, 0.5, "hidden", visible=False)
    axes.text(0.5, 0.5, " ")
    assert {text.get_text() for text in drawn_texts(figure)} == {"0.5"}


@pytest.mark.parametrize(("x", "y"), [(0.99, 0.5), (-0.01, 0.5), (0.5, 0.99), (0.5, -0.03)])
def test_a_text_over_any_edge_is_cut_off(figure, x, y):
    figure.text(x, y, "words")
    assert text_faults(figure) == ["'words' is cut off"]


def test_a_text_cut_by_its_axes_is_cut_off(figure):
    figure.add_subplot().text(0.95, 0.5, "long words", clip_on=True)
    assert text_faults(figure) == ["'long words' is cut off"]


def test_crowded_tick_labels_overlap(figure):
    figure.add_subplot(xticks=[0.5, 0.52], xticklabels=["first", "second"])
    assert text_faults(figure) == ["'first' overlaps 'second'"]


def test_boxes_may_overlap_where_the_ink_does_not(figure):
    figure.text(0.2, 0.2, "a long turned text", rotation=45)
    figure.text(0.45, 0.2, "beneath")
    assert text_faults(figure) == []


def test_letters_that_touch_overlap(figure):
    left = figure.text(0.2, 0.5, "HHH")
    right_edge = drawn_texts(figure)[left].x1
    figure.text((right_edge - 3) / 400, 0.5, "HHH")
    assert text_faults(figure) == ["'HHH' overlaps 'HHH'"]


@pytest.mark.parametrize(("style", "least"), [("slide", 18), ("paper", 7), ("notebook", 0)])
def test_a_slide_must_be_read_from_afar_and_a_paper_at_all(figure, style, least):
    figure.text(0.5, 0.2, "large", size=least + 1)
    figure.text(0.5, 0.8, "words", size=max(least - 1, 1))
    told = [f"'words' has {least - 1}.0 points"] if least else []
    assert text_faults(figure, LEAST_POINTS.get(style, 0)) == told


def test_an_empty_figure_is_no_picture(figure):
    assert text_faults(figure) == ["nothing is written in the figure"]


@pytest.mark.parametrize("y", [0.9, 1.1])
def test_a_mark_outside_its_axes_is_told(figure, y):
    axes = figure.add_subplot(xlim=(0, 1), ylim=(0, 1))
    axes.plot([0.5], [y], "o", label="mark")
    axes.plot([0.5, 0.5], [-1, 2], label="a curve through them")
    axes.plot([], [], label="nothing yet")
    axes.plot([0.5], [2], clip_on=False, label="meant to stand outside")
    axes.plot([0.5], [2], visible=False, label="hidden")
    assert line_faults(figure) == (["'mark' at [0.5 1.1] is outside its axes"] if y > 1 else [])
