"""One run: what it measures and keeps, and that it has the same bits, killed or not."""

import random
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from posviz.lab import results, tasks, train
from posviz.lab.train import measure, train_one
from tests.lab.conftest import TINY


def same(first, second):
    """All that was measured; not when, nor how long it took."""
    first, second = first.to_dict(), second.to_dict()
    return all(first[name] == second[name] for name in ("config", "losses", "readings", "weights"))


class Killed(BaseException):
    """As if the process had been."""


def killed_before(step, run):
    """Do a run that ends before that step, wherever it begins."""
    real = train._step

    def until(config, model, optimizer, now):
        if now == step:
            raise Killed
        return real(config, model, optimizer, now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "_step", until)
        with pytest.raises(Killed):
            run()


def test_twice_the_same_to_the_last_bit(tiny):
    first, again = train_one(tiny()), train_one(tiny())
    assert same(first, again)
    assert first.losses.shape == (1,)
    assert first.weights != train_one(tiny(seed=1)).weights


@pytest.mark.parametrize("arm", ["Kerple", "RoPE, randomised"])
def test_killed_and_gone_on_from_each_step(arm, tmp_path, monkeypatch, tiny):
    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    whole = train_one(tiny(arm=arm))
    for step in (1, 11):
        killed_before(step, lambda: train_one(tiny(arm=arm), tmp_path))
        assert [path.suffix for path in tmp_path.iterdir()] == [".checkpoint"]
    assert same(train_one(tiny(arm=arm), tmp_path), whole)
    assert [path.name for path in tmp_path.iterdir()] == [f"{tiny(arm=arm).key}.json"]


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
    path = results.path_of(tmp_path, tiny())
    path.write_text(path.read_text()[:-20])
    with pytest.warns(UserWarning, match="is no whole result"):
        assert same(train_one(tiny(), tmp_path), first)
    assert same(results.load(path), first)


def test_broken_checkpoint_is_reported_and_the_run_begins_anew(tmp_path, tiny):
    path = results.path_of(tmp_path, tiny()).with_suffix(".checkpoint")
    path.write_bytes(b"half of a file")
    with pytest.warns(UserWarning, match="is broken, so its run begins anew"):
        train_one(tiny(), tmp_path)


def test_training_on_an_absent_device_is_refused(monkeypatch, tiny):
    with pytest.raises(TypeError, match="config must be a Config, got 'recall'"):
        train_one("recall")
    monkeypatch.setattr(train, "devices", lambda: {"CUDA": "torch finds no CUDA device"})
    with pytest.raises(ValueError, match="device CUDA cannot be used: torch finds no CUDA device"):
        train_one(tiny(device="CUDA"))


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
        wrong = (answers + 1) % 128
        logits = torch.full((*tokens.shape, 128), -1000.0)
        logits.scatter_(
            2,
            answers[..., None],
            torch.where(self.right, 0.0, -5.0).expand(answers.shape)[..., None],
        )
        logits.scatter_(
            2,
            wrong[..., None],
            torch.where(self.right, -1000.0, 0.0).expand(answers.shape)[..., None],
        )
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


# ---------------------------------------------------------------- killed for good

RUN = """
import sys
from posviz.lab import train
from posviz.lab.configs import Config

train.TEST_TOKENS, train.WARM_UP, train.CHECKPOINT_SECONDS = 2**8, 3, 0.0
print(flush=True)
train.train_one(Config("recall", "FoX", **%r), sys.argv[1])
"""


@pytest.mark.release("processes")
def test_process_that_is_killed_anywhere_loses_nothing(tiny, tmp_path):
    longer = {**TINY, "steps": 60}
    program = [sys.executable, "-c", RUN % longer, str(tmp_path)]
    for moment in (0.1, 0.4, 0.8):
        with subprocess.Popen(program, stdout=subprocess.PIPE) as process:
            process.stdout.readline()  # imports have taken their time
            time.sleep(moment)
            process.kill()
    subprocess.run(program, check=True)
    [found] = results.results(tmp_path)
    assert same(found, train_one(tiny(arm="FoX", steps=60)))
