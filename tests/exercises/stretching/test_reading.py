"""What a configuration says, and every listed mistake as a reader would write it."""

import numpy as np
import pytest

from posviz.configs import read_config
from posviz.encodings.frequencies import rotary_frequencies
from posviz.exercises.stretching.reading import check_reading
from tests.exercises.every_mistake import mistake_tests

FULL, SLIDING = "full_attention", "sliding_attention"


def layer_by_layer(
    *, sliding=SLIDING, turns=lambda flag: flag == 1, still=0, missing=lambda most, few: most / few,
    long=lambda n, few, most: n > few, pair=-1, given=True
):  # fmt: skip
    """The answer, and where it goes wrong."""

    def answer(config, seq_len):
        few, most = (
            config[name] for name in ("original_max_position_embeddings", "max_position_embeddings")
        )
        slowed = []
        for kind, flag in zip(config["layer_types"], config["no_rope_layers"], strict=True):
            entry = config["rope_parameters"][sliding if kind == SLIDING else FULL]
            if not turns(flag):
                slowed.append(still)
            elif entry["rope_type"] == "default":
                slowed.append(1)
            elif entry["rope_type"] == "longrope":
                name = "long_factor" if long(seq_len, few, most) else "short_factor"
                slowed.append(entry[name][pair])
            elif given and "factor" in entry:
                slowed.append(entry["factor"])
            else:
                slowed.append(missing(most, few))
        return slowed

    return answer


MISTAKES = {
    "sliding layers slowed": layer_by_layer(sliding=FULL),
    "flag inverted": layer_by_layer(turns=lambda flag: flag == 0),
    "flag not read": layer_by_layer(turns=lambda flag: True),
    "original and longest swapped": layer_by_layer(missing=lambda most, few: few / most),
    "lists by the longest length": layer_by_layer(long=lambda n, few, most: most > few),
    "short list always": layer_by_layer(long=lambda n, few, most: False),
    "long list from the original length on": layer_by_layer(long=lambda n, few, most: n >= few),
    "first pair": layer_by_layer(pair=0),
    "no factor, no change": layer_by_layer(missing=lambda most, few: 1),
    "factor from the lengths always": layer_by_layer(given=False),
    "unturned as unchanged": layer_by_layer(still=1),
    "one number for all": layer_by_layer(sliding=FULL, turns=lambda flag: True),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_reading, MISTAKES)]
)


def by_posviz(config, seq_len):
    """`read_config`, but for the list, which it takes for the longest text."""
    if seq_len <= config["original_max_position_embeddings"]:
        entry = dict(config["rope_parameters"][FULL])
        entry |= {"long_factor": entry.get("short_factor")}
        config = config | {"rope_parameters": config["rope_parameters"] | {FULL: entry}}
    entries = {kind: {"rope_theta": 1e9} | e for kind, e in config["rope_parameters"].items()}
    read = read_config(config | {"rope_parameters": entries, "head_dim": 6})
    kinds = {kind.kind: kind for kind in read.kinds}
    both = zip(config["layer_types"], config["no_rope_layers"], strict=True)
    last = rotary_frequencies(6, 1e9)[-1]  # too slow for a turn in training
    return [last / kinds[kind].frequencies.inv_freq[-1] if flag else 0.0 for kind, flag in both]


@pytest.mark.parametrize("answer", [layer_by_layer(), by_posviz])
def test_the_configuration_may_be_read_in_many_ways(answer):
    assert check_reading(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    answer = layer_by_layer(turns=lambda flag: True, missing=lambda most, few: few / most)
    assert set(check_reading(answer).mistake.split(", and ")) == {
        "flag not read",
        "original and longest swapped",
    }


def test_an_answer_in_float32_and_one_that_writes_into_the_configuration_are_judged():
    def answer(config, seq_len):
        found = np.array(layer_by_layer()(config, seq_len), dtype=np.float32)
        config.clear()
        return found

    assert check_reading(answer).status == "correct"


@pytest.mark.parametrize("junk", [lambda *given: 4, lambda config, _: config["layer_types"]])
def test_junk_is_refused(junk):
    feedback = check_reading(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_texts_are_shorter_than_the_training_as_long_and_longer():
    longer = {n / c["original_max_position_embeddings"] for c, n in check_reading.cases()}
    assert longer == {0.5, 1, 2}
