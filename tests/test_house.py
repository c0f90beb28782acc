"""The house rules: style, types, imports, dependencies, and that no test is skipped."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from posviz import __version__
from posviz_tools.cli.snippets import YEAR

ROOT = Path(__file__).parent.parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = "posviz", "posviz_course", "posviz_tools"
TOOLS = Path(sys.executable).parent


def shell(command, cwd=ROOT, **variables):
    """Run a command with the tools of this environment; return what it printed and its status."""
    environment = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}", **variables}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


@pytest.mark.slow("a process")
@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_commit_hook_passes(hook):
    printed, status = shell(shlex.split(hook["entry"]))
    assert status == 0, printed


@pytest.mark.slow("a process")
def test_scripts_pass_deno_test():
    printed, status = shell(["deno", "test", "--quiet", "--no-check", "tests"], NO_COLOR="1")
    assert status == 0, printed


def test_conditions_are_no_factors_of_texts_and_lists():
    """Write `text if condition else ""`; ruff has no rule for it."""
    for path in (path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.BinOp(ast.List() | ast.JoinedStr() | ast.Constant(str()), _, factor):
                    is_condition = isinstance(factor, ast.Compare | ast.BoolOp)
                    assert not is_condition, f"{path}:{node.lineno}"


@pytest.mark.slow("a process")
def test_the_commit_hooks_are_all_there():
    assert {hook["id"] for hook in HOOKS} == {
        *("ruff", "ruff-format", "mypy", "import-linter", "deno-check", "deno-lint")
    }
    printed, status = shell(["pre-commit", "validate-config"])
    assert (printed, status) == ("", 0)


@pytest.mark.slow("a process")
def test_ruff_reads_the_notebooks():
    printed, _ = shell(["ruff", "check", "--show-files"])
    lessons = [path.name for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert [name for name in lessons if name not in printed] == []


@pytest.mark.slow("a process")
def test_environment_yml_is_what_pyproject_says(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    printed, status = shell(["pyproject2conda", "project", "--overwrite", "force"], cwd=tmp_path)
    assert status == 0, printed
    generated = (tmp_path / "environment.yml").read_text()
    assert generated == (ROOT / "environment.yml").read_text(), (
        "run `pyproject2conda project --overwrite force`"
    )


def test_the_conda_names_ask_for_the_same_versions():
    wanted = lowest_versions()
    for name, rule in PYPROJECT["tool"]["pyproject2conda"]["dependencies"].items():
        if rule.get("skip"):
            assert rule["packages"].partition(">=")[2] == wanted[name]


def test_constraints_pin_exactly_the_requirements():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = [line.partition("==")[0] for line in lines if line and not line.startswith("#")]
    assert sorted(pinned) == sorted(lowest_versions())


def test_texts_that_name_the_version_name_that_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    wheel = re.search(r"posviz-(.+?)-py3", (ROOT / "docs" / "install.md").read_text("utf-8"))
    assert (citation["version"], wheel[1]) == (__version__, __version__)
    assert citation["date-released"].year == YEAR


def lowest_versions():
    """Return {name: lowest version} of everything the course and its tests ask for."""
    project = PYPROJECT["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return dict(line.split(">=") for lines in lists for line in lines)


@pytest.mark.slow("a process")
def test_a_skipped_test_fails(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    bodies = [
        "pytest.importorskip('no_such_package')",
        "@pytest.mark.skip\ndef test_it():\n    pass",
        "def test_it():\n    pytest.skip('not today')",
        "@pytest.mark.xfail\ndef test_it():\n    raise ValueError",
        "@pytest.mark.parametrize('nothing', [])\ndef test_it(nothing):\n    pass",
    ]
    for number, body in enumerate(bodies):
        (tmp_path / f"test_{number}.py").write_text(f"import pytest\n\n{body}\n")
    command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", "."]
    printed, _ = shell(command, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert "\n2 failed, 3 errors in " in printed, printed
