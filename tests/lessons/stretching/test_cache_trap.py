"""Keys in a cache and frequencies that follow the length: by decoding one token after another."""

import math

import numpy as np
import pytest

from posviz.lessons.stretching.cache_trap import FIXED, LONG_FACTORS, UNTURNED, CacheTrap
from tests.lessons.by_hand import caption_of, every_setting, softmax


def speeds(method, length):
    """The frequencies of 32 pairs for a text of that length, trained on 512, and the factor."""
    if method == "LongRoPE":
        factors = LONG_FACTORS if length > 512 else [1] * 32
        scale = 1 + math.log(4) / math.log(512)
        return [10_000 ** (-i / 32) / factor for i, factor in enumerate(factors)], scale
    alpha = max(2 * length / 512 - 1, 1)
    base = 10_000 * alpha ** (64 / 62)
    return [base ** (-i / 32) for i in range(32)], 1


def decoded(method, length, prompt):
    """Scores of the newest of so many equal tokens with all, keys turned when they came."""
    cache = []
    for position in range(length):
        keys = speeds(method, max(position + 1, min(prompt, length)))[0]
        cache.append([position * speed for speed in keys])
    now, scale = speeds(method, length)
    query = [(length - 1) * speed for speed in now]
    return [
        scale * 2 / 8 * math.fsum(math.cos(q - k) for q, k in zip(query, key, strict=True))
        for key in cache
    ], cache


@pytest.mark.parametrize("method", ["dynamic NTK", "LongRoPE"])
@pytest.mark.parametrize(("length", "prompt"), [(600, 64), (560, 540), (500, 1)])
def test_scores_are_off_as_decoding_one_by_one_says(method, length, prompt):
    setting = {"method": method, "length": length, "prompt": prompt}
    arrays = CacheTrap(pair=20, **setting).compute()
    (cached, angles), (fresh, _) = (decoded(method, length, n) for n in (prompt, length))
    off = [abs(a - b) for a, b in zip(cached, fresh, strict=True)]
    assert arrays.error == pytest.approx(max(off), abs=1e-9)
    trapped = length > 512 and (prompt <= 512 or method == "dynamic NTK")
    assert (max(off) > 1e-6) == trapped
    weights = zip(softmax(cached), softmax(fresh), strict=True)
    assert arrays.elsewhere == pytest.approx(sum(abs(a - b) for a, b in weights) / 2, abs=1e-9)
    seems = [key[20] / speeds(method, length)[0][20] for key in angles]
    np.testing.assert_allclose(arrays.seems, seems, rtol=1e-9)


@pytest.mark.parametrize("cache", [UNTURNED, FIXED])
def test_both_cures_leave_no_error(cache):
    for picture in every_setting(CacheTrap, count=8, cache=cache):
        arrays = picture.compute()
        assert arrays.error == arrays.elsewhere == arrays.errors.max() == 0
        np.testing.assert_allclose(arrays.seems, range(picture.length))
        assert ": no score is off, but " in caption_of(picture)
