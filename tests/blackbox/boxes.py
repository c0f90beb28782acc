"""Programs that rotate, right and wrong, with what `identify` should say of each."""

import itertools

import numpy as np

from posviz import (
    XPos,
    apply_rotary,
    change_layout,
    rotary_angles,
    rotary_frequencies,
    to_dtype,
    yarn,
)

D = 64
INV_FREQ = rotary_frequencies(D)
RNG = np.random.default_rng(0)
CALLS = itertools.count()
SHUFFLED = RNG.permutation(D)


def rope(x, positions, inv_freq=INV_FREQ, **more):
    return apply_rotary(x, rotary_angles(positions, inv_freq), **{"layout": "interleaved", **more})


def in_dtype(dtype, *what):
    """RoPE in which positions, frequencies or angles are rounded."""

    def rotate(x, positions):
        places = to_dtype(positions, dtype) if "positions" in what else positions
        slow = to_dtype(INV_FREQ, dtype) if "frequencies" in what else INV_FREQ
        angles = np.multiply.outer(places, slow)
        return apply_rotary(x, to_dtype(angles, dtype) if "angles" in what else angles)

    return rotate


def mixed_up(x, positions, join=np.tile, halves=False):
    """Cosines in the order of one layout, columns swapped in that of the other."""
    angles = rotary_angles(positions, INV_FREQ)
    if halves:
        swapped = np.concatenate([-x[:, D // 2 :], x[:, : D // 2]], axis=-1)
        angles = np.repeat(angles, 2, axis=-1)
    else:
        swapped = np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape)
        angles = np.tile(angles, 2)
    return x * np.cos(angles) + swapped * np.sin(angles)


def overwritten(x, positions, halves=True):
    """The first member of a pair is overwritten before the second one is computed."""
    order = np.arange(D).reshape((2, -1) if halves else (-1, 2))
    first, second = order if halves else order.T
    cos, sin = (wave(rotary_angles(positions, INV_FREQ)) for wave in (np.cos, np.sin))
    y = np.array(x, float)
    y[:, first] = y[:, first] * cos - y[:, second] * sin
    y[:, second] = y[:, second] * cos + y[:, first] * sin
    return y


def behind(x, positions):
    """Only the last half of a head rotates, as in latent attention."""
    back = rope(x[:, D // 2 :], positions, rotary_frequencies(D // 2))
    return np.concatenate([x[:, : D // 2], back], axis=-1)


def upside_down(x, positions):
    slow = yarn(D, 4.0, original_max_seq_len=4096).inv_freq
    return rope(x, positions, INV_FREQ * 1.25 - slow)


NAMED = {  # the program, and facts of its verdict
    "plain": (rope, {"layout": "interleaved", "method": "plain", "dtype": "float64"}),
    "backwards": (lambda x, p: rope(x, -p), {"direction": -1, "first_position": 0}),
    "from 1": (lambda x, p: rope(x, p + 1), {"direction": 1, "first_position": 1}),
    "from 5000": (lambda x, p: rope(x, p + 5000), {"first_position": 5000}),
    "half a step late": (lambda x, p: rope(x, p + 0.5), {"first_position": 0.5}),
    "interpolated": (lambda x, p: rope(x, p / 8), {"method": "linear", "factor": 8}),
    "too loud": (lambda x, p: rope(x, p, attention_factor=1.2), {"attention_factor": 1.2}),
    "all columns too loud": (
        lambda x, p: 1.5 * rope(x, p, rotary_frequencies(32)),
        {"attention_factor": 1.5, "rotary_dim": 32},
    ),
    "bfloat16 positions": (in_dtype("bfloat16", "positions"), {"dtype": "bfloat16"}),
    "bfloat16 frequencies": (
        in_dtype("bfloat16", "frequencies"),
        {"dtype": "bfloat16", "base": 1e4},
    ),
    "bfloat16": (in_dtype("bfloat16", "positions", "frequencies", "angles"), {"dtype": "bfloat16"}),
    "float16 positions": (in_dtype("float16", "positions"), {"dtype": "float16"}),
    "float32": (
        lambda x, p: rope(x.astype(np.float32), np.float32(p), INV_FREQ.astype(np.float32)),
        {"dtype": "float32"},
    ),
    "out in the other layout": (
        lambda x, p: change_layout(rope(x, p), source="interleaved", target="half_split"),
        {"layout": "interleaved to half_split"},
    ),
    "members exchanged": (
        lambda x, p: rope(x, p).reshape(len(x), -1, 2)[:, :, ::-1].reshape(x.shape),
        {"method": "plain", "base": 1e4},
    ),
    "shuffled": (
        lambda x, p: rope(x[:, SHUFFLED], p)[:, np.argsort(SHUFFLED)],
        {"layout": "other", "base": 1e4},
    ),
    "behind": (behind, {"rotary_dim": 32, "base": 1e4}),
    "frequencies of the whole head": (
        lambda x, p: rope(x, p, INV_FREQ[:16], layout="half_split"),
        {"rotary_dim": 32},
    ),
    "exponent of tensor2tensor": (
        lambda x, p: rope(x, p, 1e4 ** (-np.arange(32) / 31)),
        {"exponent": "k/(d/2-1)", "base": 1e4},
    ),
    "pairs from 1": (
        lambda x, p: rope(x, p, INV_FREQ**1 / 1e4 ** (1 / 32)),
        {"exponent": "2(k+1)/d"},
    ),
    "upside down": (upside_down, {"method": "yarn", "factor": 4}),
    "neighbours, cat(freqs, freqs)": (mixed_up, {"layout": "mixed", "base": 1e4}),
    "halves, repeated": (lambda x, p: mixed_up(x, p, halves=True), {"layout": "mixed"}),
    "overwritten halves": (overwritten, {"layout": "mixed", "base": 1e4}),
    "overwritten neighbours": (lambda x, p: overwritten(x, p, halves=False), {"base": 1e4}),
    "from 100, in float32": (
        lambda x, p: rope(x, np.float32(p + 100), INV_FREQ.astype(np.float32)),
        {"first_position": 100},
    ),
    "twice": (lambda x, p: rope(rope(x, p), p), {"method": "linear", "factor": 0.5}),
    "xPos from its middle": (
        lambda x, p: XPos().at_query(rope(x, p * 0)[None, None], p - 500)[0, 0],
        {"method": "plain"},
    ),
}

UNKNOWN = {  # the program, and a word of what is said
    "softmax": (lambda x, p: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), "linear"),
    "learned": (lambda x, p: x @ np.random.default_rng(1).normal(size=(D, D)), "columns"),
    "nothing": (lambda x, p: x, "Nothing rotates"),
    "NaN": (lambda x, p: x * np.nan, "NaN"),
    "random": (lambda x, p: RNG.normal(size=x.shape), "again"),
    "standing still": (lambda x, p: rope(x, np.full(len(x), 5)), "same angles at all positions"),
    "adding": (lambda x, p: x + np.cos(np.outer(p, INV_FREQ)).repeat(2, axis=1), "adds something"),
    "minus missing": (
        lambda x, p: (
            lambda y: np.concatenate(
                [2 * x[:, :32] * np.cos(np.outer(p, INV_FREQ)) - y[:, :32], y[:, 32:]], axis=1
            )
        )(rope(x, p, layout="half_split")),
        "minus is missing",
    ),
    "deaf": (lambda x, p: rope(x, np.arange(len(x))), "other rows"),
    "mixing rows": (lambda x, p: rope(x, p) + x.mean(axis=0), "other rows"),
    "counting its calls": (lambda x, p: rope(x, p) * (1 + next(CALLS) % 2), "again"),
    "mixing texts": (lambda x, p: rope(x, p) + (x[0] - x[1] if x.ndim > 2 else 0), "batch"),
    "twice as wide": (lambda x, p: np.concatenate([x, x], axis=-1), "128 columns"),
    "columns added": (lambda x, p: np.repeat(x[:, ::2] + x[:, 1::2], 2, axis=-1), "rotat"),
}
