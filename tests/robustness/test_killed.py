"""Killed at any moment: no worker lives on, and the next run clears what was left unfinished."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.publish.test_lesson import write

pytestmark = pytest.mark.slow("processes")

SOURCES = ["from posviz import ThreeDoors", "ThreeDoors().explore()", "print(1)"]
COMMANDS = {
    "page": ["page", "--all", "--notebooks", "{place}/course", "--to", "{place}/to"],
    "slides": ["slides", "--all", "--notebooks", "{place}/course", "--to", "{place}/to"],
    "export": ["export", "ThreeDoors", "AlibiSlopes", "--format", "png,svg", "--to", "{place}/to"],
    "animate": ["export", "AlibiSlopes", "--format", "gif,mp4", "--to", "{place}/to"],
    "proof": ["proof", "ThreeDoors", "--to", "{place}/to"],
}
KILLED = """
import os, signal, sys
event, number = sys.argv.pop(1), int(sys.argv.pop(1))

def count(happens, _):
    global number
    number -= happens == event
    if not number:
        os.kill(os.getpid(), signal.SIGKILL)

from posviz.__main__ import main
sys.addaudithook(count)
main()
"""
LATEST = 2  # seconds


def start(place, name, *kill):
    """Begin a command in a process of its own, whose temporary files lie in the place, too."""
    folders = {"TMPDIR": f"{place}/temporary", "JUPYTER_RUNTIME_DIR": f"{place}/runtime"}
    program = ["-c", KILLED, *kill] if kill else ["-m", "posviz"]
    line = [sys.executable, *program, *(part.format(place=place) for part in COMMANDS[name])]
    out = (place / "out").open("w")
    return subprocess.Popen(line, env=os.environ | folders, stdout=out, stderr=out)


def workers(place) -> list[str]:
    """The command lines of the processes that have the place in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{place}/temporary".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def unfinished(place) -> list[Path]:
    """Hidden files, and all that is left of what is temporary."""
    left = [path for path in place.rglob("*") if path.name.startswith(".")]
    return [*left, *(place / "temporary").iterdir(), *(place / "runtime").glob("*")]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "temporary").mkdir()
    write(tmp_path / "course" / "03_short.ipynb", *SOURCES)
    return tmp_path


def check(place, name):
    """See that nobody lives on, and that the next run leaves what an undisturbed one does."""
    latest = time.monotonic() + LATEST
    while (living := workers(place)) and time.monotonic() < latest:
        time.sleep(0.02)
    assert living == []
    assert start(place, name).wait() in (0, 1), (place / "out").read_text()  # a proof tells faults
    assert unfinished(place) == []
