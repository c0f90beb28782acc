"""Claims: what a rotation by row and column sees of the plane."""

from functools import partial

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import axial_angles, mixed_angles
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

ONE_FREQUENCY = np.stack([rotary_frequencies(64)] * 2)  # [2, head_dim/2]
DIRECTIONS = np.random.default_rng(1).uniform(0, 2 * np.pi, 32)
OWN_FREQUENCIES = ONE_FREQUENCY * [np.cos(DIRECTIONS), np.sin(DIRECTIONS)]
AXIAL = partial(axial_angles, head_dim=64)
MIXED = partial(mixed_angles, frequencies=OWN_FREQUENCIES)
KINDS = {"with axial angles": AXIAL, "with mixed angles": MIXED}
VECTORS = normal(0, 2, 64)  # a query and a key


def scores(angles_at, *patches, vectors=VECTORS):
    """Scores of patches (row, column) with equal queries and equal keys: [patches, patches]."""
    angles = angles_at(*np.transpose(patches))
    q, k = (apply_rotary(np.tile(vector, (len(angles), 1)), angles) for vector in vectors)
    return q @ k.T / 8


@claim("The score of two patches depends on their offset in rows and columns alone.", cases=KINDS,
    measures="the largest minus the smallest score of three pairs of patches with offset (2, 2)",
    rule="< 1e-9", sources=("heo2024rotary",), section="3 Two offsets, one score")
def the_score_depends_on_the_offset_alone(angles_at):
    """When both patches move by the same amount, the differences of their angles stay the same."""
    six_scores = scores(angles_at, (2, 3), (0, 1), (13, 9), (11, 7), (7, 13), (5, 11))
    return float(np.ptp(six_scores[[0, 2, 4], [1, 3, 5]]))


@claim("In 2-D RoPE the score depends on how far apart two patches are, in whatever direction.",
    cases=KINDS,
    measures=(
        "the largest minus the smallest score of patches that are 5 apart, at the offsets (5, "
        "0), (4, 3), (3, 4) and (0, 5)"
    ), rule="< 1e-9", section="3 Two offsets, one score")
def the_score_depends_on_the_distance(angles_at):
    """A step in rows rotates a query by other angles than a step in columns."""
    return float(np.ptp(scores(angles_at, (0, 0), (5, 0), (4, 3), (3, 4), (0, 5))[1:, 0]))


@claim("A pair that rotates with the column and with the row encodes the offset in the plane.",
    cases={
        "if each axis has its own frequencies": OWN_FREQUENCIES,
        "if both axes have the same frequencies": ONE_FREQUENCY,
    }, measures="the largest minus the smallest score at the offsets (0, 0), (−1, 1) and (−5, 5)",
    rule="> 1e-9", section="7 One frequency for both axes")
def a_pair_on_both_axes_sees_the_plane(frequencies):
    """With one frequency for both axes, the angle depends on the sum of row and column alone."""
    angles_at = partial(mixed_angles, frequencies=frequencies)
    return float(np.ptp(scores(angles_at, (5, 0), (4, 1), (0, 5))[:, 0]))


@claim("2-D RoPE encodes the offset in the plane fully: what a row adds depends on the column.",
    cases=KINDS,
    measures="the second mixed difference f(1, 1) − f(1, 0) − f(0, 1) + f(0, 0) without its sign",
    rule="> 1e-9", sources=("heo2024rotary",), section="4 Why a head would want a diagonal")
def rows_and_columns_act_together(angles_at):
    """An axial pair sees the row or the column, and only a mixed pair sees both."""
    f = scores(angles_at, (0, 0), (0, 1), (1, 0), (1, 1))[:, 0]
    return float(abs(f[3] - f[2] - f[1] + f[0]))


@claim("In axial RoPE the pair i of an axis rotates by base^(−2i/head_dim) per patch, as in 1-D.",
    measures="the largest difference from these frequencies, in radians per patch", rule="< 1e-9",
    sources=("heo2024rotary",), section="2 Axial: half of the pairs for each axis")
def an_axis_has_the_frequencies_of_the_whole_head():
    """An axis has only half of the dimensions, so pair i rotates by base^(−2i/(head_dim/2))."""
    return largest(AXIAL([0], [1])[0, :16] - rotary_frequencies(64)[:16])
