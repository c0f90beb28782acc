"""What each claim comes to, and a planted error that turns each verdict."""

import numpy as np

from posviz.attention import attend
from posviz.claims.rotary_code import serving as claims
from tests.claims.planted import claim_tests
from tests.claims.slow_rotation import (
    FREQUENCIES,
    HALF_SPLIT,
    INTERLEAVED,
    KEY,
    QUERY,
    at,
    not_turned,
    not_turned_at_its_door,
    product,
    shown,
    slow_outputs,
    turned,
)


def change_of_mixed_pairings():
    near, far = (
        product(turned(QUERY, m, INTERLEAVED), turned(KEY, n, HALF_SPLIT))
        for m, n in ((7, 3), (107, 103))
    )
    return shown(abs(far - near) / 8)


def difference_of_layouts():
    both = (turned(QUERY, 7, pairing) for pairing in (INTERLEAVED, HALF_SPLIT))
    return shown(max(abs(a - b) for a, b in zip(*both, strict=True)))


def projected():
    x = np.random.default_rng(0).normal(size=(16, 64))
    return x @ (np.random.default_rng(1).normal(size=(3, 64, 64)) / 8)


def change_by_reordered_values():
    """Scores stay as they are, and the outputs have the order of the values."""
    q, k, v = projected()
    outputs = slow_outputs(at(q, 0), at(k, 0), v)
    return shown(np.abs(np.hstack([outputs[:, ::2], outputs[:, 1::2]]) - outputs).max())


def error_of_a_cache_at_0():
    """When every call starts at position 0, nothing turns."""
    q, k, v = projected()
    wrong = slow_outputs(q, k, v, causal=True)
    return shown(np.abs(wrong - slow_outputs(at(q, 0), at(k, 0), v, causal=True)).max())


def change_by_rounded_angles(dtype):
    """Products at the offsets 0 … −63, from the positions 0 and 60 000, with rounded angles."""
    q, k = ((np.array(x[::2]) + 1j * np.array(x[1::2])) for x in (QUERY, KEY))
    products = []
    for start in (0, 60_000):
        turns = [
            np.exp(1j * (n * FREQUENCIES).astype(dtype).astype(float))
            for n in range(start, start + 64)
        ]
        products.append([((q * turns[0]) @ (k * turn).conj()).real for turn in turns])
    return shown(np.abs(np.subtract(*products)).max())


# What each claim must come to, its numbers by an exact formula or a slow loop.
FOUND = {
    "any_pairing_will_do": (
        "true only if q and k are interleaved or both are half_split",
        ["< 1e-14", "< 1e-14", change_of_mixed_pairings()],
    ),
    "both_layouts_give_the_same_vectors": (
        "true only if the dimensions are reordered before and back afterwards",
        [difference_of_layouts(), "< 1e-14"],
    ),
    "three_forms_are_one_turn": ("true", ["< 1e-14", "< 1e-14"]),
    "all_three_projections_change_layout": ("false", [change_by_reordered_values()]),
    "the_precision_does_not_matter": (
        "true only if angles are kept in float64",
        ["< 1e-09", *(change_by_rounded_angles(dtype) for dtype in (np.float32, np.float16))],
    ),
    "a_cache_works_as_it_is": (
        "true only if each call is told the position",
        ["< 1e-14", error_of_a_cache_at_0()],
    ),
}


def cosines_alone(x, angles, layout=None):
    return x * np.repeat(np.cos(angles), 2, -1)


def outputs_in_any_order(*given, **settings):
    return np.sort(attend(*given, **settings), axis=-1)


PLANTED = {
    "any_pairing_will_do": (claims, "apply_rotary", cosines_alone, "false"),
    "both_layouts_give_the_same_vectors": (
        (claims, "change_layout", lambda x, source, target: x, "false")
    ),
    "three_forms_are_one_turn": (claims, "apply_rotary", cosines_alone, "true only if"),
    "all_three_projections_change_layout": (claims, "attend", outputs_in_any_order, "true"),
    "the_precision_does_not_matter": (claims, "apply_rotary", not_turned, "true"),
    "a_cache_works_as_it_is": (claims.Rotary, "_turned", not_turned_at_its_door, "true"),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
