"""Which pictures, lessons and notebooks are meant by what is typed."""

import re
from pathlib import Path

import pytest

import posviz
import posviz.lessons
from posviz.cli import arguments
from posviz.course import OF_TOPIC

NAMES = list(posviz.lessons.names())
ROPE = OF_TOPIC["rotary"]
ROTARY = {name for name, module in posviz.lessons.names().items() if ".rotary." in module}


def test_pictures_come_by_name_and_lesson_in_the_courses_order_each_once():
    chosen = arguments.pictures(["XposDecay", "THREEDOORS", "xposdecay"])
    assert chosen == ["ThreeDoors", "XposDecay"]
    assert set(arguments.pictures([ROPE.number])) == ROTARY
    both = arguments.pictures(["XposDecay", "ScoreDecay", str(int(ROPE.number))])
    assert set(both[:-1]) == ROTARY
    assert both[-1] == "XposDecay"
    everything = arguments.pictures(everything=True)
    assert sorted(everything) == sorted(NAMES)
    lessons = [arguments.lesson_of(name) for name in everything]
    assert lessons == sorted(lessons)


@pytest.mark.parametrize("text", ["05", "5", "05_rope", "rope", "Rope", "05_ROPE"])
def test_a_lesson_by_number_or_name(text):
    names = ["04_relative_positions", "05_rope", "15_five", "examination"]
    assert arguments.lesson(text, names) == "05_rope"


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            {"names": ["SinusoidalTabel"]},
            "picture or lesson 'SinusoidalTabel' .* mean 'SinusoidalTable'",
        ),
        ({"names": ["xyzzy"]}, r"picture or lesson 'xyzzy' is unknown\. `posviz list` shows all"),
        ({"names": ["99"]}, "picture or lesson '99' is unknown"),
        ({"names": [f"{ROPE.number}_roep"]}, f"Did you mean '{ROPE.notebook}'"),
        ({"everything": True, "names": ["ThreeDoors"]}, "--all means every picture"),
        ({}, "name pictures or lessons, or give --all"),
    ],
)
def test_what_no_picture_or_lesson_is_called_is_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        arguments.pictures(**chosen)


def test_notebooks_are_found_beside_the_package_and_in_a_folder(tmp_path, monkeypatch):
    beside = Path(posviz.__file__).parents[1] / "notebooks"
    assert arguments.notebooks() == {path.stem: path for path in beside.glob("*.ipynb")}
    (tmp_path / "notebooks").mkdir()
    mine = tmp_path / "notebooks" / "05_mine.ipynb"
    mine.touch()
    (tmp_path / "notebooks" / "draft.ipynb").touch()
    assert arguments.notebooks(mine.parent) == {"05_mine": mine}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(posviz, "__file__", str(tmp_path / "installed" / "posviz" / "__init__.py"))
    assert arguments.notebooks() == {"05_mine": Path("notebooks/05_mine.ipynb")}


def test_without_notebooks_it_says_where_it_looked(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=f"no notebooks in {tmp_path}: .* --notebooks"):
        arguments.notebooks(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(posviz, "__file__", str(tmp_path / "installed" / "posviz" / "__init__.py"))
    looked = re.escape(f"no notebooks in {tmp_path / 'installed' / 'notebooks'} or in {tmp_path}")
    with pytest.raises(ValueError, match=looked):
        arguments.notebooks()
    assert set(arguments.pictures([ROPE.number])) == ROTARY  # pictures need none


def test_lessons_of_notebooks():
    found = arguments.notebooks()
    assert arguments.lesson_notebooks([], True, None) == list(found.values())
    chosen = arguments.lesson_notebooks(["xpos", "rope", ROPE.number], False, None)
    assert [path.stem for path in chosen] == sorted([ROPE.notebook, OF_TOPIC["xpos"].notebook])
    for lessons, everything in (([], False), (["05"], True)):
        with pytest.raises(ValueError, match="choose the lessons, such as 05"):
            arguments.lesson_notebooks(lessons, everything, None)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [(["05"], ["05_rope"]), (["13", "05_rope-Copy1"], ["05_rope-Copy1", "13_a"])],
)
def test_copy_of_a_lesson_does_not_take_its_place(tmp_path, asked, meant):
    for name in ("05_rope", "05_rope-Copy1", "13_a"):
        (tmp_path / f"{name}.ipynb").touch()
    chosen = arguments.lesson_notebooks(asked, False, tmp_path)
    assert [path.stem for path in chosen] == meant
