"""Errors in encodings whose positions come from the layer's input."""

E, T = "posviz/encodings/", "tests/encodings/"
FOX, COPE, PATH = T + "test_fox.py::", T + "test_cope.py::", T + "test_path.py::"
POPE, INKLING = T + "test_pope.py::", T + "test_inkling.py::"
CACHE = "tests/test_attention_plan.py::test_with_a_cache_it_is_what_it_is_without"

QUICK = {
    "FoX: the key's own gate counts": (
        E + "fox.py",
        "k_len - q_len :, None] - sums[..., None, :]",
        "k_len - q_len :, None] - (sums - log_gates)[..., None, :]",
        FOX + "test_a_query_adds_the_gates_after_the_key_up_to_its_own",
    ),
    "FoX: the query's own gate does not": (
        E + "fox.py",
        "sums[..., k_len - q_len :, None]",
        "(sums - log_gates)[..., k_len - q_len :, None]",
        FOX + "test_a_query_adds_the_gates_after_the_key_up_to_its_own",
    ),
    "FoX: queries are the first tokens": (
        E + "fox.py",
        "sums[..., k_len - q_len :, None]",
        "sums[..., :q_len, None]",
        FOX + "test_a_query_adds_the_gates_after_the_key_up_to_its_own",
    ),
    "FoX: gates without their logarithm": (
        E + "fox.py",
        "-softplus(-wide)",
        "xp.exp(-softplus(-wide))",
        FOX + "test_the_bias_is_that_of_x_transformers",
    ),
    "FoX: ln(1 − gate)": (
        E + "fox.py",
        "-softplus(-wide)",
        "-softplus(wide)",
        FOX + "test_gate_by_gate",
    ),
    "FoX: gates are summed in halves": (
        E + "fox.py",
        "[wide] = widened(logits)",
        "wide = logits",
        FOX + "test_many_gates_of_halves_are_summed_in_float32",
    ),
    "FoX: new gates stand before those in the cache": (
        E + "fox.py",
        "[carried, log_gates]",
        "[log_gates, carried]",
        CACHE,
    ),
    "FoX, pair by pair: queries are the first tokens": (
        E + "fox.py",
        "sums[..., sums.shape[-1] - q.shape[-2] :]",
        "sums[..., : q.shape[-2]]",
        FOX + "test_pair_by_pair_it_is_the_same_bias",
    ),
    "CoPE: the query itself is not counted": (
        E + "cope.py",
        "xp.where(offsets >= 0,",
        "xp.where(offsets > 0,",
        COPE + "test_the_bias_is_that_of_x_transformers",
    ),
    "CoPE: counted from the first token": (
        E + "cope.py",
        "xp.flip(xp.cumulative_sum(xp.flip(wide, axis=-1), axis=-1), axis=-1)",
        "xp.cumulative_sum(wide, axis=-1)",
        COPE + "test_gates_of_1_count_distances_from_1",
    ),
    "CoPE: the row below serves what lies between": (
        E + "cope.py",
        "low + (wide - below) * (high - low)",
        "low",
        COPE + "test_between_two_rows_their_scores_are_mixed",
    ),
    "CoPE: both rows change places": (
        E + "cope.py",
        "low + (wide - below) * (high - low)",
        "high + (wide - below) * (low - high)",
        COPE + "test_the_bias_is_that_of_x_transformers",
    ),
    "CoPE: the last row is never reached": (
        E + "cope.py",
        "xp.clip(wide, 0.0, float(last))",
        "xp.clip(wide, 0.0, float(last - 1))",
        COPE + "test_the_bias_is_that_of_x_transformers",
    ),
    "gates: e^−x overflows": (
        "posviz/arrays.py",
        "return namespace(x).exp(-softplus(-x))",
        "return 1 / (1 + namespace(x).exp(-x))",
        COPE + "test_large_scores_overflow_nothing",
    ),
    "PaTH: the key's own reflection counts": (
        E + "path.py",
        "by_key = xp.where(later,",
        "by_key = xp.where(tokens[:, None] >= tokens,",
        PATH + "test_scores_are_products_of_all_reflections_between",
    ),
    "PaTH: the query's own does not": (
        E + "path.py",
        "passed = tokens <= tokens[k_len - q_len :, None]",
        "passed = tokens < tokens[k_len - q_len :, None]",
        PATH + "test_scores_are_products_of_all_reflections_between",
    ),
    "PaTH: reflections are added, not multiplied": (
        E + "path.py",
        "through_unit_lower(by_query, among) @ by_key",
        "by_query @ by_key",
        PATH + "test_a_reflection_twice_is_none",
    ),
    "PaTH: β stops at 1": (
        E + "path.py",
        "2 * sigmoid(beta)",
        "sigmoid(beta)",
        PATH + "test_w_is_made_1_long_and_heads_may_share_it",
    ),
    "PaTH: w keeps its length": (
        E + "path.py",
        "        w = _unit(w)\n",
        "",
        PATH + "test_w_is_made_1_long_and_heads_may_share_it",
    ),
    "PaTH: what is taken is not scaled": (
        E + "path.py",
        "self.scale(q.shape[-1]) * q, k, w, beta",
        "q, k, w, beta",
        PATH + "test_w_is_made_1_long_and_heads_may_share_it",
    ),
    "PaTH: a token of zeros has no direction": (
        E + "path.py",
        "xp.sqrt(xp.where(squares == 0, 1.0, squares))",
        "xp.sqrt(squares)",
        PATH + "test_a_token_of_zeros_reflects_nothing_and_has_a_gradient",
    ),
    "PaTH: the cache loses β": (
        E + "path.py",
        "xp.concat([carried[1], beta], axis=2)",
        "xp.concat([beta, carried[1]], axis=2)",
        CACHE + "[PaTH-(0, 3, 7)-NumPy]",
    ),
    "PoPE: content may turn": (
        E + "pope.py",
        "side_by_side(softplus(wide) * wave)",
        "side_by_side(wide * wave)",
        POPE + "test_what_a_token_is_turns_nothing",
    ),
    "PoPE: δ turns the other way": (
        E + "pope.py",
        "-xp.sin(delta)",
        "xp.sin(delta)",
        POPE + "test_scores_are_those_of_x_transformers",
    ),
    "PoPE: δ turns keys, too": (
        E + "pope.py",
        "if sign > 0 and self.delta is not None:",
        "if self.delta is not None:",
        POPE + "test_scores_are_sums_of_cosines_of_the_distance",
    ),
    "PoPE: the scale is that of twice the width": (
        E + "pope.py",
        "return (head_dim / 2) ** -0.5",
        "return head_dim**-0.5",
        POPE + "test_scores_are_divided_by_the_root_of_head_dim_before_it_doubled",
    ),
    "Inkling: the last number goes on without end": (
        E + "inkling.py",
        "shown = (offsets >= 0) & (offsets < extent)",
        "shown = offsets >= 0",
        INKLING + "test_the_bias_is_that_of_transformers",
    ),
    "Inkling: keys ahead get the first number": (
        E + "inkling.py",
        "shown = (offsets >= 0) & (offsets < extent)",
        "shown = offsets < extent",
        INKLING + "test_the_bias_is_that_of_transformers",
    ),
    "Inkling: distances count from 1": (
        E + "inkling.py",
        "xp.clip(offsets, 0, extent - 1)",
        "xp.clip(offsets - 1, 0, extent - 1)",
        INKLING + "test_the_bias_is_that_of_x_transformers",
    ),
    "Inkling: the key's token mixes the curves": (
        E + "inkling.py",
        "curves[b, h, i, apart",
        "curves[b, h, j, apart",
        INKLING + "test_pair_by_pair_it_is_the_same_bias",
    ),
}

DEFAULT: dict = {}
