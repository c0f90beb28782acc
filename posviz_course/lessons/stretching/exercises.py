"""Exercises: NTK's base, YaRN's ramp and its temperature."""

import math
import operator

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.teaching.mistakes import BASE_IGNORED, answer, argument, step, wrong
from posviz_course.lesson_checker import LessonChecker

# ---------------------------------------------------------------- 1 NTK's base


def new_base(head_dim, factor, base, *, exponent=lambda d: d / (d - 2)):
    """The base with which the last pair rotates `factor` times more slowly, one number."""
    return base * factor ** exponent(head_dim)


check_new_base = LessonChecker(
    "The base of NTK",
    new_base,
    lambda rng, size: (
        4 + 2 * size,
        float(rng.choice([2.0, 2.5, 5.0])),
        float(rng.choice([50.0, 234.5, 1e4])),
    ),
    edges=[(6, 2.0, 50.0), (8, 1.0, 50.0)],  # few pairs; nothing is slowed
    mistakes=[
        step("exponent missing",
            "You gave the factor no exponent. In the last pair the base has the exponent "
            "(d − 2)/d, which is less than 1, so the pair changes by less than the base. A power "
            "of the factor makes up for it.", exponent=lambda d: 1),
        step("d/(d/2 − 1)",
            "You took the exponent d/(d/2 − 1). The last pair is k = d/2 − 1, but its frequency is "
            "base^(−2k/d), and 2k = d − 2.", exponent=lambda d: d / (d / 2 - 1)),
        step("number of the last pair",
            "You took the exponent d/2 − 1, the number of the last pair. In its frequency, "
            "base^(−2k/d), that number is multiplied by 2/d: solve for the new base.",
            exponent=lambda d: d / 2 - 1),
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
        wrong("power of the base",
            lambda head_dim, factor, base: base ** (head_dim / (head_dim - 2)) * factor,
            "You took the power of the base. The factor has that exponent, and the base has none."),
        wrong("parentheses of the exponent",
            lambda head_dim, factor, base: base * factor**head_dim / (head_dim - 2),
            "In Python ** goes before /, so your line divides a power by d − 2. Put the exponent "
            "into parentheses."),
        argument("divided",
            "Your base became smaller, so the pairs rotate faster. A larger base gives a slower "
            "last pair.", factor=lambda factor: 1 / factor),
        argument("base left out",
            "That is by how much the base grows. Return the new base: multiply by the old one.",
            base=1),
        BASE_IGNORED,
    ],
)

# ---------------------------------------------------------------- 2 YaRN's ramp


def blend(ramp, factor):
    """1 where the ramp is 0, 1/factor where it is 1."""
    return 1 - ramp + ramp / factor


