"""Which files there will be, and that each job writes the very files it names."""

from pathlib import Path

import pytest
from PIL import Image

import posviz.pictures
from posviz.cli import export_jobs
from posviz.pictures.export import method_call

LOOK = ("notebook", False)


def plan(to, values, filmed, formats, overwrite=False):
    return export_jobs.plan(values, filmed, formats, to, *LOOK, overwrite)


def test_one_job_for_all_stills_of_a_picture_and_one_for_each_animation():
    values = {"ThreeDoors": {}, "CounterToClock": {"position": 5}}
    filmed = {"CounterToClock": "position"}
    jobs, kept = plan(Path("out"), values, filmed, ["svg", "gif", "png", "mp4"])
    assert list(jobs) == [
        "ThreeDoors.svg, .png",
        "CounterToClock.svg, .png",
        "CounterToClock_position.gif",
        "CounterToClock_position.mp4",
    ]
    assert kept == []


@pytest.mark.slow("half a second")
def test_pictures_without_room_for_their_texts_are_named():
    values = {"CounterToClock": {}, "SolveRates": {"methods": "all"}}
    (line,) = export_jobs.crowded(values, "slide/body", dark=False)
    assert line.startswith("SolveRates has no room for all its texts: 'none' overlaps ")


def test_existing_files_are_kept_unless_they_shall_be_overwritten(tmp_path):
    (tmp_path / "ThreeDoors.svg").touch()
    (tmp_path / "ThreeDoors_door.gif").touch()
    arguments = tmp_path, {"ThreeDoors": {}}, {"ThreeDoors": "door"}, ["svg", "png", "gif"]
    jobs, kept = plan(*arguments)
    assert list(jobs) == ["ThreeDoors.png"]
    assert [path.name for path in kept] == ["ThreeDoors.svg", "ThreeDoors_door.gif"]
    jobs, kept = plan(*arguments, overwrite=True)
    assert list(jobs) == ["ThreeDoors.svg, .png", "ThreeDoors_door.gif"]
    assert kept == []


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("dark", [False, True])
def test_jobs_write_the_picture_in_its_setting_and_look(tmp_path, dark):
    values, filmed = {"CounterToClock": {"position": 5}}, {"CounterToClock": "position"}
    formats = ["png", "svg", "pdf", "gif"]
    jobs, _ = export_jobs.plan(values, filmed, formats, tmp_path / "out", "slide", dark, False)
    for job in jobs.values():
        job()
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    stills = [f"CounterToClock.{kind}" for kind in ("pdf", "png", "svg")]
    assert names == [*stills, "CounterToClock_position.gif"]
    picture = posviz.CounterToClock(position=5)
    for name in stills:
        alone = picture.save(tmp_path / name, style="slide", dark=dark)
        assert alone.read_bytes() == (tmp_path / "out" / name).read_bytes()
    comment = Image.open(tmp_path / "out" / names[-1]).info["comment"].decode().split("\n")
    call = method_call("animate", "position", names[-1], style="slide", dark=dark)
    assert f"{picture!r}.{call}" in comment
