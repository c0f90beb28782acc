"""The small model that is stretched: its texts, its pairs, its measures, and the stored seeds."""

import json

import numpy as np
import pytest
import torch

from posviz.models import real
from posviz.models import stretched_small as small
from posviz.models.training import CHARACTERS, SmallTransformer


class Oracle(torch.nn.Module):
    """Says what the capital was, if it is at most ``reach`` characters back; likes no other."""

    def __init__(self, reach):
        super().__init__()
        self.reach = reach

    def forward(self, tokens):
        logits = torch.zeros(*tokens.shape, CHARACTERS)
        for row, text in enumerate(tokens):
            [place] = torch.nonzero((text >= ord("A")) & (text <= ord("Z")))
            if len(text) - 1 - place <= self.reach:
                logits[row, -1, text[place]] = 9.0
        return logits


@pytest.fixture(autouse=True)
def little_text(monkeypatch):
    """Random letters in place of a library that takes a second to be found."""
    letters = "".join(np.random.default_rng(0).choice([*"ABCdefgh ?"], size=10_000))
    monkeypatch.setattr(small, "standard_library_text", lambda characters: letters[:characters])
    monkeypatch.setattr(small, "_library", small._library.__wrapped__)
    for name, number in (("SEEN", 5000), ("HELD_OUT", 5000), ("TEXTS", 26)):
        monkeypatch.setattr(small, name, number)


def untrained():
    return SmallTransformer(
        small.Rotary(frequencies=small.frequencies("nothing changed")), num_layers=1
    )


def test_every_capital_is_asked_for_once_and_not_too_far_away():
    text = small.with_needles("abcdefgh" * 500, 56)
    capitals = [(at, letter) for at, letter in enumerate(text) if letter.isupper()]
    said, asked = capitals[0::2], capitals[1::2]
    for (place, capital), (answer, again) in zip(said, asked, strict=False):
        assert capital == again
        assert text[answer - 1] == "?"
        assert 2 <= answer - 1 - place - 1 < 56
    assert text.replace("?", "").lower() != text
    assert "".join(x for x in text if x.islower()) == "abcdefgh" * 500
    assert max(answer - place for (place, _), (answer, _) in zip(said, asked, strict=False)) > 50


@pytest.mark.parametrize("method", small.METHODS)
def test_pairs_by_a_method(method):
    made, trained = small.frequencies(method, 4), small.frequencies("nothing changed")
    shares = made.inv_freq / trained.inv_freq
    assert (shares[0], shares[-1]) == pytest.approx(
        {"nothing changed": (1, 1), "PI": (1 / 4, 1 / 4)}.get(method, (1, 1 / 4))
    )
    assert made.attention_factor == pytest.approx(1.13863 if method == "YaRN" else 1)
    turns = small.TRAINED * trained.inv_freq / (2 * np.pi)
    assert turns[0] == pytest.approx(10.2, abs=0.05)  # so a beta_fast of 32 would keep no pair
    if method.startswith("YaRN"):
        assert (shares == 1).sum() == 2
        assert shares[5:] == pytest.approx([1 / 4] * 3)


def test_stretching_changes_a_copy():
    model = untrained()
    other, text = small.stretched(model, "PI", 4), torch.arange(40)[None] + 60
    with torch.inference_mode():
        plain, changed = model(text), other(text)
        torch.testing.assert_close(changed, model(text, torch.arange(40) / 4))
    assert not torch.allclose(plain, changed)
    before = [x.clone() for x in other.parameters()]
    learned = small.tuned(other, steps=1)
    assert all(map(torch.equal, before, other.parameters()))
    assert not all(map(torch.equal, before, learned.parameters()))


def test_recall_counts_what_is_found():
    reach = 100
    expected = [length - 16 <= reach for length in small.LENGTHS]
    assert small.recall(Oracle(reach)).tolist() == expected


def test_loss_by_position_is_of_text_that_was_not_trained_on():
    class Knows(torch.nn.Module):
        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, CHARACTERS)
            logits[:, :32, :] = -9.0 * torch.arange(CHARACTERS)
            return logits

    loss = small.loss_by_position(Knows())
    assert loss.shape == (8,)
    assert loss[1:] == pytest.approx([np.log(CHARACTERS)] * 7)
    assert loss[0] > 100
    held_out = bytes(small._held_out(200)[0].tolist()).decode()
    assert held_out not in small._library(small.SEEN)
    assert not any(letter.isupper() or letter == "?" for letter in held_out)


def test_the_stored_seeds_are_of_this_model():
    stored = json.loads(small.RESULTS.read_text())
    assert small.RESULTS.name in (real.DATA / "README.md").read_text()
    assert small.RESULTS.stat().st_size < 100_000
    assert {"date", "factor", "text", "packages", "machine", "seeds"} == set(stored)
    names = {f"{method}, {how}" for method in small.METHODS for how in ("untuned", "tuned")}
    found = small.stored()
    assert set(found) == names
    assert len(stored["seeds"]) == 5
    for seed, readings in stored["seeds"].items():
        assert set(readings) == names
        for name, reading in readings.items():
            for part in ("loss", "recall"):
                assert found[name][part].shape == (5, 8)
                assert found[name][part][int(seed)].tolist() == reading[part]
