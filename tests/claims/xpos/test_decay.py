"""What each claim comes to, and a planted error that turns each verdict."""

import cmath
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from posviz.claims.xpos import decay as claims
from posviz.encodings.xpos import resolution
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"
Q, K = np.random.default_rng(0).normal(size=(2, 12, 16))


def factor(distance, pair, head_dim=16, scale_base=512):
    """ζ^(distance/scale_base), as in the paper."""
    return ((2 * pair / head_dim + 0.4) / 1.4) ** (distance / scale_base)


def score(i, j, turned_by, decayed_by, scale_base=8):
    """Of the words i and j, divided by √16, for an offset of angles and one of decay."""
    total = 0
    for pair in range(8):
        q, k = (complex(*x[2 * pair : 2 * pair + 2]) for x in (Q[i], K[j]))
        turn = cmath.exp(1j * turned_by * 10_000 ** (-pair / 8))
        total += (q * k.conjugate() * turn).real * factor(decayed_by, pair, 16, scale_base)
    return total / 4


def change_by_an_older_middle():
    changes = [
        abs(score(i, j, i - j, i - j - 512, 512) - score(i, j, i - j, i - j, 512))
        for i in range(12)
        for j in range(i + 1)
    ]
    return f"{max(changes):.4g}"


def reciprocal(sign, first):
    """The largest difference at distance 100, pairs counted from `first`."""
    written = [(1.4 / (2 * (pair + first) / 16 + 0.4)) ** (sign * 100 / 512) for pair in range(8)]
    return f"{max(abs(w - factor(100, pair)) for pair, w in enumerate(written)):.4g}"


