"""The guide has every lesson's aims, times, pictures, mistakes and questions, in readable words."""

import pytest
from bs4 import BeautifulSoup

from posviz.classroom.guide import write_guide
from posviz.course import LESSONS

pytestmark = pytest.mark.slow("the guide is written")


@pytest.fixture(scope="module")
def written(notebooks, tmp_path_factory):
    return write_guide(notebooks, tmp_path_factory.mktemp("guide") / "to")


@pytest.fixture(scope="module")
def page(written):
    return BeautifulSoup(written[0].read_text("utf-8"), "html.parser")


def test_a_page_and_three_quizzes_are_written(written):
    assert [path.name for path in written] == [
        "guide.html",
        "quiz.xml",
        "quiz.gift",
        "quiz_qti.zip",
    ]
    assert min(path.stat().st_size for path in written) > 10_000


def test_what_is_known_of_a_lesson_stands_in_its_part(page, lessons):
    for plan in lessons:
        part = part_of(page, plan.row.number)
        for minutes, what in zip(plan.minutes[:3], ("Lecture", "lab", "alone"), strict=True):
            assert f"{what} {minutes} min" in part
        for shown in plan.shown:
            assert shown.line in part
        for exercise in plan.exercises:
            assert exercise.checker.title in part
            for mistake in exercise.checker.mistakes:
                assert f"{mistake.name}: {' '.join(mistake.message.split())}" in part
        assert part.count("Answer") >= 5


def part_of(page, number):
    """The text from a lesson's heading to the next one."""
    heading = page.find(id=f"lesson-{number}")
    part, after = "", heading.next_sibling
    while after is not None and after.name != "h2":
        part, after = part + after.get_text(), after.next_sibling
    return " ".join(part.split())


def test_the_page_needs_no_other_file_and_shows_no_marks(page):
    assert not page.find_all(["script", "link", "img"])
    assert page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"].startswith(
        "default-src 'none'"
    )
    assert "**" not in "".join(cell.get_text() for cell in page.find_all("td"))
    anchors = {found["href"] for found in page.find_all("a") if found["href"].startswith("#")}
    assert {f"#lesson-{row.number}" for row in LESSONS} <= anchors
    assert all(page.find(id=anchor[1:]) for anchor in anchors)
