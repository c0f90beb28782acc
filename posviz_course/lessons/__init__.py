"""The lessons, a folder for each topic: a file for each picture, exercises, claims, solutions."""

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from posviz.wording import quoted

OTHERS = ("claims", "exercises", "solutions")  # files that are no picture


@functools.cache
def names() -> dict[str, str]:
    """Every picture's module by class name: `table.py` in `sinusoidal` would hold `Table`.

    Found by looking at the folders, so that a new picture is one new file; nothing is imported.
    """
    folder = Path(__file__).parent
    return {
        "".join(word.capitalize() for word in file.stem.split("_")): (
            f"{__name__}.{file.parent.name}.{file.stem}"
        )
        for file in sorted(folder.glob("*/[a-z]*.py"))
        if file.stem not in OTHERS
    }


def when_needed(package: str, **modules: str) -> Callable[[str], Any]:
    """The `__getattr__` of a lesson's folder: names of its modules, each imported when needed.

    A picture, whose folder Python imports first, so needs no exercises.
    """
    known = {name: module for module, names in modules.items() for name in names.split()}

    def found(name):
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{known[name]}"), name)

    return found


def load(name: str) -> Any:
    """The picture class of that name; AttributeError for an unknown one."""
    modules = names()
    if name not in modules:
        raise AttributeError(f"no picture is called {quoted(name)}; there are {', '.join(modules)}")
    return getattr(importlib.import_module(modules[name]), name)
