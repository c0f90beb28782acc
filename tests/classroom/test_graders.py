"""The released nbgrader and otter-grader give each submission the points that it gets here."""

import json
import os
import re
import subprocess
import venv
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from posviz_course.course import LESSONS
from posviz_tools.classroom.assign import assign, file_of
from posviz_tools.cli import arguments
from tests.classroom.made_up import MADE_UP, UNNAMED, code_of

pytestmark = pytest.mark.release("43 submissions in two graders, installed for it")

ROOT, ROPE = Path(__file__).parents[2], LESSONS[5]
RELEASED = ("nbgrader==0.9.6", "otter-grader==7.0.0", f"{ROOT}[publish]")
ANSWERS = re.compile(r"^(?:def )?(my_rotary|my_scores|my_matrix)\b|^# my_matrix = ", re.MULTILINE)
SHARE = 0.4  # of the points, for a mistake with a name
POINTS = {
    f"s{number}": [
        0 if mistake in UNNAMED else 10 * (SHARE if mistake else 1) for mistake in mistakes
    ]
    for number, (_, mistakes) in enumerate(MADE_UP.values())
}
SCORES = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    sheets = [sheet for each in book.assignment_submissions("lesson05") for sheet in each.notebooks]
    grades = {sheet.student.id: {g.name: g.auto_score for g in sheet.grades} for sheet in sheets}
print(json.dumps(grades))
"""
RUN = """
import sys, otter.run
for file in sys.argv[2:]:
    otter.run.main(file, autograder=sys.argv[1], output_dir=file.rpartition("/")[0])
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Runs a program in a Python that has the graders, and posviz as it is here."""
    folder = tmp_path_factory.mktemp("graders")
    venv.create(folder, with_pip=True)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}

    def run(place, *words):
        command = [folder / "bin" / "python", *words]
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done

    run(folder, "-m", "pip", "install", "--quiet", "ipykernel", *RELEASED)
    return run


def sheet_of(kind, folder):
    file = file_of(ROPE, kind, folder)
    return assign(ROPE, arguments.notebooks()[ROPE.notebook], kind, file, 5, share=SHARE)


def answered(sheet, name, file):
    """Write a sheet in which a submission's cells stand for the code that is to be filled in."""
    made = nbformat.read(sheet, as_version=4)
    asked = [c for c in made.cells if c.cell_type == "code" and ANSWERS.search(c.source)]
    place = made.cells.index(asked[0])
    for cell in asked:
        cell.source = ""
    parts = code_of(name, file.parent).split("\n\n\n")
    made.cells[place:place] = [new_code_cell(part) for part in parts]
    file.parent.mkdir(parents=True)
    nbformat.write(made, file)
    return file


def test_nbgrader_gives_the_points_that_posviz_gives(program, tmp_path):
    sheet_of("nbgrader", tmp_path)
    program(tmp_path, "-m", "nbgrader", "generate_assignment", "lesson05")
    sheet = tmp_path / "release" / "lesson05" / f"{ROPE.notebook}.ipynb"
    for student, name in zip(POINTS, MADE_UP, strict=True):
        answered(sheet, name, tmp_path / "submitted" / student / "lesson05" / sheet.name)
    said = program(tmp_path, "-m", "nbgrader", "autograde", "lesson05").stderr
    assert "cannot be converted" not in said
    found = json.loads(program(tmp_path, "-c", SCORES).stdout)
    names = ("check_my_rotary", "check_my_scores", "check_my_matrix")
    assert {who: [own[name] for name in names] for who, own in found.items()} == POINTS


def test_otter_gives_the_points_that_posviz_gives(program, tmp_path):
    source = sheet_of("otter", tmp_path)
    program(tmp_path, "-m", "otter", "assign", source.name, "dist")
    (sheet,) = tmp_path.glob("dist/student/*.ipynb")
    (grader,) = tmp_path.glob("dist/autograder/*.zip")
    files = [
        answered(sheet, name, tmp_path / student / "sheet.ipynb")
        for student, name in zip(POINTS, MADE_UP, strict=True)
    ]
    program(tmp_path, "-c", RUN, grader, *files)
    found = {}
    for file in files:
        tests = json.loads((file.parent / "results.json").read_text())["tests"]
        scores = {test["name"]: test["score"] for test in tests}  # and nothing else, such as praise
        found[file.parent.name] = [scores[n] for n in ("my_rotary", "my_scores", "my_matrix")]
    assert found == POINTS
