"""Lesson 10's pictures: their mathematics by loops over pairs, keys and tokens."""

import json
import math

import numpy as np
import pytest

from posviz_course.lessons.stretching.cache_trap import FIXED, UNTURNED, CacheTrap
from posviz_course.lessons.stretching.config_reader import PASTED, ConfigReader
from posviz_course.lessons.stretching.dispersal import Dispersal
from posviz_course.lessons.stretching.kept_frequencies import KeptFrequencies
from posviz_course.lessons.stretching.loss_past_training import LossPastTraining
from posviz_course.lessons.stretching.phases_seen import PhasesSeen
from posviz_course.lessons.stretching.solutions import my_ramp
from tests.configs.test_configs import llama
from tests.lessons.by_hand import caption_of, frequencies, softmax

TURN = 2 * math.pi


@pytest.mark.parametrize("method", ["none", "PI", "NTK"])
@pytest.mark.parametrize("factor", [4.0, 1.3])
def test_arcs_are_those_of_the_frequencies(method, factor):
    arrays = PhasesSeen(method=method, factor=factor).compute()
    trained = np.array(frequencies(128, 1e4)) * 4096 / TURN
    used = {
        "none": factor * trained,
        "PI": trained,
        "NTK": np.array(frequencies(128, 1e4 * factor ** (128 / 126))) * factor * 4096 / TURN,
    }[method]
    np.testing.assert_allclose(arrays.trained, trained, rtol=1e-12)
    np.testing.assert_allclose(arrays.used, used, rtol=3e-6)
    assert arrays.new.tolist() == ((trained < 1) & (used > trained * (1 + 1e-5))).tolist()


def decoded(length, prompt):
    """Scores of the newest of so many equal tokens, keys rotated when they came."""

    def speeds(tokens):
        return [
            (10_000 * max(2 * tokens / 512 - 1, 1) ** (64 / 62)) ** (-i / 32) for i in range(32)
        ]

    keys = [[j * speed for speed in speeds(max(j + 1, min(prompt, length)))] for j in range(length)]
    query = [(length - 1) * speed for speed in speeds(length)]
    cosines = ([math.cos(q - k) for q, k in zip(query, key, strict=True)] for key in keys)
    return [2 / 8 * math.fsum(each) for each in cosines]


@pytest.mark.parametrize("length", [500, 560, 600])
def test_scores_are_off_as_decoding_one_by_one_says(length):
    arrays = CacheTrap(length=length).compute()
    cached, fresh = (decoded(length, prompt) for prompt in (1, length))
    assert arrays.error == pytest.approx(max(map(abs, np.subtract(cached, fresh))), abs=1e-9)
    moved = np.abs(np.subtract(softmax(cached), softmax(fresh))).sum() / 2
    assert arrays.elsewhere == pytest.approx(moved, abs=1e-9)
    for cure in (UNTURNED, FIXED):
        cured = CacheTrap(length=length, cache=cure).compute()
        assert cured.error == cured.elsewhere == cured.errors.max() == 0


BAD = {
    "": "paste the text of a config.json",
    "/etc/passwd": "this text begins with '/etc/pas', a config.json begins with {",
    '{"head_dim": 64': "the text must be JSON",
    '{"head_dim": 1e9, "rope_theta": 1e4}': "2 to 65,536 dimensions",
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


def test_configuration_of_many_lines_is_read_as_it_is_pasted():
    """A field of one line drops line breaks, which JSON does not need."""
    config = llama(factor=4.0) | {"layer_types": ["full_attention"] * 400}
    config["num_hidden_layers"] = 400
    pasted = json.dumps(config, indent=2)
    for given in (pasted, pasted.replace("\n", " ")):
        picture = ConfigReader(model=PASTED, config=given)
        assert "400 layers (full): yarn × 4" in picture.compute().told


def kept(**knobs):
    """How many pairs PI, NTK and YaRN keep."""
    shares = KeptFrequencies(**knobs).compute().shares
    return [int((abs(share - 1) < 1e-9).sum()) for share in shares]


def test_what_is_kept_depends_on_the_length_and_on_whether_s_is_1():
    assert all(kept(factor=factor) == [0, 1, 21] for factor in np.geomspace(1.01, 64, 20))
    assert kept(factor=1) == [64, 64, 64]
    lengths = np.geomspace(512, 128_000, 40).astype(int).tolist()
    assert all(kept(length=length // 2)[2] < kept(length=length)[2] for length in lengths)


@pytest.mark.parametrize(("length", "factor"), [(256, 1.5), (4096, 4.0), (128_000, 64.0)])
def test_the_solution_of_the_ramp_lies_on_the_line_of_yarn(length, factor):
    picture = KeptFrequencies(my_ramp, length=length, factor=factor)
    assert picture.caption(picture.compute()).startswith("64 of your 64 shares")
    slower = KeptFrequencies(lambda *given: my_ramp(*given) / 2, length=length, factor=factor)
    assert slower.caption(slower.compute()).startswith("0 of your 64 shares")


def test_a_ramp_that_is_not_written_draws_no_dots():
    picture = KeptFrequencies(lambda *given: None)
    arrays = picture.compute()
    assert arrays.own == ([], [])
    assert picture.caption(arrays) == "Your function returns no shares yet."


@pytest.mark.parametrize(("margin", "is_more"), [(8, True), (3, False)])
def test_sharper_scores_help_only_a_key_that_is_far_above(margin, is_more):
    arrays = Dispersal(margin=margin).compute()
    assert (arrays.ends[1][1][0] > arrays.before) == is_more


def test_pi_loses_to_yarn_everywhere_and_to_no_change_at_first():
    middles, pi = LossPastTraining(reading="PI × 2").compute().losses[0]
    yarn, unchanged = (curve for _, curve in LossPastTraining().compute().losses)
    assert np.all(np.subtract(pi, yarn) > 0.5)
    assert ((np.array(pi) < unchanged) == (middles > 11_264)).all()
