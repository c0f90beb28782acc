"""A course that nobody may write to, as hubs have it: what it shows is made elsewhere."""

import ctypes
import os
import re
import subprocess
import sys

import pytest

from posviz.files import SETTING
from tests.publish.test_lesson import write

SAVES = "from posviz import ThreeDoors\nprint(ThreeDoors().save('figures/03_doors.png'))"
RERUNS = """
import sys
from pathlib import Path
from posviz_tools import __main__
from posviz_tools.cli import arguments
arguments.notebooks = lambda: {"03_learned_embeddings": Path("03_short.ipynb")}
sys.argv = ["posviz", "rerun", "03"]
__main__.main()
"""
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # what lets root write into every folder

pytestmark = pytest.mark.slow("processes")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run Python with these arguments in a folder, which may not be written to."""
    course = tmp_path / "course"
    course.mkdir()
    write(course / "03_short.ipynb", SAVES, "ThreeDoors().explore()")
    monkeypatch.delenv(SETTING, raising=False)

    def run(*arguments, **settings):
        there = sorted(course.rglob("*"))
        course.chmod(0o555)
        prctl = ctypes.CDLL(None).prctl
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            **pipes,
            cwd=course,
            env=os.environ | settings,
            preexec_fn=lambda: prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0),
        )
        course.chmod(0o755)
        assert sorted(course.rglob("*")) == there
        return done.returncode, done.stdout

    assert run("-c", "open('here', 'w')")[0] == 1
    return run


def test_figure_that_cannot_be_saved_there_goes_elsewhere(run, tmp_path):
    what = f"cannot write: Permission denied; set {SETTING} to a folder that you may write to"
    line = f"PermissionError: [Errno 13] {what}: 'figures/03_doors.png'\n"
    cell = ["-m", "IPython", "--colors=NoColor", "-c", SAVES]
    status, told = run(*cell)
    assert (status, told.endswith(line)) == (1, True)
    assert run(*cell, **{SETTING: f"{tmp_path}/mine"}) == (0, f"{tmp_path}/mine/03_doors.png\n")
    assert os.listdir(tmp_path / "mine") == ["03_doors.png"]


def test_rerun_that_cannot_write_there_is_told_in_one_line(run):
    status, told = run("-c", RERUNS)
    assert status == 2
    assert re.search(r"you may not write into \S+course\.\n$", told), told
