"""What each claim comes to, and a planted error that turns each verdict."""

import math

import numpy as np
import torch
from transformers import GPT2Config, GPT2Model

from posviz.claims.learned import table as claims
from posviz.encodings.learned import Learned
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"
ORDER = [3, 0, 5, 1, 4, 2]
W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 64, 64)) / 8
WORDS = np.random.default_rng(2).normal(size=(6, 64))


def fresh(rows):
    return np.random.default_rng(0).normal(scale=0.02, size=(rows, 64))


def share_of_the_table(positions, **size):
    """Percent of the parameters that are wpe, counted in the model of transformers."""
    with torch.device("meta"):
        model = GPT2Model(GPT2Config(n_positions=1024, **size))
    d_model = model.wpe.weight.shape[1]
    rest = sum(x.numel() for x in model.parameters()) - model.wpe.weight.numel()
    return f"{100 * positions * d_model / (rest + positions * d_model):.4g}"


def spread_of_random_products():
    table = fresh(64)
    products = [math.fsum(table[m] * table[m - 5]) for m in range(5, 64)]
    return f"{max(products) - min(products):.4g}"


def cosine_of_sinusoids():
    return f"{math.fsum(math.cos(10_000 ** (-pair / 32)) for pair in range(32)) / 32:.4g}"


def cosine_of_random_rows():
    rows = fresh(512)
    cosines = [
        math.fsum(rows[n] * rows[n - 1]) / math.hypot(*rows[n]) / math.hypot(*rows[n - 1])
        for n in range(1, 512)
    ]
    return f"{math.fsum(cosines) / 511:.4g}"


def outputs_of(words):
    """The outputs of torch's attention, words at the positions 0 … 5."""
    x = words + fresh(6)
    q, k, v = (torch.tensor(x @ w)[None] for w in (W_Q, W_K, W_V))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)[0].numpy()


def difference_of_shuffled_outputs():
    return f"{np.abs(outputs_of(WORDS[ORDER]) - outputs_of(WORDS)[ORDER]).max():.4g}"


# What each claim must come to, its numbers by an exact formula, a slow loop or a library.
FOUND = {
    "the_table_extrapolates": ("false", ["0"]),
    "a_missing_row_is_an_error": (
        "true only if the position is too large or it is −1, asked of learned()",
        ["0", "0", "1"],
    ),
    "rows_are_positions": (
        "true only if position 0 has row 0 (GPT-2, BERT)",
        [f"2{NBSP}050", f"2{NBSP}048"],
    ),
    "a_table_costs_length_times_width": (
        "true only if the model is BERT-base (L = 512) or the model is GPT-2 (L = 1024)",
        ["0", "0", f"1{NBSP}536"],  # two rows of 768
    ),
    "the_others_cost_nothing": ("true", ["0", "0", "0"]),
    "the_table_is_a_large_part": (
        "true only if it is GPT-2 with room for 131 072 tokens",
        [
            share_of_the_table(1024),
            share_of_the_table(1024, n_embd=1600, n_layer=48, n_head=25),
            share_of_the_table(131_072),
        ],
    ),
    "a_row_acts_on_its_own_embedding": ("false", ["6", "4"]),  # all six; those from 2 to 5
    "a_table_knows_no_offsets": (
        "true only if its rows are random, as before training",
        [spread_of_random_products(), "< 1e-14"],
    ),
    "neighbours_are_similar_from_the_start": (
        "true only if the table is sinusoidal",
        [cosine_of_sinusoids(), cosine_of_random_rows()],
    ),
    "an_untrained_table_says_nothing": (
        "true only if its rows start at 0",
        ["< 1e-14", difference_of_shuffled_outputs()],
    ),
    "training_moves_every_row": ("true only if the longest text has 64 tokens", ["48", "64"]),
    "an_unused_row_stays": (
        "true only if nothing decays",
        ["< 1e-14", f"{1 - (1 - 0.1 * 0.1) ** 10:.4g}"],
    ),
    "every_row_sees_as_many_tokens": (
        "true only if all texts have 64 tokens",
        ["1", f"{1 / 64:.4g}"],
    ),
}

real_learned = claims.learned
real_offsets = claims.offsets
real_table_of = claims._table_of
real_table = claims.sinusoidal


def learned_that_wraps(table, positions, *, padding_offset=0):
    return table[(positions + padding_offset) % len(table)]


def learned_without_padding(table, positions, *, padding_offset):
    return real_learned(table, positions)


def added_nowhere(self, x, positions):
    return x


def gradient_for_every_row(by_token, positions):
    return np.full((64, by_token.shape[-1]), by_token.mean())


PLANTED = {
    "the_table_extrapolates": (claims, "learned", learned_that_wraps, "true"),
    "a_missing_row_is_an_error": (claims, "learned", learned_that_wraps, "false"),
    "rows_are_positions": (claims, "learned", learned_without_padding, "true"),
    "a_table_costs_length_times_width": (
        (claims, "_table_of", lambda rows, d_model: real_table_of(rows + 1, d_model), "false")
    ),
    "the_others_cost_nothing": (
        (claims, "Sinusoidal", lambda: Learned(fresh(512)), "true only if")
    ),
    "the_table_is_a_large_part": (claims, "_rest_of_gpt2", lambda d_model, layers: 0, "true"),
    "a_row_acts_on_its_own_embedding": (claims.Learned, "at_input", added_nowhere, "true"),
    "a_table_knows_no_offsets": (
        (claims, "offsets", lambda m, n: real_offsets(m**2, n**2), "true")
    ),
    "neighbours_are_similar_from_the_start": (
        (claims, "sinusoidal", lambda positions, d: real_table(7 * positions, d), "false")
    ),
    "an_untrained_table_says_nothing": (claims.Learned, "at_input", added_nowhere, "true"),
    "training_moves_every_row": (claims, "_gradient", gradient_for_every_row, "true"),
    "an_unused_row_stays": (claims, "_gradient", gradient_for_every_row, "false"),
    "every_row_sees_as_many_tokens": (claims, "_gradient", gradient_for_every_row, "true"),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_table_is_trained_as_torch_trains_an_embedding():
    embedding = torch.nn.Embedding(64, 64, _weight=torch.tensor(fresh(64)))
    x, y = map(torch.tensor, np.random.default_rng(3).normal(size=(2, 48, 64)))
    descent = torch.optim.SGD(embedding.parameters(), lr=0.1, weight_decay=0.1)
    for _ in range(10):
        descent.zero_grad()
        (0.5 * (x + embedding(torch.arange(48)) - y) ** 2).sum().backward()
        descent.step()
    np.testing.assert_allclose(
        claims._trained(48, decay=0.1), embedding.weight.detach(), rtol=0, atol=1e-12
    )


def test_gpt2_has_as_many_parameters_as_in_transformers():
    with torch.device("meta"):
        model = GPT2Model(GPT2Config())
    count = sum(x.numel() for x in model.parameters())
    assert claims._rest_of_gpt2(768, 12) + 1024 * 768 == count == 124_439_808


def test_the_sizes_and_the_last_position_are_told():
    assert f"393{NBSP}216, 786{NBSP}432 and 1{NBSP}574{NBSP}400" in (
        claims.a_table_costs_length_times_width().text
    )
    assert f"124{NBSP}439{NBSP}808, 1{NBSP}557{NBSP}611{NBSP}200 and" in (
        claims.the_table_is_a_large_part().text
    )
    assert "2047 is the last, and 2048 has none" in claims.rows_are_positions().text
    assert "row 63 of 0 … 63" in claims.a_missing_row_is_an_error().text
