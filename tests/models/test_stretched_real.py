"""The long text that a real model reads, what is counted of it, and the results that are stored."""

import json

import numpy as np
import pytest

from posviz.models import real
from posviz.models import stretched_attention as parts
from posviz.models import stretched_real as stretched
from posviz.models.archive import load_archive


class Letters:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text):
        return {"input_ids": [min(ord(letter), 127) for letter in text]}


def letters_of(ids):
    return "".join(map(chr, ids))


def test_numbers_are_said_once_and_asked_for_once():
    text = stretched.long_text(Letters(), 9000)
    letters = letters_of(text.ids)
    assert len(text.ids) == len(text.is_text) == 9000
    assert len(text.answers) == 10
    for start, stop, place in text.answers:
        number = letters[start:stop]
        assert letters.count(number) == 2
        said = letters[place : letters.index(number)]
        assert said.startswith("\n\nThe magic number of ")
        assert letters[:start].endswith(said)
        assert not text.is_text[place : place + 20].any()
    kept = "".join(letter for letter, own in zip(letters, text.is_text, strict=True) if own)
    assert letters_of(Letters()(stretched.source())["input_ids"]).startswith(kept)


def test_a_bin_is_the_mean_of_its_text_and_a_needle_of_its_digits():
    at = np.arange(512)
    text = stretched.LongText(at, at % 2 == 0, [(390, 395, 40), (401, 404, 60)])
    found = stretched.measured(text, np.where(at == 0, np.nan, at), at >= 394)
    assert found.counts.tolist() == [127, 128]
    assert found.losses.tolist() == [128, 383]
    assert found.mean(0, 512) == (127 * 128 + 128 * 383) / 255
    assert found.needles == [(390, 350, 392, 0.2), (401, 341, 402, 1)]


def reader(monkeypatch, losses):
    """Read with a model that is not there; ``losses`` stands in for its own."""
    at = np.arange(1024)
    monkeypatch.setattr(stretched, "TRAINED", 512)
    monkeypatch.setattr(stretched, "_load", lambda: (None, None))
    text = stretched.LongText(at, at >= 0, [])
    monkeypatch.setattr(stretched, "long_text", lambda *_: text)
    monkeypatch.setattr(parts, "token_losses", losses)


def test_cropped_reads_no_more_than_was_trained(monkeypatch, capsys):
    shown = []

    def losses(model, ids, how, **_):
        shown.append((ids[0], len(ids), how.rotary.frequencies.inv_freq[-1]))
        return ids.astype(float), ids > 0

    reader(monkeypatch, losses)
    found = stretched.read("cropped", length=1024)
    slowest = stretched.frequencies("nothing changed", 1).inv_freq[-1]
    assert shown == [(256, 512, slowest), (512, 512, slowest)]
    assert found.counts.tolist() == [0, 0, 256, 256]
    assert found.losses.tolist()[2:] == [639.5, 895.5]


@pytest.mark.parametrize("method", stretched.METHODS)
def test_a_method_keeps_the_first_pair_or_slows_all(method):
    made, trained = stretched.frequencies(method, 4), stretched.frequencies("nothing changed", 1)
    shares = made.inv_freq / trained.inv_freq
    first = 1 / 4 if method == "PI" else 1
    last = {"nothing changed": 1, "ReRoPE": 1, "Self-Extend": 1, "cropped": 1}.get(method, 1 / 4)
    if method == "larger base":
        last = 4 ** (-62 / 64)
    if method == "dynamic NTK":  # its factor follows the text, which is twice the trained length
        last = 1 / (4 * 2 - 3)
    assert shares[[0, -1]] == pytest.approx([first, last])
    hot = method in ("YaRN", "YaRN by turns")
    assert made.attention_factor == pytest.approx(1.13863 if hot else 1)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"method": "Yarn"}, ValueError, "method must be one of 'nothing changed', "),
        ({"length": 1000}, ValueError, "length must be a multiple of 256, got 1000"),
        ({"length": 2.5}, TypeError, "length must be an integer"),
        ({"factor": 0.5}, ValueError, "factor must be at least 1"),
    ],
)
def test_wrong_readings_are_refused(monkeypatch, changed, error, message):
    reader(monkeypatch, None)
    with pytest.raises(error, match=message):
        stretched.read(**{"method": "PI", "length": 1024, **changed})


# ---------------------------------------------------------------- what is stored


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
