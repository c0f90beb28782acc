"""What holds for all tests: three markers, one thread, and a skipped test is a failed one."""

import gc
import os
import signal
import sys

import numpy as np
import pytest

from tests import kinds

# Workers and kernels share the cores: threads for such small arrays only wait for each other.
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# jsonschema's parser of addresses, which no notebook needs, takes a second to make in each process.
sys.modules["rfc3987_syntax"] = None

# pytest rewrites every test; where that is not kept, each worker does it anew for four seconds.
sys.dont_write_bytecode = False

MARKERS = (
    "slow(reason): starts a process, runs a notebook, draws figures or takes seconds",
    "browser: drives Chromium (every test in tests/browser has it)",
    "release(reason): only --everything runs it",
)
PROCESSES = {"subprocess.Popen", "os.fork", "os.posix_spawn"}  # as Python's audit calls them
_started: list[str] = []


def pytest_configure(config):
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    config.pluginmanager.register(kinds)  # a conftest's own hooks see no notebook
    sys.addaudithook(lambda event, _: event in PROCESSES and _started.append(event))


# Begun first, so that the workers end together.
QUICK = ("test_exercises", "test_claims")  # of a lesson; its other tests draw
LONGEST = (
    "browser/",
    "test_house",
    "test_pictures",
    "test_every_figure",
    ".ipynb",
    "test_notebooks",
)


def pytest_collection_modifyitems(items):
    """Mark what its folder or kind makes slow; begin with the longest."""
    items.sort(
        key=lambda item: next((i for i, name in enumerate(LONGEST) if name in item.nodeid), 9)
    )
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.slow("a kernel"))
        elif "browser" in item.path.parts:
            item.add_marker("browser")
        elif "lessons" in item.path.parts and item.path.stem not in (
            "test_exercises",
            "test_claims",
        ):
            item.add_marker(pytest.mark.slow("a figure"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep what is loaded by now out of garbage collection: each figure would search it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that starts a process without being marked: it would slow --quick down."""
    result = yield
    marked = any(map(item.get_closest_marker, ("slow", "browser", "release")))
    assert marked or not _started, "it starts a process: mark it with @pytest.mark.slow"
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _fail_if_skipped((yield))


def _fail_if_skipped(report):
    """Turn a skip, of a test or of a whole file, and an expected failure into a failure."""
    if report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"Every test has to run, and this one was skipped: {report.longrepr}"
        vars(report).pop("wasxfail", None)
    return report


@pytest.fixture
def rng(request) -> np.random.Generator:
    """Return a generator that draws the same numbers for the same test each time."""
    return np.random.default_rng(list(request.node.name.encode()))
