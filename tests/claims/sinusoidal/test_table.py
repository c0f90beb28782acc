"""What each claim comes to, and a planted error that turns each verdict."""

import itertools
import math

import numpy as np

from posviz.claims.sinusoidal import table as claims
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"


def angles(offset, d_model):
    return [offset / 10_000 ** (2 * pair / d_model) for pair in range(d_model // 2)]


def similarity(offset, d_model):
    return math.fsum(map(math.cos, angles(offset, d_model))) / (d_model / 2)


def rises(d_model):
    """Count the steps of distance, up to 1000, at which the mean cosine grows."""
    steps = itertools.pairwise(similarity(offset, d_model) for offset in range(1001))
    return f"{sum(later > earlier for earlier, later in steps)}"


def nearest(offsets, d_model):
    """The distance of two rows whose angles differ by a is √Σ(2 − 2 cos a)."""
    turned = np.outer(offsets, angles(1, d_model))
    return f"{np.sqrt((2 - 2 * np.cos(turned)).sum(axis=1)).min():.4g}"


def drift(length):
    """The largest difference between the two frequency rules, d_model = 512."""
    pairs, positions = np.arange(256), np.arange(length)
    paper = np.outer(positions, 10_000 ** (-pairs / 256))
    tensor2tensor = np.outer(positions, np.exp(-np.log(10_000) * pairs / 255))
    waves = [np.abs(wave(paper) - wave(tensor2tensor)).max() for wave in (np.sin, np.cos)]
    return f"{max(waves):.4g}"


def wavelength(pair, d_model):
    return f"{2 * math.pi * 10_000 ** (2 * pair / d_model):,.2f}".replace(",", NBSP)


def spread_through_a_matrix():
    w = np.random.default_rng(0).normal(size=(64, 64)) / 8
    rows = [[wave(a) for a in angles(m, 64) for wave in (math.sin, math.cos)] for m in range(512)]
    products = [np.array(rows[m]) @ w @ np.array(rows[m - 5]) for m in range(5, 512)]
    return f"{max(products) - min(products):.4g}"


# What each claim must come to, its numbers by an exact formula or a slow loop.
FOUND = {
    "the_row_of_d_model_4": ("false", [f"{0.821856 - math.sin(0.01):.4g}"]),
    "every_row_has_one_length": ("true", ["16", "16"]),
    "tensor2tensor_computes_the_paper": ("false", [drift(512), drift(1000)]),
    "as_many_frequencies_as_dimensions": ("false", ["256"]),
    "the_middle_wavelength_is_628": ("true", ["628.3"] * 3),
    "the_longest_wavelength_is_62832": (
        "true only if d_model = 2048 or d_model = 8192",
        ["628.3", *(wavelength(d // 2 - 1, d) for d in (64, 512, 2048, 8192))],
    ),
    "the_middle_band": ("false", ["62.83", wavelength(192, 512)]),
    "the_base_keeps_gradients": ("false", ["< 1e-14"]),
    "similarity_falls_with_distance": ("false", [rises(8), rises(64), rises(512)]),
    "neighbours_are_nearly_the_same": (
        "true only if d_model = 32 or d_model = 64 or d_model = 512",
        [f"{similarity(1, d_model):.4g}" for d_model in (2, 4, 8, 32, 64, 512)],
    ),
    "absolute_encodings_know_no_distance": ("false", ["< 1e-12"]),
    "products_depend_on_the_offset_alone": (
        "true only if nothing stands between them",
        ["< 1e-12", spread_through_a_matrix()],
    ),
    "sines_alone_collide": (
        "true only if positions may be any real numbers",
        ["< 1e-14", f"{abs(math.sin(355)):.4g}"],
    ),
    "no_two_rows_are_nearly_the_same": (
        "true only if d_model = 16 or d_model = 64 or d_model = 512",
        [nearest(range(1, 100_001), d_model) for d_model in (4, 8, 16, 64)] + [nearest([1], 512)],
    ),
    "the_table_repeats_beyond_10_000": (
        "false",
        [nearest(range(10_001, 20_001), 512), nearest(range(60_000, 65_001), 512)],
    ),
}

real_table = claims.sinusoidal
real_shift = claims.shift_matrix


def one_slow_wave(positions, d_model):
    angles = 1e-4 * np.asarray(positions)[..., None] * np.ones(d_model // 2)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


def a_wave_of_100(positions, d_model):
    return one_slow_wave(2 * math.pi * 100 * np.asarray(positions), d_model)


def cosines_first(positions, d_model):
    return real_table(positions, d_model)[..., ::-1]


def cosines_too_fast(positions, d_model):
    row = real_table(positions, d_model)
    row[..., 1::2] = real_table(2 * np.asarray(positions), d_model)[..., 1::2]
    return row


def plain_integers(positions, d_model):
    return np.asarray(positions)[..., None] * np.ones(d_model)


def base_to_the_wrong_power(d_model, base=10_000.0):
    return base ** (-np.arange(d_model // 2) / (d_model / 2 - 1))


PLANTED = {
    "the_row_of_d_model_4": (
        (claims, "sinusoidal", lambda positions, d: real_table(positions, 512)[..., :d], "true")
    ),
    "every_row_has_one_length": (claims, "sinusoidal", cosines_too_fast, "false"),
    "tensor2tensor_computes_the_paper": (
        (
            claims,
            "sinusoidal",
            lambda positions, d, frequencies="": real_table(positions, d),
            "true",
        )
    ),
    "as_many_frequencies_as_dimensions": (
        (claims, "rotary_frequencies", lambda d: 10_000.0 ** (-np.arange(d) / d), "true")
    ),
    "the_middle_wavelength_is_628": (
        (claims, "rotary_frequencies", base_to_the_wrong_power, "false")
    ),
    "the_longest_wavelength_is_62832": (
        (claims, "rotary_frequencies", base_to_the_wrong_power, "true")
    ),
    "the_middle_band": (
        (claims, "wavelengths", lambda inv_freq: np.linspace(50, 1200, len(inv_freq)), "true")
    ),
    "the_base_keeps_gradients": (
        (claims.Sinusoidal, "at_input", lambda self, x, positions: x * self.base, "true")
    ),
    "similarity_falls_with_distance": (claims, "sinusoidal", one_slow_wave, "true"),
    "neighbours_are_nearly_the_same": (claims, "sinusoidal", one_slow_wave, "true"),
    "absolute_encodings_know_no_distance": (
        (claims, "shift_matrix", lambda offset, d: real_shift(-offset, d), "true")
    ),
    "products_depend_on_the_offset_alone": (claims, "sinusoidal", plain_integers, "false"),
    "sines_alone_collide": (claims, "sinusoidal", cosines_first, "false"),
    "no_two_rows_are_nearly_the_same": (claims, "sinusoidal", a_wave_of_100, "false"),
    "the_table_repeats_beyond_10_000": (claims, "sinusoidal", a_wave_of_100, "true"),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_nearest_row_is_that_of_a_search_over_all_offsets():
    # More rows than are computed at a time; the last one is the nearest.
    assert f"{claims._nearest(8, 3, 6283):.4g}" == nearest([6283], 8) == nearest(range(3, 6284), 8)
