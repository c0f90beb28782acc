"""Jobs in processes: all are done, failures are told by name, and stopping leaves nothing."""

import multiprocessing
import os
import time
import warnings
from functools import partial
from pathlib import Path

import pytest

from posviz.engine.export import replacing
from posviz.publish import batch


def write(path: Path, text: str):
    path.write_text(text)


def fail(text):
    raise ValueError(text)


def tell_surroundings(path: Path):
    path.write_text(f"{os.getpid()} {os.environ['OPENBLAS_NUM_THREADS']}")


def write_beside(path: Path):
    with replacing(path) as file:
        file.write(b"whole")


def warn(text):
    warnings.warn(text, stacklevel=1)


def half_write(path: Path):
    """Write one half, then take long over the other."""
    with replacing(path) as file:
        file.write(b"one half")
        file.flush()
        time.sleep(600)


@pytest.mark.slow("seconds")
def test_every_job_is_done_in_another_process_with_one_thread_for_numbers(tmp_path):
    jobs = {name: partial(tell_surroundings, tmp_path / name) for name in "abcd"}
    assert batch.run(jobs, "file") == {}
    told = [(tmp_path / name).read_text().split() for name in jobs]
    assert str(os.getpid()) not in {process for process, _ in told}
    assert {threads for _, threads in told} == {"1"}


@pytest.mark.slow("seconds")
def test_a_failed_job_is_told_and_does_not_stop_the_others(tmp_path):
    jobs = {
        "z": partial(fail, "first"),
        "written": partial(write, tmp_path / "written", "whole"),
        "a": partial(fail, "second"),
        "nowhere": partial(write, tmp_path / "no" / "folder", "whole"),
        "below a file": partial(write_beside, Path(__file__, "file")),
    }
    assert batch.run(jobs, "file") == {
        "z": "ValueError: first",
        "a": "ValueError: second",
        "nowhere": f"No such file or directory: {tmp_path / 'no' / 'folder'}",
        "below a file": f"cannot write: {__file__} is not a folder: {Path(__file__, 'file')}",
    }
    assert (tmp_path / "written").read_text() == "whole"


def test_reasons_of_the_system_have_no_python_in_them():
    assert batch.reason(OSError(28, "No space left")) == "No space left"
    assert batch.reason(OSError("ffmpeg ended")) == "ffmpeg ended"
    assert batch.reason(PermissionError(13, "Denied", "a.svg")) == "Denied: a.svg"
    assert batch.reason(KeyError("d_model")) == "KeyError: 'd_model'"


@pytest.mark.slow("seconds")
def test_a_warning_is_a_note_in_one_line(capfd):
    assert batch.run({"warns": partial(warn, "no font has this letter")}, "file") == {}
    assert capfd.readouterr().err == "note: no font has this letter\n"


@pytest.mark.slow("seconds")
def test_a_process_that_dies_is_told_and_does_not_stop_the_others(tmp_path):
    written = {name: partial(write, tmp_path / name, "whole") for name in "abcdef"}
    failures = batch.run({"dies": partial(os._exit, 9), **written}, "file")
    assert list(failures) == ["dies"]
    assert "terminated abruptly" in failures["dies"]
    assert sorted(path.name for path in tmp_path.iterdir()) == list("abcdef")


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.setattr(batch, "ProcessPoolExecutor", None)
    assert batch.run({}, "file") == {}


@pytest.mark.slow("seconds")
def test_an_interruption_stops_all_processes_and_removes_what_is_half_written(
    tmp_path, monkeypatch
):
    def interrupted(_):
        while not list(tmp_path.glob(".*")):
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "as_completed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.run({"long": partial(half_write, tmp_path / "waves.png")}, "file")
    assert list(tmp_path.iterdir()) == []
    end = time.monotonic() + 2  # the pool's thread may have seen their end and not yet noted it
    while multiprocessing.active_children() and time.monotonic() < end:
        time.sleep(0.05)
    assert multiprocessing.active_children() == []


def test_as_many_processes_as_cores_that_may_be_used(monkeypatch):
    assert batch.cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert batch.cores() == os.cpu_count()
