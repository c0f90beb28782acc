"""Exercises of lesson 11: position from content, and layers without it."""

import numpy as np

from posviz.encodings.fox import fox_bias
from posviz.teaching.mistakes import answer, step, wrong
from posviz_course.lesson_checker import LessonChecker

# ---------------------------------------------------------------- the plan of the layers


def plan(config, *, rotating=1):
    """Return [layers, 2]: 1 where a layer has RoPE, else 0; the tokens it sees (0: all)."""
    layers = np.arange(config["num_hidden_layers"]) + 1
    flags = np.array(config["no_rope_layers"] or layers % config["no_rope_layer_interval"] != 0)
    has_rope = flags == rotating
    return np.stack([has_rope, np.where(has_rope, config["sliding_window"], 0)], axis=1)


def _with_windows(rows, values):
    rows[:, 1] = values
    return rows


def _config(layers=4, listed=None, interval=4, window=64):
    return {
        "num_hidden_layers": layers,
        "no_rope_layers": listed,
        "no_rope_layer_interval": interval,
        "sliding_window": window,
    }


def _plan_inputs(rng, size):
    """Some with a list, some without."""
    layers = 6 + size
    listed = [int(layer % 3 != size % 3) for layer in range(layers)] if size % 2 == 0 else None
    interval, window = (rng.choice(values).item() for values in ([3, 4], [64, 128]))
    return (_config(layers, listed, interval, window),)


check_plan = LessonChecker(
    "The plan of the layers",
    plan,
    _plan_inputs,
    edges=[(_config(),), (_config(listed=[0, 1, 1, 1]),), (_config(layers=1),)],
    mistakes=[
        step("flag inverted",
            "You exchanged the two kinds of layers. In spite of its name, a 1 in no_rope_layers "
            "is a layer with RoPE and the window, and a 0 is a layer without position.",
            rotating=0),
        answer("window on all layers",
            lambda rows, config: _with_windows(rows, config["sliding_window"]),
            "Your layers without position have the window as well. They see all tokens, because "
            "that is their purpose."),
        answer("windows swapped",
            lambda rows, config: _with_windows(rows, config["sliding_window"] - rows[:, 1]),
            "You gave the window to the layers without position. It belongs to the layers with "
            "RoPE; the others see all tokens."),
    ],
)


# ---------------------------------------------------------------- FoX


def _steps(logits):
    """Return ln of the gate of each token."""
    return np.log(1 / (1 + np.exp(-logits)))


def fox(logits, *, after=np.greater, up_to=np.less_equal):
    """Return the bias [len, len] from logits [len]: sums of ln gate after the key, to the query."""
    tokens = np.arange(len(logits))
    counted = after(tokens, tokens[:, None]) & up_to(tokens, tokens[:, None, None])
    return np.tril(counted @ _steps(logits))


check_fox = LessonChecker(
    "The bias of FoX",
    fox,
    lambda rng, size: (rng.normal(size=2 + size) + 1.0,),
    edges=[(np.array([0.0, 2.0, -1.0]),), (np.array([1.0]),)],  # the second is one token
    mistakes=[
        step("key's own gate counted",
            "You summed from the key itself. A gate forgets what came before its token, so the "
            "key's own does not count: begin at j + 1. On the diagonal the sum is empty, 0.",
            after=np.greater_equal),
        step("query's own gate left out",
            "You stopped before the query. Its own gate forgets all that came before it, so it "
            "counts: the sum goes up to i, inclusive.", up_to=np.less),
        answer("sign", lambda bias: -bias,
            "Your bias is above 0, so far keys gain. ln of a gate is below 0, and so is the bias."),
        answer("the product itself", lambda bias: np.tril(np.exp(bias)),
            "That is the product of the gates, by which weights are multiplied. Asked for is "
            "what is added to scores: its logarithm."),
        step("summed from the first token",
            "Your rows are constant: you summed from the first token to the query for every key, "
            "and a softmax does not see that. Subtract the sum up to the key.",
            after=lambda token, key: token >= 0 * key),
        wrong("future keys not 0", lambda logits: fox_bias(_steps(logits)),
            "For future keys your difference of sums is above 0. A mask hides these keys, so "
            "return 0 there: np.tril."),
        answer("−inf for future keys",
            lambda bias: np.where(np.tri(len(bias)), bias, -np.inf),
            "You wrote −inf for future keys. The mask does that. The bias of a future key is 0."),
    ],
)
