"""Errors in attention: the fused way, layers that differ, modules."""

S, A, M = "posviz/sdpa.py", "posviz/attention.py", "posviz/module.py"
T, P = "tests/test_sdpa.py::", "tests/test_attention_plan.py::"
ORDER = "tests/test_attention_order.py::"
MODULE = "tests/test_module.py::"
GRADIENTS = T + "test_gradients_agree_and_reach_a_trained_table"

QUICK = {
    "fused: the row of the first query": (
        S,
        "None, None, q_positions[-1:], later",
        "None, None, q_positions[:1], later",
        GRADIENTS,
    ),
    "fused: the output stays upside down": (
        S,
        "upside_down, scale).flip(-2)",
        "upside_down, scale)",
        GRADIENTS,
    ),
    "fused: the mask the wrong way round": (
        S,
        "row.masked_fill(~diagonals(mask[0, 0])",
        "row.masked_fill(diagonals(mask[0, 0])",
        GRADIENTS,
    ),
    "fused: torch's own scale": (S, "attn_mask=mask, scale=scale,", "attn_mask=mask,", GRADIENTS),
    "fused: hidden keys are taken for a diagonal": (
        S,
        "tuple(mask.shape) == (1, 1, q_len, k_len) and",
        "mask.shape[:2] == (1, 1) and",
        GRADIENTS,
    ),
    "fused: values are as wide as queries": (
        S,
        "found.reshape(*shape[:3], v.shape[3])",
        "found.reshape(shape)",
        T + "test_heads_that_share_a_key_are_not_given_copies_of_it",
    ),
    "fused: a mask for all heads is parted by head": (
        S,
        "mask is not None and mask.shape[1] > 1",
        "mask is not None",
        T + "test_heads_that_share_a_key_are_not_given_copies_of_it",
    ),
    "fused: autocast narrows the bias": (
        S,
        "            return _of_torch(q, k, v, mask, scale)",
        "            return _of_torch(q, k, v, mask.to(q.dtype), scale)",
        T + "test_autocast_narrows_the_products_and_not_the_bias",
    ),
    "fused: autocast is to bfloat16": (
        S,
        "torch.get_autocast_dtype(kind)",
        "torch.bfloat16",
        T + "test_autocast_narrows_the_products_and_not_the_bias",
    ),
    "fused: autocast narrows float64": (
        S,
        " and q.dtype != torch.float64",
        "",
        T + "test_autocast_leaves_float64_alone",
    ),
    "fused: keys begin at position 0": (
        S,
        "later = k_positions[:1] + ",
        "later = 0 * k_positions[:1] + ",
        T + "test_positions_need_not_be_consecutive_or_from_0",
    ),
    "fused: a row for each key head": (
        S,
        "zeros = _zeros(q, (1, q.shape[1], 1, length))",
        "zeros = _zeros(q, (1, k.shape[1], 1, length))",
        T + "test_positions_need_not_be_consecutive_or_from_0",
    ),
    "fused: any mask is taken for a diagonal": (
        S,
        " and are_diagonal(mask[0, 0])",
        "",
        GRADIENTS + "[pairs]",
    ),
    "fused: nothing is attended to": (
        S,
        "if 0 in (*q.shape, *k.shape):",
        "if 0 in q.shape:",
        T + "test_where_nothing_is_attended_it_is_not_asked",
    ),
    "fused: a GPU is given a wider bias": (
        S,
        "biased and _narrowed(q)",
        "False",
        T + "test_a_gpu_adds_no_wider_bias_to_halves",
    ),
    "fused: a mask beside a bias is dropped": (
        S,
        'bias = bias.where(mask, float("-inf"))',
        "bias = bias + 0.0",
        GRADIENTS,
    ),
    "fused: heads that share a key take turns": (
        S,
        "q = q.reshape(shape[0], k.shape[1], -1, shape[3])",
        "q = q.reshape(shape[0], -1, k.shape[1], shape[3]).swapaxes(1, 2)",
        T + "test_heads_that_share_a_key_are_not_given_copies_of_it",
    ),
    "fused: keys for each query head take turns": (
        S,
        "k = namespace(k).repeat(k, q.shape[1] // k.shape[1], axis=1)",
        "k = k.repeat(1, q.shape[1] // k.shape[1], 1, 1)",
        T + "test_a_door_sees_the_key_head_of_each_query_head",
    ),
    "fused: the values' door is not passed": (
        S,
        "if kind.at_values is not Encoding.at_values:",
        "if kind is None:",
        T + "test_it_says_why_torch_cannot_stand_in",
    ),
    "fused: the bias of halves is rounded": (
        S,
        "[wide] = widened(q.new_zeros(()))",
        "wide = q.new_zeros(())",
        T + "test_of_a_bias_by_offset_no_matrix_is_made",
    ),
    "fused: batches of positions lose their batch": (
        S,
        "if by_token or max(q_positions.ndim, k_positions.ndim) > 1 else 1",
        "if by_token else 1",
        T + "test_positions_need_not_be_consecutive_or_from_0",
    ),
    "fused: gaps between positions are closed": (
        S,
        "not (is_run(q_positions) and is_run(k_positions)):",
        "not is_run(q_positions[:1]):",
        T + "test_positions_need_not_be_consecutive_or_from_0",
    ),
    "an override of a marked door is taken for marked": (
        "posviz/encodings/doors.py",
        'return getattr(type(encoding).at_scores, "bias_by", None)',
        "doors = [vars(kind).get('at_scores') for kind in type(encoding).__mro__]\n"
        "    return next((door.bias_by for door in doors if hasattr(door, 'bias_by')), None)",
        T + "test_it_says_why_torch_cannot_stand_in",
    ),
    "halves are weighted in halves": (
        A,
        "xp.reshape(weights, (*by_key_head, shape[-1])) @ wide_v",
        "xp.astype(xp.reshape(weights, (*by_key_head, shape[-1])), v.dtype) @ v",
        T + "test_halves_are_weighted_in_float32_the_readable_way",
    ),
    "the readable way: keys for each query head take turns": (
        A,
        "return namespace(k).repeat(k, q.shape[1] // k.shape[1], axis=1)",
        "return namespace(k).tile(k, (1, q.shape[1] // k.shape[1], 1, 1))",
        T + "test_a_door_sees_the_key_head_of_each_query_head",
    ),
    "keys turn by the positions of queries": (
        A,
        "alike = q_positions is k_positions and q.shape[2] == k.shape[2]",
        "alike = q.shape[2] == k.shape[2]",
        T + "test_what_is_the_same_for_query_and_key_is_made_once",
    ),
    "a window is one token too wide": (
        A,
        "abs(apart) < window",
        "abs(apart) <= window",
        P + "test_a_window_counts_as_in_transformers",
    ),
    "a window replaces the mask": (
        A,
        "mask = near if mask is None else mask & near",
        "mask = near",
        P + "test_a_window_is_a_mask",
    ),
    "a temperature multiplies": (
        A,
        "wide / require_positive(temperature",
        "wide * require_positive(temperature",
        P + "test_a_temperature_divides_queries_and_no_bias",
    ),
    "a temperature by the positions of keys": (
        A,
        "_tempered(q, temperature, positions[0], mask",
        "_tempered(q, temperature, positions[1], mask",
        P + "test_a_temperature_divides_queries_and_no_bias",
    ),
    "a temperature by sentence is one by head": (
        A,
        '"temperature", wide.dtype)[..., None, :, None]',
        '"temperature", wide.dtype)[..., :, None]',
        P + "test_a_temperature_divides_queries_and_no_bias",
    ),
    "a temperature in halves": (
        A,
        'like(values, q, "temperature", wide.dtype)',
        'like(values, q, "temperature", q.dtype)',
        P + "test_halves_are_divided_in_float32_and_rounded_once",
    ),
    "a window by sentence is one by head": (
        A,
        "return near[:, None] if near.ndim == 3 else near",
        "return near",
        P + "test_a_window_is_a_mask",
    ),
    "positions of sentences are joined one below the other": (
        A,
        '("positions", positions, -1))',
        '("positions", positions, 0))',
        ORDER + "test_a_cache_holds_the_positions_of_each_sentence",
    ),
    "one position serves a query and all keys": (
        A,
        "alike = q_positions is k_positions and q.shape[2] == k.shape[2]",
        "alike = q_positions is k_positions",
        "tests/test_attention_errors.py::test_one_position_does_not_serve_a_query_and_all_keys",
    ),
    "what is carried is forgotten": (
        A,
        "cache.carried = carried",
        "cache.carried = None",
        P + "test_with_a_cache_it_is_what_it_is_without",
    ),
    "gates are made before the input door": (
        A,
        "encoding, carried = encoding.for_input(x, positions,",
        "encoding, carried = encoding.for_input(x - x.mean(), positions,",
        P + "test_fox_forgets_by_the_gates_in_between",
    ),
    "few scores lose what they were": (
        "posviz/encodings/relative.py",
        "return scores + bias(offsets_at(q_positions, k_positions))",
        "return bias(offsets_at(q_positions, k_positions))",
        "tests/encodings/test_relative.py::test_a_bias_is_added_entry_by_entry",
    ),
    "a module: frequencies become halves": (
        M,
        "if old is not None and new is not None and new.dtype != old.dtype:",
        "if old is None:",
        MODULE + "test_frequencies_keep_their_precision_where_a_model_is_made_half",
    ),
    "a module: a trained table becomes a buffer": (
        M,
        "if isinstance(value, nn.Parameter):",
        "if isinstance(value, str):",
        MODULE + "test_arrays_are_registered_by_their_names",
    ),
    "a module: a parameter is copied": (
        M,
        "self.register_parameter(name, value)",
        "self.register_parameter(name, nn.Parameter(value.detach().clone()))",
        MODULE + "test_a_parameter_stays_the_one_that_others_share_and_a_buffer_is_a_copy",
    ),
    "a module: a buffer is the caller's own": (
        M,
        "else value.clone()",
        "else value",
        MODULE + "test_a_parameter_stays_the_one_that_others_share_and_a_buffer_is_a_copy",
    ),
    "a module: the caller's encoding is written to": (
        M,
        "made = copy(self._plain)",
        "made = self._plain",
        MODULE + "test_a_parameter_stays_the_one_that_others_share_and_a_buffer_is_a_copy",
    ),
    "a module: what keeps its precision stays where it is": (
        M,
        "old.to(new.device)",
        "old",
        MODULE + "test_all_arrays_move_to_a_device",
    ),
    "a module: one number is no array": (
        M,
        "if isinstance(array, np.ndarray | torch.Tensor):",
        "if isinstance(array, np.ndarray | torch.Tensor) and array.ndim:",
        MODULE + "test_arrays_are_registered_by_their_names",
    ),
    "a module: the encoding keeps its first arrays": (
        M,
        "            object.__setattr__(made, field, value)",
        "            vars(made).setdefault(field, value)",
        MODULE + "test_what_is_loaded_is_what_the_encoding_has",
    ),
}

DEFAULT: dict = {}
