"""Exercise-only notebooks: what they hold, what graders make of them, that they can be run."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from posviz_course.course import EXAMINATION, LESSONS
from posviz_tools.classroom.assign import KINDS, _solved, assign, file_of, write_solutions
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments
from posviz_tools.notebooks import executed

NOTEBOOKS = arguments.notebooks()
each = pytest.mark.parametrize(
    "lesson", [*LESSONS[1:], EXAMINATION], ids=lambda lesson: lesson.notebook
)
OTHERS = [
    pytest.param(lesson, marks=pytest.mark.release("a kernel for each lesson"))
    for lesson in (*LESSONS[2:], EXAMINATION)
]
one_or_each = pytest.mark.parametrize(
    "lesson", [LESSONS[1], *OTHERS], ids=lambda lesson: lesson.notebook
)


def made(lesson, kind, folder, hints=True, share=0):
    file = file_of(lesson, kind, folder / kind)
    assign(lesson, NOTEBOOKS[lesson.notebook], kind, file, 5, hints, share)
    cells = nbformat.read(file, as_version=4).cells
    return file, [cell for cell in cells if cell.cell_type == "code"], cells


def without(begin, end, lines, left=()):
    """What a grader's own command leaves of a cell."""
    kept, inside = [], False
    for line in lines:
        if line.strip() == begin:
            inside = True
            kept += left
        elif line.strip() == end:
            inside = False
        elif not inside:
            kept.append(line)
    return kept


def test_nobody_s_notebook_tells_what_readers_are_not_to_see(tmp_path):
    _, _, cells = made(LESSONS[5], "self", tmp_path)
    text = "\n".join(cell.source for cell in cells)
    assert text.startswith("# 05 · RoPE: exercises")
    assert "seed" not in text
    terms = "Use nothing of posviz in", "You may use `apply_rotary`, `rotary_angles`"
    assert [text.count(each) for each in terms] == [2, 1]
    imports = text.partition("**Exercise 2")[0], text.partition("**Exercise 2")[2]
    assert ["from posviz import" in each for each in imports] == [False, True]
    assert "points" not in text
    assert "Section 4 of the lesson, *From two dimensions to head_dim*, teaches what" in text
    assert text.count("Section ") == 2, "and one is from the appendix"


@each
@pytest.mark.parametrize("kind", KINDS)
def test_hints_are_left_out_where_that_is_asked_for(lesson, kind, tmp_path):
    with_them, without_them = (
        "\n".join(cell.source for cell in made(lesson, kind, tmp_path, hints)[2])
        for hints in (True, False)
    )
    exercises = of_lesson(NOTEBOOKS[lesson.notebook])
    assert with_them.count("Hint") == sum("Hint" in each.text for each in exercises)
    assert "Hint" not in without_them
    assert all(each.text[:40] in without_them for each in exercises)


@each
@pytest.mark.parametrize("kind", KINDS)
def test_no_assignment_offers_the_solution(lesson, kind, tmp_path):
    _, code, _ = made(lesson, kind, tmp_path)
    text = "\n".join(cell.source for cell in code)
    for exercise in of_lesson(NOTEBOOKS[lesson.notebook]):
        call = f"{exercise.checker_name}({exercise.name}"
        assert f"{call})" not in text
        assert f"{call}, solution=False)" in text


@each
def test_what_a_reader_gets_is_what_the_lesson_asks(lesson, tmp_path):
    exercises = of_lesson(NOTEBOOKS[lesson.notebook])
    stubs = [exercise.stub for exercise in exercises]
    _, code, _ = made(lesson, "self", tmp_path)
    assert [cell.source for cell in code if cell.source in stubs] == stubs
    _, code, _ = made(lesson, "otter", tmp_path)
    marks = "# BEGIN SOLUTION NO PROMPT", "# END SOLUTION"
    left = [without(*marks, cell.source.splitlines()) for cell in code]
    left = ["\n".join(line for line in lines if "PROMPT" not in line) for lines in left]
    assert [text for text in left if text in stubs] == stubs


