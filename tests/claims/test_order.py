"""Lesson 01: what each claim comes to, and a planted error that turns each verdict."""

import numpy as np
import pytest

from posviz.claims import order
from posviz.claims.ledger import Claim
from posviz.encodings.doors import Encoding, NoPosition
from tests.claims.planted import assert_turned

CLAIMS = {name: value for name, value in vars(order).items() if isinstance(value, Claim)}

VERDICTS = {
    "attention_is_invariant": "false",
    "attention_is_equivariant": "true only if there is no mask",
    "the_mean_is_invariant": "true only if there is no mask",
    "equal_words_get_equal_outputs": "true only if there is no mask",
    "a_weight_is_the_same_in_every_order": "true only if there is neither mask nor encoding",
    "the_first_word_sees_itself_alone": "true",
    "scores_are_what_is_summed": "false",
    "received_weights_sum_to_1": "false",
    "the_scale_keeps_the_variance_at_1": "true only if queries and keys are independent",
    "the_scale_changes_nothing": "false",
    "an_added_encoding_leaves_the_scores_alone": "false",
    "the_encoding_is_added_to_queries_and_keys": (
        "true only if the projections W_Q and W_K are the identity"
    ),
}

real_attend, real_attention = order.attend, order.attention


def attend_blind_to_masks_and_encodings(*given, **how):
    return real_attend(*given, **how | {"mask": None, "encoding": NoPosition()})


def attend_pooled(*given, **how):
    outputs, weights = real_attend(*given, **how)
    return outputs.mean(axis=1, keepdims=True) + 0 * outputs, weights


def attend_over_the_wrong_axis(*given, **how):
    outputs, weights = real_attend(*given, **how)
    return outputs, weights / weights.sum(axis=-2, keepdims=True)


def attention_of_scores(q, k, v, **how):
    weights = real_attention(q, k, v, **how)[1]
    return weights @ q, weights


def attention_of_directions(q, k, v, **how):
    return real_attention(q / np.linalg.norm(q, axis=-1, keepdims=True), k, v, **how)


def no_mask(q_positions, k_positions):
    return np.ones((len(q_positions), len(k_positions)), dtype=bool)


def no_encoding(positions, d_model):
    return np.zeros((len(positions), d_model))


PLANTED = {
    "attention_is_invariant": (order, "attend", attend_pooled, "true"),
    "attention_is_equivariant": (order, "attend", attend_blind_to_masks_and_encodings, "true"),
    "the_mean_is_invariant": (order, "causal_mask", no_mask, "true"),
    "equal_words_get_equal_outputs": (order, "causal_mask", no_mask, "true"),
    "a_weight_is_the_same_in_every_order": (
        (order, "attend", attend_blind_to_masks_and_encodings, "true")
    ),
    "the_first_word_sees_itself_alone": (order, "causal_mask", no_mask, "false"),
    "scores_are_what_is_summed": (order, "attention", attention_of_scores, "true"),
    "received_weights_sum_to_1": (order, "attend", attend_over_the_wrong_axis, "true"),
    "the_scale_keeps_the_variance_at_1": (Encoding, "scale", lambda self, head_dim: 1.0, "false"),
    "the_scale_changes_nothing": (order, "attention", attention_of_directions, "true"),
    "an_added_encoding_leaves_the_scores_alone": (order, "sinusoidal", no_encoding, "true"),
    "the_encoding_is_added_to_queries_and_keys": (order, "sinusoidal", no_encoding, "true"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_each_claim_comes_to(name):
    verdict = CLAIMS[name]()
    assert f"{verdict.verdict} {verdict.condition}".strip() == VERDICTS[name]


@pytest.mark.parametrize("name", CLAIMS)
def test_a_planted_error_turns_the_verdict(name, monkeypatch):
    assert_turned(CLAIMS[name], PLANTED[name], monkeypatch)


def head(x, causal):
    """The head of the claims, row by row."""
    w_q, w_k, w_v = order._projections()
    outputs = []
    for i, row in enumerate(x):
        keys = x[: i + 1] if causal else x
        powers = np.exp([(row @ w_q) @ (key @ w_k) / np.sqrt(len(row)) for key in keys])
        outputs.append(powers / powers.sum() @ (keys @ w_v))
    return np.array(outputs)


def test_the_numbers_of_the_shuffle_agree_with_a_head_written_row_by_row():
    x = order._words()
    invariance = np.abs(head(x[order.ORDER], False) - head(x, False)).max()
    assert order.attention_is_invariant().number == f"{invariance:.4g} if there is no mask"
    causal = np.abs(head(x[order.ORDER], True) - head(x, True)[order.ORDER]).max()
    assert order.attention_is_equivariant().number == (
        f"< 1e-14 if there is no mask; {causal:.4g} if the mask is causal"
    )


def test_three_of_the_four_terms_carry_position():
    number = order.an_added_encoding_leaves_the_scores_alone().number
    assert number == "3 if sinusoidal encodings are added"
