"""One run: what it computes, that it is the same to the last bit, killed or not, and what it keeps."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from posviz.lab import results, tasks, train
from posviz.lab.configs import Config
from posviz.lab.train import fingerprint, measure, train_one, trained

TINY = {"steps": 12, "seq_len": 16, "batch_size": 4, "d_model": 16, "num_heads": 2}


@pytest.fixture(autouse=True)
def short_tests(monkeypatch):
    monkeypatch.setattr(train, "TEST_TOKENS", 2**8)
    monkeypatch.setattr(train, "WARM_UP", 3)


def config(task="recall", arm="RoPE", **changed):
    return Config(task, arm, **{**TINY, **changed})


def same(first, second):
    """All that was measured; not when, nor how long it took."""
    first, second = first.to_dict(), second.to_dict()
    return all(first[name] == second[name] for name in ("config", "losses", "readings", "weights"))


class Killed(BaseException):
    """As if the process had been."""


def killed_at(monkeypatch, step):
    """From now on, a run stops before that step, wherever it began."""
    real = train._step

    def until(config, model, optimizer, now):
        if now == step:
            raise Killed
        return real(config, model, optimizer, now)

    monkeypatch.setattr(train, "_step", until)


def test_twice_the_same_to_the_last_bit():
    first, again = train_one(config()), train_one(config())
    assert same(first, again)
    assert first.losses.shape == (1,)
    assert first.weights != train_one(config(seed=1)).weights


@pytest.mark.parametrize("arm", ["learned", "Kerple", "FoX", "RoPE, randomised"])
def test_killed_and_gone_on_from_each_step(arm, tmp_path, monkeypatch):
    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    whole = train_one(config(arm=arm))
    for step in (1, 5, 11):
        with monkeypatch.context() as context, pytest.raises(Killed):
            killed_at(context, step)
            train_one(config(arm=arm), tmp_path)
        assert [path.suffix for path in tmp_path.iterdir()] == [".checkpoint"]
    assert same(train_one(config(arm=arm), tmp_path), whole)
    assert [path.name for path in tmp_path.iterdir()] == [f"{config(arm=arm).key}.json"]


def test_it_goes_on_and_does_not_begin_again(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    with monkeypatch.context() as context, pytest.raises(Killed):
        killed_at(context, 7)
        train_one(config(), tmp_path)
    steps, real = [], train._step
    monkeypatch.setattr(train, "_step", lambda *a: steps.append(a[-1]) or real(*a))
    train_one(config(), tmp_path)
    assert steps == [7, 8, 9, 10, 11]