def yarn_ramp(head_dim, base, length, factor, fast, slow, *, mix=blend):
    """What each pair keeps of its frequency, [head_dim/2]: from 1 to 1/factor."""
    rotations = np.array([fast, slow])
    low, high = head_dim * np.log(length / (2 * np.pi * rotations)) / (2 * np.log(base))
    low, high = math.floor(low), math.ceil(high)
    return mix(np.clip((np.arange(head_dim // 2) - low) / (high - low), 0, 1), factor)


check_yarn_ramp = LessonChecker(
    "The ramp of YaRN",
    yarn_ramp,
    # Both ends of the ramp lie between the first pair and the last, and at no whole pair.
    lambda rng, size: (
        24 + 8 * size**2,
        float(rng.choice([9_876.5, 5e4])),
        int(rng.choice([1500, 2600, 4096])),
        float(rng.integers(4, 17)) + 0.5,
        20.5 + 2 * size,
        float(rng.choice([1, 1.5, 2])),
    ),
    mistakes=[
        step("ramp upside down",
            "You slowed the fast pairs and kept the slow ones. Those that rotated often "
            "in training are kept: the ramp is 0 for them, and it is the part that is slowed.",
            mix=lambda ramp, factor: blend(1 - ramp, factor)),
        step("ramp / factor taken off",
            "You returned 1 − ramp / factor. Where the ramp is 1, that leaves 1 − 1/factor, and "
            "1/factor is asked for. Blend the two ends: (1 − ramp) · 1 + ramp · 1/factor.",
            mix=lambda ramp, factor: 1 - ramp / factor),
        step("slow pairs stopped",
            "You returned 1 − ramp. Where the ramp is 1 that leaves 0, so these pairs would not "
            "rotate at all. Add their share: ramp · 1/factor.",
            mix=lambda ramp, factor: 1 - ramp),
        step("factors blended",
            "You blended 1 and factor, and then divided by the blend. Blend the shares 1 and "
            "1/factor: (1 − ramp) · 1 + ramp · 1/factor.",
            mix=lambda ramp, factor: 1 / (1 - ramp + ramp * factor)),
        step("factor for 1/factor",
            "You blended 1 and factor, so the slow pairs rotate faster. Where the ramp is 1, the "
            "share is 1/factor.", mix=lambda ramp, factor: 1 - ramp + ramp * factor),
        step("1/factor everywhere",
            "You added 1/factor to every pair, also to those that are kept. Give it the weight "
            "ramp: (1 − ramp) · 1 + ramp · 1/factor.",
            mix=lambda ramp, factor: 1 - ramp + 1 / factor),
        step("only the slowed part",
            "You returned ramp / factor, so the pairs that are kept have 0. Add their share: "
            "(1 − ramp) · 1.", mix=lambda ramp, factor: ramp / factor),
        step("ramp as an exponent",
            "Your line is curved: you took a power of factor. A straight line blends the two ends: "
            "(1 − ramp) · 1 + ramp · 1/factor.", mix=lambda ramp, factor: factor**-ramp),
        answer("frequencies",
            lambda share, head_dim, base: share * rotary_frequencies(head_dim, base),
            "Those are the new frequencies. Return the shares alone: 1 where a pair is kept."),
        step("the ramp itself",
            "That is the ramp, 0 where a pair is kept. Blend with it: (1 − ramp) · 1 + ramp · "
            "1/factor.", mix=lambda ramp, factor: ramp),
    ],
)

# ---------------------------------------------------------------- 3 YaRN's temperature


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

check_on_scores = LessonChecker(
    "What YaRN does to scores",
    on_scores,
    lambda rng, size: (float(rng.integers(2, 65)) + 0.5, *GIVEN[size % len(GIVEN)]),
    edges=[(40.0, 0.0, 0.0), (1.0, 1.0, 0.5)],  # nothing is stretched by 1
    mistakes=[
        answer("q only", lambda y: y**0.5,
            "That is the attention factor, which cos and sin are multiplied by. Query and key "
            "are both rotated with them, so a score has it twice: square it."),
        answer("doubled, not squared", lambda y: 2 * y**0.5,
            "You doubled the attention factor. Query and key each have it, and a score multiplies "
            "the two: square it."),
        answer("temperature for its reciprocal", lambda y: 1 / y,
            "Scores are divided by the temperature, and here they grow: return what they are "
            "multiplied by, which is above 1 where nothing else is given."),
        step("0 for what is not given",
            "You put 0 into the formula for what is not given. Where one of the two is missing "
            "neither is used: it is 0.1 · ln(factor) + 1.", are_given=lambda first, second: True),
        step("one is enough",
            "You took the quotient where one of mscale and mscale_all_dim is given. They count "
            "only if both are given: otherwise it is 0.1 · ln(factor) + 1.",
            are_given=lambda first, second: first > 0 or second > 0),
        step("all_dim not divided by",
            "You took the numerator alone. With both given, the factor is a quotient: with two "
            "equal numbers it is 1, as in DeepSeek-V3.", quotient=lambda above, below: above),
        step("neither used",
            "You left mscale and mscale_all_dim out. Where both are given, the factor is the "
            "quotient of 0.1 · mscale · ln(factor) + 1 and the same with mscale_all_dim.",
            are_given=lambda first, second: False),
        argument("quotient upside down",
            "Your quotient is upside down: mscale belongs above, mscale_all_dim below.",
            mscale=lambda mscale_all_dim: mscale_all_dim, mscale_all_dim=lambda mscale: mscale),
        wrong("quotient of the two numbers",
            lambda factor, mscale, mscale_all_dim: (
                sharper(mscale / mscale_all_dim if mscale and mscale_all_dim else 1, factor) ** 2
            ),
            "You divided mscale by mscale_all_dim. Each has a factor of its own, 0.1 · mscale · "
            "ln(factor) + 1, and these are divided."),
        answer("in the scale as well",
            lambda y, factor, mscale_all_dim: y * sharper(mscale_all_dim, factor) ** 2,
            "You multiplied by what DeepSeek's attention multiplies its scale by. That is the "
            "model's, not the frequencies': here only what comes through cos and sin is asked "
            "for."),
        step("1 missing",
            "You forgot the 1. Without stretching, factor 1, the logarithm is 0 and scores stay.",
            part=lambda scale, factor: sharper(scale, factor) - 1 or np.nan,  # no 0/0
        ),
    ],
)
