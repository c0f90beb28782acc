"""Exercises: NTK's base, YaRN's ramp and temperature, Self-Extend, a cache, a configuration."""

import math
import operator

import numpy as np

from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import BASE_IGNORED, answer, argument, step, wrong

# ---------------------------------------------------------------- 1 NTK's base


def new_base(head_dim, factor, base, *, exponent=lambda d: d / (d - 2)):
    """The base with which the last pair rotates `factor` times more slowly, one number."""
    return base * factor ** exponent(head_dim)


check_new_base = Checker(
    "The base of NTK",
    new_base,
    lambda rng, size: (
        4 + 2 * size,
        float(rng.choice([2.0, 3.0, 5.0])),
        float(rng.choice([50.0, 300.0, 1e4])),
    ),
    edges=[(6, 2.0, 50.0), (8, 1.0, 50.0)],  # few pairs; nothing is slowed
    mistakes=[
        step("exponent missing",
            "You multiplied the base by the factor. In the last pair its exponent is (d − 2)/d, "
            "a little less than 1, so that slows the pair by a little less than the factor. A "
            "power of the factor makes up for it.", exponent=lambda d: 1),
        step("d/(d − 1)",
            "You took the exponent d/(d − 1). The last pair is number d/2 − 1, and its exponent "
            "−2i/d = −(d − 2)/d: it takes a 2.", exponent=lambda d: d / (d - 1)),
        step("d/(d + 2)",
            "You took the exponent d/(d + 2). Pairs count from 0, so the last is number d/2 − 1: "
            "d − 2.", exponent=lambda d: d / (d + 2)),
        step("exponent upside down",
            "You took the exponent (d − 2)/d. That is what the base has in the last pair; to "
            "undo it, take the reciprocal.", exponent=lambda d: (d - 2) / d),
        argument("power of the product",
            "You took the power of base · factor. Only the factor has it: in Python, ** goes "
            "before *, and parentheses around the product change that.",
            base=lambda base, head_dim: base ** (head_dim / (head_dim - 2))),
        wrong("parentheses of the exponent",
            lambda head_dim, factor, base: base * factor**head_dim / (head_dim - 2),
            "In Python ** goes before /, so your line divides a power by d − 2. Put the exponent "
            "into parentheses."),
        argument("divided",
            "Your base became smaller, so the pairs turn faster. A larger base is a slower last "
            "pair.", factor=lambda factor: 1 / factor),
        argument("base left out",
            "That is by how much the base grows. Return the new base: multiply by the old one.",
            base=1),
        BASE_IGNORED,
    ],
)

# ---------------------------------------------------------------- 2 YaRN's ramp


