"""Which files there will be, and that each job writes the very files it names."""

from pathlib import Path

import pytest
from PIL import Image

import posviz.pictures
from posviz.cli import export_jobs
from posviz.pictures.export import method_call

LOOK = ("notebook", False)


def test_one_job_for_all_stills_of_a_picture_and_one_for_each_animation():
    values = {"ThreeDoors": {}, "CounterToClock": {"position": 5}}
    filmed = {"CounterToClock": "position"}
    jobs = export_jobs.plan(values, filmed, ["svg", "gif", "png", "mp4"], Path("out"), *LOOK)
    assert [export_jobs.named(files) for files, _ in jobs] == [
        "ThreeDoors.svg, .png",
        "CounterToClock.svg, .png",
        "CounterToClock_position.gif",
        "CounterToClock_position.mp4",
    ]


@pytest.mark.slow("half a second")
def test_pictures_without_room_for_their_texts_are_named():
    values = {"CounterToClock": {}, "SolveRates": {"methods": "all"}}
    (line,) = export_jobs.crowded(values, "slide/body", dark=False)
    assert line.startswith("SolveRates has no room for all its texts: 'none' overlaps ")


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("dark", [False, True])
def test_jobs_write_the_picture_in_its_setting_and_look(tmp_path, dark):
    values, filmed = {"CounterToClock": {"position": 5}}, {"CounterToClock": "position"}
    formats = ["png", "svg", "pdf", "gif"]
    for _, job in export_jobs.plan(values, filmed, formats, tmp_path / "out", "slide", dark):
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
