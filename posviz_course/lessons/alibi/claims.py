"""Claims: what ALiBi's straight lines do, and how far a head sees."""

import numpy as np

from posviz.attention import attention, softmax
from posviz.attention.masks import causal_mask
from posviz.encodings.alibi import Alibi, alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.teaching.measures import largest, normal
from posviz_course.choosing.rows import parameters_of
from posviz_course.claims import claim

PLACES, SLOPES = np.arange(16), alibi_slopes(8)
CAUSAL = causal_mask(PLACES, PLACES)
HEADS = normal(0, 3, 1, 8, 16, 64)  # q, k and v of 8 heads, 16 words
ENDS = {"for the steepest of 8 heads": SLOPES[0], "for the flattest of 8 heads": SLOPES[-1]}


def weights_of_alibi():
    """The attention weights of HEADS with ALiBi and a causal mask, [1, 8, 16, 16]."""
    places: dict = {"q_positions": PLACES, "k_positions": PLACES}
    return attention(*HEADS, encoding=Alibi(), mask=CAUSAL, return_weights=True, **places)[1]


@claim("ALiBi adds a few parameters to learn.",
    measures="the number of parameters that ALiBi adds", rule="> 0",
    sources=("press2022train",), section="3 One slope for each head")
def it_has_a_few_parameters():
    """ALiBi adds none, because its slopes are fixed and not learned."""
    return parameters_of(Alibi())


@claim("A linear bias makes weights that fall linearly with the distance.", cases=ENDS,
    measures="the second step down divided by the first, which is 1 on a straight line",
    rule="== 1", section="4 How far does a head look?")
def weights_fall_in_a_straight_line(slope):
    """The scores fall linearly, so the softmax makes weights that fall exponentially."""
    first, second, third = softmax(-slope * np.arange(10_000.0))[:3]
    return float((second - third) / (first - second))


@claim("ALiBi has a bias for every distance, however long the text is.",
    cases={"for 1024 tokens": 1024, "for 1 000 000 tokens": 1_000_000},
    measures="the number of keys without a finite bias for the last query", rule="== 0",
    section="6 What extrapolation means")
def any_length_has_a_bias(length):
    """The bias is the slope times the distance, and no table ends."""
    return int((~np.isfinite(alibi_bias(SLOPES, offsets([length - 1], np.arange(length))))).sum())


@claim("softmax(QKᵀ − m|i − j|) gives the attention weights of ALiBi.",
    cases={
        "as it is written": (1, SLOPES[:1], True),
        "with 1/√d, a slope m for each head and a causal mask": (8, SLOPES, CAUSAL),
    }, measures="the largest difference from a weight of ALiBi", rule="< 1e-9",
    sources=("press2022train",), section="2 The formula")
def alibi_is_one_line(written):
    """The line leaves out the division by √d, the slopes of the heads and the mask."""
    divisor, slopes, mask = written
    scores = HEADS[0] @ HEADS[1].mT / divisor + alibi_bias(slopes, offsets(PLACES, PLACES))
    return largest(softmax(np.where(mask, scores, -np.inf)) - weights_of_alibi())


@claim("In a head of ALiBi a token 100 tokens back has a factor above one in a thousand.",
    cases=ENDS, measures="the factor e^(−slope · distance) at 100 tokens", rule="> 1e-3",
    section="4 How far does a head look?")
def far_tokens_are_not_excluded(slope):
    """The factor is never 0, but in a steep head it is soon as good as 0."""
    return float(np.exp(-100 * slope))
