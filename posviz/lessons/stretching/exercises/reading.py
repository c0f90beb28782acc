"""Exercise: by how much each layer of a model is slowed, read in its configuration."""

import numpy as np

from posviz.teaching.checker import Checker

LOCAL, GLOBAL = "sliding_attention", "full_attention"


def _slowed(config, seq_len, *, local=LOCAL):
    """One number a layer; `local` is the entry that layers with a window take."""
    of_kind = {
        kind: _last_pair(config, config["rope_parameters"][entry], seq_len)
        for kind, entry in ((LOCAL, local), (GLOBAL, GLOBAL))
    }
    both = zip(config["layer_types"], config["no_rope_layers"], strict=True)
    return np.array([of_kind[kind] if turns else 0.0 for kind, turns in both])


def _last_pair(config, entry, seq_len):
    original = config["original_max_position_embeddings"]
    if entry["rope_type"] == "default":
        return 1.0
    if entry["rope_type"] == "longrope":
        return entry["long_factor" if seq_len > original else "short_factor"][-1]
    return entry.get("factor", config["max_position_embeddings"] / original)


def _with_global(config, **entry):
    """The configuration with another entry for layers without a window."""
    return config | {"rope_parameters": config["rope_parameters"] | {GLOBAL: entry}}


def _stretches(rng, original):
    """A linear one with its factor, YaRN without one, and two lists for LongRoPE."""
    lists = {
        f"{name}_factor": sorted(rng.uniform(low, high, 3).round(2).tolist())
        for name, low, high in (("short", 1.1, 1.9), ("long", 5, 60))
    }
    return [
        {"rope_type": "linear", "factor": float(rng.integers(2, 9))},
        {"rope_type": "yarn"},
        {"rope_type": "longrope", **lists},
    ]


def _reading_inputs(rng, size):
    original, layers = 1024 * int(rng.integers(2, 9)), 3 + size
    config = {
        "max_position_embeddings": original * int(rng.choice([12, 16, 24])),
        "original_max_position_embeddings": original,
        "layer_types": [GLOBAL if i % 3 == 2 else LOCAL for i in range(layers)],
        "no_rope_layers": [0 if i % 4 == 1 else 1 for i in range(layers)],
        "rope_parameters": {
            LOCAL: {"rope_type": "default"},
            GLOBAL: _stretches(rng, original)[(size + 1) % 3],
        },
    }
    return config, (original, 2 * original, original // 2)[size // 3 % 3]


# The answer is a function (config, seq_len) -> how many times more slowly the last pair of each
# layer turns than in training [layers]; 1 where nothing is changed, 0 where nothing is turned.
check_reading = Checker("What a configuration says", reference=_slowed, inputs=_reading_inputs)


@check_reading.mistake("sliding layers slowed")
def _(config, seq_len):
    """You slowed the layers with a sliding window as well. Each kind of layers has an entry of its
    own; these look no further than their window, and theirs says default."""
    return _slowed(config, seq_len, local=GLOBAL)


@check_reading.mistake("flag inverted")
def _(config, seq_len):
    """You read no_rope_layers the other way around. In spite of its name, 1 is a layer that turns
    and 0 one that does not."""
    flags = [1 - flag for flag in config["no_rope_layers"]]
    return _slowed(config | {"no_rope_layers": flags}, seq_len)


@check_reading.mistake("flag not read")
def _(config, seq_len):
    """You left no_rope_layers unread. Where it says 0 nothing is turned, so return 0 there."""
    flags = [1] * len(config["no_rope_layers"])
    return _slowed(config | {"no_rope_layers": flags}, seq_len)


@check_reading.mistake("original and longest swapped")
def _(config, seq_len):
    """Your factor is upside down where none is given. The original length is that of the training,
    the shorter one: divide max_position_embeddings by it."""
    original, longest = (
        config[name] for name in ("original_max_position_embeddings", "max_position_embeddings")
    )
    entry = {"factor": original / longest} | config["rope_parameters"][GLOBAL]
    return _slowed(_with_global(config, **entry), seq_len)


@check_reading.mistake("lists by the longest length")
def _(config, seq_len):
    """You chose LongRoPE's list by the longest text that the model takes. The text that is read
    decides: the long list for more than the original length."""
    return _slowed(config, config["max_position_embeddings"])


@check_reading.mistake("short list always")
def _(config, seq_len):
    """You always took LongRoPE's short list. For texts beyond the original length it is the long
    one."""
    return _slowed(config, 1)


@check_reading.mistake("long list from the original length on")
def _(config, seq_len):
    """You took LongRoPE's long list for a text that is just as long as the training. It is for
    longer ones: compare with >, not >=."""
    return _slowed(config, seq_len + 1)


@check_reading.mistake("first pair")
def _(config, seq_len):
    """You took the first number of LongRoPE's list, that of the fastest pair. The last pair is
    asked for."""
    entry = {
        name: value[::-1] if isinstance(value, list) else value
        for name, value in config["rope_parameters"][GLOBAL].items()
    }
    return _slowed(_with_global(config, **entry), seq_len)


@check_reading.mistake("no factor, no change")
def _(config, seq_len):
    """You took a missing factor for 1. It is max_position_embeddings over
    original_max_position_embeddings."""
    entry = {"factor": 1.0} | config["rope_parameters"][GLOBAL]
    return _slowed(_with_global(config, **entry), seq_len)


@check_reading.mistake("factor from the lengths always")
def _(config, seq_len):
    """You always took the quotient of the two lengths. Where a factor is given, it is that one."""
    entry = {n: v for n, v in config["rope_parameters"][GLOBAL].items() if n != "factor"}
    return _slowed(_with_global(config, **entry), seq_len)


@check_reading.mistake("unturned as unchanged")
def _(config, seq_len):
    """You returned 1 for layers without position. They are not turned at all: 0."""
    return np.where(np.array(config["no_rope_layers"]) == 1, _slowed(config, seq_len), 1)


@check_reading.mistake("one number for all")
def _(config, seq_len):
    """You returned the same for all layers. Kinds of layers differ, and some do not turn: one
    number for each of layer_types."""
    everywhere = config | {"no_rope_layers": [1] * len(config["layer_types"])}
    return _slowed(everywhere, seq_len, local=GLOBAL)
