"""A watched picture: the page has its newest sheet, soon after the file is saved."""

import io
import os
import signal
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from PIL import Image

from posviz.cli import proof, watch

pytestmark = pytest.mark.slow("lessons are read and run")

VIEWS = [proof.View("styles", name, Image.new("RGB", (9, 9)), "", [name]) for name in "abc"]


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A Watch whose file is there and whose views are these three; what it tells."""
    file, told = tmp_path / "wave.py", []
    file.write_text("")
    monkeypatch.setattr(watch, "views", lambda file: iter(VIEWS))
    one = watch.Watch(file, told.append)
    one.told = told
    yield one
    one.close()


def get(watched, path):
    with urlopen(watched.address + path) as answer:
        return answer.read()


def test_only_this_machine_is_served(watched):
    assert watched.address.startswith("http://127.0.0.1:")
    assert b"sheet.png" in get(watched, "")
    with pytest.raises(HTTPError, match="404"):
        get(watched, "../wave.py")


def test_the_first_view_is_shown_at_once_and_then_all(watched):
    assert get(watched, "number") == b"0"
    watched.draw()
    assert get(watched, "number") == b"2"
    sheet = Image.open(io.BytesIO(get(watched, "sheet.png?2")))
    assert sheet.size == proof.sheet("wave.py", VIEWS).size
    assert watched.told[0] == "a: a"
    assert "first view after" in watched.told[1]
    assert "3 views after" in watched.told[-1]


def test_a_file_that_an_editor_replaces_is_waited_for(watched, monkeypatch):
    drawn, waited = [], iter(range(5))

    def wait(_):
        if next(waited) == 2:
            watched.file.write_text("new")
        elif watched.file.exists():
            watched.file.unlink()

    monkeypatch.setattr(watched, "draw", lambda: drawn.append(watched.file.read_text()))
    monkeypatch.setattr(watch.time, "sleep", wait)
    with pytest.raises(StopIteration):
        watched.run()
    assert drawn == ["", "new"]


@pytest.mark.slow("a process")
def test_a_saved_file_is_seen_within_two_seconds_and_ctrl_c_ends_it(tmp_path):
    from tests.cli.test_proof import SOURCE

    file = tmp_path / "wave.py"
    file.write_text(SOURCE)
    env = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    line = [sys.executable, "-u", "-m", "posviz", "proof", str(file), "--watch"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=env)
    lines = iter(process.stdout)
    assert f" shows {file}; " in next(lines)
    assert "first view after" in next(lines)
    begun = time.monotonic()
    file.write_text(SOURCE.replace("range(", "rang("))
    assert any("line 17: NameError" in line for line in lines)
    assert time.monotonic() - begun < 2
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0
