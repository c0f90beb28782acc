"""What a lesson's prompts ask for can be done on its page, too, where no kernel is."""

import ast
import re

import nbformat
import pytest

import run
from posviz import lessons
from posviz.pictures.knobs import device, text
from posviz.pictures.sweeps import numbers, sweeps
from posviz.publish.lesson import prompts

NOTEBOOKS = sorted(run.NOTEBOOKS.glob("[0-9]*.ipynb"))

# Settings that prompts want at the same time.
AT_ONCE = {
    "LearnedTable": [{"progress": 25, "centred": True}],
    "RotatingVectors": [{"query": 30, "pair": 2}],
    "RealHead": [{"head": "first word", "positions": "all the same"}],
    "TurnedTokens": [{"first": 35, "turned": "queries"}],
    "RotaryScores": [{"content": "random", "seed": 99}],
    "ScoreDecay": [{"content": "random", "seed": 99}],
    "LayoutConverter": [
        {"query_layout": "half_split", "key_layout": "half_split", "query_reordered": True},
        {"query_layout": "half_split", "query_reordered": True, "key_reordered": True},
    ],
    "CacheDebugger": [{"decoded": 24, "mistake": "query at 0"}],
    "PrecisionLab": [{"position": 1_000_000, "rounded": "angles"}],
    "PatchGrid": [{"encoding": "raster", "row": 0}, {"encoding": "raster", "column": 0}],
    "TwoHands": [{"row": 15, "column": 15}, {"kind": "axial", "pair": 0}],
    "MropeSections": [{"row": 100, "column": 100}],
    "AlibiSlopes": [{"num_heads": 12, "head": 12}],
    "WeightByDistance": [{"head": 8, "one_in": 1000}, {"show": "weight", "furthest": 16}],
    "AlibiScores": [{"head": 1, "distance": 10}, {"head": 1, "content": 2}],
    "TurnsInTraining": [{"method": "YaRN by turns", "pair": 0}],
    "PositionMaps": [
        {"positions": "Self-Extend", "length": 8},
        {"positions": "Self-Extend", "group": 8, "window": 16},
    ],
    "OneMatrix": [
        {"real_part": 0, "imaginary_part": 0},
        {"real_part": 0, "matrix": "Jordan block"},
    ],
    "HeadBrowser": [{"layer": 0, "head": 3}],
    "SameX": [{"content": 0, "first": 1000}, {"content": 0, "causal": False}],
    "Chooser": [{"distance": "by what stands between", "kernel": "any", "learns": "any number"}],
}


def explorers(notebook):
    """Every picture that a lesson lets explore, as it begins, and what the lesson asks of it."""
    made = {}
    for source, asked in prompts(notebook).items():
        tree = ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.MULTILINE))
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _class(node.value):
                made[node.targets[0].id] = node.value
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "explore":
                yield _picture(node.value if _class(node.value) else made[node.value.id]), asked


def _class(node):
    """The picture that a call makes, if it makes one."""
    name = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
    return name if name in lessons.names() else None


def _picture(call):
    """The picture, without the data that only the lesson has."""
    given = {word.arg: word.value for word in call.keywords}
    knobs = lessons.load(call.func.id)
    known = {name: ast.literal_eval(given[name]) for name in given if name in knobs.knobs()}
    return knobs(**known)


def named(picture, asked):
    """The knobs that a prompt names: by their label, perhaps without its unit, or by their name."""
    for name, knob in picture.knobs().items():
        label = re.sub(r" \(.*\)", "", knob.label)
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", asked) for word in (label, name)):
            yield name, knob


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_moves_every_knob_that_a_prompt_names(path):
    asking = 0
    for picture, asked in explorers(nbformat.read(path, as_version=4)):
        settings = sweeps(picture, 1, numbers(asked))
        for name, knob in named(picture, asked):
            asking += 1
            if not isinstance(knob, text | device):  # which a reader types, or changes nothing
                assert len({values[name] for values in settings}) > 1, (picture, name)
        for wanted in AT_ONCE.get(type(picture).__name__, []):
            assert any(values.items() >= wanted.items() for values in settings), (picture, wanted)
    assert asking > 0
