"""Which pictures, lessons and notebooks are meant by what is typed."""

from pathlib import Path

import pytest

import posviz_course.lessons
import posviz_tools
from posviz_course.course import OF_TOPIC
from posviz_tools.cli import arguments

NAMES = list(posviz_course.lessons.names())
ROPE = OF_TOPIC["rotary"]
ROTARY = {name for name, module in posviz_course.lessons.names().items() if ".rotary." in module}


def test_pictures_come_by_name_and_lesson_each_once():
    chosen = arguments.pictures(["XposDecay", "THREEDOORS", "xposdecay"])
    assert chosen == ["XposDecay", "ThreeDoors"]
    assert set(arguments.pictures([ROPE.number])) == ROTARY
    first, *both = arguments.pictures(["XposDecay", "ScoreDecay", str(int(ROPE.number))])
    assert (first, both[0]) == ("XposDecay", "ScoreDecay")
    assert sorted(both) == sorted(ROTARY)
    everything = arguments.pictures(everything=True)
    assert sorted(everything) == sorted(NAMES)
    lessons = [arguments.lesson_of(name) for name in everything]
    assert lessons == sorted(lessons)


@pytest.mark.parametrize("text", ["05", "5", "05_rope", "rope", "Rope", "05_ROPE"])
def test_a_lesson_by_number_or_name(text):
    assert arguments.row_of(text) == ROPE


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
        ({"everything": True, "names": ["ThreeDoors"]}, "name pictures or lessons, or give --all"),
        ({}, "name pictures or lessons, or give --all"),
    ],
)
def test_what_no_picture_or_lesson_is_called_is_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        arguments.pictures(**chosen)


def test_notebooks_are_found_beside_the_package_or_in_it(tmp_path, monkeypatch):
    beside = Path(posviz_tools.__file__).parents[1] / "notebooks"
    assert arguments.notebooks() == {path.stem: path for path in beside.glob("*.ipynb")}
    assert list(arguments.notebooks()) == sorted(arguments.notebooks())
    monkeypatch.setattr(posviz_tools, "__file__", str(tmp_path / "posviz_tools" / "__init__.py"))
    inside = tmp_path / "posviz_tools" / "notebooks" / "05_rope.ipynb"
    assert arguments.notebooks()["05_rope"] == inside


def test_lessons_of_notebooks():
    found = arguments.notebooks()
    assert arguments.lesson_notebooks([], True) == list(found.values())
    chosen = arguments.lesson_notebooks(["xpos", "rope", ROPE.number], False)
    assert [path.stem for path in chosen] == sorted([ROPE.notebook, OF_TOPIC["xpos"].notebook])
    for lessons, everything in (([], False), (["05"], True)):
        with pytest.raises(ValueError, match="choose the lessons, such as 05"):
            arguments.lesson_notebooks(lessons, everything)
    with pytest.raises(ValueError, match=r"'05_roep' is unknown\. Did you mean '05_rope'"):
        arguments.lesson_notebooks(["05_roep"], False)
