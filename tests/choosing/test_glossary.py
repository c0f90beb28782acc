"""The glossary: words as the notebooks use them, in the lesson that teaches them."""

import re
from functools import cache
from pathlib import Path

import nbformat

from posviz_course.choosing.glossary import TERMS, glossary
from posviz_course.course import OF_TOPIC

FOLDER = Path(__file__).parents[2] / "notebooks"


@cache
def prose(topic):
    cells = nbformat.read(FOLDER / f"{OF_TOPIC[topic].notebook}.ipynb", as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_the_lesson_uses_the_word():
    for term in TERMS:
        plural = "" if term.english[-1].isdigit() else "(s|es|ed|ting)?"
        word = rf"\b{re.escape(term.english)}{plural}\b"
        found = re.search(word, prose(term.topic), re.IGNORECASE)
        assert found, f"{term.english} is not in lesson {OF_TOPIC[term.topic].number}"


def test_each_word_is_there_once_in_the_order_of_the_lessons():
    words = [term.english for term in TERMS]
    assert len(words) == len(set(words))
    lessons = [OF_TOPIC[term.topic].number for term in TERMS]
    assert lessons == sorted(lessons)
    assert all(re.search(r"[\u4e00-\u9fff]", term.chinese) for term in TERMS)
    assert all(len(term.meaning) <= 80 and not term.meaning.endswith(".") for term in TERMS)


def test_it_shows_a_row_for_each_with_a_link():
    shown = glossary()._repr_html_()
    assert shown.count("<tr>") == len(TERMS) + 1
    assert shown.startswith('<p class="posviz-search"></p>')  # where a page puts its field
    assert '<a href="08_alibi.ipynb">08 ALiBi</a>' in shown
    assert "slope (斜率): what a head of ALiBi subtracts" in repr(glossary())
