"""Lesson 10's pictures: their mathematics by loops over pairs, keys and tokens."""

import json
import math

import numpy as np
import pytest

from posviz.lessons.stretching._methods import larger_base
from posviz.lessons.stretching.base_for_context import BaseForContext
from posviz.lessons.stretching.cache_trap import FIXED, LONG_FACTORS, UNTURNED, CacheTrap
from posviz.lessons.stretching.config_reader import PASTED, ConfigReader
from posviz.lessons.stretching.phases_seen import PhasesSeen
from posviz.lessons.stretching.position_maps import PositionMaps
from posviz.lessons.stretching.score_curve import ScoreCurve
from posviz.lessons.stretching.turns_in_training import TurnsInTraining
from tests.configs.test_configs import llama
from tests.lessons.by_hand import caption_of, frequencies, softmax

TURN = 2 * math.pi


@pytest.mark.parametrize("method", ["none", "PI", "NTK"])
@pytest.mark.parametrize("setting", [(1e4, 4096, 4.0), (1e3, 500, 1.3)])
def test_arcs_are_those_of_the_frequencies(method, setting):
    base, length, factor = setting
    arrays = PhasesSeen(method=method, base=base, length=length, factor=factor).compute()
    trained = np.array(frequencies(128, base)) * length / TURN
    used = {
        "none": factor * trained,
        "PI": trained,
        "NTK": np.array(frequencies(128, base * factor ** (128 / 126))) * factor * length / TURN,
    }[method]
    np.testing.assert_allclose(arrays.trained, trained, rtol=1e-12)
    np.testing.assert_allclose(arrays.used, used, rtol=3e-6)
    assert arrays.new.tolist() == ((trained < 1) & (used > trained * (1 + 1e-5))).tolist()


def test_pairs_that_rotate_are_as_many_as_in_released_models():
    llama_3 = TurnsInTraining(length=8192, base=500_000).compute()
    gpt_oss = TurnsInTraining(head_dim=64, base=150_000).compute()
    assert (llama_3.turned, gpt_oss.turned) == (35, 18)
    assert [fate.sum() for fate in TurnsInTraining().compute().fates] == [21, 25, 18]


@pytest.mark.parametrize("factor", [1.0, 2.0, 7.3])
def test_with_the_larger_base_as_many_pairs_rotate_in_the_longer_text(factor):
    base = larger_base(1e4, 4096, factor)
    for length, each in ((4096, 1e4), (factor * 4096, base * (1 - 1e-12))):
        assert sum(length * speed >= TURN for speed in frequencies(128, each)) == 46
    pair = math.log(4096 / TURN) / math.log(1e4)  # the last that rotates, as a share of all
    assert TURN * base**pair == pytest.approx(factor * 4096)


def looks(name, query, key, window=7, group=3, trained=20):
    """How far apart two tokens look, or None for one that is forgotten."""
    apart = query - key
    if name == "ReRoPE":
        return min(apart, window)
    if name == "Self-Extend" and apart >= window:
        return query // group - key // group + window - window // group
    if name == "dual chunk":
        chunks = query // window - key // window
        place = [query % window, min(query % window + window, trained - 1), trained - 1]
        return place[min(chunks, 2)] - key % window
    if name == "sinks":
        if key < 4:
            return min(query, 4 + window - 1) - key
        return apart if apart < window else None
    return apart


@pytest.mark.parametrize("name", ["plain", "ReRoPE", "Self-Extend", "dual chunk", "sinks"])
def test_each_pair_looks_as_far_apart_as_a_loop_says(name):
    arrays = PositionMaps(positions=name, length=50, trained=20, window=7, group=3).compute()
    found = [[looks(name, query, key) for key in range(query + 1)] for query in range(50)]
    every = [far for row in found for far in row]
    kept = [far for far in every if far is not None]
    assert arrays.beyond_training == sum(far >= 20 for far in kept)
    assert (arrays.pairs, arrays.forgotten) == (len(every), len(every) - len(kept))
    np.testing.assert_allclose(arrays.row, np.array(found[-1][::-1], float))


