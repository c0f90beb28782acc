"""Claims: what a sinusoidal table holds."""


import numpy as np

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
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


@claim("The dot product of two rows says which of the two comes first.",
    measures="the largest difference between the dot products k tokens ahead and k tokens back",
    rule="> 1e-9", section="7 How similar are two rows?")
def dot_products_know_the_side():
    """A cosine is the same for k and for −k, so both sides have the same dot products."""
    dots = sinusoidal(np.arange(201), 512) @ sinusoidal(100, 512)
    return largest(dots - dots[::-1])


@claim("Of the first 1000 rows, no two have a negative dot product.",
    cases={f"for d_model = {d}": d for d in (8, 64, 512)},
    measures="the smallest similarity of two of these rows", rule=">= 0",
    section="7 How similar are two rows?")
def no_similarity_is_negative(d_model):
    """Slow hands add cosines near 1. If there are few fast hands, they do not always cancel."""
    table = sinusoidal(np.arange(1000), d_model)
    return float((table @ table[0]).min() / (d_model / 2))


@claim("With a larger base, every hand except the first rotates more slowly.",
    measures="the number of hands, of 256, that are slower with base 1 000 000 than with 10 000",
    rule="== 255", section="4 The whole table")
def a_larger_base_slows_all_hands_but_one():
    """The exponent of the first hand is 0, so it rotates by 1 radian per token with every base."""
    wide, usual = (rotary_frequencies(512, base) for base in (1_000_000, 10_000))
    return int((wide < usual).sum())


@claim("In 512 tokens, each hand of a table with 512 columns rotates at least once.",
    measures="the number of hands, of 256, that rotate at least once", rule="== 256",
    section="5 How long is one rotation?")
def every_hand_comes_back():
    """Wavelengths grow from 6 to 61 000 tokens, and most hands need more than 512 tokens."""
    return int((wavelengths(rotary_frequencies(512)) <= 512).sum())
