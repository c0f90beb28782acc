"""JupyterLab on the lessons, wherever they are."""

import importlib.util
import sys

from typer.testing import CliRunner

from posviz_tools import __main__
from posviz_tools.cli import arguments, start


def test_lessons_are_copied_and_what_is_there_stays(tmp_path):
    lessons = list(arguments.notebooks().values())
    folder = tmp_path / "new" / "course"
    assert start.copy_lessons(lessons, folder) == len(lessons)
    mine = folder / lessons[1].name
    mine.write_text("my answers")
    (folder / lessons[2].name).unlink()
    assert start.copy_lessons(lessons, folder) == 1
    assert mine.read_text() == "my answers"
    assert (folder / lessons[2].name).read_bytes() == lessons[2].read_bytes()
    assert "Attribution 4.0" in (folder / "LICENSE").read_text()


def test_further_options_are_jupyterlabs():
    command = start.lab_command("python", "here", "spaces", ["--port=8890"])
    assert command[:3] == ["python", "-m", "jupyterlab"]
    assert command[-1] == "--port=8890"
    asked = ("ip=127.0.0.1", "root_dir=here", "port_retries=0")  # a taken port is told
    assert {f"--ServerApp.{option}" for option in asked} < set(command)
    assert not [option for option in command if "token" in option or "password" in option]
    assert (start.SETTINGS / "overrides.json").exists()


def test_start_copies_and_becomes_jupyterlab(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(start, "become", lambda command: begun.extend(command) or 3)
    line = ["start", "--to", str(tmp_path), "--no-browser", "--port", "8890"]
    result = CliRunner().invoke(__main__.app, line)
    assert result.exit_code == 3
    assert f"{len(arguments.notebooks())} new, 0 kept" in result.output
    assert begun[0] == sys.executable
    assert begun[-3:] == ["--no-browser", "--port", "8890"]
    assert f"--ServerApp.root_dir={tmp_path}" in begun


def test_start_without_jupyterlab_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    result = CliRunner().invoke(__main__.app, ["start", "--to", str(tmp_path / "new")])
    assert result.exit_code == 2
    assert "pip install 'posviz[lab]'" in result.output
    assert not (tmp_path / "new").exists()
