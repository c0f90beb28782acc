"""The recipes of docs/make-it-yours.md: each command and each piece of Python runs and writes."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from posviz_tools.__main__ import app
from posviz_tools.publish import embedded

PAGE = (Path(__file__).parent.parent / "docs" / "make-it-yours.md").read_text("utf-8")
BLOCKS = [
    "".join(line[4:] + "\n" for line in block.splitlines())
    for block in re.findall(r"(?:^(?: {4}.*)?\n)+", PAGE, re.MULTILINE)
    if block.strip()
]
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("posviz ")]
PYTHON = [block for block in BLOCKS if re.match(r"\s*(from|import) ", block)]
(BEAMER,) = [block for block in BLOCKS if "documentclass" in block]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embedded, "write_python", lambda to: 33)  # the same for every picture
    return tmp_path


def run(command):
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output


@pytest.mark.slow("a second each")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_writes_files(folder, command):
    run(command)
    assert [*folder.rglob("*.pdf"), *folder.rglob("*.html")]


@pytest.mark.slow("seconds")
def test_the_python_of_the_page_writes_its_files(folder):
    names = {}
    for block in PYTHON:
        exec(block, names)
    written = ["both.pdf", "rope_de.gif", "rope_de.png", "with_mine.pdf"]
    assert sorted(path.name for path in folder.iterdir()) == written


@pytest.mark.release("it needs LaTeX")
def test_the_frames_and_a_snippet_are_set_by_latex(folder):
    for command in COMMANDS:
        if "--layout" in command or "--snippet" in command:
            run(command)
    figures = folder / "figures"
    snippets = "".join(path.read_text() for path in figures.glob("*.tex"))
    head = r"\documentclass{article}\usepackage{graphicx}\begin{document}"
    paper = rf"{head}{snippets}\end{{document}}"
    for name, text in {"deck": BEAMER, "paper": paper}.items():
        (figures / f"{name}.tex").write_text(text)
        command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", f"{name}.tex"]
        done = subprocess.run(command, cwd=figures, capture_output=True, text=True)
        assert done.returncode == 0, (figures / f"{name}.log").read_text()[-2000:]
