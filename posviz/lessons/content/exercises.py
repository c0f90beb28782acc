"""Exercises of lesson 11: position from content, and layers without it."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.fox import fox_bias
from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import answer, argument, right_on, step, wrong


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


# ---------------------------------------------------------------- the plan of the layers


def plan(config, position, *, first=1, rotating=1, rounded=np.floor, log=np.log1p):
    """Return [layers, 3]: 1 where RoPE turns, tokens seen (0: all), factor of the query."""
    layers = np.arange(config["num_hidden_layers"]) + first
    flags = np.array(config["no_rope_layers"] or layers % config["no_rope_layer_interval"] != 0)
    turns = flags == rotating
    factor = 1 + config["attn_scale"] * log(rounded((position + 1) / config["floor_scale"]))
    window = np.where(turns, config["sliding_window"], 0)
    return np.stack([turns, window, np.where(turns, 1, factor)], axis=1)


def _inverted(config):
    listed = config["no_rope_layers"]
    return config | {"no_rope_layers": listed and [1 - flag for flag in listed]}


def _with_column(rows, number, values):
    rows[:, number] = values
    return rows


def _config(layers=4, listed=None, interval=4, window=64, attn_scale=0.5, floor_scale=100):
    return {
        "num_hidden_layers": layers,
        "no_rope_layers": listed,
        "no_rope_layer_interval": interval,
        "sliding_window": window,
        "attn_scale": attn_scale,
        "floor_scale": floor_scale,
    }


def _plan_inputs(rng, size):
    """Some with a list, some without; positions just before a step of the factor, and elsewhere."""
    layers, floor_scale = 6 + size, int(rng.choice([100, 512]))
    listed = [int(layer % 3 != size % 3) for layer in range(layers)] if size % 2 == 0 else None
    chosen = (rng.choice(values).item() for values in ([3, 4], [64, 128], [0.5, 0.8]))
    position = rng.integers(1, 4) * floor_scale + (-1 if size % 3 == 0 else rng.integers(40, 60))
    return _config(layers, listed, *chosen, floor_scale), int(position)


check_plan = Checker(
    "The plan of the layers",
    plan,
    _plan_inputs,
    edges=[(_config(), 0), (_config(), 98), (_config(), 99)],  # the first step is at 99
    mistakes=[
        argument("flag inverted",
            "You read no_rope_layers the other way around. In spite of its name, a 1 is a layer "
            "that turns by RoPE, and a 0 one without position.", config=_inverted),
        step("all flags inverted",
            "You exchanged the two kinds of layers. Most layers turn by RoPE and have the "
            "window; those without position are the few.", rotating=0),
        step("off by one in every fourth",
            "Where no list is given, your layers without position begin at the first. Count "
            "layers from 1: in fours it is the fourth, so (layer + 1) % interval is 0 there.",
            first=0),
        answer("window on all layers",
            lambda rows, config: _with_column(rows, 1, config["sliding_window"]),
            "Your layers without position have the window, too. They see all tokens: that is "
            "what they are for."),
        answer("windows swapped",
            lambda rows, config: _with_column(rows, 1, config["sliding_window"] - rows[:, 1]),
            "You gave the window to the layers without position. It belongs to those that turn; "
            "the others see all tokens."),
        answer("temperature on all layers",
            lambda rows: _with_column(rows, 2, rows[rows[:, 0] == 0, 2].max()),
            "You multiplied the queries of all layers. Those that turn look no farther than "
            "their window, and need no other temperature: 1."),
        argument("p for p + 1",
            "You put p where p + 1 belongs. The first token is at position 0, and the step comes "
            "when the text has a whole floor_scale of tokens.",
            position=lambda position: position - 1),
        step("not rounded down",
            "Your factor grows with every token. The quotient is rounded down before the "
            "logarithm.", rounded=lambda quotient: quotient),
        step("1 missing in the logarithm",
            "You took the logarithm of the quotient itself. It is that of 1 + the quotient, so "
            "that short texts have the factor 1.", log=np.errstate(divide="ignore")(np.log)),
    ],
)


# ---------------------------------------------------------------- FoX


def fox(logits, *, gate=_sigmoid, log=np.log, after=np.greater, up_to=np.less_equal):
    """Return the bias [len, len] from logits [len]: sums of ln gate after the key, to the query."""
    tokens = np.arange(len(logits))
    counted = after(tokens, tokens[:, None]) & up_to(tokens, tokens[:, None, None])
    return np.tril(counted @ log(gate(logits)))


check_fox = Checker(
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
        step("gates not logged",
            "You summed the gates themselves. A score stands in an exponent, where a product "
            "becomes a sum: take their logarithms.", log=lambda gates: gates),
        step(
            "sigmoid forgotten",
            "You summed the logits. The gate is σ(logit), between 0 and 1; the sum is of "
            "ln σ(logit).",
            gate=np.exp,  # whose logarithm is the logit
        ),
        answer("sign", lambda bias: -bias,
            "Your bias is above 0, so far keys gain. ln of a gate is below 0, and so is the bias."),
        argument("what is forgotten",
            "You took 1 − σ, or σ of the negative. The gate says how much is kept: an open one, "
            "1, leaves all scores as they are.", logits=lambda logits: -logits),
        answer("the product itself", lambda bias: np.tril(np.exp(bias)),
            "That is the product of the gates, by which weights are multiplied. Asked for is "
            "what is added to scores: its logarithm."),
        step("summed from the first token",
            "Your rows are constant: you summed from the first token to the query for every key, "
            "and a softmax does not see that. Subtract the sum up to the key.",
            after=lambda token, key: token >= 0 * key),
        wrong("keys ahead not 0", lambda logits: fox_bias(np.log(_sigmoid(logits))),
            "Looking ahead your difference of sums is above 0. A mask hides these keys; return 0 "
            "there: np.tril."),
        answer("−inf ahead", lambda bias: np.where(np.tri(len(bias)), bias, -np.inf),
            "You wrote −inf for keys ahead. That is the mask's work; the bias of a key ahead is "
            "0 here."),
    ],
)


# ---------------------------------------------------------------- Scalable-Softmax


def _seen(allowed):
    return allowed.sum(axis=-1, keepdims=True)


def _times(scale, n):
    return scale * np.log(n)


def _hidden(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def ssmax(scores, scale, allowed, *, count=_seen, factor=_times, hide=_hidden):
    """Return weights [q_len, k_len] from scores, and allowed, True where a row sees a key."""
    return softmax(hide(factor(scale, count(allowed)) * scores, allowed))


def _ssmax_inputs(rng, size):
    """A causal mask; of most texts the last tokens are padding, and hidden."""
    tokens = np.arange(2 + size)
    allowed = (tokens <= tokens[:, None]) & (tokens < len(tokens) - size % 3)
    return rng.normal(size=allowed.shape), float(rng.choice([0.4, 0.7, 1.6])), allowed


check_ssmax = Checker(
    "Scalable-Softmax",
    ssmax,
    _ssmax_inputs,
    edges=[
        (np.arange(9.0).reshape(3, 3) / 4, 0.7, np.tri(3, dtype=bool)),
        (np.array([[2.0]]), 0.7, np.array([[True]])),  # one token
    ],
    mistakes=[
        step("plain softmax",
            "Those are the weights of a plain softmax. If you added or subtracted something: "
            "what all scores of a row get changes no weight. They are multiplied by scale · ln n.",
            factor=lambda scale, n: 1),
        step("ln n added or subtracted",
            "You multiplied by the scale, and added or subtracted ln n, which changes no weight: "
            "all scores of a row get the same. They are multiplied by scale · ln n.",
            factor=lambda scale, n: scale),
        step("one n for all rows",
            "You took the length of the text for n in every row. A row counts the keys that it "
            "sees.", count=lambda allowed: allowed.shape[1]),
        step("padding counted",
            "You counted padded keys, too. By its position a row sees i + 1 keys, but some are "
            "hidden: count what `allowed` allows.",
            count=lambda allowed: np.arange(1, len(allowed) + 1)[:, None]),
        step("ln missing",
            "You multiplied by n itself. It is the logarithm of n: a softmax takes e to the "
            "power of a score, and e to the power of z · ln n is n to the power of z.",
            factor=lambda scale, n: scale * n),
        step("scale left out",
            "You left the scale out. A head learns it: scores are multiplied by scale · ln n.",
            factor=lambda scale, n: np.log(n)),
        wrong(
            "on the weights",
            lambda scores, scale, allowed: (
                _times(scale, _seen(allowed)) * softmax(_hidden(scores, allowed))
            ),
            "You multiplied the weights, after the softmax, so that rows no longer sum to 1. "
            "Multiply the scores.",
        ),
        step("hidden keys at 0",
            "You set hidden scores to 0, and e⁰ is 1: hidden keys get weight. Set them to −inf "
            "before the softmax.", hide=lambda scores, allowed: np.where(allowed, scores, 0.0)),
        wrong(
            "hidden after the softmax",
            lambda scores, scale, allowed: (
                allowed * softmax(_times(scale, _seen(allowed)) * scores)
            ),
            "You hid keys after the softmax: they have had their part, and rows no longer sum to "
            "1. Set their scores to −inf before it.",
        ),
        step("nothing hidden",
            "Your rows give weight to hidden keys. Set their scores to −inf before the softmax.",
            hide=lambda scores, allowed: scores),
    ],
)


# ---------------------------------------------------------------- CoPE


def _counted(gates):
    """From each key up to the query, which is the last that has a gate."""
    return gates[:, ::-1].cumsum(axis=1)[:, ::-1]


def _mixed(below, above, part):
    return (1 - part) * below + part * above


def cope(scores, by_row, *, gate=_sigmoid, seen=np.tril, count=_counted, mix=_mixed, out=np.tril):
    """Return the bias [len, len] from scores [len, len] and queries times table [len, rows]."""
    positions = np.clip(count(seen(gate(scores))), 0, by_row.shape[1] - 1)
    neighbours = (rounded(positions).astype(int) for rounded in (np.floor, np.ceil))
    below, above = (np.take_along_axis(by_row, rows, axis=1) for rows in neighbours)
    return out(mix(below, above, positions - np.floor(positions)))


def _cope_inputs(rng, size):
    """Tables that are long enough, and others."""
    length = 2 + size
    return rng.normal(size=(length, length)) + 0.5, rng.normal(size=(length, 3 + size // 3))


def _long_tables(rng, size):
    return _cope_inputs(rng, size)[0], rng.normal(size=(2 + size, 4 + size))


check_cope = Checker(
    "The positions of CoPE",
    cope,
    _cope_inputs,
    edges=[
        # Three open gates, and a table of two rows: it ends at position 1.
        (np.full((3, 3), 2.0), np.array([[1.0, 3.0], [2.0, -1.0], [0.5, 4.0]])),
        (np.array([[1.0]]), np.array([[2.0, 5.0, 6.0]])),  # one token
    ],
    mistakes=[
        step("summed from the first key",
            "You counted from the first key up to each key. A position says how far back a key "
            "lies: count from the key up to the query, which is a cumulative sum from the other "
            "side.", count=lambda gates: gates.cumsum(axis=1)),
        step("keys ahead counted",
            "You counted keys after the query, too. Set their gates to 0 before you sum: np.tril.",
            seen=lambda gates: gates),
        step("key's own gate left out",
            "You counted from the key after. The key's own gate counts: the sum goes from j to i.",
            count=lambda gates: _counted(gates) - gates),
        step("floor only",
            "You took the row below alone. A position of 2.75 is three quarters of the way to "
            "row 3: mix the two; or else no gradient would reach the gates.",
            mix=lambda below, above, part: below),
        step("rounded to the nearest",
            "You took the nearest row alone. Mix the two that the position lies between.",
            mix=lambda below, above, part: np.where(part > 0.5, above, below)),
        step("parts swapped",
            "You exchanged the two parts. At 2.75 row 3 is nearer and has 0.75, the part behind "
            "the point: p − ⌊p⌋ belongs to the row above.",
            mix=lambda below, above, part: part * below + (1 - part) * above),
        right_on("not cut off", _long_tables,
            "Your answer is right while the table is long enough. A position beyond its last row "
            "is read at the last row: np.clip or np.minimum."),
        step("gates without the sigmoid",
            "You summed the scores themselves. A gate is σ(score), between 0 and 1.",
            gate=lambda scores: scores),
        step("keys ahead not 0",
            "Ahead of the query the count is 0, and you read the table there. A mask hides these "
            "keys; return 0: np.tril.", out=lambda bias: bias),
    ],
)
