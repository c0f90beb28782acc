"""The wheel, built and installed elsewhere: what a reader gets who has no clone."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from posviz_course.course import LESSONS

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
USE = """
from pathlib import Path
import posviz
from posviz_tools.cli import arguments
from posviz.pictures.explorer import Explorer
print(posviz.__file__)
told = []
explorer = Explorer(posviz.SinusoidalTable(), lambda message, buffers: told.append(message))
explorer.receive({"part": "screen", "view": "a", "ratio": 1})
print([message["frame"] for message in told if "frame" in message])
print(*filter(Path.is_file, arguments.notebooks().values()), sep="\\n")
print(posviz.read_config({"model_type": "llama4_text"}).layers[0].chunk)
"""


def within(path) -> str:
    """A file's place in the wheel, whose tools hold the docs and the notebooks, too."""
    return Path(path).as_posix().removeprefix("posviz_tools/")


@pytest.mark.slow("processes")
def test_the_wheel_is_whole_and_works_where_there_is_no_clone(tmp_path):
    def run(*command):
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        elsewhere = os.environ | {"PYTHONPATH": path}
        done = subprocess.run(command, cwd=tmp_path, env=elsewhere, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    files = [ROOT / "CITATION.cff", *ROOT.glob("docs/*.md"), *ROOT.glob("posviz*/**/*.*")]
    wanted = {within(path.relative_to(ROOT)) for path in files if path.suffix != ".pyc"}
    assert wanted - {*map(within, zipfile.ZipFile(wheel).namelist())} == set()
    run(*PIP, "install", "--no-deps", "--no-index", "--target", tmp_path, wheel)
    assert "Usage: posviz" in run(tmp_path / "bin" / "posviz", "--help")
    module, frames, *notebooks, chunk = run(sys.executable, "-c", USE).splitlines()
    assert Path(module).is_relative_to(tmp_path)
    assert (frames, chunk) == ("[1]", "8192")
    assert {Path(each).is_relative_to(tmp_path) for each in notebooks} == {True}
    assert len(notebooks) == len(LESSONS) + 1
    settings = [path.parent.name for path in (tmp_path / "etc").rglob("*.json")]
    assert settings == ["jupyter_server_config.d"]  # it changes nothing else of Jupyter's
