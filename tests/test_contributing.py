"""The examples of CONTRIBUTING.md, which are in docs/examples, do what the page says of them."""

import importlib.util
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from posviz.attention import attend
from posviz.encodings.doors import doors
from posviz.pictures.style import STYLES
from posviz_tools.cli.faults import LEAST_POINTS, text_faults
from tests.every_encoding import D_MODEL, HEADS
from tests.line_faults import line_faults

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def example(monkeypatch):
    """Load an example as a module of its own."""

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look there
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.slow("seconds")
def test_the_picture_is_small_and_has_no_fault(example):
    picture = example("sharp_weights").SharpWeights()
    assert len((EXAMPLES / "sharp_weights.py").read_text("utf-8").splitlines()) <= 50
    for values in ({}, {"scale": 0.1, "keys": 2}, {"scale": 100, "keys": 64}):
        drawn = type(picture)(**values)
        for style in STYLES:
            figure = drawn.figure(style)
            assert text_faults(figure, LEAST_POINTS.get(style, 0)) + line_faults(figure) == []
    assert picture.compute().weights[1].sum() == pytest.approx(1)


def test_the_encoding_prefers_the_token_before(example):
    encoding = example("previous").Previous(50.0)
    assert doors(encoding) == ("at_scores",)
    x, eye = np.random.default_rng(0).normal(size=(1, 5, D_MODEL)), np.eye(D_MODEL)
    out = attend(x, eye, eye, eye, num_heads=HEADS, encoding=encoding, positions=range(5))
    np.testing.assert_allclose(out[0, 1:], x[0, :-1], atol=1e-9)


def test_the_exercise_names_both_mistakes(example):
    check = example("offsets").check_offsets
    answers = {
        "correct": lambda q, k: q[:, None] - k,
        "sign": lambda q, k: k - q[:, None],
        "distance": lambda q, k: abs(q[:, None] - k),
        "sign, and transposed": lambda q, k: (k - q[:, None]).T,
    }
    for said, answer in answers.items():
        feedback = check(answer)
        assert (feedback.mistake or feedback.status) == said


def test_the_claim_holds_only_for_one_key(example):
    verdict = example("softmax").a_shift_changes_weights()
    assert verdict.said.startswith("It depends: true if one key gets it, false if all keys get it.")


def test_a_slider_s_messages_and_their_answers_are_seen(example):
    picture = example("sharp_weights").SharpWeights()
    code = re.search(r"What does a slider send.*?\n\n(.*?)\n\n", TEXT, re.S)[1]
    exec(textwrap.dedent(code), seen := {"picture": picture})
    widget = seen["widget"]
    asked = {"part": "screen", "view": "a", "ask": True, "ratio": 1.0}
    moved = {"knob": "scale", "view": "a", "number": 1, "place": 7, "change": 0}
    for message in (asked, moved):
        widget._handle_custom_msg(message, [])
    assert seen["heard"] == [asked, moved]
    assert [message["frame"] for message in seen["sent"] if "frame" in message] == [1, 2]
    widget.close()
