"""Which slides a lecture takes."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from posviz.cli import arguments
from posviz.course import LESSONS as COURSE
from posviz.publish import lecture, slides
from posviz.publish.lesson import about

LESSONS = arguments.notebooks()


def cell(mark, text):
    return new_markdown_cell(text, metadata={"slideshow": {"slide_type": mark}})


def made(named=(), sizes=(1, 2, 3, 4)):
    """A title, sections of so many slides without pictures, a summary, an appendix."""
    cells = [cell("slide", "# 05 · RoPE")]
    for number, size in enumerate(sizes, 1):
        cells.append(cell("slide", f"## {number} It"))
        cells += [cell("subslide", "More.") for _ in range(size - 1)]
    cells += [cell("slide", f"## {name}") for name in ("The rule", "Optional", "A bound")]
    cells[-3].metadata["posviz"] = {"role": "rule"}
    about = {"posviz": {"lecture": {"sections": named}}} if named else {}
    return new_notebook(cells=cells, metadata=about)


def names(stacks):
    return [stack[0].section for stack in stacks]


def test_sections_come_in_the_lessons_order_between_title_and_summary():
    chosen = lecture.only(made(), [3, 1])
    assert names(chosen) == ["05 · RoPE", "1 It", "3 It", "The rule"]
    with pytest.raises(ValueError, match="05 · RoPE has sections 1, 2, 3, 4; got 7"):
        lecture.only(made(), [1, 7])


@pytest.mark.parametrize(
    ("named", "slides", "wanted"),
    [
        ((), 2 + 3, [1, 2]),
        ((), 2 + 5, [1, 2]),
        ([2, 4], 2 + 6, [2, 4]),
        ([2, 4], 2 + 5, [1, 2]),
        ([2, 3, 4], 2 + 9, [2, 3, 4]),
        ([2, 3, 4], 2 + 10, [1, 2, 3, 4]),
    ],
)
def test_named_sections_come_first_and_others_where_there_is_room(named, slides, wanted):
    chosen = lecture.fitting(made(named), slides * lecture.MINUTES + 0.01)
    assert names(chosen) == ["05 · RoPE", *(f"{number} It" for number in wanted), "The rule"]


def test_a_picture_takes_as_long_as_a_slide_and_too_little_time_is_refused():
    shown = made(sizes=(1,))
    output = new_output("display_data", {"image/png": ""})
    shown.cells.insert(2, new_code_cell("Hands().figure()", outputs=[output]))
    assert lecture.takes(lecture.only(shown, [1])) == pytest.approx(4 * lecture.MINUTES)
    with pytest.raises(ValueError, match="05 · RoPE takes 5 minutes at least"):
        lecture.fitting(shown, 3.5 * lecture.MINUTES)


@pytest.mark.slow("half a second")
def test_the_times_that_lessons_name_are_kept_within_a_third():
    """Of the slides as they are stored, where a prediction is a picture, too."""
    ratios = []
    for lesson in COURSE:
        path = LESSONS[lesson.notebook]
        notebook = nbformat.read(path, as_version=4)
        there, named = lecture.sections(slides.stacks(notebook)), about(notebook)["lecture"]
        taken = lecture.takes([there[number] for number in named["sections"]])
        ratios.append(taken / named["minutes"])
    assert 2 / 3 < min(ratios) <= max(ratios) < 4 / 3
