"""The solutions of a lesson's exercises, as its solutions.py has them."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_LESSONS = Path(__file__).parent / "lessons"


def codes(topic: str) -> dict[str, str]:
    """The code of each solution of a lesson, by the name of what it defines."""
    return defined((_LESSONS / topic / "solutions.py").read_text("utf-8"))


def defined(source: str) -> dict[str, str]:
    """The code of each statement that defines something, by the name of what it defines."""
    lines, definitions = source.splitlines(), {}
    for statement in ast.parse(source).body:
        for target in getattr(statement, "targets", [statement]):
            if name := getattr(target, "name", "") or getattr(target, "id", ""):
                definitions[name] = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
    return definitions


def answers(topic: str) -> dict[str, Any]:
    """The solutions of a lesson, by name."""
    module = import_module(f"posviz_course.lessons.{topic}.solutions")
    return {name: getattr(module, name) for name in codes(topic)}
