"""The doctor: a line for each part, and advice where one is missing."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from posviz.pictures import style
from posviz_tools.cli import arguments, doctor


def test_the_course_has_what_it_needs_here():
    words = {name: word for word, name, _ in doctor.checks()}
    assert "FAILS" not in words.values()
    assert {words[name] for name in ("numpy", "torch", "jupyterlab", "device torch CPU")} == {"ok"}
    assert "pytest" not in words


@pytest.mark.parametrize(
    ("wanted", "extra", "found"),
    [
        ("numpy>=99", "", f"{metadata.version('numpy')}, needs >=99: pip install posviz"),
        ("no-such-package>=1", "", "not installed, needs >=1: pip install posviz"),
        (
            "no-such-package>=1",
            "live",
            "not installed, needs >=1: pip install 'posviz[live]' for",
        ),
    ],
)
def test_wrong_or_missing_package_is_named_with_advice(wanted, extra, found):
    word, _, told = doctor.version(Requirement(wanted), extra)
    assert word == ("missing" if extra else "FAILS")
    assert told.startswith(found)


def test_lessons_that_load_torch_are_named():
    loading = re.compile(
        r'^ *"(import torch|from posviz_course.(models.training|lab.train)|comparison\(\\"memory)',
        re.MULTILINE,
    )
    found = [
        name[:2]
        for name, path in arguments.notebooks().items()
        if loading.search(Path(path).read_text("utf-8"))
    ]
    assert found == doctor.WITH_TORCH, "name their topics in doctor.WITH_TORCH"


def test_missing_font_for_other_scripts_comes_with_advice(monkeypatch):
    monkeypatch.setattr(style, "parameters", lambda *_: {"font.family": ["DejaVu Sans"]})
    *_, (word, _, told) = doctor.machine()
    assert word == "missing"
    assert "fonts-noto-cjk" in told
