"""The command line in processes of its own: which files it leaves, and how it stops."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
STOPPED = "Stopped: the files that are there are whole; run it again for the others."
pytestmark = pytest.mark.slow("a process")
COMMAND = [sys.executable, "-m", "posviz"]


def posviz_(*arguments, **settings):
    """Run it in a process of its own."""
    text = {"capture_output": True, "text": True, "cwd": ROOT}
    return subprocess.run([*COMMAND, *map(str, arguments)], **text | settings)


def test_figures_and_an_animation_and_then_nothing_that_is_there(tmp_path):
    line = ["export", "AlibiSlopes", "--to", tmp_path / "a b", "--set", "head=3"]
    done = posviz_(*line, "--format", "png,gif")
    assert (done.returncode, done.stderr) == (0, "")
    names = ["AlibiSlopes_head-3.png", "AlibiSlopes_head-3_head.gif"]
    assert sorted(path.name for path in (tmp_path / "a b").iterdir()) == names
    assert "head=3" in Image.open(tmp_path / "a b" / names[0]).text["Comment"]
    (tmp_path / "a b" / names[0]).write_bytes(b"mine")
    done = posviz_(*line, "--format", "png,svg")
    assert done.returncode == 2
    assert done.stderr.endswith("AlibiSlopes_head-3.png is there already: give --overwrite.\n")
    assert (tmp_path / "a b" / names[0]).read_bytes() == b"mine"
    assert not (tmp_path / "a b" / "AlibiSlopes_head-3.svg").exists()


@pytest.mark.release("ten seconds")
def test_two_runs_give_the_same_bytes(tmp_path):
    runs = []
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": f"170000000{seed}"}
        line = ["export", "ThreeDoors", "AlibiSlopes", "--format", "svg,pdf,png,gif"]
        done = posviz_(*line, "--to", tmp_path / seed, env=environment)
        assert done.returncode == 0
        runs.append({path.name: path.read_bytes() for path in sorted((tmp_path / seed).iterdir())})
    assert len(runs[0]) == 8
    assert runs[0] == runs[1]


def small_files_only():
    """No file may become larger than 20 kB, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_full_disk_is_told_and_leaves_nothing_half_written(tmp_path):
    kept = tmp_path / "AlibiSlopes.png"
    kept.write_bytes(b"old")
    formats = "png,gif"
    line = ["export", "AlibiSlopes", "--to", tmp_path, "--format", formats, "--overwrite"]
    done = posviz_(*line, preexec_fn=small_files_only)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("posviz: cannot write: File too large: ")
    assert list(tmp_path.iterdir()) == [kept]
    assert kept.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("number", "status", "whole_group"),
    [(signal.SIGINT, 130, True), (signal.SIGTERM, 143, False)],  # Ctrl-C goes to the whole group
)
def test_stopping_leaves_whole_files_only(tmp_path, number, status, whole_group):
    line = [*COMMAND, "export", "--all", "--to", str(tmp_path), "--format", "png,gif"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, cwd=ROOT, start_new_session=True, **pipes)
    while process.poll() is None and len(list(tmp_path.glob("*.png"))) < 2:
        time.sleep(0.05)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    _, told = process.communicate()
    assert process.returncode == status, told
    assert "Traceback" not in told
    assert told.splitlines() == [STOPPED]
    assert ends(process.pid), "processes are left"
    for path in tmp_path.iterdir():
        assert not path.name.startswith("."), path
        if path.suffix == ".png":
            Image.open(path).load()


WARNS = """
import warnings
from posviz_tools import __main__
__main__.app = lambda: warnings.warn("no font has this letter")
__main__.main()
"""


def test_a_warning_is_a_line():
    done = subprocess.run([sys.executable, "-c", WARNS], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "note: no font has this letter\n")


def ends(group) -> bool:
    """Whether all processes of a group end by themselves."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
