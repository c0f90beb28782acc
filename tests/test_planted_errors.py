"""Errors that people make, planted on purpose: each turns its test red at the speed it says."""

import multiprocessing
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.changed import Reach, files
from tests.planted import ERRORS, QUICK

ROOT = Path(__file__).parent.parent
SLOW_TO_LOAD = [  # what the tests compare with, and nothing of our own
    "torch",
    "hypothesis",
    "matplotlib.figure",
    "transformers.models.llama.modeling_llama",
    "x_transformers.x_transformers",
]

LIMIT = 400  # seconds for the tests that see an error; a lesson that does not end is waited for 300


def run(folder, options, output):
    """Run tests of the copy in ``folder``, in a process of its own; exit with pytest's status."""
    with open(output, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        sys.stdout, sys.stderr, sys.dont_write_bytecode = file, file, True
        for name in [
            name for name in sys.modules if name.split(".")[0] in ("tests", "posviz", "run")
        ]:
            del sys.modules[name]
        sys.path[:] = [str(folder), *(path for path in sys.path if Path(path) != ROOT)]
        os.environ["PYTHONPATH"] = str(folder)  # of the processes that tests start
        os.chdir(folder)
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options])
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
    """The project's files, in a folder where an error harms nobody."""
    for name in files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def plant(folder, error):
    """Put an error in the place of what stands there."""
    name, old, new, _ = error
    text = (ROOT / name).read_text("utf-8")
    assert text.count(old) == 1, f"{name} has {old!r} not once: plant the error anew"
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def status_and_output(processes, folder, options, limit=LIMIT):
    output = folder / "output.txt"
    process = processes.Process(target=run, args=(folder, options, output))
    process.start()
    process.join(limit)
    process.kill()  # an error may make a test wait for ever
    process.join()
    return process.exitcode, output.read_text(encoding="utf-8")[-3000:]


def planted() -> list:
    """Their names; those that a browser sees take half a minute each."""
    driven = pytest.mark.release("a planted error that a browser sees")
    return [
        pytest.param(name, marks=[driven] * needs_browser(error)) for name, error in ERRORS.items()
    ]


def needs_browser(error) -> bool:
    return error[-1].startswith("tests/browser/")


@pytest.mark.slow("a process")
@pytest.mark.sampled(default=6)
@pytest.mark.parametrize("name", planted())
def test_a_planted_error_turns_a_test_red(processes, copy, name):
    plant(copy, ERRORS[name])
    seen_by = ERRORS[name][-1]
    speed = ["--quick"] if name in QUICK else []
    status, output = status_and_output(processes, copy, [*speed, seen_by])
    assert status == 1, output
    assert "1 failed" in output or "1 error" in output
    assert "fixture '" not in output  # that is not found: nothing was tried


def test_every_planted_error_can_be_planted(tmp_path):
    for name in {error[0] for error in ERRORS.values()}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    for error in ERRORS.values():
        plant(tmp_path, error)


@pytest.mark.slow("a process")
@pytest.mark.release("that nothing is red without an error")
def test_without_an_error_they_are_green(processes, copy):
    seen_by = {error[-1] for error in ERRORS.values() if not needs_browser(error)}
    status, output = status_and_output(processes, copy, sorted(seen_by), 5 * LIMIT)
    assert status == 0, output


@pytest.mark.parametrize("file", sorted({error[0] for error in ERRORS.values()}))
def test_changed_reaches_the_test_that_sees_an_error(file):
    reach = Reach([file])
    for name, error in ERRORS.items():
        if error[0] == file:
            test, _, parameters = error[-1].partition("[")
            parts = parameters.rstrip("]").split("-")
            assert reach.test(test.partition("::")[0], parts), name


def test_what_stands_for_no_picture_or_notebook_is_reached_by_imports_alone():
    reach = Reach(["posviz/encodings/alibi.py"])
    for odd in ({"a": [1]}, "x" * 1000, None, 3.0):
        assert reach.test("tests/encodings/test_alibi.py", [odd])
        assert not reach.test("tests/test_arrays.py", [odd])
