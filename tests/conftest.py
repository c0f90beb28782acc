"""For all tests: a skipped test is a failed one, and a speed says which are run."""

import os
import sys

import pytest

# Workers and kernels share the cores: threads of arrays as small as these only wait for each other.
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from tests.speeds import *  # noqa: E402, F403 - hooks and fixtures

# jsonschema's parser of addresses, which no notebook needs, takes a second to make in each process.
sys.modules["rfc3987_syntax"] = None

# pytest rewrites every test; where that is not kept, each worker does it anew for four seconds.
sys.dont_write_bytecode = False


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
