"""Errors in learned distances, temperatures, plans of layers and what FlexAttention is given."""

E, T = "posviz/encodings/", "tests/encodings/"
KERPLE, FIRE, TEMPERATURES = (f"{T}test_{name}.py" for name in ("kerple", "fire", "temperatures"))
ENTRIES, PLANS, FLEX = (
    "posviz/configs/entries.py",
    "tests/test_layer_plans.py",
    "tests/test_flex.py",
)

QUICK = {
    "Kerple: the logarithm of r₂·d alone": (
        E + "kerple.py",
        "log1p(r2 * _distances(r1, offsets))",
        "log(r2 * _distances(r1, offsets) + 1e-9)",
        KERPLE,
    ),
    "Kerple: r₂ outside of the logarithm": (
        E + "kerple.py",
        "-r1 * namespace(r2).log1p(r2 * _distances(r1, offsets))",
        "-r1 * r2 * namespace(r2).log1p(_distances(r1, offsets))",
        KERPLE,
    ),
    "Kerple: the power of r₁ · d": (
        E + "kerple.py",
        "-r1 * xp.where(apart, xp.where(apart, distances, 1.0) ** r2, 0.0)",
        "-xp.where(apart, xp.where(apart, r1 * distances, 1.0) ** r2, 0.0)",
        KERPLE,
    ),
    "Kerple: no care at distance 0": (
        E + "kerple.py",
        "xp.where(apart, xp.where(apart, distances, 1.0) ** r2, 0.0)",
        "distances**r2",
        KERPLE + "::test_gradients_reach_both_numbers_and_a_distance_of_zero_has_one",
    ),
    "Kerple: later keys get a bonus": (
        E + "kerple.py",
        "in_dtype(abs(offsets), r1.dtype)",
        "in_dtype(offsets, r1.dtype)",
        KERPLE,
    ),
    "FIRE: min where the formula has max": (
        E + "fire.py",
        "q_positions > abs(threshold)",
        "q_positions < abs(threshold)",
        FIRE,
    ),
    "FIRE: measured against the length of the text": (
        E + "fire.py",
        "(xp.log1p(abs(c * reach)) + eps)[..., None]",
        "(xp.log1p(abs(c * reach)).max() + eps)",
        FIRE,
    ),
    "FIRE: the distance without its logarithm": (
        E + "fire.py",
        "xp.log1p(abs(c * apart)) / ",
        "abs(c * apart) / ",
        FIRE,
    ),
    "FIRE: no rectifier": (
        E + "fire.py",
        "xp.clip(distances[..., None] * w_in + b_in, 0.0, None)",
        "distances[..., None] * w_in + b_in",
        FIRE,
    ),
    "randomised positions: not in order": (
        E + "randomised.py",
        "np.sort(drawn)",
        "np.asarray(drawn)[::-1]",
        T + "test_randomised.py",
    ),
    "randomised positions: with repetition": (
        E + "randomised.py",
        "replace=False",
        "replace=True",
        T + "test_randomised.py",
    ),
    "temperature: Llama 4 counts from 0": (
        E + "temperatures.py",
        "_by_floor(positions, 1.0, attn_scale,",
        "_by_floor(positions, 0.0, attn_scale,",
        TEMPERATURES,
    ),
    "temperature: Ministral 3 counts from 1": (
        E + "temperatures.py",
        "_by_floor(positions, 0.0, beta, length)",
        "_by_floor(positions, 1.0, beta, length)",
        TEMPERATURES,
    ),
    "temperature: without the floor": (
        E + "temperatures.py",
        "xp.floor((places + first) / length)",
        "((places + first) / length)",
        TEMPERATURES,
    ),
    "temperature: the factor for its inverse": (
        E + "temperatures.py",
        "return 1 / llama4_factor(positions, **options)",
        "return llama4_factor(positions, **options)",
        PLANS,
    ),
    "log-n: padded keys count": (
        "posviz/attention.py",
        "xp.sum(mask, axis=-1, dtype=xp.int64)",
        "xp.sum(xp.ones_like(mask), axis=-1, dtype=xp.int64)",
        TEMPERATURES,
    ),
    "log-n: the same n for every row": (
        "posviz/attention.py",
        "temperature.factor(_seen(mask, k_len, q), wide)",
        "temperature.factor(_seen(None, k_len, q), wide)",
        TEMPERATURES,
    ),
    "log-n: one column stands for one key": (
        "posviz/attention.py",
        "* (1 if mask.shape[-1] == k_len else k_len)",
        "* 1",
        TEMPERATURES,
    ),
    "log-n: queries are divided": (
        "posviz/attention.py",
        "wide = wide * temperature.factor(",
        "wide = wide / temperature.factor(",
        TEMPERATURES,
    ),
    "chunks: the one before is seen, too": (
        "posviz/masks.py",
        "pairwise_offsets(q_positions // chunk, k_positions // chunk) == 0",
        "pairwise_offsets(q_positions // chunk, k_positions // chunk) <= 1",
        "tests/test_masks.py",
    ),
    "plan: a 1 takes RoPE away": (
        ENTRIES,
        "names = [name if turn else WITHOUT for",
        "names = [WITHOUT if turn else name for",
        PLANS,
    ),
    "plan: every fourth layer, counted from 0": (
        ENTRIES,
        "return [int((i + 1) % every != 0) for i in range(number)]",
        "return [int(i % every != 0) for i in range(number)]",
        PLANS,
    ),
    "plan: an empty list is taken at its word": (
        ENTRIES,
        'if not turns and config.get("model_type")',
        'if turns is None and config.get("model_type")',
        PLANS,
    ),
    "plan: layers that turn are tempered": (
        ENTRIES,
        "if kind != WITHOUT or not config",
        "if kind == WITHOUT or not config",
        PLANS,
    ),
    "plan: global layers have the window": (
        ENTRIES,
        'if sees.startswith("sliding") or model',
        'if not sees.startswith("chunked") or model',
        PLANS,
    ),
    "plan: one layout for all models": (
        "posviz/layer_plans.py",
        '"cohere2": "interleaved",',
        '"cohere2": "half_split",',
        PLANS + "::test_each_layer_is_that_of_transformers_with_and_without_a_cache[cohere2-0]",
    ),
    "flex: key − query": (
        "posviz/flex.py",
        "row[h, position_at(starts, b, i) - position_at(k_positions, b, j)]",
        "row[h, position_at(k_positions, b, j) - position_at(starts, b, i)]",
        FLEX,
    ),
    "flex: indices are taken for positions": (
        E + "relative.py",
        "return positions[token] if positions.ndim == 1 else positions[sentence, token]",
        "return token + 0 * positions.sum()",
        FLEX,
    ),
    "flex: Shaw's rows the other way round": (
        E + "shaw.py",
        "row = position_at(rows, b, j) - position_at(q_positions, b, i)",
        "row = position_at(q_positions, b, i) - position_at(rows, b, j) + 2 * back",
        FLEX + "::test_it_is_what_attention_does[Shaw, keys]",
    ),
    "flex: an encoding that acts on the weights is let pass": (
        "posviz/flex.py",
        'getattr(encoding, "value_table", encoding) is None',
        'getattr(encoding, "value_table", encoding) is not None',
        FLEX,
    ),
    "flex: a mask for all heads is read by head": (
        "posviz/flex.py",
        "own_h * h, own_i * i",
        "h, own_i * i",
        FLEX,
    ),
}
DEFAULT: dict = {}
