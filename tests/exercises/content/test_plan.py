"""The plan of the layers, and every listed mistake as a reader would write it."""

import math

import pytest

from posviz.exercises.content.plan import check_plan
from posviz.configs.layer_plans import layer_plan
from tests.exercises.every_mistake import mistake_tests


def tau(config, p):
    return 1 + config["attn_scale"] * math.log(1 + (p + 1) // config["floor_scale"])


def flags(config, first=1):
    count, interval = config["num_hidden_layers"], config["no_rope_layer_interval"]
    return config["no_rope_layers"] or [min(1, i % interval) for i in range(first, count + first)]


def by_layer(
    *, flags=flags, window=lambda turns, w: w if turns else 0, tau=tau, warm=lambda turns: not turns
):
    def answer(config, position):
        factor, width = tau(config, position), config["sliding_window"]
        return [
            [turns, window(turns, width), factor if warm(turns) else 1]
            for turns in map(int, flags(config))
        ]

    return answer


def inverted(config):
    listed = config["no_rope_layers"]
    return [not flag for flag in listed] if listed else flags(config)


def of_quotient(made):
    """Another temperature, of the number of whole floor_scales."""
    return lambda config, p: made(config["attn_scale"], (p + 1) // config["floor_scale"])


MISTAKES = {
    "flag inverted": by_layer(flags=inverted),
    "all flags inverted": by_layer(flags=lambda config: [not flag for flag in flags(config)]),
    "off by one in every fourth": by_layer(flags=lambda config: flags(config, first=0)),
    "list not read": by_layer(flags=lambda config: flags(config | {"no_rope_layers": None})),
    "all turn where there is no list": by_layer(
        flags=lambda config: config["no_rope_layers"] or [1] * config["num_hidden_layers"]
    ),
    "window on all layers": by_layer(window=lambda turns, w: w),
    "windows swapped": by_layer(window=lambda turns, w: 0 if turns else w),
    "temperature on all layers": by_layer(warm=lambda turns: True),
    "temperature at RoPE layers": by_layer(warm=bool),
    "p for p + 1": by_layer(tau=lambda config, p: tau(config, p - 1)),
    "not rounded down": by_layer(
        tau=lambda config, p: (
            1 + config["attn_scale"] * math.log(1 + (p + 1) / config["floor_scale"])
        )
    ),
    "1 missing in the logarithm": by_layer(tau=of_quotient(lambda a, n: 1 + a * math.log(n))),
    "1 missing before the logarithm": by_layer(tau=of_quotient(lambda a, n: a * math.log(1 + n))),
    "reciprocal": by_layer(tau=of_quotient(lambda a, n: 1 / (1 + a * math.log(1 + n)))),
    "log2": by_layer(tau=of_quotient(lambda a, n: 1 + a * math.log2(1 + n))),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_plan, MISTAKES)]
)


def by_posviz(config, position):
    """As Llama 4, whose layers that turn have chunks in place of a window."""
    config = {name: value for name, value in config.items() if value is not None}
    heads = {"hidden_size": 16, "num_attention_heads": 4, "head_dim": 4}
    longest = {"max_position_embeddings": 4096, "rope_theta": 1e4}
    layers = layer_plan(config | heads | longest | {"model_type": "llama4_text"})
    width = config["sliding_window"]
    return [
        [0, 0, 1 / float(layer["temperature"](position))] if layer["temperature"] else [1, width, 1]
        for layer in layers
    ]


@pytest.mark.parametrize("answer", [by_layer(), by_posviz])
def test_the_plan_may_be_read_in_many_ways(answer):
    assert check_plan(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    answer = by_layer(flags=inverted, tau=lambda config, p: tau(config, p - 1))
    assert check_plan(answer).mistake == "p for p + 1, and flag inverted"


@pytest.mark.parametrize(
    "junk", [lambda *given: 1, lambda config, p: [p], lambda *given: [[1] * 3]]
)
def test_junk_is_refused(junk):
    feedback = check_plan(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_some_configurations_have_a_list_and_some_positions_are_at_a_step():
    cases = check_plan.cases()
    assert {config["no_rope_layers"] is None for config, _ in cases} == {True, False}
    assert {(p + 1) % config["floor_scale"] == 0 for config, p in cases} == {True, False}
