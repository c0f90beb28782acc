"""Jobs: all are done, failures are told by name, and stopping leaves nothing."""

from functools import partial
from pathlib import Path

import pytest

from posviz.pictures.files import replacing
from posviz.publish import batch


def fail(text):
    raise ValueError(text)


def write_beside(path: Path):
    with replacing(path) as file:
        file.write(b"whole")


def interrupted_half_way(path: Path):
    with replacing(path) as file:
        file.write(b"one half")
        raise KeyboardInterrupt


def test_a_failed_job_is_told_and_does_not_stop_the_others(tmp_path):
    jobs = {
        "z": partial(fail, "first"),
        "written": partial(Path.write_text, tmp_path / "written", "whole"),
        "a": partial(fail, "second"),
        "nowhere": partial(Path.write_text, tmp_path / "no" / "folder", "whole"),
        "below a file": partial(write_beside, Path(__file__, "file")),
    }
    assert batch.run(jobs) == {
        "z": "first",
        "a": "second",
        "nowhere": f"No such file or directory: {tmp_path / 'no' / 'folder'}",
        "below a file": f"cannot write: its folder is a file: {Path(__file__, 'file')}",
    }
    assert (tmp_path / "written").read_text() == "whole"


def test_an_interruption_ends_all_jobs_and_removes_what_is_half_written(tmp_path):
    after = partial(Path.write_text, tmp_path / "after", "whole")
    with pytest.raises(KeyboardInterrupt):
        batch.run({"long": partial(interrupted_half_way, tmp_path / "a.png"), "b": after})
    assert list(tmp_path.iterdir()) == []
