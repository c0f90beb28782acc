"""Strokes and marks of every ninth picture: thin in a column of a paper, thick on a wall."""

import pytest
from matplotlib.figure import Figure

import posviz_course.lessons
from posviz.pictures.style import style_context


def strokes(picture, style) -> dict[str, list[float]]:
    """Widths of the lines in the axes, and sizes of their marks, in points."""
    figure = Figure()  # never laid out, for that takes most of the time
    with style_context(style):
        picture.draw(figure)
    lines = [line for axes in figure.axes for line in axes.lines]
    return {
        "lines": [line.get_linewidth() for line in lines if line.get_linestyle() != "None"],
        "marks": [line.get_markersize() for line in lines if line.get_marker() not in ("None", "")],
        "edges": [
            line.get_markeredgewidth() for line in lines if line.get_markerfacecolor() == "none"
        ],
    }


@pytest.mark.parametrize("name", list(posviz_course.lessons.names())[::9])
def test_strokes_and_marks_grow_with_the_style(name):
    picture = posviz_course.lessons.load(name)()
    paper, poster = strokes(picture, "paper"), strokes(picture, "poster")
    for kind, thin in paper.items():
        thick = poster[kind]
        assert bool(thin) == bool(thick)
        if thin:
            assert min(thick) > 1.5 * min(thin), kind
            assert max(thick) > 1.5 * max(thin), kind
