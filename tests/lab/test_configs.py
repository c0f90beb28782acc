"""Configurations: what names them, and what they refuse."""

from dataclasses import fields, replace

import pytest

from posviz_course.lab.configs import Config

PLAIN = Config("recall", "RoPE")
OTHERS = {
    "task": "bytes",
    "arm": "none",
    "device": "CUDA",
    "d_model": 128,
    "num_heads": 8,
    "seq_len": 32,
    "learning_rate": 1e-3,
}


def test_the_key_differs_with_every_field():
    changed = [
        replace(PLAIN, **{name: OTHERS.get(name, 3)}) for name in (f.name for f in fields(Config))
    ]
    assert len({PLAIN.key, *(config.key for config in changed)}) == len(changed) + 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task": "copy"}, "task must be one of 'bytes'.* got 'copy'"),
        ({"arm": "rope"}, "arm must be one of 'none'.* got 'rope'"),
        ({"device": "TPU"}, "device must be one of"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
)
def test_configuration_that_cannot_be_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        Config(**{"task": "recall", "arm": "RoPE", **changed})
