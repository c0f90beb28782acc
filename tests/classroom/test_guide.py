"""The guide has every lesson's aims, times, pictures, mistakes and questions, in readable words."""

import re

import pytest
from bs4 import BeautifulSoup
from nbformat import v4, write

import posviz
import posviz.pictures
from posviz_course.course import LESSONS
from posviz_tools.classroom import guide
from posviz_tools.publish.lesson import StoredLesson


@pytest.fixture(scope="session")
def plans(notebooks):
    return [guide.plan(row, notebooks[row.notebook]) for row in LESSONS]


def test_three_or_four_aims_name_exercises_of_the_lesson_by_number(plans, notebooks):
    for found in plans:
        aims = StoredLesson(notebooks[found.row.notebook]).metadata["aims"]
        assert len(aims) in (3, 4), found.row
        for aim, (text, exercises) in zip(aims, found.aims, strict=True):
            assert text == aim["text"]
            assert [found.exercises.index(each) + 1 for each in exercises] == aim["exercises"]


def test_a_notebook_without_metadata_aims_at_nothing_and_takes_its_time(tmp_path):
    path = tmp_path / f"{LESSONS[0].notebook}.ipynb"
    write(v4.new_notebook(cells=[v4.new_markdown_cell("# Mine\n" + "word " * 998)]), path)
    found = guide.plan(LESSONS[0], path)
    assert (found.needs, found.aims, found.minutes) == ([], [], (5, 0, 5, 0))


def test_every_explorer_without_data_of_its_own_is_listed_in_order(plans, notebooks):
    for found in plans:
        code = "\n".join(c.source for c in StoredLesson(notebooks[found.row.notebook]).code)
        own = len(re.findall(r"=(?:other\.snapshots|my_).*\.explore\(\)", code))
        assert len(found.pictures) == code.count(".explore()") - own, found.row
        left = (re.search(r"\.(\w+)\(", line)[1] for _, line in found.pictures)
        called = re.findall(r"^(\w+)\((?!\w+=(?:other|my_)).*\.explore\(\)", code, re.M)
        assert all(name in left for name in called)


def test_a_line_opens_its_picture_without_the_notebook(plans, monkeypatch):
    monkeypatch.setattr("posviz.pictures.picture.Picture.explore", lambda picture: picture)
    for _, line in [each for found in plans for each in found.pictures]:
        assert type(eval(line, {"posviz": posviz})).__name__ in line


def test_every_lesson_has_its_times_and_names_only_lessons_before_it(plans):
    for found in plans:
        assert 10 <= found.minutes.lecture <= 30, found.row
        assert found.minutes.lab < found.minutes.alone
        assert set(found.needs) <= set(LESSONS[: LESSONS.index(found.row)])
    assert [need.number for need in plans[12].needs] == ["05", "08", "10"]


def test_four_weeks_have_every_lesson_in_its_order_and_each_fits(plans):
    weeks = guide.weeks(plans)
    assert len(weeks) == 4
    assert [plan for week in weeks for plan in week] == plans
    for week in weeks:
        assert 0 < sum(plan.minutes.lecture for plan in week) <= guide.LECTURE
        assert 0 < sum(plan.minutes.lab for plan in week) <= guide.LABS


@pytest.fixture(scope="module")
def written(notebooks, tmp_path_factory):
    return guide.write_guide(notebooks, tmp_path_factory.mktemp("guide") / "to")


@pytest.fixture(scope="module")
def page(written):
    return BeautifulSoup(written[0].read_text("utf-8"), "html.parser")


@pytest.mark.slow("the guide is written")
def test_a_page_and_two_quizzes_are_written(written):
    names = ["guide.html", "quiz.xml", "quiz_qti.zip"]
    assert [path.name for path in written] == names
    assert min(path.stat().st_size for path in written) > 10_000


@pytest.mark.slow("the guide is written")
def test_what_is_known_of_a_lesson_stands_in_its_part(page, plans):
    for plan in plans:
        part = part_of(page, plan.row.number)
        for minutes, what in zip(plan.minutes[:3], ("Lecture", "lab", "alone"), strict=True):
            assert f"{what} {minutes} min" in part
        for _, line in plan.pictures:
            assert line in part
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


@pytest.mark.slow("the guide is written")
def test_the_page_needs_no_other_file_and_shows_no_marks(page):
    assert not page.find_all(["script", "link", "img"])
    policy = page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'")
    assert "**" not in "".join(cell.get_text() for cell in page.find_all("td"))
    anchors = {found["href"] for found in page.find_all("a") if found["href"].startswith("#")}
    assert {f"#lesson-{row.number}" for row in LESSONS} <= anchors
    assert all(page.find(id=anchor[1:]) for anchor in anchors)
