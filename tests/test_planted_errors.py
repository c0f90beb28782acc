"""Errors that people make, planted on purpose: each turns some test of the mathematics red."""

import multiprocessing
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.planted_errors import ERRORS

ROOT = Path(__file__).parent.parent
SLOW_TO_LOAD = [  # what the tests compare with, and nothing of our own
    "torch",
    "hypothesis",
    "transformers.models.llama.modeling_llama",
    "x_transformers.x_transformers",
]


def run(folder, tests, output):
    """Run tests of the copy in ``folder``, in a process of its own; exit with pytest's status."""
    with open(output, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        sys.stdout, sys.stderr, sys.dont_write_bytecode = file, file, True
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "posviz")]:
            del sys.modules[name]
        sys.path[:] = [path for path in sys.path if Path(path) != ROOT]
        os.chdir(folder)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:nbval"]
        status = pytest.main([*options, *(f"tests/{name}" for name in tests)])
        file.flush()
    os._exit(status)


@pytest.fixture(scope="module")
def processes():
    """Where it can, Python forks from a process that has loaded what takes seconds to load."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload(SLOW_TO_LOAD)
    return context


@pytest.fixture
def copy(tmp_path):
    """The package and its tests, without what the mathematics does not need."""
    left_out = shutil.ignore_patterns("__pycache__", "engine", "pictures", "browser")
    for folder in ("posviz", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def status_and_output(processes, folder, tests):
    output = folder / "output.txt"
    process = processes.Process(target=run, args=(folder, tests, output))
    process.start()
    process.join()
    return process.exitcode, output.read_text(encoding="utf-8")[-3000:]


def test_without_an_error_they_are_green(processes, copy):
    tests = sorted({seen_by for *_, seen_by in ERRORS.values()})
    status, output = status_and_output(processes, copy, tests)
    assert status == 0, output


@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_turns_a_test_red(processes, copy, error):
    file, old, new, seen_by = ERRORS[error]
    source = copy / "posviz" / file
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {old!r} not once: plant the error anew"
    source.write_text(text.replace(old, new), encoding="utf-8")
    status, output = status_and_output(processes, copy, [seen_by])
    assert status == 1, output
    assert "1 failed" in output
