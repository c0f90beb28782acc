"""What each claim about the methods comes to, and a planted error that turns each verdict."""

import cmath
import math

import numpy as np

from posviz.claims.stretching import methods as claims
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from tests.claims.planted import claim_tests

Q, K = np.random.default_rng(0).normal(size=(2, 64, 8, 2)) @ [1, 1j]


def kept_by_turns(pair, slow, fast, base=1e4, length=4096):
    turns = length / (2 * math.pi * base ** (pair / 64))
    return min(max((turns - slow) / (fast - slow), 0), 1)


def kept_by_index(pair, slow, fast, base=1e4, length=4096):
    low, high = (64 * math.log(length / (2 * math.pi * n), base) for n in (fast, slow))
    low, high = math.floor(low), math.ceil(high)
    return 1 - min(max((pair - low) / (high - low), 0), 1)


def share(kept, factor=4):
    return kept + (1 - kept) / factor


def of_pair_30():
    return f"{share(kept_by_index(30, 1, 32)) - share(kept_by_turns(30, 1, 32)):.4g}"


def beside_llama3(fast):
    """The largest difference of the code's ramp to Llama 3.1's frequencies."""
    of = {"base": 5e5, "length": 8192}
    shares = [
        share(kept_by_index(i, 1, fast, **of), 8) / share(kept_by_turns(i, 1, 4, **of), 8)
        for i in range(64)
    ]
    return f"{max(abs(each - 1) for each in shares):.4g}"


def on_scores(factor):
    return f"{0.1 * math.log(factor) + 1:.4g}"


def gain(margin):
    """The weight of the best key, as a quotient of powers."""
    sharper = (0.1 * math.log(4) + 1) ** 2 * margin
    longer = math.exp(sharper) / (math.exp(sharper) + 16_383)
    return f"{longer / (math.exp(margin) / (math.exp(margin) + 4095)):.4g}"


def of_both():
    plain, given = 0.1 * math.log(40) + 1, 0.1 * 0.707 * math.log(40) + 1
    return f"{plain**2 - (given / plain) ** 2:.4g}"


def change_by_the_cache():
    """The 64th token's scores, key by key and pair by pair."""

    def theta(pair, tokens):
        return (1e4 * max(tokens / 16, 1) ** (8 / 7)) ** (-pair / 8)

    def score(key, tokens):
        parts = (
            Q[63][i] * cmath.exp(63j * theta(i, 64))
            * (K[key][i] * cmath.exp(1j * key * theta(i, tokens))).conjugate()
            for i in range(8)
        )  # fmt: skip
        return sum(parts).real

    return f"{max(abs(score(key, key + 1) - score(key, 64)) for key in range(64)):.4g}"


def reach(window, training=64, group=8):
    """The last of 513 tokens looks back, one key at a time."""
    newest, far = 512, window - window // group
    looks = [
        newest - key if newest - key < window else newest // group - key // group + far
        for key in range(newest + 1)
    ]
    return f"{sum(each < training for each in looks) / training:.4g}"


def beside_longrope(stretch):
    return f"{0.1 * math.log(stretch) + 1 - math.sqrt(1 + math.log(stretch, 4096)):.4g}"


FOUND = {
    "the_two_ramps_agree": (
        "true only if one counts the kept and the slowed",
        ["< 1e-14", of_pair_30()],
    ),
    "llama3_is_yarn": (
        "true only if YaRN has the paper's ramp, from 1 to 4 turns",
        ["< 1e-14", beside_llama3(4), beside_llama3(32)],
    ),
    "yarn_is_free": ("true only if it is dynamic NTK", ["43", "63", "0"]),
    "scores_grow_by_the_attention_factor": ("false", [on_scores(s) for s in (4, 32, 128)]),
    "the_temperature_makes_up_for_the_length": (
        "true only if its score is 8 above the others",
        [gain(margin) for margin in (2, 4, 8)],
    ),
    "mscale_sets_the_temperature": (
        "true only if mscale_all_dim is given, too",
        ["< 1e-14", of_both()],
    ),
    "beta_fast_0_is_0": ("true only if beta_fast is 8", ["10", "0"]),
    "a_cache_changes_nothing": (
        "true only if they are turned when they are read",
        [change_by_the_cache(), "< 1e-14"],
    ),
    "dynamic_ntk_grows_smoothly": ("true only if α is n/L", [f"{1 / 2048:.4g}", "8"]),
    "all_have_one_temperature": ("false", [beside_longrope(4), beside_longrope(32)]),
    "eight_in_a_group_are_eight_times_the_length": ("false", [reach(w) for w in (8, 16, 32)]),
    "sinks_widen_the_context": ("false", ["512"]),
}

