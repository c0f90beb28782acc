"""Runs small enough to be made many times."""

import pytest

from posviz_course.lab import train
from posviz_course.lab.configs import Config

TINY = {"steps": 12, "seq_len": 16, "batch_size": 4, "d_model": 16, "num_heads": 2}


@pytest.fixture
def tiny(monkeypatch):
    """Make a configuration that takes hundredths of a second to train and to test."""
    monkeypatch.setattr(train, "TEST_TOKENS", 2**8)
    monkeypatch.setattr(train, "WARM_UP", 3)
    return lambda task="recall", arm="RoPE", **changed: Config(task, arm, **{**TINY, **changed})