def curve(head_dim, *, decays=True):
    """Scores of equal keys at 1024 distances, the angles by the loop."""
    return [
        sum(
            math.cos(distance * 10_000 ** (-2 * pair / head_dim))
            * (factor(distance, pair, head_dim) if decays else 1)
            for pair in range(head_dim // 2)
        )
        / math.sqrt(head_dim)
        for distance in range(1024)
    ]


def equation_3(scores):
    """Of the paper; the last distance has no next."""
    powers = [math.exp(s) for s in scores]
    steps = (here * (here - there) for here, there in pairwise(powers))
    return math.fsum(steps) / math.fsum(powers) ** 2


def higher(head_dim):
    ratio = equation_3(curve(head_dim)) / equation_3(curve(head_dim, decays=False))
    return f"{ratio:.4g}"


def rising():
    scores = curve(64)
    return str(sum(there > here for here, there in pairwise(scores)))


def far(scores):
    """The part of e^score that is more than 512 tokens back."""
    powers = [math.exp(s) for s in scores]
    share = math.fsum(powers[513:]) / math.fsum(powers)
    return f"{share:.4g}" if share > 1e-12 else "< 1e-12"


def last_that_fits(largest, scale_base):
    """By whole numbers: (7/2)^position is at most largest^scale_base."""
    position = int(scale_base * math.log(largest) / math.log(3.5))
    assert Fraction(7, 2) ** position <= largest**scale_base < Fraction(7, 2) ** (position + 1)
    return f"{position:,}".replace(",", NBSP)


FLOAT32, FLOAT16 = 2**128 - 2**104, 65_504


def sees(block):
    """For each query of eight blocks the distances of the keys it sees, one by one."""
    return [[i - j for j in range(i + 1) if i // block - j // block <= 1] for i in range(8 * block)]


def farthest(training):
    return f"{max(map(max, sees(training // 2))) / training:.4g}"


# What each claim must come to, its numbers by a slow loop, a count or an audited number.
FOUND = {
    "the_score_is_relative": ("true", ["< 1e-14", "< 1e-14"]),
    "every_pair_has_its_pace": ("true", ["1", "1"]),
    "zeta_is_the_reciprocal": (
        "true only if exponents have the other sign",
        [reciprocal(1, 0), "< 1e-14", reciprocal(-1, 1)],
    ),
    "a_fast_pair_reaches_20_tokens": (
        "true only if positions are divided by 512",
        [f"{factor(20, 1):.4g}", f"{factor(20, 1, scale_base=1):.4g}"],
    ),
    "scores_fall_with_every_token": ("false", [rising()]),
    "decay_takes_the_weight_away": (
        "true only if it is ALiBi with slope 1/16, which subtracts",
        [far(curve(64)), far([-n / 16 for n in range(1024)])],
    ),
    "it_looks_both_ways": ("false", ["2.667", "134.8", f"{factor(-1000, 1):.4g}"]),
    "keys_fit_their_format": (
        "true only if it is float32, positions divided by 512 or it is float16, positions from the "
        "middle divided by 512",
        [
            last_that_fits(largest, scale_base)
            for scale_base in (512, 1)
            for largest in (FLOAT32, FLOAT16)
        ]
        + [last_that_fits(FLOAT16, 2 * 512)],
    ),
    "the_middle_may_be_position_0": (
        "true only if queries and keys share the middle",
        ["< 1e-14", change_by_an_older_middle()],
    ),
    "nothing_farther_than_in_training": ("true", [farthest(8), farthest(128)]),
    "all_see_a_training_length": (
        "true only if it is the last of its block",
        [str(len(sees(64)[token])) for token in (511, 448)],
    ),
    "its_resolution_is_higher": (
        "true only if head_dim is 64 or head_dim is 128",
        [higher(head_dim) for head_dim in (16, 64, 128)],
    ),
    "without_decay_it_is_0": (
        "true only if all are alike",
        ["< 1e-14", f"{equation_3([math.cos(0.8 * n) for n in range(1024)]):.4g}"],
    ),
}

real_scale = claims.xpos_scale
real_xpos = claims.apply_xpos


def both_multiplied(q, k, q_positions, k_positions, *, scale_base):
    """The same sign on q and k."""
    q, k = real_xpos(q, k, q_positions, k_positions, scale_base=scale_base)
    return q, k * np.repeat(real_scale(2 * k_positions, 16, scale_base=scale_base), 2, axis=-1)


def without_scale_base(positions, head_dim, *, scale_base=512):
    return real_scale(positions, head_dim, scale_base=1)


def none_decays(positions, head_dim):
    return np.ones((*np.shape(positions), head_dim // 2))


def by_the_first_pair(positions, head_dim):
    return np.repeat(real_scale(positions, head_dim)[..., :1], head_dim // 2, axis=-1)


def by_distance(positions, head_dim, *, scale_base):
    return real_scale(np.abs(positions), head_dim, scale_base=scale_base)


def offsets_of(q_positions, k_positions):
    return np.subtract.outer(q_positions, k_positions)


def a_block_too_many(q_positions, k_positions, block):
    behind = offsets_of(q_positions // block, k_positions // block)
    return (behind <= 2) & (offsets_of(q_positions, k_positions) >= 0)


def a_window(q_positions, k_positions, block):
    behind = offsets_of(q_positions, k_positions)
    return (behind >= 0) & (behind < 2 * block)


def highest_weight(scores):
    return np.max(np.exp(scores)) / np.sum(np.exp(scores))


def too_sharp(scores):
    return np.exp(100 * scores) / np.sum(np.exp(100 * scores))


PLANTED = {
    "the_score_is_relative": (claims, "apply_xpos", both_multiplied, "false"),
    "every_pair_has_its_pace": (claims, "xpos_scale", by_the_first_pair, "false"),
    "zeta_is_the_reciprocal": (
        (claims, "xpos_scale", lambda *given: real_scale(*given, gamma=1.0), "false")
    ),
    "a_fast_pair_reaches_20_tokens": (claims, "xpos_scale", without_scale_base, "false"),
    "scores_fall_with_every_token": (
        (claims, "rotary_frequencies", lambda head_dim: np.zeros(head_dim // 2), "true")
    ),
    "decay_takes_the_weight_away": (claims, "softmax", too_sharp, "true"),
    "it_looks_both_ways": (claims, "xpos_scale", by_distance, "true"),
    "keys_fit_their_format": (claims, "xpos_scale", without_scale_base, "false"),
    "the_middle_may_be_position_0": (claims, "apply_xpos", both_multiplied, "false"),
    "nothing_farther_than_in_training": (
        (claims, "blockwise_causal_mask", a_block_too_many, "false")
    ),
    "all_see_a_training_length": (claims, "blockwise_causal_mask", a_window, "true"),
    "its_resolution_is_higher": (claims, "xpos_scale", none_decays, "false"),
    "without_decay_it_is_0": (claims, "resolution", highest_weight, "false"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_audited_numbers_of_the_lesson_are_there():
    """3.0e-9 at 20 tokens; overflow at 36 260 and 4 532, or at 70 and 8 without scale_base."""
    assert f"{claims.xpos_scale(20, 16, scale_base=1)[1]:.1e}" == "3.0e-09"
    told = [part.split(" if ")[0] for part in claims.keys_fit_their_format().numbers.split("; ")]
    assert told == [f"36{NBSP}260", f"4{NBSP}532", "70", "8", f"9{NBSP}064"]


def test_the_two_forms_of_the_resolution_are_one_sum():
    """What the text says of it: each step adds to it, up or down."""
    for head_dim, decays in ((16, False), (64, True)):
        scores = curve(head_dim, decays=decays)
        powers = [math.exp(score) for score in scores]
        p = [power / math.fsum(powers) for power in powers]
        steps = math.fsum((there - here) ** 2 for here, there in pairwise(p))
        two = (p[0] ** 2 - p[-1] ** 2) / 2 + steps / 2
        assert math.isclose(resolution(np.array(scores)), two, rel_tol=1e-9)
