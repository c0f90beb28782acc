"""Killed at any moment: no worker lives on, and the next run clears what was left unfinished."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.publish.test_lesson import write

LESSON = "from posviz import ThreeDoors\nThreeDoors().explore()\nThreeDoors().save('figures/a.png')"
COURSE = ["--all", "--notebooks", "{place}/course"]
COMMANDS = {
    "page": ["page", *COURSE],
    "slides": ["slides", *COURSE],
    "export": ["export", "ThreeDoors", "AlibiSlopes", "AngleTable", "--format", "png,svg,pdf"],
    "animate": ["export", "AlibiSlopes", "--format", "gif,mp4"],
    "proof": ["proof", "ThreeDoors", "AlibiSlopes", "AngleTable"],
}
# The moment: so many seconds after the n-th time that Python is about to do this.
KILLED = """
import os, signal, sys, threading
event, number, delay = sys.argv.pop(1), int(sys.argv.pop(1)), float(sys.argv.pop(1))

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def count(happens, _):
    global number
    number -= happens == event
    if happens == event and number == 0:
        threading.Timer(delay, kill).start() if delay else kill()

from posviz.__main__ import main
sys.addaudithook(count)
main()
"""
RENAMED, STARTED = "os.rename", "subprocess.Popen"
release = pytest.mark.release("kills at more moments")
MOMENTS = [
    ("page", (RENAMED, 3, 0)),
    ("animate", (STARTED, 2, 0.25)),  # ffmpeg; the first one only tells its version
    pytest.param("slides", (STARTED, 1, 0), marks=release),
    pytest.param("slides", (STARTED, 1, 1.3), marks=release),
    pytest.param("page", (STARTED, 1, 4), marks=release),
    pytest.param("export", (RENAMED, 4, 0), marks=release),
    pytest.param("proof", (RENAMED, 2, 0), marks=release),
]
LATEST = 2  # seconds


def start(place, name, *moment):
    """Begin a command in a process of its own, whose temporary files lie in the place, too."""
    folders = {"TMPDIR": f"{place}/temporary", "JUPYTER_RUNTIME_DIR": f"{place}/runtime"}
    program = ["-c", KILLED, *map(str, moment)] if moment else ["-m", "posviz"]
    line = [part.format(place=place) for part in [*COMMANDS[name], "--to", "{place}/to"]]
    with (place / "out").open("w") as out:
        told = {"stdout": out, "stderr": out, "env": os.environ | folders}
        return subprocess.Popen([sys.executable, *program, *line], **told)


def workers(place) -> list[str]:
    """The command lines of the processes that have the place in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{place}/runtime".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def unfinished(place) -> list[str]:
    """Hidden files, and all that is left of what is temporary."""
    left = [path for path in place.rglob("*") if path.name.startswith(".")]
    left += [*place.glob("temporary/*"), *place.glob("runtime/*")]
    return sorted({str(path.relative_to(place)) for path in left})


@pytest.mark.release("half a minute")
@pytest.mark.slow("processes")
@pytest.mark.parametrize(("name", "moment"), MOMENTS)
def test_no_worker_lives_on_and_the_next_run_clears_what_was_left(tmp_path, name, moment):
    (tmp_path / "course").mkdir()
    (tmp_path / "temporary").mkdir()
    write(tmp_path / "course" / "03_short.ipynb", LESSON)
    killed = start(tmp_path, name, *moment)
    status, latest = killed.wait(), time.monotonic() + LATEST
    assert status == -signal.SIGKILL or moment[2], (tmp_path / "out").read_text()
    while (living := workers(tmp_path)) and time.monotonic() < latest:
        time.sleep(0.02)
    left = unfinished(tmp_path)
    status = start(tmp_path, name).wait()
    assert status in (0, name == "proof"), (tmp_path / "out").read_text()  # a proof tells faults
    print(f"living after {LATEST} s: {living}; left: {left}")
    assert (living, unfinished(tmp_path)) == ([], [])
    assert os.listdir(tmp_path / "course") == ["03_short.ipynb"]
