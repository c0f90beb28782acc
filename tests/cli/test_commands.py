"""Every command that a text of the project gives is understood, and benchmarks run at small sizes.

What installs something or opens JupyterLab is not run: its files and its options are there.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from posviz_course.blackbox.verdict import ProgramVerdict
from posviz_course.course import LESSONS
from posviz_tools.__main__ import app
from posviz_tools.classroom import assign, grade, report
from posviz_tools.cli import common, doctor, export_jobs, proof, start
from posviz_tools.publish import rerun

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PROGRAM = r"(?:\.venv/bin/)?(?:python|posviz|pip|conda|jupyter|pre-commit|pyproject2conda)"
QUOTED = re.compile(rf"(?<!`)`({PROGRAM} [^`{{}}%*]+)`")
ALONE = {  # indented in Markdown, a step of a workflow, or in a docstring
    ending: re.compile(rf"^{before}({PROGRAM} [^\s=].*)$", re.MULTILINE)
    for ending, before in ((".md", " {4}"), (".yml", " *- run: "), (".py", " *"))
}
NAMES = (
    "posviz export",
    "posviz grade",
    "posviz rerun",
    "posviz export --to DIR",
    "posviz identify",
)  # sentences speak of them


def files() -> list[Path]:
    """The texts of the project."""
    folders = [*ROOT.glob("posviz*"), *map(ROOT.joinpath, ("notebooks", "docs", "benchmarks"))]
    folders += [ROOT / "scripts", ROOT / ".github"]
    found = [path for folder in folders for path in folder.rglob("*.*")]
    return [*ROOT.glob("*.*"), *found]


def commands() -> list[str]:
    """What stands between backticks, or on a line of its own, without remarks and options."""
    found = set()
    for file in files():
        ending = file.suffix
        if ending in (*ALONE, ".ipynb", ".txt"):
            text = file.read_text("utf-8")
            joined = re.sub(r"'?\n *[\"']?", " ", text)  # Python joins its texts so
            alone = ALONE[ending].findall(text) if ending in ALONE else []
            for command in QUOTED.findall(joined) + alone:
                said = re.split(r"  +|…| [\[#|>]", command)[0]
                found.add(said.strip().removeprefix(".venv/bin/"))
    return sorted(found)


COMMANDS = commands()


BENCHMARKS = [line.partition("/")[2] for line in COMMANDS if line.startswith("python benchmarks/")]
OF_POSVIZ = [line for line in COMMANDS if line.startswith("posviz ")]
OTHERS = [line for line in COMMANDS if not line.startswith(("posviz ", "python benchmarks/"))]


def test_commands_are_found():
    assert len(COMMANDS) > 60
    some = {"python benchmarks/browser.py", "posviz site --to site --open", "pip install -e ."}
    assert some <= set(COMMANDS)


@pytest.mark.slow("a quarter of a minute")
@pytest.mark.parametrize("command", OF_POSVIZ)
def test_command_of_posviz_is_understood(command, tmp_path, monkeypatch):
    """Of its jobs none is done."""
    monkeypatch.setattr(common, "run_jobs", lambda *_: None)
    monkeypatch.setattr(export_jobs, "with_room_for_texts", lambda found: found)
    monkeypatch.setattr(common, "serve", lambda folder, file: None)
    monkeypatch.setattr(proof, "write", lambda kind, to: (to, [], 0))
    monkeypatch.setattr(rerun, "rerun", lambda path: [])
    monkeypatch.setattr(doctor, "checks", list)
    monkeypatch.setattr("posviz.arrays._why_not", lambda device: "")  # as where there is a GPU
    monkeypatch.setattr("posviz_course.lab.sweep.sweep", lambda configs, to: configs)
    monkeypatch.setattr(grade, "submissions", lambda *_: [])
    monkeypatch.setattr(grade, "lesson_of", lambda *_: LESSONS[5])
    monkeypatch.setattr(grade, "grade", lambda *_: [grade.Row("ann", "1 a head (10)", 10, "", "")])
    monkeypatch.setattr(report, "report", lambda rows, folder, lesson: [folder])
    monkeypatch.setattr(start, "become", lambda _: 0)
    monkeypatch.setattr(assign, "write_solutions", lambda *_: tmp_path)
    monkeypatch.setattr(grade, "write", lambda rows, folder: [folder])
    monkeypatch.setattr("posviz_tools.classroom.guide.write_guide", lambda *_: [tmp_path])
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text('{"model_type": "llama", "rope_theta": 1e4}')
    for name in ("before.npy", "after.npy", "table.npy"):
        np.save(name, np.eye(4))
    for name in ("before.f32", "after.f32"):
        np.zeros(200 * 8 * 64, "<f4").tofile(name)
    np.savez("wrong.npz", before=np.eye(4), after=np.eye(4))
    Path("wrong.npz").with_stem("right").write_bytes(Path("wrong.npz").read_bytes())
    Path("my_rope.py").write_text("rotate = print")
    understood = ProgramVerdict("unknown", explained=True)
    monkeypatch.setattr("posviz.identify", lambda **_: understood, raising=False)
    said = CliRunner().invoke(app, shlex.split(command)[1:])
    assert said.exit_code == (2 if command in NAMES else 0), said.output


SMALL = {  # by what is run: what makes it so
    "browser.py": """
import contextlib
browser.chromium, browser.jupyterlab = contextlib.nullcontext, lambda *_: contextlib.nullcontext()
browser.print_contenders = browser.print_course = browser.print_floor = print
""",
    "browser.py heatmap echo FourTerms": """
import stage
browser.REPETITIONS, stage.PRESSES = 1, 3
""",
    "every_knob.py": """
modules = {"AlibiSlopes": every_knob.posviz_course.lessons.names()["AlibiSlopes"]}
every_knob.posviz_course.lessons.names = lambda: modules
""",
    "gpu.py": """
gpu.ENCODINGS = {"ALiBi": gpu.ENCODINGS["ALiBi"]}
""",
    "identify.py": "identify.LENGTH = 64",
    "pages.py": "pages.EVERY, pages.PLACES = ['00'], 2",
    "start.py": "start.NOTEBOOKS = start.Path('nowhere')",
}


@pytest.mark.release("a minute")
@pytest.mark.parametrize("line", BENCHMARKS)
def test_benchmark_runs_at_a_small_size(line):
    file, *_ = words = line.split()
    module = Path(file).stem
    program = f"""
import sys
sys.path[:0] = ["benchmarks", "."]
import {module}
{SMALL.get(line, SMALL[file])}
sys.argv = {words}
{module}.main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") > 1


@pytest.mark.parametrize("command", OTHERS)
def test_files_modules_and_options_of_a_command_are_there(command):
    words = shlex.split(command)
    named = [word for word in words if re.search(r"\w\.(py|ipynb|txt|yml)$", word)]
    text = "".join((ROOT / file).read_text("utf-8") for file in {"run.py", *named})
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2])
    assert set(re.findall(r"\[(\w+)\]", command)) <= set(EXTRAS)
    if words[:2] == ["python", "run.py"]:
        options = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
        known = {"--version", *re.findall(r"(?<![\w-])--[\w-]+", text)}
        assert options <= known
