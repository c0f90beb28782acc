"""The doctor: a line for each part, and advice where one is missing."""

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path
from types import SimpleNamespace

import pytest

import posviz
from posviz.cli import arguments, doctor
from posviz.pictures import style
from posviz.pictures.files import SETTING
from posviz.pictures.stream import letters, private

ROOT = Path(__file__).parents[2]


def without(monkeypatch, missing):
    """Let one distribution seem not to be installed."""
    version = metadata.version

    def pretend(name):
        if name == missing:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", pretend)


def only(checks):
    """The one check there is."""
    (check,) = checks
    return check


@pytest.mark.slow("a process")
def test_here_everything_works_that_the_course_needs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {check.name: check for check in doctor.checks()}
    assert not [check for check in found.values() if check.fatal]
    for name in ("numpy", "posviz", "torch", "jupyterlab", "device torch CPU", "font", "ffmpeg"):
        assert found[name].fine, name
    assert found["drawing"].fine, found["drawing"]
    assert found["posviz"].found == posviz.__version__
    assert Path(found["server extension"].found).name == "posviz.json"
    assert found["notebooks"].found.startswith(f"{len(arguments.notebooks())} in ")
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


def test_the_lessons_that_load_torch_are_named():
    loading = re.compile(
        r'^ *"(import torch|from posviz.(models(.training| import stretched)|lab.train)'
        r'|comparison\(\\"memory)',
        re.MULTILINE,
    )
    found = [
        name[:2] for name, path in arguments.notebooks().items() if loading.search(path.read_text())
    ]
    assert found == doctor.WITH_TORCH, "name their topics in doctor.WITH_TORCH"


def test_devices_without_torch_come_with_the_reason(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda _: None)
    found = {check.name: check for check in doctor.devices()}
    assert found["device NumPy"].fine
    assert found["device torch CPU"].found == "torch is not installed; the course runs without it"
    assert not found["device torch CPU"].fatal


def test_the_build_of_torch_is_named(monkeypatch):
    version = SimpleNamespace(cuda="13.0", hip=None)
    torch = SimpleNamespace(version=version)
    monkeypatch.setitem(doctor.sys.modules, "torch", torch)
    monkeypatch.setattr(doctor, "_reasons", lambda: {"NumPy": ""})
    assert list(doctor.devices())[-1].found == "for CUDA 13.0"
    version.cuda = None
    assert list(doctor.devices())[-1].found == "without CUDA"
    version.hip = "6.4"
    assert list(doctor.devices())[-1].found == "for ROCm 6.4"
    monkeypatch.delitem(doctor.sys.modules, "torch")
    assert [check.name for check in doctor.devices()] == ["device NumPy"]


def told(program) -> subprocess.CompletedProcess:
    """What the doctor says in a process that does something beforehand."""
    call = "from posviz.__main__ import app; app(['doctor'])"
    command = [sys.executable, "-c", f"import sys; {program}; {call}"]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.mark.slow("a process")
def test_what_cannot_be_loaded_is_told_and_the_other_checks_are_made():
    done = told("sys.modules['numpy'] = None")
    assert (done.returncode, done.stderr) == (1, "")
    lines = {line[8:30].strip(): line for line in done.stdout.splitlines()}
    for name in ("devices", "drawing", "fonts", "ffmpeg"):
        assert lines[name].startswith("FAILS   "), name
        assert "cannot be looked at: ModuleNotFoundError: " in lines[name]
    for name in ("Python", "posviz", "server extension", "free disk", "writing to figures"):
        assert lines[name].startswith("ok "), name


@pytest.mark.slow("seconds")
def test_a_matplotlib_that_lacks_what_is_asked_of_it_is_told(monkeypatch):
    assert only(doctor.drawing()).fine
    monkeypatch.setattr(private, "backend_agg", SimpleNamespace())  # as in an older or newer one
    letters.letters_at.cache_clear()
    check = only(doctor.drawing())
    assert (check.fine, check.fatal) == (False, False)
    assert check.found.startswith("pictures move as pixels, and slower: pip install --upgrade")
    assert "no attribute 'get_hinting_flag'" in check.found


def test_fonts(monkeypatch):
    def with_fonts(*names):
        fonts = [SimpleNamespace(name=name) for name in names]
        monkeypatch.setattr(style.fontManager, "ttflist", fonts)
        style.parameters.cache_clear()
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
        style.parameters.cache_clear()


def test_no_server_extension_and_no_notebooks(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(doctor.site, "USER_BASE", None)
    assert "pip install posviz" in doctor.server_extension().found
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(posviz, "__file__", str(tmp_path / "posviz" / "__init__.py"))
    assert "--notebooks" in only(doctor.notebooks()).found


def test_a_full_disk(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3_000_000))
    check = doctor.disk()
    assert not check.fine
    assert check.found.startswith("3 MB: make room")


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(tmp_path / "not" / "yet"))
    check = doctor.writing()
    assert (check.fine, check.name) == (True, "writing to figures")
    assert check.found == f"{tmp_path}/not/yet; to choose another, set {SETTING}"
    assert os.listdir(tmp_path) == []
    (tmp_path / "not").touch()
    check = doctor.writing()
    assert check.fatal
    advice = f"Not a directory; set {SETTING} to a folder that you may write to"
    assert check.found == f"{tmp_path}/not/yet: {advice}"