real_yarn, real_read = claims.yarn, claims.read_config
real_self_extend, real_sinks = claims.self_extend_positions, claims.sink_positions


def always_the_paper(*given, ramp="paper", **options):
    return real_yarn(*given, ramp="paper", **options)


def always_the_code(*given, ramp="code", **options):
    return real_yarn(*given, ramp="code", **options)


def with_the_root(*given, **options):
    found = real_yarn(*given, **options)
    return Frequencies(found.inv_freq, found.attention_factor**0.5)


def very_sharp(*given, **options):
    return Frequencies(real_yarn(*given, **options).inv_freq, 2.0)


def with_both(config):
    entry = config["rope_parameters"]
    if "mscale" in entry:
        config = config | {"rope_parameters": entry | {"mscale_all_dim": 1.0}}
    return real_read(config)


def none_for_0(config):
    entry = config["rope_parameters"]
    small = {"beta_fast": entry["beta_fast"] or 1.5} if "beta_fast" in entry else {}
    return real_read(config | {"rope_parameters": entry | small})


def fixed(head_dim, factor, *, seq_len, original_max_seq_len):
    return Frequencies(rotary_frequencies(head_dim, 1e4))


def as_longrope(rotary_dim, factor, *, original_max_seq_len):
    stretched = math.log(factor) / math.log(original_max_seq_len)
    return Frequencies(np.ones(48), math.sqrt(1 + stretched))


PLANTED = {
    "the_two_ramps_agree": (claims, "yarn", always_the_paper, "true"),
    "llama3_is_yarn": (claims, "yarn", always_the_code, "false"),
    "yarn_is_free": ((claims, "dynamic_ntk", lambda dim, *_, **__: claims.ntk(dim, 4.0), "false")),
    "scores_grow_by_the_attention_factor": (claims, "yarn", with_the_root, "true"),
    "the_temperature_makes_up_for_the_length": (claims, "yarn", very_sharp, "true"),
    "mscale_sets_the_temperature": (claims, "read_config", with_both, "true"),
    "beta_fast_0_is_0": (claims, "read_config", none_for_0, "true"),
    "a_cache_changes_nothing": (claims, "dynamic_ntk", fixed, "true"),
    "dynamic_ntk_grows_smoothly": (
        (claims, "largest", lambda difference: float(np.abs(difference).min()), "true")
    ),
    "all_have_one_temperature": (claims, "yarn", as_longrope, "true"),
    "eight_in_a_group_are_eight_times_the_length": (
        claims,
        "self_extend_positions",
        lambda q, k, window, group: real_self_extend(q, k, 1, 2 * group),
        "true",
    ),
    "sinks_widen_the_context": (
        (claims, "sink_positions", lambda q, k, *rest: real_sinks(q, k, 4, 4092), "true")
    ),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_audited_counts_of_both_ramps():
    """Kept 21, blended 25, slowed 18, and what pair 30 keeps."""
    for kept in (kept_by_index, kept_by_turns):
        each = [kept(pair, 1, 32) for pair in range(64)]
        assert (each.count(1), each.count(0)) == (21, 18)
    assert f"{share(kept_by_turns(30, 1, 32)):.4f}" == "0.4361"
    assert f"{share(kept_by_index(30, 1, 32)):.4f}" == "0.7115"
