"""What each claim comes to, and a planted error that turns each verdict."""

import math

import numpy as np

from posviz.claims.rotary2d import plane as claims
from tests.claims.planted import claim_tests
from tests.claims.slow_rotation import KEY, QUERY, shown


def frequency(pair, dims):
    return 10_000 ** (-2 * pair / dims)


def score(angle_of):
    """The score of a query turned by angle_of(pair) against its key, by plane trigonometry."""
    total = []
    for pair in range(32):
        (a, b), (c, d) = QUERY[2 * pair : 2 * pair + 2], KEY[2 * pair : 2 * pair + 2]
        angle = angle_of(pair)
        total += [(a * c + b * d) * math.cos(angle), (a * d - b * c) * math.sin(angle)]
    return math.fsum(total) / 8


def axial(row, column, columns_first=True):
    first, second = (column, row) if columns_first else (row, column)
    turns = [first * frequency(pair, 32) for pair in range(16)]
    return score((turns + [second * frequency(pair, 32) for pair in range(16)]).__getitem__)


DIRECTIONS = np.random.default_rng(1).uniform(0, 2 * math.pi, 32).tolist()


def mixed(row, column):
    """Each pair turns by the step along its own direction."""
    along = [column * math.cos(way) + row * math.sin(way) for way in DIRECTIONS]
    return score(lambda pair: along[pair] * frequency(pair, 64))


def apart(*scores):
    return shown(max(scores) - min(scores))


def interaction(score_at):
    return shown(score_at(1, 1) - score_at(1, 0) - score_at(0, 1) + score_at(0, 0))


FIVE_AWAY = ((5, 0), (4, 3), (3, 4), (0, 5))

# What each claim must come to, its numbers by an exact formula or a slow loop.
FOUND = {
    "the_line_end_is_seen": (
        "true only if the angles are axial or the angles are mixed",
        ["< 1e-14", apart(axial(0, 1), axial(1, -13)), apart(mixed(0, 1), mixed(1, -13))],
    ),
    "the_score_depends_on_the_offset_alone": ("true", ["< 1e-14"] * 2),
    "the_score_depends_on_the_distance": (
        "false",
        [apart(*(score_at(*offset) for offset in FIVE_AWAY)) for score_at in (axial, mixed)],
    ),
    "a_pair_on_both_axes_sees_the_plane": (
        "true only if each axis has its own frequencies",
        ["< 1e-14", apart(mixed(0, 0), mixed(-1, 1), mixed(-5, 5))],
    ),
    "rows_and_columns_act_together": (
        "true only if the angles are mixed",
        ["< 1e-14", interaction(mixed)],
    ),
    "the_order_of_the_axes_does_not_matter": (
        "true only if the halves of q and k change places too",
        ["< 1e-14", apart(axial(2, 5), axial(2, 5, columns_first=False))],
    ),
    "an_axis_has_the_frequencies_of_the_whole_head": (
        "false",
        [shown(max(frequency(pair, 64) - frequency(pair, 32) for pair in range(16)))],
    ),
    "text_gets_plain_rope": ("true", ["< 1e-14"] * 2),
    # The pairs 24 … 43 of 0 … 63 in a block; 1, 4, … 58 when the axes take turns.
    "every_axis_has_short_and_long_waves": (
        "true only if the axes take turns",
        [shown((43 - 24) / 63), shown((58 - 1) / 63)],
    ),
}

real_angles = claims.mrope_angles


def frequencies_of_the_whole_head(rows, columns, head_dim):
    inv_freq = claims.rotary_frequencies(head_dim)[: head_dim // 4]
    return np.concatenate([columns[:, None] * inv_freq, rows[:, None] * inv_freq], axis=-1)


def sum_of_row_and_column(rows, columns, head_dim, first="column"):
    return frequencies_of_the_whole_head(rows + columns, rows + columns, head_dim)


def product_of_row_and_column(rows, columns, head_dim):
    product = (np.asarray(rows) * columns)[:, None]
    return product * np.ones(head_dim // 2)


def every_section_from_1(positions, inv_freq, sections, *, interleaved=False):
    restarted = np.concatenate([inv_freq[:count] for count in sections])
    return real_angles(positions, restarted, sections, interleaved=interleaved)


PLANTED = {
    "the_line_end_is_seen": (claims, "apply_rotary", lambda x, angles: x, "false"),
    "the_score_depends_on_the_offset_alone": (
        (claims, "apply_rotary", lambda x, angles: x * np.repeat(np.cos(angles), 2, -1), "false")
    ),
    "the_score_depends_on_the_distance": (claims, "apply_rotary", lambda x, angles: x, "true"),
    "a_pair_on_both_axes_sees_the_plane": (
        (claims, "mixed_angles", lambda rows, columns, both: columns[:, None] * both[0], "true")
    ),
    "rows_and_columns_act_together": ((claims, "axial_angles", product_of_row_and_column, "true")),
    "the_order_of_the_axes_does_not_matter": (
        (claims, "axial_angles", sum_of_row_and_column, "true")
    ),
    "an_axis_has_the_frequencies_of_the_whole_head": (
        (claims, "axial_angles", frequencies_of_the_whole_head, "true")
    ),
    "text_gets_plain_rope": (claims, "mrope_angles", every_section_from_1, "false"),
    "every_axis_has_short_and_long_waves": (
        (claims, "mrope_angles", lambda *inputs, interleaved: real_angles(*inputs), "false")
    ),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
