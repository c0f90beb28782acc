"""What there is: every picture and every knob on a line of its own, every file of a lesson."""

from pathlib import Path

import pytest

import posviz.pictures
from posviz.course import LESSONS, OF_TOPIC
from posviz.publish import inventory

ROOT = Path(posviz.__file__).parents[1]
NAMES = list(posviz.pictures.names())
PARTS = ("pictures", "exercises", "claims")


def test_every_picture_and_every_knob_has_its_line():
    lines = inventory.lines(NAMES)
    for name in NAMES:
        found = posviz.pictures.load(name)
        mine = [line for line in lines if line.split()[1].rstrip(":") == name]
        assert len(mine) == 1 + len(found.knobs())
        assert mine[0].endswith(f"  {name}: {found.title()}")
        for line, (knob_name, knob) in zip(mine[1:], found.knobs().items(), strict=True):
            assert f"  {knob_name} = {knob.write(getattr(found(), knob_name))}  " in line
            assert knob.rule in line
            assert knob.label in line
        (moving,) = [line for line in mine if line.endswith("[moves in an animation]")]
        assert f"  {found.filmed_knobs()[0]} = " in moving
    assert not any("\n" in line for line in lines)


def test_a_line_in_full():
    number = OF_TOPIC["rotary"].number
    assert inventory.lines(["RotatingVectors"])[:2] == [
        f"{number}  RotatingVectors: "
        "Query and key turn with their positions, the score with their offset",
        f"{number}  RotatingVectors  together = 0  a whole number between 0 and 30  (both moved by)"
        "  [moves in an animation]",
    ]


@pytest.mark.slow("half a second")
def test_every_file_of_a_topic_is_one_of_its_lessons():
    found = {Path(file).resolve() for file in inventory.files(LESSONS)}
    parts = [ROOT / top / part for top in ("posviz", "tests") for part in PARTS]
    wanted = {file for part in parts for file in part.glob("*/*.py")}
    wanted |= {*(ROOT / "posviz" / "grading" / "solved").glob("[a-z]*.py")}
    assert wanted - found == set()
    assert {path.stem for path in found if path.suffix == ".ipynb"} == {
        lesson.notebook for lesson in LESSONS
    }


def test_a_lesson_has_the_mathematics_that_it_imports_and_the_tests_of_its_own(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = inventory.files([OF_TOPIC["relative"]])
    assert found[0] == f"notebooks/{OF_TOPIC['relative'].notebook}.ipynb"
    assert {
        "posviz/encodings/t5.py",  # imported by a picture, an exercise, and in the notebook
        "posviz/encodings/learned.py",  # by a claim alone
    } <= set(found)
    assert any(file.startswith("tests/pictures/relative/") for file in found)
    strangers = [
        file for file in found if "rotary" in file or "alibi_" in file or "claims/test" in file
    ]
    assert strangers == []
    assert len(found) == len(set(found))
