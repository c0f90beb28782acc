"""What YaRN does to scores, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz.exercises.stretching.temperature import check_on_scores
from tests.exercises.every_mistake import mistake_tests


def m(s, k, log=math.log):
    return 1 + k * log(s) / 10


def a(s, mscale, all_dim, log=math.log):
    return m(s, mscale, log) / m(s, all_dim, log) if mscale and all_dim else m(s, 1, log)


def solution(*given):
    return a(*given) * a(*given)


def without_1(s, mscale, all_dim):
    top, below = (0.1 * k * math.log(s) for k in (mscale, all_dim))
    return (top / below if mscale and all_dim else 0.1 * math.log(s)) ** 2


def times_all(s, mscale, all_dim):
    top, below = mscale * m(s, 1), all_dim * m(s, 1)
    return (top / below if mscale and all_dim else m(s, 1)) ** 2


def upside_down(s, mscale, all_dim):
    return a(s, all_dim, mscale) ** 2


MISTAKES = {
    "q only": a,
    "squared twice": lambda *given: solution(*given) ** 2,
    "temperature for its reciprocal": lambda *given: a(*given) ** -2,
    "mscale alone used": lambda s, k, all_dim: (m(s, k if k else 1) / m(s, all_dim)) ** 2,
    "0 for what is not given": lambda s, k, all_dim: (m(s, k) / m(s, all_dim)) ** 2,
    "all_dim not divided by": lambda s, k, all_dim: m(s, k if k and all_dim else 1) ** 2,
    "neither used": lambda s, k, all_dim: m(s, 1) ** 2,
    "quotient upside down": upside_down,
    "quotient of the two numbers": (
        lambda s, k, all_dim: m(s, k / all_dim if k and all_dim else 1) ** 2
    ),
    "in the scale as well": lambda s, k, all_dim: solution(s, k, all_dim) * m(s, all_dim) ** 2,
    "log2": lambda *given: a(*given, log=math.log2) ** 2,
    "1 missing": without_1,
    "mscale times all": times_all,
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_on_scores, MISTAKES)]
)


def by_hugging_face(s, mscale, all_dim):
    parameters = {"rope_type": "yarn", "rope_theta": 1e4, "factor": s, "mscale": mscale}
    parameters |= {"mscale_all_dim": all_dim, "original_max_position_embeddings": 4096}
    config = LlamaConfig(hidden_size=64, num_attention_heads=1, rope_parameters=parameters)
    return ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")[1] ** 2


def in_float32(*given):
    return np.float32(a(*given)) ** 2


@pytest.mark.parametrize("answer", [solution, by_hugging_face, in_float32])
def test_the_factor_may_be_found_in_many_ways(answer):
    assert check_on_scores(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    feedback = check_on_scores(lambda s, k, all_dim: m(s, 1))
    assert feedback.mistake == "q only, and neither used"


@pytest.mark.parametrize("junk", [lambda *given: 1.8739, lambda *given: [a(*given)] * 2])
def test_junk_is_refused(junk):
    feedback = check_on_scores(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


@pytest.mark.parametrize(
    ("factor", "squared"),
    [
        (2, 1.1434),
        (4, 1.2965),
        (8, 1.4591),
        (16, 1.6314),
        (32, 1.8133),
        (40, 1.8739),
        (128, 2.2058),
    ],
)
def test_the_numbers_of_the_lesson_come_out(factor, squared):
    assert check_on_scores.reference(factor, 0, 0) == pytest.approx(squared, abs=5e-5)
    assert check_on_scores.reference(factor, 1, 1) == 1
