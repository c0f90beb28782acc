"""The doctor: a line for each part, and advice where one is missing."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from posviz.cli import arguments, doctor
from posviz.pictures import style


def test_the_course_has_what_it_needs_here():
    found = {check.name: check for check in doctor.checks()}
    assert not [check for check in found.values() if check.fatal]
    for name in ("numpy", "torch", "jupyterlab", "device torch CPU"):
        assert found[name].fine, name
    assert "pytest" not in found


def test_line_says_first_whether_all_is_well():
    line = str(doctor.Check("ffmpeg", "not found: pip install it", fine=False))
    assert line.split(maxsplit=2) == ["missing", "ffmpeg", "not found: pip install it"]
    assert str(doctor.Check("numpy", "2.0")).split() == ["ok", "numpy", "2.0"]
    assert str(doctor.Check("numpy", "gone", fine=False, fatal=True)).startswith("FAILS ")


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
    check = doctor.version(Requirement(wanted), extra)
    assert (check.fine, check.fatal) == (False, not extra)
    assert check.found.startswith(found)


def test_lessons_that_load_torch_are_named():
    loading = re.compile(
        r'^ *"(import torch|from posviz.(models.training|lab.train)|comparison\(\\"memory)',
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
    *_, font = doctor.machine()
    assert not font.fine
    assert "fonts-noto-cjk" in font.found