@each
def test_nbgrader_s_cells_are_of_its_third_scheme(lesson, tmp_path):
    file, code, _ = made(lesson, "nbgrader", tmp_path)
    place = file.parent.relative_to(tmp_path / "nbgrader")
    folder = f"lesson{lesson.number}" if lesson.number else "examination"
    assert place == Path("source") / folder
    start, *graded = [cell for cell in code if "nbgrader" in cell.metadata]
    assert (start.metadata.nbgrader.grade_id, start.metadata.nbgrader.points) == ("start", 0)
    kinds = {"schema_version", "grade_id", "solution", "grade", "locked", "task", "cell_type"}
    names = [cell.metadata.nbgrader.grade_id for cell in graded]
    assert len(set(names)) == len(names) == 2 * len(of_lesson(NOTEBOOKS[lesson.notebook]))
    for answer, test in zip(graded[::2], graded[1::2], strict=True):
        assert set(answer.metadata.nbgrader) == kinds
        assert set(test.metadata.nbgrader) == kinds | {"points"}
        assert answer.metadata.nbgrader.solution
        assert test.metadata.nbgrader.grade
        assert test.metadata.nbgrader.points == 10
        lines = test.source.splitlines()
        left = without("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS", lines)
        assert not re.search('seed|require|"""', "\n".join(left))
        ast.parse(answer.source)
        blank = without("### BEGIN SOLUTION", "### END SOLUTION", answer.source.splitlines())
        assert len(blank) < len(answer.source.splitlines())


@pytest.mark.parametrize("parts", [{0: 10}, {0.3: 3, 0: 7}, {1: 10}])
def test_a_mistake_with_a_name_earns_a_share(parts, tmp_path):
    share = max(parts)
    _, code, _ = made(LESSONS[1], "nbgrader", tmp_path, share=share)
    assert code[-1].source.splitlines()[-2] == ("points" if share else '"""')
    _, code, cells = made(LESSONS[1], "otter", tmp_path, share=share)
    (about,) = [cell.source for cell in cells if "name: my_attention" in cell.source]
    assert f"points: {[*parts.values()]}\n" in about.replace(".0", "")
    text = "\n".join(cell.source for cell in code)
    found = re.findall(r'"my_attention", .*, seed, (.*)\)', text)
    assert [*map(float, found)] == [*parts]
    names = re.findall(r"def (test_my_attention\w*)\(", text)
    assert len({*names}) == len(parts), "of two functions with one name, otter sees the second"


def test_a_solution_stands_where_the_reader_s_lines_are(tmp_path):
    _, code, _ = made(LESSONS[10], "nbgrader", tmp_path)
    (cell,) = [cell for cell in code if cell.source.startswith("def my_ramp")]
    lines = cell.source.splitlines()
    begins = lines.index("    ### BEGIN SOLUTION")
    assert lines[begins - 1].startswith("    # return ...")
    assert lines[-1] == "    ### END SOLUTION"
    marked = [line for line in cell.source.splitlines() if not line.lstrip().startswith("#")]
    (exercise,) = [e for e in of_lesson(NOTEBOOKS[LESSONS[10].notebook]) if e.name == "my_ramp"]
    assert "\n".join(marked) == solution(LESSONS[10], exercise)


def test_nbgrader_shows_no_one_where_the_mistake_of_a_task_is(tmp_path):
    _, code, _ = made(EXAMINATION, "nbgrader", tmp_path)
    left = [without("### BEGIN SOLUTION", "### END SOLUTION", c.source.splitlines()) for c in code]
    stubs = [task.stub for task in of_lesson(NOTEBOOKS[EXAMINATION.notebook])]
    assert [text for text in map("\n".join, left) if text in stubs] == stubs


@pytest.mark.parametrize("kind", KINDS)
def test_two_runs_write_the_same_bytes(kind, tmp_path):
    first, _, _ = made(LESSONS[5], kind, tmp_path / "a")
    second, _, _ = made(LESSONS[5], kind, tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow("a notebook")
@one_or_each
def test_a_reader_can_run_it(lesson, tmp_path):
    file, _, _ = made(lesson, "self", tmp_path)
    outputs = [o for cell in executed(file).cells for o in cell.get("outputs", [])]
    shown = [output.data["text/plain"] for output in outputs if "data" in output]
    unsolved = [text for text in shown if re.search("Not (attempted|finished|fixed) yet", text)]
    assert len(unsolved) == len(of_lesson(NOTEBOOKS[lesson.notebook]))


def test_every_mistake_is_told():
    lesson = LESSONS[5]
    for exercise in of_lesson(NOTEBOOKS[lesson.notebook]):
        text = list(_solved(lesson, exercise))[-1].source
        for mistake in exercise.checker.mistakes:
            assert f"- *{mistake.name}*: {mistake.message}" in text


@pytest.mark.slow("a notebook")
@one_or_each
def test_every_answer_is_told_to_be_right(lesson, tmp_path):
    file = write_solutions(lesson, NOTEBOOKS[lesson.notebook], tmp_path / "solved.ipynb")
    cells = nbformat.read(file, as_version=4).cells
    shown = [
        output.data["text/plain"]
        for cell in cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    assert len(shown) == len(of_lesson(NOTEBOOKS[lesson.notebook]))
    assert all(text.startswith("✓") for text in shown)
