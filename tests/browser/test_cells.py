"""A lesson's page: its code is written, run and checked in the browser, and nothing is lost."""

import re

import pytest
from playwright.sync_api import expect

import run
from posviz_course.course import LESSONS
from posviz_tools.classroom import grade
from posviz_tools.classroom.exercises import of_lesson
from posviz_tools.notebooks import read
from tests.browser.server import served
from tests.teaching.checkers import SOLUTION_CODES

LESSON = "02_sinusoidal_tables"
START = 90_000  # milliseconds, on a busy machine
ANSWER, CHECK = "exercise-1-answer", "exercise-1-check"
SAID = f'[data-cell="{CHECK}"] .outputs'
TABLE = """def my_sinusoidal(positions, d_model, base):
    angles = np.outer(positions, base ** (-2 * np.arange(d_model // 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)"""


class Page:
    """A lesson's page in a browser, with its cells by id."""

    def __init__(self, page):
        self.page = page

    def cell(self, name):
        """The cell with this id, scrolled to."""
        found = self.page.locator(f'[data-cell="{name}"]')
        found.scroll_into_view_if_needed()
        for code in found.locator(".code:not([open]) > summary").all():
            code.click()  # above a picture it is folded
        return found

    def write(self, name, text):
        """Write a cell anew."""
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def run(self, name, shows, place=None):
        """Run a cell by its keys, until it, or the cell at `place`, shows this."""
        self.cell(name).locator(".cm-content").press("Shift+Enter")
        outputs = self.page.locator(f'[data-cell="{place or name}"] .outputs')
        expect(outputs).to_contain_text(re.compile(shows, re.DOTALL), timeout=START)

    def checked(self, text, shows):
        """Give this answer to the first exercise, until the checker says this."""
        self.write(ANSWER, text)
        self.run(ANSWER, shows, CHECK)


@pytest.fixture(scope="module")
def lesson(browser, page_of):
    """The page of lesson 02, opened by somebody who was never here."""
    file = page_of(LESSON)
    with served(file.parent) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.goto(f"{address}/{file.name}")
        yield Page(page)
        context.close()


def test_a_mistake_is_named_and_a_right_answer_is_correct(lesson):
    lesson.checked(TABLE.replace("-2 *", "-1 *"), "exponent halved")
    lesson.checked(TABLE.replace("np.sin", "np.sine"), "has no attribute 'sine'")
    lesson.checked(TABLE, "✓ .* correct")


def test_a_cell_above_that_stops_is_named_where_a_check_fails(lesson):
    lesson.cell("imports")
    text = lesson.page.locator('[data-cell="imports"] .cm-content').inner_text()
    lesson.write("imports", f"    import numpy as numbers\n{text}")
    wrong = TABLE.replace("np.", "numbers.")
    lesson.checked(wrong, "'numbers' is not.*above that begins import numpy.*IndentationError")
    lesson.cell("imports").locator(".cm-content").click()  # the button under it stays in place
    lesson.cell("imports").get_by_role("button", name="Undo my changes").click()
    lesson.checked(TABLE, "✓ .* correct")


def test_a_cell_that_stops_names_its_line_and_the_shapes_on_it(lesson):
    lesson.write("smallest-table", "a, b = np.ones((2, 3)), np.ones(4)\nprint(a.sum())\na @ b")
    lesson.run("smallest-table", r"6\.0.*Line 3: ValueError.*a: shape \(2, 3\)\s+b: shape \(4,\)")


def test_a_loop_without_an_end_is_stopped_and_stops_no_picture(lesson):
    explorer = lesson.cell("table-explorer")
    expect(explorer.locator("[data-alive=true]")).to_have_count(1, timeout=START)
    lesson.write(ANSWER, TABLE.replace("    return", "    while True:\n        pass\n    return"))
    lesson.cell(ANSWER).locator(".cm-content").press("Shift+Enter")
    line, said = lesson.cell(ANSWER).locator(".posviz-run"), lesson.page.locator(SAID)
    expect(line).to_contain_text("runs …", timeout=START)
    lesson.page.wait_for_timeout(3000)  # by then its check runs
    expect(line.get_by_role("button").first).to_have_text("Stop")
    expect(line).to_contain_text("runs …")
    expect(said).to_contain_text("10 seconds", timeout=START)
    lesson.checked(TABLE, "✓ .* correct")
    expect(explorer.locator("[data-alive=true]")).to_have_count(1)


@pytest.mark.release("ten seconds")
def test_a_loop_in_a_cell_above_is_told_from_one_in_this_cell(lesson):
    above = lesson.page.locator('[data-cell="imports"] .cm-content')
    lesson.cell("imports")
    text = above.inner_text()
    lesson.write("imports", f"while True: pass\n{text}")
    lesson.write(ANSWER, TABLE)
    lesson.run(ANSWER, "The cell above that begins while True: pass ran for 10 seconds")
    lesson.cell("imports").get_by_role("button", name="Undo my changes").click()
    lesson.checked(TABLE, "✓ .* correct")


