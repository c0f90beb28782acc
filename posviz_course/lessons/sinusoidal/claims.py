"""Claims: what a sinusoidal table holds."""


import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.sinusoidal import shift_matrix, sinusoidal
from posviz.teaching.measures import largest
from posviz_course.claims import claim


@claim("An absolute encoding cannot express relative positions.",
    measures="the largest error when one matrix moves 512 rows by 1, 5, 17 or 100 tokens",
    rule="> 1e-9", section="6 One matrix for every row?")
def absolute_encodings_know_no_distance():
    """In the sinusoidal table one rotation, the same at every position, moves a row by k tokens."""
    rows = np.arange(512)
    return max(
        largest(sinusoidal(rows + k, 512) - sinusoidal(rows, 512) @ shift_matrix(k, 512).T)
        for k in (1, 5, 17, 100)
    )


@claim("The farther apart two positions are, the less similar are their rows.",
    cases={f"for d_model = {d}": d for d in (8, 64, 512)},
    measures="how many of the first 1000 steps raise the similarity", rule="== 0",
    section="7 How similar are two rows?")
def similarity_falls_with_distance(d_model):
    """The similarity is a mean of waves, and it rises again where many of them rise."""
    table = sinusoidal(np.arange(1001), d_model)
    return int((np.diff(table @ table[0]) > 0).sum())


@claim("In attention, the score of two rows depends on their offset alone.",
    cases={
        "if W_Q W_Kᵀ is the identity": np.eye(64),
        "if W_Q W_Kᵀ is random": np.random.default_rng(0).normal(size=(64, 64)) / 8,
    }, measures="largest minus smallest score of 507 pairs of rows with offset 5, d_model = 64",
    rule="< 1e-9", section="7 How similar are two rows?")
def products_depend_on_the_offset_alone(between):
    """The matrix W_Q W_Kᵀ comes between two rows, and nothing keeps it from mixing the hands."""
    table = sinusoidal(np.arange(512), 64)
    return float(np.ptp(np.diagonal(table @ between @ table.T, -5)))


@claim("With a larger base, every hand except the first rotates more slowly.",
    measures="the number of hands, of 256, that are slower with base 1 000 000 than with 10 000",
    rule="== 255", section="4 The whole table")
def a_larger_base_slows_all_hands_but_one():
    """The exponent of the first hand is 0, so it rotates by 1 radian per token with every base."""
    wide, usual = (rotary_frequencies(512, base) for base in (1_000_000, 10_000))
    return int((wide < usual).sum())


@claim("A table with d_model = 512 has 512 different frequencies.",
    measures="the number of different frequencies", rule="== 512",
    sources=("vaswani2017attention",), section="3 The formula")
def as_many_frequencies_as_dimensions():
    """The sine and the cosine of a hand share one frequency."""
    return len(np.unique(rotary_frequencies(512)))
