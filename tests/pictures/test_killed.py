"""What killed programs leave: workers end with them, and what was unfinished is removed."""

import os
import subprocess
import sys
import time

import pytest

from posviz.pictures import killed
from posviz.pictures.killed import START, temporary_folder, unfinished

LEFT = f"{START}{32 * 'a'}"


def leave(folder):
    """A file, and a folder with a file, as killed programs leave them, and what is not ours."""
    (folder / LEFT).write_text("half")
    (folder / f"{START}{32 * 'b'}" / "lesson").mkdir(parents=True)
    others = [".posviz-notes", ".hidden", "figure.png"]
    for name in others:
        (folder / name).touch()
    return sorted(others)


def test_the_next_one_at_work_removes_what_was_left_and_nothing_else(tmp_path):
    others = leave(tmp_path)
    with unfinished(tmp_path) as path:
        assert sorted(os.listdir(tmp_path)) == others
        path.write_text("mine")
    assert sorted(os.listdir(tmp_path)) == others


def test_nothing_is_removed_while_another_is_at_work(tmp_path):
    with unfinished(tmp_path) as first:
        first.write_text("being written")
        others = leave(tmp_path)
        with unfinished(tmp_path) as second:
            assert second != first
        assert len(os.listdir(tmp_path)) == len(others) + 3
    with unfinished(tmp_path):
        assert sorted(os.listdir(tmp_path)) == others


def test_a_temporary_folder_is_ours_alone_and_goes_whatever_happens(tmp_path, monkeypatch):
    monkeypatch.setattr(killed.tempfile, "tempdir", str(tmp_path))

    def fail():
        with temporary_folder() as folder:
            assert (folder.parent, folder.stat().st_mode & 0o777) == (tmp_path, 0o700)
            (folder / "lesson").mkdir()
            raise ValueError("oh")

    with pytest.raises(ValueError, match="oh"):
        fail()
    assert os.listdir(tmp_path) == []


STARTS = """
import os, signal, subprocess, sys
from posviz.pictures.killed import ending_with_us
worker = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, **ending_with_us())
print(worker.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow("a process")
def test_a_worker_ends_when_the_program_is_killed():
    done = subprocess.run([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True)
    for _ in range(200):
        if not lives(int(done.stdout)):
            return
        time.sleep(0.01)
    raise AssertionError("it lives on")


def lives(number) -> bool:
    """Whether a process does something still."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
