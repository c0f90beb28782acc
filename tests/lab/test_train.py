"""One run: what it measures and keeps, and that it has the same bits, killed or not."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from posviz.arrays import devices
from posviz_course.lab import tasks, train
from posviz_course.lab.train import fingerprint, measure, train_one, trained


def same(first, second):
    """All that was measured; not when, nor how long it took."""
    names = ("config", "losses", "readings", "weights")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def test_twice_the_same_to_the_last_bit(tiny):
    first, again = (train.tested(tiny(), *trained(tiny())) for _ in range(2))
    assert same(first, again)
    assert len(first.losses) == 1
    assert first.weights != fingerprint(trained(tiny(seed=1))[0])


def test_torch_is_left_as_it_was(tmp_path, tiny):
    torch.set_num_threads(2)
    before = torch.get_rng_state(), random.getstate()
    train_one(tiny(), tmp_path)
    assert torch.get_num_threads() == 2
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


def test_what_is_there_and_whole_is_not_run_again(tmp_path, monkeypatch, tiny):
    first = train_one(tiny(), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(train, "trained", None)
        assert same(train_one(tiny(), tmp_path), first)


def test_training_on_an_absent_device_is_refused(tiny):
    if reason := devices()["CUDA"]:
        with pytest.raises(ValueError, match=reason):
            trained(tiny(device="CUDA"))


# ---------------------------------------------------------------- what is measured


class Says(torch.nn.Module):
    """Says the right answer where ``right``, [len], is True; its losses are 0 or 5."""

    def __init__(self, batch, right):
        super().__init__()
        self.known = {
            tuple(t): torch.tensor(a)
            for t, a in zip(batch.tokens.tolist(), batch.targets, strict=True)
        }
        self.right = torch.tensor(right)

    def forward(self, tokens):
        answers = torch.stack([self.known[tuple(row)] for row in tokens.tolist()]).clamp(min=0)
        logits = torch.full((*tokens.shape, 128), -1000.0)
        for told, sure, unsure in ((answers, 0.0, -5.0), ((answers + 1) % 128, -1000.0, 0.0)):
            score = torch.where(self.right, sure, unsure).expand(answers.shape)
            logits.scatter_(2, told[..., None], score[..., None])
        return logits


def test_accuracy_is_of_all_answers_and_by_place(monkeypatch):
    monkeypatch.setattr(train, "AT_ONCE", 64)
    batch = tasks.held_out_batch("majority", 16, 10)
    right = np.arange(16) < 4
    value, by_place = measure("majority", Says(batch, right), batch)
    asked = batch.targets != tasks.IGNORED
    assert value == pytest.approx((asked & right).sum() / asked.sum())
    assert by_place.tolist() == right.tolist()


def test_the_loss_is_of_the_second_half_and_copies_have_no_first():
    batch = tasks.held_out_batch("parity", 8, 10)
    right = np.array([0, 0, 0, 0, 1, 1, 1, 0], dtype=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tasks.TASKS, "parity", replace(tasks.TASKS["parity"], measure="loss"))
        value, by_place = measure("parity", Says(batch, right), batch)
    wrong = np.log1p(np.exp(5.0))
    assert by_place == pytest.approx(np.where(right, np.log1p(np.exp(-1000.0)), wrong), abs=1e-5)
    assert value == pytest.approx(wrong / 4, abs=1e-5)
    copies = tasks.held_out_batch("copy unique", 16, 3)
    _, by_place = measure("copy unique", Says(copies, np.ones(16, dtype=bool)), copies)
    assert np.isnan(by_place[:7]).all()
    assert (by_place[7:] == 1).all()