def yarn_ramp(head_dim, base, length, factor, fast, slow, *, first=math.floor, last=math.ceil):
    """What each pair keeps of its frequency, [head_dim/2]: from 1 to 1/factor."""
    rotations = np.array([fast, slow])
    low, high = head_dim * np.log(length / (2 * np.pi * rotations)) / (2 * np.log(base))
    low, high = first(low), last(high)
    ramp = np.clip((np.arange(head_dim // 2) - low) / (high - low), 0, 1)
    return 1 - ramp + ramp / factor


def ramp_by_rotations(head_dim, base, length, factor, fast, slow):
    """The ramp of YaRN's paper, equation 18, [head_dim/2]."""
    rotations = length * base ** (-np.arange(0, head_dim, 2) / head_dim) / (2 * np.pi)
    kept = np.clip((rotations - slow) / (fast - slow), 0, 1)
    return kept + (1 - kept) / factor


check_yarn_ramp = Checker(
    "The ramp of YaRN",
    yarn_ramp,
    # Both ends of the ramp lie between the first pair and the last, and at no whole pair.
    lambda rng, size: (
        24 + 4 * size,
        float(rng.choice([9e3, 5e4])),
        int(rng.choice([1500, 2600, 4096])),
        float(rng.integers(4, 17)),
        20.0 + 2 * size,
        float(rng.choice([1, 1.5, 2])),
    ),
    mistakes=[
        wrong("turns for index", ramp_by_rotations,
            "Your ramp is linear in the number of turns: that is the one in the paper. The "
            "released code, with which the models were trained, has one that is linear in the "
            "index of the pair."),
        argument("β swapped",
            "You exchanged the two numbers of turns. The pair that makes `fast` turns comes "
            "first: there the ramp begins.", fast=lambda slow: slow, slow=lambda fast: fast),
        answer("ramp upside down", lambda y, factor: 1 + 1 / factor - y,
            "You slowed the fast pairs and kept the slow ones. Those that turned often in "
            "training are kept: the ramp is 0 for them, and it is the part that is slowed."),
        step("not rounded",
            "Your ramp begins and ends between two pairs. The code rounds outwards, floor and "
            "ceil, unless a configuration says truncate: false.", first=float, last=float),
        step("both rounded down",
            "You rounded both ends down; int and // do, too. The second one is rounded up: "
            "math.ceil.", last=math.floor),
        argument("extended length as L",
            "You counted turns in the longer text. Which pairs are kept is decided by the turns "
            "that training has seen, in `length` tokens.",
            length=lambda length, factor: length * factor),
        argument("2π missing",
            "You took radians for turns. A turn is 2π of them, so a pair that makes `turns` in L "
            "tokens has the wavelength L / turns, and its frequency is 2π over that.",
            length=lambda length: 2 * np.pi * length),
        argument(
            "dimension for pair",
            "Your ends are twice as far: you counted dimensions. From b^(−2i/d) the pair is "
            "i = d/2 · log_b(…).",
            base=lambda base: base**0.5,  # its logarithm halves, so both ends double
        ),
        answer("the ramp itself", lambda y, factor: (1 - y) / (1 - 1 / factor),
            "That is the ramp, 0 where a pair is kept. Blend with it: (1 − ramp) · 1 + ramp · "
            "1/factor."),
    ],
)

# ---------------------------------------------------------------- 3 Self-Extend


def distances(
    length,
    window,
    group,
    *,
    grouped=lambda i, j, group: i // group - j // group,
    moved=lambda window, group: window - window // group,
    is_near=np.less,
    cut=np.tril,
):
    """Apparent distances [length, length] in tokens: rows are queries, 0 for future keys."""
    i, j = np.indices((length, length))
    far = grouped(i, j, group) + moved(window, group)
    return cut(np.where(is_near(i - j, window), i - j, far))


check_distances = Checker(
    "The distances of Self-Extend",
    distances,
    # Windows that the group divides, and others.
    lambda rng, size: (10 + 2 * size + int(rng.integers(5)), 3 + size % 4, 2 + size % 2),
    edges=[(10, 4, 3), (3, 4, 3), (1, 4, 3)],  # the last two are within the window
    mistakes=[
        step("groups not moved on",
            "Your far keys begin at small distances again, where near ones are already. Move all "
            "of them on by window − window // group, so that they go on where the window ends.",
            moved=lambda window, group: 0),
        step("moved on by the window",
            "You moved the far keys on by the whole window, and distances between are never "
            "used. The groups within the window count already: subtract window // group.",
            moved=lambda window, group: window),
        step("/ instead of // in the move",
            "Your far keys stand between two distances where the group does not divide the "
            "window: the move is window − window // group, a whole number.",
            moved=lambda window, group: window - window / group),
        step("distance grouped",
            "You grouped the distance. Query and key are turned before they meet, so each can "
            "group its own position only: i // group − j // group, which is another number.",
            grouped=lambda i, j, group: (i - j) // group),
        step("/ instead of // in positions",
            "You divided positions with /, so no two tokens share a group. With // they do, and "
            "no distance is new.", grouped=lambda i, j, group: (i - j) / group),
        step("window one token longer",
            "Your window holds one distance too many. Distances 0 … window − 1 are as they are: "
            "compare with <, not <=.", is_near=np.less_equal),
        step("all in groups",
            "You grouped the near keys as well. Within the window distances are as they are: "
            "neighbours have to be told apart.", is_near=lambda apart, window: False),
        step("keys ahead counted",
            "You have distances for keys ahead of their query, too. A causal model never looks "
            "there: 0 above the diagonal, np.tril.", cut=np.asarray),
        answer("rows are keys", lambda y: y.T,
            "Your rows are keys. Rows are queries, so what lies behind stands left of the "
            "diagonal."),
    ],
)

# ---------------------------------------------------------------- 4 YaRN's temperature


def sharper(scale, factor):
    """YaRN's attention factor 0.1 · scale · ln(factor) + 1."""
    return 0.1 * scale * np.log(factor) + 1


def on_scores(
    factor,
    mscale,
    mscale_all_dim,
    *,
    part=sharper,
    are_given=lambda first, second: first > 0 and second > 0,
    quotient=operator.truediv,
):
    """What scores are multiplied by through cos and sin; 0 is a number that is not given."""
    attention_factor = part(1, factor)
    if are_given(mscale, mscale_all_dim):
        attention_factor = quotient(part(mscale, factor), part(mscale_all_dim, factor))
    return attention_factor**2


GIVEN = ((0.0, 0.0), (0.7, 0.0), (1.0, 1.0), (1.0, 0.6), (0.0, 0.8), (0.5, 0.5))

check_on_scores = Checker(
    "What YaRN does to scores",
    on_scores,
    lambda rng, size: (float(rng.integers(2, 65)), *GIVEN[size % len(GIVEN)]),
    edges=[(40.0, 0.0, 0.0), (1.0, 1.0, 0.5)],  # nothing is stretched by 1
    mistakes=[
        answer("q only", lambda y: y**0.5,
            "That is the attention factor, which cos and sin are multiplied by. Query and key "
            "both are turned with them, so a score has it twice: square it."),
        answer("temperature for its reciprocal", lambda y: 1 / y,
            "Scores are divided by the temperature, and here they grow: return what they are "
            "multiplied by, which is above 1 where nothing else is given."),
        step("0 for what is not given",
            "You put 0 into the formula for what is not given. Where one of the two is missing "
            "neither is used: it is 0.1 · ln(factor) + 1.", are_given=lambda first, second: True),
        step("all_dim not divided by",
            "You took the numerator alone. With both given, the factor is a quotient: with two "
            "equal numbers it is 1, as in DeepSeek-V3.", quotient=lambda above, below: above),
        step("neither used",
            "You left mscale and mscale_all_dim out. Where both are given, the factor is the "
            "quotient of 0.1 · mscale · ln(factor) + 1 and the same with mscale_all_dim.",
            are_given=lambda first, second: False),
        argument("quotient upside down",
            "Your quotient is upside down: mscale stands above, mscale_all_dim below.",
            mscale=lambda mscale_all_dim: mscale_all_dim, mscale_all_dim=lambda mscale: mscale),
        wrong(
            "quotient of the two numbers",
            lambda factor, mscale, mscale_all_dim: (
                sharper(mscale / mscale_all_dim if mscale and mscale_all_dim else 1, factor) ** 2
            ),
            "You divided mscale by mscale_all_dim. Each has a factor of its own, 0.1 · mscale · "
            "ln(factor) + 1, and these are divided.",
        ),
        answer("in the scale as well",
            lambda y, factor, mscale_all_dim: y * sharper(mscale_all_dim, factor) ** 2,
            "You multiplied by what DeepSeek's attention multiplies its scale by. That is the "
            "model's, not the frequencies': here only what comes through cos and sin is asked "
            "for."),
        step(
            "1 missing",
            "You forgot the 1. Without stretching, factor 1, the logarithm is 0 and scores stay.",
            part=lambda scale, factor: sharper(scale, factor) - 1 or np.nan,  # no 0/0
        ),
    ],
)

# ---------------------------------------------------------------- 5 a cache


def rotated(x, positions, tokens, length, base):
    """Rotate x [len, pairs] as dynamic NTK does in a text of so many tokens, or one for each."""
    pairs = x.shape[-1]
    alpha = np.maximum(np.reshape(tokens, (-1, 1)) / length, 1)
    inv_freq = (base * alpha ** (pairs / (pairs - 1))) ** (-np.arange(pairs) / pairs)
    return x * np.exp(1j * np.reshape(positions, (-1, 1)) * inv_freq)


def up_to(tokens):
    """The length of the text when each of so many tokens was the newest, [tokens]."""
    return np.arange(tokens) + 1


def cached_scores(q, k, length, base, *, now=int, then=int, late=0):
    """Scores [len] of the newest query; q [pairs] and k [len, pairs] complex, not rotated.

    now and then tell, for len(k) tokens, for which length queries and keys are rotated.
    """
    n = len(k)
    q = rotated(q, n - 1 + late, now(n), length, base)
    k = rotated(k, np.arange(n), then(n), length, base)
    return (q * k.conj()).sum(axis=-1).real


def cache_inputs(rng, size):
    """Texts shorter than the training, as long, and longer."""
    pairs = 2 + size % 3
    q, k = (rng.normal(size=(n, pairs, 2)) @ [1, 1j] for n in (1, 2 + size))
    return q[0], k, 6, float(rng.choice([50.0, 200.0]))


check_cached = Checker(
    "Dynamic NTK with a cache",
    cached_scores,
    cache_inputs,
    edges=[(np.array([1 + 1j, 2 - 1j]), np.array([[2 + 1j, 1 + 3j]]), 6, 50.0)],  # one token
    mistakes=[
        step("keys of their own time",
            "You turned each key by the frequencies of its own time, when the text was shorter: "
            "the query meets keys that were turned more quickly than it is. Turn all of them by "
            "those of now.", then=up_to),
        argument("turned twice",
            "You turned keys that had been turned already. Cache them before they are turned.",
            k=lambda k, length, base: rotated(k, np.arange(len(k)), up_to(len(k)), length, base)),
        step("keys by the trained base",
            "You turned the query by the new frequencies and the keys by those of the training. "
            "Both are turned by the same, or the score knows more than their distance.",
            then=lambda tokens: 1),
        step("query by the trained base",
            "You turned the keys by the new frequencies and the query by those of the training. "
            "Both are turned by the same, or the score knows more than their distance.",
            now=lambda tokens: 1),
        step("not stretched",
            "That is RoPE as it was trained. Beyond `length` tokens dynamic NTK raises the base: "
            "take the frequencies for len(k) tokens.", now=lambda tokens: 1, then=lambda tokens: 1),
        step("a token behind",
            "You took the frequencies for one token less. The newest token counts, too: len(k).",
            now=lambda tokens: tokens - 1, then=lambda tokens: tokens - 1),
        step("query one token late",
            "Your query stands one token too far from all keys. Positions count from 0: with "
            "len(k) tokens the newest is at len(k) − 1, where the newest key is.", late=1),
        wrong("not turned", lambda q, k, length, base: (k.conj() @ q).real,
            "Nothing is turned in your scores. Multiply query and keys by np.exp(1j · position · "
            "frequency) first."),
    ],
)

# ---------------------------------------------------------------- 6 a configuration

LOCAL, GLOBAL = "sliding_attention", "full_attention"


def reading(
    config,
    seq_len,
    *,
    local=LOCAL,
    rotates=lambda flag: flag == 1,
    otherwise=0.0,
    is_long=operator.gt,
    pair=-1,
    given=lambda entry: entry.get("factor"),
    ratio=lambda longest, original: longest / original,
):
    """How many times more slowly the last pair of each layer rotates, [layers]; 0: not at all."""
    original = config["original_max_position_embeddings"]

    def slowed(entry):
        if entry["rope_type"] == "longrope":
            return entry[f"{'long' if is_long(seq_len, original) else 'short'}_factor"][pair]
        computed = ratio(config["max_position_embeddings"], original)
        return 1.0 if entry["rope_type"] == "default" else given(entry) or computed

    entries = config["rope_parameters"]
    of_kind = {LOCAL: slowed(entries[local]), GLOBAL: slowed(entries[GLOBAL])}
    layers = zip(config["layer_types"], config["no_rope_layers"], strict=True)
    return np.array([of_kind[kind] if rotates(flag) else otherwise for kind, flag in layers])


def reading_inputs(rng, size):
    """Linear scaling with its factor, YaRN without one, and two lists for LongRoPE, by turns."""
    original, layers = 1024 * int(rng.integers(2, 9)), 3 + size
    short, long = (
        np.sort(rng.uniform(*ends, 3)).round(2).tolist() for ends in ((1.1, 1.9), (5, 60))
    )
    entry = (
        {"rope_type": "linear", "factor": float(rng.integers(2, 9))},
        {"rope_type": "yarn"},
        {"rope_type": "longrope", "short_factor": short, "long_factor": long},
    )[(size + 1) % 3]
    config = {
        "max_position_embeddings": original * int(rng.choice([12, 16, 24])),
        "original_max_position_embeddings": original,
        "layer_types": [GLOBAL if i % 3 == 2 else LOCAL for i in range(layers)],
        "no_rope_layers": [0 if i % 4 == 1 else 1 for i in range(layers)],
        "rope_parameters": {LOCAL: {"rope_type": "default"}, GLOBAL: entry},
    }
    return config, (original, 2 * original, original // 2)[size // 3 % 3]


check_reading = Checker(
    "What a configuration says",
    reading,
    reading_inputs,
    mistakes=[
        step("sliding layers slowed",
            "You slowed the layers with a sliding window as well. Each kind of layers has an "
            "entry of its own; these look no further than their window, and theirs says default.",
            local=GLOBAL),
        step("flag inverted",
            "You read no_rope_layers the other way around. In spite of its name, 1 is a layer "
            "that turns and 0 one that does not.", rotates=lambda flag: flag == 0),
        step("flag not read",
            "You left no_rope_layers unread. Where it says 0 nothing is turned, so return 0 "
            "there.", rotates=lambda flag: True),
        step("unturned as unchanged",
            "You returned 1 for layers without position. They are not turned at all: 0.",
            otherwise=1.0),
        step("original and longest swapped",
            "Your factor is upside down where none is given. The original length is that of the "
            "training, the shorter one: divide max_position_embeddings by it.",
            ratio=lambda longest, original: original / longest),
        step("no factor, no change",
            "You took a missing factor for 1. It is max_position_embeddings over "
            "original_max_position_embeddings.", ratio=lambda longest, original: 1.0),
        step("factor from the lengths always",
            "You always took the quotient of the two lengths. Where a factor is given, it is "
            "that one.", given=lambda entry: None),
        argument("lists by the longest length",
            "You chose LongRoPE's list by the longest text that the model takes. The text that "
            "is read decides: the long list for more than the original length.",
            seq_len=lambda config: config["max_position_embeddings"]),
        step("long list from the original length on",
            "You took LongRoPE's long list for a text that is just as long as the training. It "
            "is for longer ones: compare with >, not >=.", is_long=operator.ge),
        step("first pair",
            "You took the first number of LongRoPE's list, that of the fastest pair. The last "
            "pair is asked for.", pair=0),
    ],
)
