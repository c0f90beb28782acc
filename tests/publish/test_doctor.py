"""The doctor: a line for each part, and advice where one is missing."""

import importlib.util
import os
import shutil
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import posviz
from posviz.engine import animation, looks
from posviz.publish import choose, doctor


def without(monkeypatch, missing):
    """Let one distribution seem not to be installed."""
    version = metadata.version

    def pretend(name):
        if name == missing:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", pretend)


def test_here_everything_works_that_the_course_needs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {check.name: check for check in doctor.checks()}
    assert not [check for check in found.values() if check.fatal]
    for name in ("numpy", "posviz", "torch", "jupyterlab", "device torch CPU", "font", "ffmpeg"):
        assert found[name].fine, name
    assert found["posviz"].found == posviz.__version__
    assert Path(found["server extension"].found).name == "posviz.json"
    assert found["notebooks"].found.startswith(f"{len(choose.notebooks())} in ")
    assert list(tmp_path.iterdir()) == []


def test_a_line():
    line = str(doctor.Check("ffmpeg", "not found: pip install it", fine=False))
    assert line.split(maxsplit=2) == ["missing", "ffmpeg", "not found: pip install it"]
    assert str(doctor.Check("numpy", "2.0")).split() == ["ok", "numpy", "2.0"]
    assert str(doctor.Check("numpy", "gone", fine=False, fatal=True)).startswith("FAILS ")


@pytest.mark.parametrize(("missing", "fatal"), [("numpy", True), ("torch", False)])
def test_what_is_not_installed_is_told(monkeypatch, missing, fatal):
    without(monkeypatch, missing)
    (check,) = [check for check in doctor.versions() if check.name == missing]
    assert (check.fine, check.fatal) == (False, fatal)
    assert f"pip install {missing}" in check.found


def test_devices_without_torch_come_with_the_reason(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    found = {check.name: check for check in doctor.devices()}
    assert found["device NumPy"].fine
    assert found["device torch CPU"].found == "torch is not installed; the course runs without it"
    assert not found["device torch CPU"].fatal


def test_fonts(monkeypatch):
    def with_fonts(*names):
        fonts = [SimpleNamespace(name=name) for name in names]
        monkeypatch.setattr(doctor.looks.fontManager, "ttflist", fonts)
        looks.parameters.cache_clear()
        return list(doctor.fonts())

    try:
        text, others = with_fonts("DejaVu Sans", "Noto Sans CJK SC")
        assert (text.found, others.found) == ("DejaVu Sans", "Noto Sans CJK SC")
        text, others = with_fonts("Arial")
        assert text.fatal
        assert "fonts-noto-cjk" in others.found
        assert not others.fatal
    finally:
        monkeypatch.undo()
        looks.parameters.cache_clear()


def test_ffmpeg_without_the_encoder_and_none_at_all(tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho libopenh264\n")
    program.chmod(0o755)
    monkeypatch.setattr(animation, "find_ffmpeg", lambda: str(program))
    assert "cannot write H.264: pip install imageio-ffmpeg" in doctor.ffmpeg().found
    program.write_text("#!/bin/sh\nexit 1\n")
    assert not doctor.ffmpeg().fine
    monkeypatch.undo()
    monkeypatch.setattr(animation.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "pip install imageio-ffmpeg" in doctor.ffmpeg().found


def test_no_server_extension_and_no_notebooks(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(doctor.site, "USER_BASE", None)
    assert "pip install posviz" in doctor.server_extension().found
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(posviz, "__file__", str(tmp_path / "posviz" / "__init__.py"))
    assert "--notebooks" in doctor.notebooks().found


def test_a_full_disk(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3_000_000))
    check = doctor.disk()
    assert not check.fine
    assert check.found.startswith("3 MB: make room")


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    assert doctor.writing(tmp_path / "not" / "yet").fine
    assert os.listdir(tmp_path) == []
    (tmp_path / "figures").touch()
    check = doctor.writing(tmp_path / "figures")
    assert check.fatal
    assert "posviz export --to DIR" in check.found
