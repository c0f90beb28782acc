"""Exercises: T5's buckets by hand and as a rule, Transformer-XL's scores, Shaw's rows."""

import numpy as np

from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import answer, argument, looks_like, right_on, step, wrong

# --------------------------------------------------------- T5's buckets: the rule, and by hand


def share_of_log(distance, exact, max_distance):
    """Share of the way from exact to max_distance, in equal factors: 0 … 1, and beyond."""
    return np.log(distance / exact) / np.log(max_distance / exact)


def t5_rule(
    offsets,
    num_buckets,
    max_distance,
    *,
    directions=2,
    share=share_of_log,
    rounded=np.floor,
    last=-1,
):
    """Buckets [n] of offsets [n], query − key; a half ends with bucket half + last."""
    half = num_buckets // directions
    exact, distances = half // 2, abs(offsets)
    shares = share(np.maximum(distances, exact), exact, max_distance)
    wide = np.minimum(exact + rounded((half - exact) * shares), half + last)
    return np.where(distances < exact, distances, wide) + num_buckets // 2 * (offsets < 0)


def t5_inputs(rng, size):
    """Arguments of the exercise, larger with the size."""
    # No bucket of these starts exactly at a whole distance, where rounding would decide.
    num_buckets, max_distance = (12, 14, 20)[size % 3], (150, 100, 40)[size // 3]
    reach = 4 * size**2
    offsets = rng.permutation(2 * reach + 1)[: 4 * size] - reach
    offsets[-1] = 0  # the query itself is always among them
    return offsets, num_buckets, max_distance


check_t5_bucket_function = Checker(
    "The rule of T5's buckets",
    t5_rule,
    t5_inputs,
    edges=[
        # Both sides of 0, of the single buckets' end, and of max_distance.
        (np.array([0, 1, -1, 2, -2, 3, -3, 149, 151, -1000]), 12, 150),
        (np.array([6, -16, 40]), 14, 100),  # half of an odd half is rounded down
    ],
    mistakes=[
        argument("sign of the offset",
            "You gave the upper half to the past. Our offset is query − key, so keys after their "
            "query have offsets below 0: the upper half is for these.",
            offsets=lambda offsets: -offsets),
        answer("query itself in the upper half",
            lambda y, offsets, num_buckets: y + num_buckets // 2 * (offsets == 0),
            "You added num_buckets // 2 where the offset is 0, too. That is the query itself, in "
            "bucket 0: the upper half is for offsets below 0, with < and not <=, and its first "
            "bucket stays empty."),
        answer("16 added",
            lambda y, offsets, num_buckets: y + (16 - num_buckets // 2) * (offsets < 0),
            "You add 16 for the future, which is half of T5's own 32. Half of the buckets that "
            "are given is num_buckets // 2: add that."),
        argument("future half forgotten",
            "Past and future share their buckets in your rule. Add num_buckets // 2 where the "
            "offset is below 0.", offsets=lambda offsets: abs(offsets)),
        step("all buckets each way",
            "You gave each direction all buckets, and then shifted the future. The two "
            "directions share them: halve num_buckets before you do anything else.", directions=1),
        argument("max_distance ignored",
            "You wrote 128 into the rule: use the argument max_distance, which is not always 128.",
            max_distance=128),
        step("clamp missing",
            "Your buckets go on rising beyond max_distance, into those of the future or out of "
            "the table. Take at most num_buckets // 2 − 1 before you add the half of the future.",
            last=np.inf),
        step("last bucket too early",
            "Your last bucket comes too early, as if you had clipped the distance. Either all of "
            "a half are exact in your rule: of n = num_buckets // 2 buckets only m = n // 2 are. "
            "Or you took log2(d/m) as it is: divide log(d/m) by log(max_distance/m), in any one "
            "base.", share=lambda d, m, most: np.log2(d / m)),
        step("natural logarithm alone",
            "You took log(d/m) to base e as it is, so the last bucket comes too early. Divide it "
            "by log(max_distance/m): then any base gives the same.",
            share=lambda d, m, most: np.log(d / m)),
        step("rounded to the nearest",
            "You rounded to the nearest bucket. A bucket holds all distances from where it "
            "starts up to the next one: round down, as int() and np.floor do.", rounded=np.round),
        step("not rounded",
            "Your buckets have fractions. A bucket is the number of a row: round down before you "
            "clamp.", rounded=np.positive),
        right_on("half of an odd half",
            lambda rng, size: (t5_inputs(rng, size)[0], (12, 20)[size % 2], 100),
            "Your rule is right where num_buckets can be divided by 4. Elsewhere a half n has an "
            "odd number of buckets: m = n // 2 of them are exact, with // and not /, and n − m "
            "are wide, one more than m."),
    ],
)

OFFSETS = (5, -5, 20, 60, -200)  # query − key; at 60 the logarithm ends in .8, so rounding shows


def five_buckets(*, offsets=OFFSETS, num_buckets=32, **steps):
    """Buckets [5] of OFFSETS in T5's encoder."""
    return t5_rule(np.array(offsets), num_buckets, 128, **steps)


WRONG_AT = {
    5: "Some of your five are right; 5 is not. Its distance is below 8 and so is a bucket itself.",
    -5: "Your 5 is right, −5 is not. Its key is as far away, but after its query: add 16.",
    20: "Your 5 and −5 are right, 20 is not. It needs a logarithm: 8 + 8 · log(20/8)/log(128/8), "
    "rounded down.",
    60: "Your 5, −5 and 20 are right, 60 is not. It needs a logarithm as 20 does, rounded down, "
    "however near to the next bucket it comes.",
    -200: "All but −200 are right. It is so far that the last bucket of its half is its own, and "
    "its key comes after its query.",
}


def first_wrong_at(offset):
    """A mistake of answers, not all of whose buckets are wrong, whose first wrong one is this."""

    def shown_by(buckets):
        wrong = buckets != five_buckets()
        return not wrong.all() and OFFSETS[np.argmax(wrong)] == offset

    return looks_like(f"wrong at {offset}".replace("-", "−"), shown_by, WRONG_AT[offset])


check_t5_buckets = Checker(
    "T5's buckets by hand",
    five_buckets,
    mistakes=[
        step("sign of the offset",
            "You gave the upper half to the past. Our offset is query − key, so below 0 the key "
            "comes after its query: the upper half, from 16, is for these.",
            offsets=np.negative(OFFSETS)),
        step("future half forgotten",
            "You gave keys after their query the buckets of those before it. They have the upper "
            "half of the 32: add 16 where the offset is below 0.", offsets=np.abs(OFFSETS)),
        step("clamp missing",
            "Your −200 is beyond the last bucket, 31. All distances from 91 on share the last "
            "bucket of their half: take at most 15 before you add 16.", last=np.inf),
        step("decoder's buckets",
            "Those are the buckets of the decoder, which gives all 32 to the past. The encoder "
            "sees both directions: 16 buckets each, of which 8 hold one distance.",
            offsets=np.maximum(OFFSETS, 0), num_buckets=64),
        step("last bucket too early",
            "Your 20 and 60 are in the last bucket already: you clipped them, or took a "
            "logarithm to base e or 2. Divide log(d/8) by log(128/8), in any one base, before "
            "you multiply by 8.", share=lambda d, m, most: np.log(d / m)),
        step("logarithm to base 10",
            "You took log10(d/8) as it is, so bucket 16 would begin at 80. It would begin at "
            "max_distance: divide by log10(128/8), and any base gives the same.",
            share=lambda d, m, most: np.log10(d / m)),
        step("rounded to the nearest",
            "You rounded to the nearest bucket, or up. A bucket holds all distances from where "
            "it starts up to the next one: round down.", rounded=np.round),
        answer("future below 0", lambda y: np.where(np.less(OFFSETS, 0), 16 - y, y),
            "You gave keys after their query buckets below 0. Buckets are rows of a table: those "
            "of the future are 16 … 31, so add 16 to the bucket of the distance."),
        looks_like("not rounded", lambda buckets: (buckets % 1 != 0).any(),
            "A bucket is the number of a row, and at least one of yours has a fraction. Round "
            "the logarithm down: a bucket holds all distances from where it starts up to the "
            "next one."),
        looks_like("no bucket", lambda buckets: ((buckets < 0) | (buckets > 31)).any(),
            "The 32 buckets are numbered 0 … 31, and at least one of your numbers is outside."),
        *map(first_wrong_at, OFFSETS),
    ],
)

# ------------------------------------------------------------------ the scores of Transformer-XL


def xl_scores(q, k, r, u, v, *, row=lambda i, j: i - j, future=0):
    """Scores [len, len]; q, k [len, head_dim], row o of r belongs to offset o; u, v [head_dim]."""
    i, j = np.indices((len(q), len(q)))
    scores = (q + u) @ k.T + ((q + v)[:, None] * r[row(i, j)]).sum(axis=-1)
    return np.where(j <= i, scores, future)


def xl_inputs(rng, size):
    """Arguments of the exercise, larger with the size."""
    head_dim = 2 + size % 3
    return *rng.normal(size=(3, size + 1, head_dim)), *rng.normal(size=(2, head_dim))


def xl_without(*names):
    """Inputs on which some of the arguments are 0."""
    zeros = [(1.0, 0.0)[name in names] for name in ("q", "k", "r", "u", "v")]
    return lambda rng, size: tuple(map(np.multiply, zeros, xl_inputs(rng, size - 1)))


check_transformer_xl_scores = Checker(
    "The scores of Transformer-XL",
    xl_scores,
    xl_inputs,
    edges=[tuple(map(np.array, ([[1.0, 2]], [[3.0, 1]], [[1.0, -1]], [2, 0.5], [0, 1.5])))],
    mistakes=[
        wrong("a common claim",
            lambda q, k, r, u, v: xl_scores(q, k, r, v, 0 * v) + np.tril((q @ u)[:, None]),
            "Your u meets the query and your v the key, as a common claim has it. u·q_i is the "
            "same along a row, so the softmax never sees it: write (q_i + u)·k_j + (q_i + v)·r, "
            "with r of i − j."),
        answer("u with the query", lambda y, q, k, u: y + np.tril((q @ u)[:, None] - k @ u),
            "Your u meets the query. u·q_i is the same along a row, so the softmax never sees "
            "it: let u meet the key, u·k_j, for contents that matter whatever the query."),
        argument("v with the key",
            "Your v meets the key, as u does. Let it meet r of i − j, for distances that matter "
            "whatever the query.", u=lambda u, v: u + v, v=lambda v: 0 * v),
        argument("u and v swapped",
            "You swapped u and v: u stands beside q where it meets k, v where it meets r.",
            u=lambda v: v, v=lambda u: u),
        argument("u in both places",
            "You added u in both places: beside r stands v, so that a model can weigh contents "
            "and distances apart.", v=lambda u: u),
        argument("u missing",
            "The third term is missing: u·k_j, the same for every query that meets this key.",
            u=lambda u: 0 * u),
        argument("v missing",
            "The fourth term is missing: v·r, the same for every query and key at the same "
            "offset.", v=lambda v: 0 * v),
        argument("rows of r reversed",
            "You read r from its end. The released code keeps the farthest offset first, but "
            "here row 0 is offset 0: take r[i − j].", r=lambda r: r[::-1]),
        step("sign of the offset",
            "You took r[j − i], and NumPy counts rows below 0 from the end. The offset is query "
            "− key: take r[i − j].", row=lambda i, j: j - i),
        step("−∞ ahead",
            "A mask would put −∞ ahead, as you did. Here leave 0 there, so that all scores are "
            "numbers.", future=-np.inf),
        answer("scaled", lambda y, u: y / np.sqrt(len(u)),
            "You divided by √head_dim. That is right in a head, but here return the plain sums."),
        right_on("u or v misplaced", xl_without("u", "v"),
            "Your scores are right where u and v are 0, so the two terms of the query are there. "
            "Add the other two, and nothing else: u·k_j, and v·r with r of i − j."),
        right_on("r misplaced", xl_without("r"),
            "Your scores are right where r is 0, so (q_i + u)·k_j is there. Add (q_i + v)·r, "
            "with row i − j of r."),
    ],
)

# ----------------------------------------------------------------------- the rows of Shaw's table


def shaw_rows(q_positions, k_positions, max_distance, *, ends=lambda most: (-most, most)):
    """Rows [q_len, k_len] of a table of 2 · max_distance + 1 vectors."""
    return np.clip(k_positions - q_positions[:, None], *ends(max_distance)) + max_distance


def shaw_inputs(rng, size):
    """Arguments of the exercise, larger with the size."""
    positions = rng.permutation(6 * size)
    return positions[:size], positions[size - 1 : 2 * size], (size + 2) // 2


check_shaw_index = Checker(
    "The rows of Shaw's table",
    shaw_rows,
    shaw_inputs,
    edges=[
        (np.array([0, 3]), np.array([0, 2, 3, 9]), 2),  # the first position, and equal ones
        (np.array([5]), np.array([5]), 1),  # one token
    ],
    mistakes=[
        argument("sign of the offset",
            "You counted query − key, as this course does. Shaw counts key − query: a key far "
            "behind its query has row 0, and one far ahead the last row.",
            q_positions=lambda q_positions: -q_positions,
            k_positions=lambda k_positions: -k_positions),
        step("not clipped",
            "You did not clip, so far keys have rows that the table has not. Bring key − query "
            "to −max_distance … max_distance first, then add max_distance.",
            ends=lambda most: (-np.inf, np.inf)),
        answer("clipped, not shifted", lambda rows, max_distance: rows - max_distance,
            "Some of your rows are negative, and NumPy would take them from the end. Add "
            "max_distance after you have clipped: the query itself then has row max_distance."),
        step("shifted before clipped",
            "You added max_distance before you clipped to −max_distance … max_distance. After "
            "the shift the rows are 0 … 2·max_distance: clip first, or clip to these.",
            ends=lambda most: (-2 * most, 0)),
        step("clipped to max_distance − 1",
            "You clipped to max_distance − 1 ahead, as DeBERTa does, whose table has "
            "2·max_distance rows. Shaw's has one more: −max_distance … max_distance, with both "
            "ends.", ends=lambda most: (-most, most - 1)),
        answer("distances", lambda rows, max_distance: abs(rows - max_distance),
            "You took the distance, without its sign, so a key behind and a key ahead share a "
            "row. Keep the sign of key − query, and add max_distance to make rows of it."),
        answer("distances, shifted",
            lambda rows, max_distance: abs(rows - max_distance) + max_distance,
            "You took the distance, without its sign, so the lower half of the table is never "
            "read. Keep the sign of key − query: keys behind have rows below max_distance."),
        argument("positions ignored",
            "You counted the places 0, 1, 2, … of queries and keys: use the positions that are "
            "given, whatever they are.",
            q_positions=lambda q_positions: np.arange(len(q_positions)),
            k_positions=lambda k_positions: np.arange(len(k_positions))),
    ],
)
