"""Every exercise is found, lends what its text names, and is solved with that alone."""

import ast
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import posviz
from posviz.teaching.checker import Checker
from posviz_course.course import LESSONS
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments

ROOT = Path(posviz.__file__).parents[1]
NOTEBOOKS = arguments.notebooks()
EVERY = [
    (lesson, exercise)
    for lesson in LESSONS[1:]
    for exercise in of_lesson(NOTEBOOKS[lesson.notebook])
]
NAMES = [f"{lesson.number} {exercise.name}" for lesson, exercise in EVERY]
each = pytest.mark.parametrize(("lesson", "exercise"), EVERY, ids=NAMES)


def test_they_are_all_checkers_that_there_are():
    modules = [import_module(f"posviz_course.lessons.{row.topic}.exercises") for row in LESSONS[1:]]
    there = {
        id(value)
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Checker)
    }
    assert {id(exercise.checker) for _, exercise in EVERY} == there


def test_lent_is_what_text_and_stub_call():
    lent = {name: set(exercise.lent) for name, (_, exercise) in zip(NAMES, EVERY, strict=True)}
    assert {name: names for name, names in lent.items() if names} == {
        "05 my_scores": {"apply_rotary", "rotary_angles", "rotary_frequencies"},
        "06 my_cached_scores": {"apply_rotary", "rotary_angles"},
        "06 my_port": {"rotary_frequencies"},
        "08 my_bias": {"offsets"},
    }


def test_an_exercise_has_its_parts():
    found = {exercise.name: exercise for _, exercise in EVERY}
    base = found["found_base"]
    assert base.text.startswith("**Exercise 2: a table without a label.**")
    assert base.given[0].startswith("found = found_table()")
    assert (base.stub, base.check) == (
        "found_base = ...  # replace this with a number",
        "check_base(found_base)",
    )


@each
def test_its_solution_is_right_on_any_inputs_and_uses_what_is_lent(lesson, exercise, rng):
    names = {"np": np, **exercise.lent}
    exec(solution(lesson, exercise), names)
    for seed in ((), (int(rng.integers(10**6)),)):
        assert replace(exercise.checker, seed=seed)(names[exercise.name])


def test_every_solution_begins_as_the_stub():
    for lesson, exercise in EVERY:
        stub, solved = exercise.stub.splitlines(), solution(lesson, exercise).splitlines()
        if stub[0].startswith("def "):
            assert solved[:2] == stub[:2]
            assert ast.get_docstring(ast.parse(exercise.stub).body[0])
