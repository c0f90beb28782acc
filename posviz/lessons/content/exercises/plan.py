"""Exercise: what each layer of a model does with position, read in its configuration."""

import math

import numpy as np

from posviz.encodings.temperatures import llama4_factor
from posviz.teaching.checker import Checker


def _plan(config, position):
    return _rows(config, _turns(config), _factor(config, position))


def _turns(config, *, first=1):
    """Of each layer, 1 where RoPE turns; without a list, each interval ends in one without."""
    layers = range(first, config["num_hidden_layers"] + first)
    by_interval = [int(layer % config["no_rope_layer_interval"] != 0) for layer in layers]
    return np.array(config["no_rope_layers"] or by_interval)


def _factor(config, position):
    scales = {name: config[name] for name in ("attn_scale", "floor_scale")}
    return float(llama4_factor(position, **scales))


def _rows(config, turns, factor):
    """The columns: whether it turns, how far back it sees (0: all), its queries' factor."""
    window = np.where(turns == 1, config["sliding_window"], 0)
    return np.stack([turns, window, np.where(turns == 1, 1.0, factor)], axis=1)


def _with_position(position):
    """Four layers, of which the last has no position, and a step of the factor every 100 tokens."""
    config = {
        "num_hidden_layers": 4,
        "no_rope_layers": None,
        "no_rope_layer_interval": 4,
        "sliding_window": 64,
        "attn_scale": 0.5,
        "floor_scale": 100,
    }
    return config, position


def _plan_inputs(rng, size):
    """Some with a list, some without; positions just before a step of the factor, and elsewhere."""
    layers, floor_scale = 6 + size, int(rng.choice([100, 512]))
    listed = [int(layer % 3 != size % 3) for layer in range(layers)] if size % 2 == 0 else None
    config = {
        "num_hidden_layers": layers,
        "no_rope_layers": listed,
        "no_rope_layer_interval": int(rng.choice([3, 4])),
        "sliding_window": int(rng.choice([64, 128])),
        "attn_scale": float(rng.choice([0.5, 0.8])),
        "floor_scale": floor_scale,
    }
    steps = int(rng.integers(1, 4))
    return config, steps * floor_scale + (-1 if size % 3 == 0 else int(rng.integers(40, 60)))


# The answer is a function (config, position) -> [layers, 3]: 1 where RoPE turns and 0 where not,
# how many tokens the layer sees (0: all), and what a query at the position is multiplied by.
check_plan = Checker(
    "The plan of the layers",
    reference=_plan,
    inputs=_plan_inputs,
    edges=[_with_position(0), _with_position(98), _with_position(99)],  # the first step is at 99
)


@check_plan.mistake("flag inverted")
def _(config, position):
    """You read no_rope_layers the other way around. In spite of its name, a 1 is a layer that turns
    by RoPE, and a 0 one without position."""
    listed = config["no_rope_layers"]
    turns = _turns(config | {"no_rope_layers": listed and [1 - flag for flag in listed]})
    return _rows(config, turns, _factor(config, position))


@check_plan.mistake("all flags inverted")
def _(config, position):
    """You exchanged the two kinds of layers. Most layers turn by RoPE and have the window; those
    without position are the few."""
    return _rows(config, 1 - _turns(config), _factor(config, position))


@check_plan.mistake("off by one in every fourth")
def _(config, position):
    """Where no list is given, your layers without position begin at the first. Count layers from 1:
    in fours it is the fourth, so (layer + 1) % interval is 0 there."""
    return _rows(config, _turns(config, first=0), _factor(config, position))


@check_plan.mistake("list not read")
def _(config, position):
    """You always counted by no_rope_layer_interval. Where no_rope_layers is a list, it decides."""
    turns = _turns(config | {"no_rope_layers": None})
    return _rows(config, turns, _factor(config, position))


@check_plan.mistake("all turn where there is no list")
def _(config, position):
    """You took a missing list for layers that all turn. Then no_rope_layer_interval decides: the
    last layer of each interval has no position."""
    everywhere = [1] * config["num_hidden_layers"]
    turns = _turns(config | {"no_rope_layers": config["no_rope_layers"] or everywhere})
    return _rows(config, turns, _factor(config, position))


@check_plan.mistake("window on all layers")
def _(config, position):
    """Your layers without position have the window, too. They see all tokens: that is what they are
    for."""
    rows = _plan(config, position)
    rows[:, 1] = config["sliding_window"]
    return rows


@check_plan.mistake("windows swapped")
def _(config, position):
    """You gave the window to the layers without position. It belongs to those that turn; the others
    see all tokens."""
    rows = _plan(config, position)
    rows[:, 1] = config["sliding_window"] - rows[:, 1]
    return rows


@check_plan.mistake("temperature on all layers")
def _(config, position):
    """You multiplied the queries of all layers. Those that turn look no farther than their window,
    and need no other temperature: 1."""
    rows = _plan(config, position)
    rows[:, 2] = _factor(config, position)
    return rows


@check_plan.mistake("temperature at RoPE layers")
def _(config, position):
    """You multiplied the queries of the layers that turn. It is those without position, whose rows
    grow with the text."""
    rows = _plan(config, position)
    rows[:, 2] = np.where(rows[:, 0] == 1, _factor(config, position), 1.0)
    return rows


@check_plan.mistake("p for p + 1")
def _(config, position):
    """You put p where p + 1 belongs. The first token is at position 0, and the step comes when the
    text has a whole floor_scale of tokens."""
    return _plan(config, position - 1)


@check_plan.mistake("not rounded down")
def _(config, position):
    """Your factor grows with every token. The quotient is rounded down before the logarithm."""
    stretched = (position + 1) / config["floor_scale"]
    return _rows(config, _turns(config), 1 + config["attn_scale"] * math.log1p(stretched))


@check_plan.mistake("1 missing in the logarithm")
def _(config, position):
    """You took the logarithm of the quotient itself. It is that of 1 + the quotient, so that short
    texts have the factor 1."""
    steps = (position + 1) // config["floor_scale"]
    with np.errstate(divide="ignore"):
        return _rows(config, _turns(config), 1 + config["attn_scale"] * np.log(steps))


@check_plan.mistake("1 missing before the logarithm")
def _(config, position):
    """You forgot the 1 before the logarithm: without it short texts would have a factor of 0."""
    return _rows(config, _turns(config), _factor(config, position) - 1)


@check_plan.mistake("reciprocal")
def _(config, position):
    """You returned the temperature, by which queries are divided. Asked for is what they are
    multiplied by, which is at least 1."""
    return _rows(config, _turns(config), 1 / _factor(config, position))


@check_plan.mistake("log2")
def _(config, position):
    """You took the logarithm to base 2. It is the natural one: math.log, np.log."""
    added = (_factor(config, position) - 1) / math.log(2)
    return _rows(config, _turns(config), 1 + added)
