"""Every checker of every lesson, and what it is given: solutions, mistakes, answers by hand."""

import importlib

import numpy as np

from posviz.teaching.checker import Checker
from posviz_course.course import LESSONS
from posviz_course.solutions import answers
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments

_MODULES = [
    importlib.import_module(f"posviz_course.lessons.{lesson.topic}.exercises")
    for lesson in LESSONS[1:]
]
CHECKERS = {
    name: value
    for module in _MODULES
    for name, value in vars(module).items()
    if isinstance(value, Checker)
}


_EXERCISES = [
    (lesson, exercise)
    for lesson in LESSONS[1:]
    for exercise in of_lesson(arguments.notebooks()[lesson.notebook])
]
SOLUTION_CODES = {each.checker_name: solution(lesson, each) for lesson, each in _EXERCISES}
SOLUTIONS = {each.checker_name: answers(lesson.topic)[each.name] for lesson, each in _EXERCISES}


def by_a_reader(check, function):
    """The function as an answer that is not posviz's own; a value where a value is asked for."""
    if check.inputs is None:
        return function() if callable(function) else function
    return lambda *given: function(*given)


def in_float32(function):
    """The function with all arrays in single precision, given and returned."""

    def narrow(value):
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
            return value
        return value.astype("complex64" if value.dtype.kind == "c" else "float32")

    return lambda *given: narrow(np.asarray(function(*map(narrow, given))))