def test_means_over_far_distances_are_those_of_a_loop():
    arrays = ScoreCurve(head_dim=32, factor=1.5).compute()
    for mean, base in zip(arrays.far, (1e4, 1e4 * 1.5 ** (32 / 30)), strict=True):
        cosines = [np.cos(np.arange(3073, 6145) * speed).mean() for speed in frequencies(32, base)]
        assert mean == pytest.approx(sum(cosines) / 16, abs=1e-9)


@pytest.mark.parametrize(("base", "first"), [(100, 59), (1e4, 1707), (1e5, 7757)])
def test_first_distance_below_zero_is_that_of_a_loop(base, first):
    arrays = BaseForContext(base=base).compute()
    sums = sum(np.cos(np.arange(first + 1) * speed) for speed in frequencies(128, base))
    assert sums[first] < 0 <= sums[:first].min()
    assert (arrays.first, arrays.here) == (first, pytest.approx(sums[[first, first - 1]], abs=1e-8))


def decoded(method, length, prompt):
    """Scores of the newest of so many equal tokens, keys rotated when they came, and angles."""

    def speeds(tokens):
        if method == "LongRoPE":
            factors = LONG_FACTORS if tokens > 512 else [1] * 32
            return [10_000 ** (-i / 32) / factor for i, factor in enumerate(factors)]
        return [
            (10_000 * max(2 * tokens / 512 - 1, 1) ** (64 / 62)) ** (-i / 32) for i in range(32)
        ]

    keys = [[j * speed for speed in speeds(max(j + 1, min(prompt, length)))] for j in range(length)]
    query = [(length - 1) * speed for speed in speeds(length)]
    scale = 1 + math.log(4) / math.log(512) if method == "LongRoPE" else 1
    cosines = ([math.cos(q - k) for q, k in zip(query, key, strict=True)] for key in keys)
    return [scale * 2 / 8 * math.fsum(each) for each in cosines]


@pytest.mark.parametrize("method", ["dynamic NTK", "LongRoPE"])
@pytest.mark.parametrize(("length", "prompt"), [(600, 64), (560, 540), (500, 1)])
def test_scores_are_off_as_decoding_one_by_one_says(method, length, prompt):
    arrays = CacheTrap(method=method, length=length, prompt=prompt).compute()
    cached, fresh = (decoded(method, length, n) for n in (prompt, length))
    assert arrays.error == pytest.approx(max(map(abs, np.subtract(cached, fresh))), abs=1e-9)
    moved = np.abs(np.subtract(softmax(cached), softmax(fresh))).sum() / 2
    assert arrays.elsewhere == pytest.approx(moved, abs=1e-9)
    for cure in (UNTURNED, FIXED):
        cured = CacheTrap(method=method, length=length, prompt=prompt, cache=cure).compute()
        assert cured.error == cured.elsewhere == cured.errors.max() == 0


BAD = {
    "": "paste the text of a config.json",
    "/etc/passwd": "this text begins with '/etc/pas', a config.json begins with {",
    '{"head_dim": 64': "the text must be JSON",
    '{"head_dim": 1e9, "rope_theta": 1e4}': "at most 65,536 dimensions",
    '{"head_dim": 8, "rope_scaling": {"rope_type": "no such $method$"}}': "rope_type must be one",
    '{"a":' * 20_000: "of a few levels",
}


@pytest.mark.parametrize(("pasted", "notice"), BAD.items(), ids=range(len(BAD)))
def test_text_that_is_no_configuration_gets_one_line_and_no_curves(pasted, notice):
    picture = ConfigReader(model=PASTED, config=pasted)
    arrays = picture.compute()
    assert notice in arrays.notice
    assert "\n" not in arrays.notice
    assert (arrays.told, [*arrays.before[0]]) == ("", [])
    assert arrays.notice in caption_of(picture)


def test_configuration_of_many_lines_is_read_as_it_is_pasted(tmp_path):
    """A field of one line drops line breaks, which JSON does not need."""
    config = llama(factor=4.0) | {"layer_types": ["full_attention"] * 400}
    pasted = json.dumps(config, indent=2)
    (tmp_path / "config.json").write_text(pasted)
    for given in (config, pasted, tmp_path / "config.json", pasted.replace("\n", " ")):
        picture = ConfigReader(config=given)
        assert picture.model == PASTED
        assert "full, 400 layers: yarn × 4" in picture.compute().told
