"""The readings of a real model that are stored."""

import json

import numpy as np

from posviz_course.models import real
from posviz_course.models import stretched_real as stretched
from posviz_course.models.archive import load_archive


def test_the_stored_readings_say_where_they_come_from():
    whole = json.loads(stretched.RESULTS.read_text())
    assert stretched.RESULTS.stat().st_size < 100_000
    _, card = load_archive(real.HEADS)
    assert whole["model sha256"] == card["sha256"]
    assert {"date", "text", "text sha256", "packages", "machine"} < set(whole)
    told = (real.DATA / "README.md").read_text()
    assert stretched.RESULTS.name in told
    assert whole["model"].split(",")[0] in told


def test_stored_readings_are_of_one_text():
    stored = stretched.stored()
    plain = stored["nothing changed"]
    assert len(plain.losses) == stretched.LENGTH // stretched.BIN
    for name, reading in stored.items():
        read = reading.counts > 0
        assert read.all() or name == "cropped"
        np.testing.assert_array_equal(reading.counts[read], plain.counts[read])
        assert np.isfinite(reading.losses[read]).all()
        asked = {needle[:2] for needle in plain.needles}
        assert {needle[:2] for needle in reading.needles} <= asked
    assert len(plain.needles) == 20
