"""Exercises from practice: convert trained weights, repair cached decoding, fix a port."""

from functools import partial

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import (
    apply_rotary,
    change_layout,
    change_projection_layout,
)
from posviz.teaching.mistakes import POSITIONS_IGNORED, answer, argument, step, wrong
from posviz_course.lesson_checker import LessonChecker
from posviz_course.lessons.rotary import exercises as rotary

BASE = 10_000.0


def half_split(w, num_heads, *, source="interleaved", target="half_split"):
    """Return w [d_model, num_heads·head_dim] with the columns of each head reordered."""
    return change_projection_layout(w, num_heads=num_heads, source=source, target=target)


def weights_inputs(rng, size):
    """Return weights, every other square, and the number of heads; reordered rows fit as well."""
    num_heads, head_dim = 1 + size % 3, 4 + 2 * (size // 2)
    width = num_heads * head_dim
    d_model = width * (1 + size % 2)
    return rng.permutation(d_model * width).reshape(d_model, width) / 2 - 5, num_heads


def overwritten(w, num_heads):
    """Return w after its columns were moved inside it, each half of a head at once."""
    heads = w.reshape(len(w), num_heads, -1).copy()
    half = heads.shape[-1] // 2
    for first, start in ((0, 0), (half, 1)):
        heads[..., first : first + half] = heads[..., start::2]
    return heads.reshape(w.shape)


def as_wide_as_the_model(w, num_heads):
    """Return w with heads cut as if its width were d_model."""
    heads = w.reshape(len(w), num_heads, len(w) // num_heads)
    return np.concatenate([heads[..., 0::2], heads[..., 1::2]], axis=-1).reshape(w.shape)


check_weight_layout = LessonChecker(
    "Weights from interleaved to half_split",
    half_split,
    weights_inputs,
    edges=[
        (np.arange(32.0).reshape(4, 8), 2),  # d_model is not the width, as with few key heads
        (np.arange(64.0).reshape(8, 8), 2),
        (np.arange(16.0).reshape(4, 4), 2),  # one pair a head: nothing to reorder
    ],
    mistakes=[
        step("other direction",
            "You converted from half_split to interleaved. Here the columns 0, 2, 4, … of a head "
            "come first, and the odd ones after them.", source="half_split", target="interleaved"),
        answer("odd columns first",
            lambda y, num_heads: y.reshape(len(y), num_heads, 2, -1)[:, :, ::-1].reshape(y.shape),
            "You put the odd columns of each head before the even ones. Column 2i comes to place "
            "i and column 2i+1 to place i + head_dim/2: the even ones come first."),
        argument("heads ignored",
            "You reordered the whole width at once, which mixes the columns of different "
            "heads. Reorder the head_dim columns of each head among themselves.", num_heads=1),
        wrong("rows instead of columns", lambda w, num_heads: half_split(w.T, num_heads).T,
            "You reordered the rows, which belong to the inputs. Queries and keys are x @ w: "
            "reorder the columns. The weight of a torch.nn.Linear is the transpose of w."),
        wrong("d_model instead of the width", as_wide_as_the_model,
            "You computed head_dim from the number of rows, which is d_model. The width, "
            "w.shape[1], is another number where a model has few key heads: divide the width."),
        wrong("overwritten too soon", overwritten,
            "You moved columns inside w, so some are overwritten before you read them. Write into "
            "a new array, or concatenate the even and the odd columns."),
        wrong("unchanged", lambda w, num_heads: w,
            "You returned w as it was. Columns 2i and 2i+1 of a head should become columns i and "
            "i + head_dim/2."),
        wrong("head_dim before num_heads",
            lambda w, num_heads: (
                w.reshape(len(w), -1, 2, num_heads).swapaxes(1, 2).reshape(w.shape)
            ),
            "You split the width into head_dim × num_heads. The columns of a head are side by "
            "side: reshape to [d_model, num_heads, head_dim]."),
    ],
)


def rotated(x, positions, inv_freq, layout="interleaved"):
    """Return x [len, head_dim] rotated by its positions [len]."""
    return apply_rotary(x, rotary_angles(positions, inv_freq), layout=layout)


def cached_scores(q, k, cached_keys, inv_freq, *, q_at=lambda n: n, k_at=lambda n: n, **how):
    """Return the scores [n + 1], unscaled, of a new token: q, k [head_dim], cached_keys [n, …]."""
    n = len(cached_keys)
    keys = np.vstack([cached_keys, rotated(k[None], [k_at(n)], inv_freq, **how)])
    return keys @ rotated(q[None], [q_at(n)], inv_freq, **how)[0]


def cached_inputs(rng, size):
    """Return q, k, as many keys as `size`, rotated at 0, 1, …, and frequencies, never as many."""
    head_dim = 2 + 2 * (size % 3)
    inv_freq = rotary_frequencies(head_dim, float(rng.choice([100, 1_000])))
    q, k, *keys = rng.uniform(-1, 1, size=(size + 2, head_dim))
    return q, k, rotated(np.array(keys), np.arange(size), inv_freq), inv_freq


check_cached_scores = LessonChecker(
    "The scores of cached decoding",
    cached_scores,
    cached_inputs,
    # The first token, which finds an empty cache.
    edges=[(np.array([0.6, 0.8]), np.array([0.5, -0.2]), np.empty((0, 2)), np.array([1.0]))],
    mistakes=[
        step("query at 0",
            "Your query is at position 0, or is not rotated at all. The new token comes after "
            "n cached ones, at position n: rotate its query there.",
            q_at=lambda n: 0),
        step("key at 0",
            "Your new key is at position 0, or is not rotated at all. The new token comes "
            "after n cached ones, at position n: rotate its key there.",
            k_at=lambda n: 0),
        step("offset forgotten",
            "Your query and key are not rotated (or at position 0), or you rotated the whole cache "
            "by n once more, which gives the same offsets. The cache is rotated already: rotate "
            "the new token alone, by n, the number of cached keys.",
            q_at=lambda n: 0, k_at=lambda n: 0),
        step("counted from 1",
            "Your new token is at n + 1, one position too far. With n cached keys the cache holds "
            "positions 0 … n − 1, so the next one is n.",
            q_at=lambda n: n + 1, k_at=lambda n: n + 1),
        step("cached keys counted twice",
            "Your new token is at 2n, because you added the n cached keys twice. Its position is "
            "n, the number of cached keys.", q_at=lambda n: 2 * n, k_at=lambda n: 2 * n),
        step("query one late",
            "Your query is at n + 1, one position too far. Query and key belong to the new token, "
            "at position n.", q_at=lambda n: n + 1),
        step("at the last cached position",
            "Your new token is at n − 1, where the last cached key is. The next position is n, the "
            "number of cached keys.", q_at=lambda n: n - 1, k_at=lambda n: n - 1),
        argument("cached keys rotated again",
            "You rotated the cached keys once more. They were rotated when they came in, each by "
            "its own position: rotate only the new key.",
            cached_keys=lambda cached_keys, inv_freq: rotated(
                cached_keys, np.arange(len(cached_keys)), inv_freq
            )),
        answer("new key not appended", lambda y: y[:-1],
            "You scored the cached keys alone. A token looks at itself too: append its key, "
            "rotated by n, the number of cached keys, for n + 1 scores."),
        step("half_split",
            "You rotated in the layout half_split, but the cached keys are interleaved, which is "
            "the default of apply_rotary. Query and keys need the same pairs.",
            layout="half_split"),
        wrong("at head_dim",
            lambda q, *given: cached_scores(
                q, *given, q_at=lambda n: len(q), k_at=lambda n: len(q)
            ),
            "Your new token is at position head_dim, the width of a key. Its position is the "
            "number of cached keys, len(cached_keys)."),
        answer("scaled", lambda y, q: y / np.sqrt(len(q)),
            "You divided by √head_dim. That is right in a head, but here return the plain "
            "products."),
    ],
)


def port(x, positions, *, first=0, **steps):
    """Return x [len, head_dim] rotated by its positions [len], in interleaved pairs."""
    return rotary.rotated(x, positions + first, BASE, **steps)


def port_inputs(rng, size):
    """Return rows of several pairs, and as many positions, in no order."""
    length, head_dim = size + 1, 4 + 2 * (size % 3)
    return rng.uniform(-1, 1, size=(length, head_dim)), rng.integers(0, 40, size=length)


def backwards(x):
    """Return the partners with both signs changed: a rotation in the other direction."""
    return -rotary.partners(x)


STILL: dict = {"partner": backwards, "first": 1}  # two of the three mistakes that are given

check_port = LessonChecker(
    "The port of RoPE",
    port,
    port_inputs,
    edges=[
        (np.array([[0.6, -0.8, 0.5, 0.1]]), np.array([3])),  # one token
        (np.array([[1.0, 0.0], [0.3, 0.7], [0.3, 0.7]]), np.array([0, 5, 5])),  # one pair
    ],
    given=partial(port, layout="half_split", **STILL),
    mistakes=[
        step("half_split",
            "You rotate dimensions i and i + head_dim/2 together, as half_split does. Interleaved "
            "pairs are neighbours: x[:, 0::2] and x[:, 1::2].", layout="half_split"),
        step("two layouts mixed",
            "Your cosines and sines are those of neighbours, but the partners come from the other "
            "half, as in rotate_half. Let columns 2i and 2i+1 be partners of each other.",
            partner=rotary.rotate_half),
        step("direction reversed",
            "You rotate in the wrong direction. The first of a pair becomes first · cos − "
            "second · sin, and the second becomes second · cos + first · sin.", partner=backwards),
        step("both sines subtracted",
            "You subtract both sines, so the norm of a pair changes. The sine is subtracted in "
            "the first of a pair, and added in the second.",
            partner=lambda x: -rotary.partners(x, 1)),
        step("both sines added",
            "You add both sines, so the norm of a pair changes. The sine is subtracted in the "
            "first of a pair, and added in the second.", partner=lambda x: rotary.partners(x, 1)),
        step("counted from 1",
            "You count positions from 1. The positions that are given begin at 0, and at position "
            "0 nothing rotates: leave out the + 1.", first=1),
        answer("outputs in two halves",
            lambda y: change_layout(y, source="interleaved", target="half_split"),
            "Your outputs have all firsts before all seconds. Put each second next to its first: "
            "np.stack(rotated, axis=-1).reshape(x.shape)."),
        answer("stacked along the first axis",
            lambda y: np.stack([y[:, 0::2], y[:, 1::2]]).reshape(y.shape),
            "np.stack without axis=-1 puts all firsts of all tokens before all seconds: "
            "np.stack(rotated, axis=-1).reshape(x.shape)."),
        argument("inputs in two halves",
            "You read the two halves of x, but you write neighbours. Read neighbours as well: "
            "x[:, 0::2] and x[:, 1::2].",
            x=lambda x: change_layout(x, source="half_split", target="interleaved")),
        # The first line that a reader fixes may be one of the two of the layout.
        wrong("only the inputs fixed",
            lambda x, positions: change_layout(
                port(x, positions, **STILL), source="interleaved", target="half_split"
            ),
            "You read neighbours now, but you still write two halves: "
            "np.stack(rotated, axis=-1).reshape(x.shape). Two more mistakes are left after that."),
        wrong("only the outputs fixed",
            lambda x, positions: port(
                change_layout(x, source="half_split", target="interleaved"), positions, **STILL
            ),
            "You write neighbours now, but you still read two halves: x[:, 0::2] and x[:, 1::2]. "
            "Two more mistakes are left after that."),
        step("angles in two halves",
            "You laid out the angles for two halves. Both dimensions of a pair need the same "
            "angle: np.repeat(angles, 2, axis=1).", power=rotary.tiled),
        wrong("overwritten too soon", lambda x, positions: rotary.overwritten(x, positions, BASE),
            "You compute the second of a pair from the first that is rotated already. Keep the "
            "old first until both are computed."),
        POSITIONS_IGNORED,
        wrong("not rotated", lambda x, positions: x,
            "You returned x as it was. Rotate each pair by position × frequency."),
    ],
)
