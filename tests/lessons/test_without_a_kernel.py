"""A browser's Python has matplotlib and little else: there pictures draw, and checkers load."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, json
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path

here = "numpy matplotlib mpl_toolkits contourpy cycler dateutil fontTools kiwisolver packaging PIL "
here += "pyparsing six traitlets array_api_compat posviz"
gone, find = packages_distributions().keys() - here.split(), PathFinder.find_spec
PathFinder.find_spec = lambda name, *of: None if name.split(".")[0] in gone else find(name, *of)

from posviz_course import lessons
from posviz.pictures.explorer import Explorer

for file in Path(lessons.__file__).parent.glob("*/exercises.py"):
    importlib.import_module(f"posviz_course.lessons.{file.parent.name}.exercises")
for name in lessons.names():
    heard = []
    explorer = Explorer(lessons.load(name)(), lambda message, _: heard.append(message))
    json.dumps(explorer.shown)
    explorer.receive({"part": "screen", "view": "page", "ratio": 1, "ask": True})
    if "caption" not in heard[-1]:
        print(name, heard)
"""


@pytest.mark.release("half a second for each picture")
def test_every_picture_draws_without_packages_of_a_kernel():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout + done.stderr == ""