@pytest.mark.release("ten seconds")
def test_two_tabs_lose_nothing_of_each_other(lesson):
    other = Page(lesson.page.context.new_page())
    other.page.goto(lesson.page.url)
    other.write("smallest-table", "written = 'there'")
    lesson.write(ANSWER, TABLE)
    other.page.reload()
    expect(other.cell("smallest-table").locator(".cm-content")).to_contain_text("there")
    expect(other.cell(ANSWER).locator(".cm-content")).to_contain_text("np.outer")
    other.page.close()


@pytest.mark.release("ten seconds")
def test_an_explorer_that_is_changed_and_run_lives(lesson):
    name = "table-explorer"
    lesson.write(name, "from posviz import TwoHands\n\nTwoHands().explore()")
    lesson.cell(name).locator(".cm-content").press("Shift+Enter")
    alive = lesson.page.locator(f'[data-cell="{name}"] [data-picture=TwoHands][data-alive=true]')
    expect(alive).to_have_count(1, timeout=START)


@pytest.mark.release("ten seconds")
def test_the_editor_is_left_by_keys(lesson):
    button = lesson.cell(ANSWER).locator(".posviz-run button").first
    lesson.cell(ANSWER).locator(".cm-content").click()
    lesson.page.keyboard.press("Tab")
    expect(button).to_be_focused()
    lesson.write(ANSWER, "x = 1")
    lesson.page.keyboard.press("Tab")
    expect(lesson.cell(ANSWER).locator(".cm-content")).to_be_focused()
    lesson.page.keyboard.press("Escape")
    lesson.page.keyboard.press("Tab")
    expect(lesson.cell(ANSWER).locator(".posviz-run button").first).to_be_focused()


def test_what_was_written_and_chosen_survives_a_reload_and_is_graded(lesson, tmp_path):
    lesson.write(ANSWER, TABLE)
    guess = lesson.page.locator(".posviz-guess").first
    guess.locator("summary").click()
    lesson.page.reload()
    expect(lesson.page.locator(".posviz-guess[open]")).to_have_count(1)
    lesson.run(ANSWER, "✓ .* correct", CHECK)
    lesson.page.reload()
    expect(lesson.page.locator(SAID)).to_contain_text("✓")
    with lesson.page.expect_download() as download:
        lesson.page.get_by_text("Get the notebook with your code").last.click()
    download.value.save_as(tmp_path / "ann.ipynb")
    notebook = run.NOTEBOOKS / f"{LESSON}.ipynb"
    [verdict] = [cell for cell in read(tmp_path / "ann.ipynb").cells if cell.id == CHECK]
    assert "✓" in verdict.outputs[0].data["text/html"]
    handed_in = grade.submissions(tmp_path, {LESSONS[2]: notebook})
    graded = grade.grade(handed_in, LESSONS[2], notebook, 0)
    assert [row.points for row in graded] == [10, 0]
    lesson.page.on("dialog", lambda asked: asked.accept())
    lesson.page.get_by_role("button", name="Start over").first.click()
    expect(lesson.page.get_by_text("Get the notebook with your code")).to_have_count(0)
    expect(lesson.cell(ANSWER).locator(".cm-content")).to_contain_text("replace this")


def answer(lesson, exercise, change):
    """An answer that makes a mistake of its checker: the reference, changed."""
    check, name = exercise.checker_name, exercise.name
    made = f"from posviz_course.lessons.{lesson.topic} import {check}\n"
    made += f"made = {change}({check}.reference)\n"
    if exercise.checker.inputs is None:
        return f"{made}{name} = made()"
    return f"{made}def {name}(*given):\n    return made(*given)"


@pytest.mark.release("every exercise of four lessons")
@pytest.mark.parametrize("number", ["02", "05", "08", "11"])
def test_every_exercise_on_a_page_says_what_its_checker_says(number, browser, page_of):
    [lesson] = [each for each in LESSONS if each.number == number]
    file, notebook = page_of(lesson.notebook), run.NOTEBOOKS / f"{lesson.notebook}.ipynb"
    code = [cell for cell in read(notebook).cells if cell.cell_type == "code"]
    with served(file.parent) as address, browser.new_page() as page:
        page.goto(f"{address}/{file.name}")
        for exercise in of_lesson(notebook):
            call = f"{exercise.checker_name}({exercise.name})"
            [asked] = [number for number, cell in enumerate(code) if call in cell.source]
            place = code[asked].id
            if exercise.name + " = ..." in code[asked].source:
                stub, after = place, f"\n{exercise.check}"
            else:
                stub, after = code[asked - 1].id, ""
            check = exercise.checker
            for number, mistake in enumerate(check.changes[:3]):
                change = f"{exercise.checker_name}.changes[{number}].change"
                changed = answer(lesson, exercise, change)
                Page(page).write(stub, changed + after)
                Page(page).run(stub, re.escape(f"{check.title}: {mistake.name}"), place)
            Page(page).write(stub, SOLUTION_CODES[exercise.checker_name] + after)
            Page(page).run(stub, re.escape(f"{check.title}: correct"), place)
