"""Claims: what a rotation by row and column sees of the plane."""

from functools import partial

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.teaching.measures import SAME, largest, normal
from posviz_course.claims import claim

DIRECTIONS = np.random.default_rng(1).uniform(0, 2 * np.pi, 32)
FREQUENCIES = rotary_frequencies(64) * [np.cos(DIRECTIONS), np.sin(DIRECTIONS)]  # [2, head_dim/2]
AXIAL = partial(axial_angles, head_dim=64)
MIXED = partial(mixed_angles, frequencies=FREQUENCIES)
KINDS = {"with axial angles": AXIAL, "with mixed angles": MIXED}
VECTORS = normal(0, 2, 64)  # a query and a key
IMAGE = raster(14, 14)  # its patches, [196, 2]


def scores(angles_at, patches, vectors=VECTORS):
    """Scores of patches (row, column) with equal queries and equal keys: [patches, patches]."""
    angles = angles_at(*np.transpose(patches))
    q, k = (apply_rotary(np.tile(vector, (len(angles), 1)), angles) for vector in vectors)
    return q @ k.T / 8


@claim("The score of two patches depends on their offset in rows and columns alone.", cases=KINDS,
    measures="the largest minus the smallest score of three pairs of patches with offset (2, 2)",
    rule="< 1e-9", sources=("heo2024rotary",), section="3 Two offsets, one score")
def the_score_depends_on_the_offset_alone(angles_at):
    """When both patches move by the same amount, the differences of their angles stay the same."""
    six_scores = scores(angles_at, [(2, 3), (0, 1), (13, 9), (11, 7), (7, 13), (5, 11)])
    return float(np.ptp(six_scores[[0, 2, 4], [1, 3, 5]]))


@claim("When an image is mirrored, left and right exchanged, every score stays as it was.",
    cases={
        "with axial angles and q = k": (AXIAL, VECTORS[[0, 0]]),
        "with axial angles and random q and k": (AXIAL, VECTORS),
        "with mixed angles": (MIXED, VECTORS[[0, 0]]),
    }, measures="the largest change of a score in an image of 14 × 14 patches of equal content",
    rule="< 1e-9", sources=("heo2024rotary",), section="3 Two offsets, one score")
def a_mirrored_image_has_the_same_scores(how):
    """The offset in columns changes its sign, and only a cosine by itself does not see that."""
    angles_at, vectors = how
    mirrored = IMAGE * (1, -1) + (0, 13)
    return largest(scores(angles_at, mirrored, vectors) - scores(angles_at, IMAGE, vectors))


@claim("An axial head can look at the patch one down and one left more than at every other patch.",
    measures=(
        "the score of that patch minus the highest other score in 14 × 14 patches, for a query "
        "that is its key rotated by these two steps"
    ), rule="> 0", sources=("heo2024rotary",), section="4 Why a head would want a diagonal")
def an_axial_head_finds_one_patch_on_a_diagonal():
    """The row pairs look one down and the column pairs one left, so one patch suits them all."""
    key = np.ones(64)
    query = apply_rotary(key[None], AXIAL([1], [-1]))[0]
    by_patch = scores(AXIAL, [(5, 5), *IMAGE], np.stack([query, key]))[0, 1:]
    wanted = IMAGE.tolist().index([6, 4])
    return float(by_patch[wanted] - np.delete(by_patch, wanted).max())


@claim("In an image of one row, axial RoPE gives the scores of RoPE in one dimension.",
    measures="the largest difference of a score, for 14 patches and head_dim = 64",
    rule="< 1e-9", sources=("heo2024rotary",), section="2 Axial: half of the pairs for each axis")
def one_row_is_rope_in_one_dimension():
    """All row offsets are 0, so half of the pairs never rotate, and the others are as for d/2."""
    line = IMAGE[:14]
    in_one = scores(lambda _, columns: rotary_angles(columns, rotary_frequencies(64)), line)
    return largest(scores(AXIAL, line) - in_one)


@claim("Axial RoPE gives each offset in a 14 × 14 image a score of its own.",
    cases={
        "for a random query and key": VECTORS,
        "for vectors of ones, as in the first picture": np.ones((2, 64)),
    }, measures="the number of the 729 offsets whose score another offset has, too",
    rule="== 0", sources=("heo2024rotary",), section="3 Two offsets, one score")
def each_offset_has_a_score_of_its_own(vectors):
    """Ones score by cosines alone, and these have the same value at an offset and its opposite."""
    by_offset = scores(AXIAL, [(0, 0), *(raster(27, 27) - 13)], vectors)[0, 1:]
    apart = np.abs(np.subtract.outer(by_offset, by_offset)) + np.eye(len(by_offset))
    return int((apart < SAME).any(axis=1).sum())
