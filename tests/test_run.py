"""run.py sets up what is missing, once, and passes the rest on."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

import run


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project in which making `.venv` and installing leave a trace and cost nothing."""
    done = []
    for _, files, _ in run.PARTS.values():
        for name in files:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(run.ROOT / name, tmp_path / name)
    venv = tmp_path / ".venv"
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "VENV", venv)
    monkeypatch.setattr(run, "PYTHON", str(venv / "python"))

    def call(command):
        done.append("venv")
        (venv / "python").touch()
        return 0

    monkeypatch.setattr(run, "call", call)
    monkeypatch.setattr(run, "torch_build", list)
    monkeypatch.setattr(run, "pip_install", lambda wanted: done.append(wanted[-1]))
    return SimpleNamespace(folder=tmp_path, done=done)


LAB, TEST = ".[torch,lab,publish]", [".[test,bench]", "tests/oracles.txt"]


def test_set_up_installs_each_part_once(project):
    for part in ("lab", "lab", "test", "lab", "test"):
        run.set_up(part)
    assert project.done == ["venv", LAB, *TEST]


@pytest.mark.parametrize("name", run.PARTS["test"][1])
def test_set_up_installs_again_after_a_requirement_changed(project, name):
    run.set_up("lab")
    run.set_up("test")
    project.done.clear()
    (project.folder / name).write_text("changed")
    run.set_up("lab")
    run.set_up("test")
    assert project.done == ([*TEST] if "oracles" in name else [LAB, *TEST])


def test_set_up_interrupted_goes_on_when_run_again(project, monkeypatch):
    monkeypatch.setattr(run, "pip_install", lambda _: sys.exit("no network"))
    with pytest.raises(SystemExit):
        run.set_up("lab")
    monkeypatch.setattr(run, "pip_install", lambda wanted: project.done.append(wanted[-1]))
    run.set_up("lab")
    assert project.done == ["venv", LAB]


def test_set_up_makes_a_new_environment_where_python_is_gone(project):
    run.set_up("lab")
    (run.VENV / "python").unlink()
    run.set_up("lab")
    assert project.done == ["venv", LAB] * 2


def test_an_environment_for_another_folder_is_made_anew(project):
    run.set_up("lab")
    for name in (run.MARK, "posviz-lab"):
        (run.VENV / name).write_text("/elsewhere, Python 3.11\n")
    (run.VENV / "lib").mkdir()
    (run.VENV / "lib" / "old.py").touch()
    run.set_up("lab")
    assert project.done == ["venv", LAB] * 2
    assert not (run.VENV / "lib").exists()


def test_what_a_kill_left_half_way_is_made_anew(project, monkeypatch):
    def killed(command):
        (run.VENV / "half").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "call", killed)
    with pytest.raises(KeyboardInterrupt):
        run.set_up("lab")
    monkeypatch.setattr(run, "call", lambda _: (run.VENV / "python").touch())
    run.set_up("lab")
    assert project.done == [LAB]
    assert not (run.VENV / "half").exists()


def by_hand(venv, elsewhere):
    venv.mkdir()
    (venv / "mine.txt").write_text("work")


def link(venv, elsewhere):
    (elsewhere / "mine.txt").write_text("work")
    venv.symlink_to(elsewhere)


def link_to_our_own(venv, elsewhere):
    (elsewhere / run.MARK).write_text("/another/clone, Python 3.11")
    link(venv, elsewhere)


def file(venv, elsewhere):
    venv.write_text("work")


def link_to_nowhere(venv, elsewhere):
    venv.symlink_to(elsewhere / "gone")


@pytest.mark.parametrize("made", [by_hand, link, link_to_our_own, file, link_to_nowhere])
def test_an_environment_of_the_users_stays_as_it_is(project, tmp_path_factory, made):
    made(run.VENV, tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(SystemExit, match=r"stays as it is\. Rename it"):
        run.set_up("lab")
    assert project.done == []
    assert os.path.lexists(run.VENV)
    if made in (by_hand, link, link_to_our_own):
        assert (run.VENV / "mine.txt").read_text() == "work"


@pytest.mark.parametrize(
    ("system", "settings", "driver", "chosen"),
    [
        ("linux", "", None, True),
        ("linux", "", "/usr/bin/nvidia-smi", False),
        ("linux", "global.index-url='https://a.example'", None, False),
        ("darwin", "", None, False),
    ],
)
def test_torch_build_is_without_cuda_only_where_pip_would_choose_it(
    monkeypatch, system, settings, driver, chosen
):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(run, "output_of", lambda _: settings)
    monkeypatch.setattr(run.os.path, "exists", lambda _: False)
    monkeypatch.setattr(shutil, "which", lambda _: driver)
    assert bool(run.torch_build()) == chosen


@pytest.mark.slow("a process")
def test_pip_install_fails_with_the_reason_of_pip(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "PYTHON", sys.executable)
    monkeypatch.setattr(run, "LOG", tmp_path / "install.log")
    with pytest.raises(SystemExit, match=r"Installing failed: ERROR: No matching distribution"):
        run.pip_install(["--no-index", "a-package-nobody-has"])
    assert "a-package-nobody-has" in run.LOG.read_text()


@pytest.mark.parametrize(
    ("options", "markers", "programs"),
    [
        ([], "not release", ["chromium", "bwrap"]),
        (["--quick"], "not (slow or browser or release)", []),
        (["--changed"], "not (browser or release)", ["bwrap"]),
        (["--everything"], "", ["chromium", "bwrap", "pdflatex"]),
    ],
)
def test_a_speed_chooses_markers_and_passes_options_on(monkeypatch, options, markers, programs):
    called = []
    monkeypatch.setattr(run, "set_up", lambda _: None)
    monkeypatch.setattr(run, "output_of", lambda _: "")
    monkeypatch.setattr(run.shutil, "which", lambda _: None)
    monkeypatch.setattr(run, "has_apt", lambda: True)
    monkeypatch.setattr(run, "install", lambda program, *_: called.append(program))
    monkeypatch.setattr(run, "call", lambda command: called.append(command) or 0)
    run.main(["test", *options, "-k", "rope"])
    *installed, command = called
    assert command[command.index("-m", 3) + 1] == markers
    assert command[command.index("-k") + 1] == "rope"
    assert installed == programs


def test_a_wrong_command_prints_the_usage():
    for arguments in ([], ["lav"]):
        with pytest.raises(SystemExit, match=r"usage: python run\.py lab"):
            run.main(arguments)


@pytest.mark.slow("a process")
def test_an_old_python_gets_one_line():
    program = "import sys; sys.version_info = (3, 10, 2, 'final', 0); exec(sys.stdin.read())"
    old = subprocess.run(
        [sys.executable, "-c", program],
        input=(run.ROOT / "run.py").read_text(),
        capture_output=True,
        text=True,
    )
    assert old.stderr.startswith("Python 3.10 is too old: posviz needs Python 3.11 or newer.")
    assert (old.stderr.count("\n"), old.returncode) == (1, 1)


@pytest.mark.slow("a process")
def test_run_needs_the_standard_library_only():
    program = f"import sys; sys.path.insert(0, {str(run.ROOT)!r}); import run"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)
