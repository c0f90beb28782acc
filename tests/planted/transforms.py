"""Errors in what torch transforms, in halves, and where there is nothing or odd bytes."""

A, E = "posviz/arrays.py", "posviz/encodings/"
EDGES, TRANSFORMS = "tests/encodings/test_edges.py::", "tests/encodings/test_transforms.py::"
CHANGES_NOTHING = TRANSFORMS + "test_a_transform_changes_nothing"
PREPARED = TRANSFORMS + "test_prepared_is_right_wherever_it_is_asked"

QUICK = {
    "fake tensors are read": (
        A,
        "return not plain or x.is_meta or",
        "return x.is_meta or",
        CHANGES_NOTHING + "[learned-fake]",
    ),
    "what is mapped over is read": (
        A,
        " or torch._C._functorch.is_functorch_wrapped_tensor(x)",
        "",
        CHANGES_NOTHING + "[learned-torch.vmap]",
    ),
    "a device is waited for": (
        A,
        ' and (not is_torch(x) or x.device.type == "cpu")',
        "",
        TRANSFORMS + "test_what_lies_on_a_device_is_not_read",
    ),
    "rows are checked on a device": (
        E + "learned.py",
        "    if not is_readable(index):\n        return\n",
        "",
        TRANSFORMS + "test_no_device_is_waited_for",
    ),
    "runs are looked for on a device": (
        E + "relative.py",
        "return is_readable(x) and not (",
        "return not (",
        TRANSFORMS + "test_no_device_is_waited_for",
    ),
    "unread rows are counted from the end": (
        A,
        "return _torch().nn.functional.embedding(index, table)",
        "return table[index]",
        TRANSFORMS + "test_no_row_is_counted_from_the_end_where_none_is_checked",
    ),
    "Transformer-XL: distances of unread positions mirrored": (
        E + "transformer_xl.py",
        "of_cos * q_sin - of_sin * q_cos",
        "of_sin * q_cos - of_cos * q_sin",
        CHANGES_NOTHING + "[Transformer-XL-torch.vmap]",
    ),
    "prepared: positions that were written to": (
        E + "rotary.py",
        "            and version_of(positions) == made.version\n",
        "",
        PREPARED,
    ),
    "prepared: any positions": (
        E + "rotary.py",
        "            and positions is made.positions\n",
        "",
        PREPARED,
    ),
    "prepared: queries of another dtype": (
        E + "rotary.py",
        "            and _kind(x) == made.kind\n",
        "",
        PREPARED,
    ),
    "bytes are read in the wrong order": (
        A,
        "if x.strides[-1] != x.itemsize or not x.dtype.isnative:",
        "if x.strides[-1] != x.itemsize:",
        EDGES + "test_the_order_of_bytes_changes_no_number",
    ),
    "softmax sums halves as they are": (
        "posviz/attention.py",
        "    [wide] = widened(scores)\n    return xp.astype(_softmax(wide)",
        "    return xp.astype(_softmax(scores)",
        EDGES + "test_softmax_sums_halves_in_float32",
    ),
    "ALiBi: distances wrap around": (
        E + "alibi.py",
        "offsets = in_int64(offsets)  #",
        "pass  #",
        EDGES + "test_no_distance_wraps_around_or_overflows",
    ),
    "ALiBi: distances in halves": (
        E + "alibi.py",
        "[wide] = widened(slopes)",
        "wide = slopes",
        EDGES + "test_no_distance_wraps_around_or_overflows",
    ),
    "a learned attention factor becomes a number": (
        E + "checks.py",
        "return value.reshape(())",
        "return float(value)",
        EDGES + "test_the_attention_factor_can_be_learned",
    ),
    "Shaw: values stay wide within autocast": (
        E + "shaw.py",
        "return output + in_dtype(_values(weights, table, index), output.dtype)",
        "return output + _values(weights, table, index)",
        EDGES + "test_within_autocast_all_encodings_return_bfloat16",
    ),
    "an empty list holds floats": (
        A,
        "x = x.astype(np.int64)  # nothing",
        "pass  # nothing",
        EDGES + "test_attend_with_nothing_to_attend_from",
    ),
    "halves: every piece turns as the first": (
        E + "rotary.py",
        "tuple(wave[piece] for wave in waves)",
        "tuple(wave[..., : x[piece].shape[-2], :] for wave in waves)",
        EDGES + "test_many_halves_turn_as_few_do",
    ),
    "halves: turned as they are": (
        E + "rotary.py",
        "_turn(x[piece].float(), ",
        "_turn(x[piece], ",
        EDGES + "test_many_halves_turn_as_few_do",
    ),
}

FAR = TRANSFORMS + "test_compiled_is_eager_far_away_forward_and_backward"

DEFAULT = {
    "compiled: frequencies in float32": (
        E + "frequencies.py",
        "-np.arange(0, rotary_dim, 2, dtype=np.float64)",
        "-np.arange(0, rotary_dim, 2)",
        FAR + "[RoPE-eager]",
    ),
    "compiled: ζ in float32": (
        E + "xpos.py",
        "np.arange(0, head_dim, 2, dtype=np.float64)",
        "np.arange(0, head_dim, 2)",
        FAR + "[xPos-eager]",
    ),
    "compiled: where a tensor's memory begins is asked": (
        A,
        "start = 0 if is_compiling() else x.storage_offset()",
        "start = x.storage_offset()",
        CHANGES_NOTHING + "[RoPE-torch.compile]",
    ),
    "compiled: a NumPy array is asked for its dtype": (
        A,
        "if is_compiling():  # where a NumPy array does not tell its dtype",
        "if False:",
        CHANGES_NOTHING + "[NTK-torch.compile]",
    ),
    "compiled: numbers are read": (
        A,
        "    if is_compiling():\n        return True\n    if not is_torch(x):",
        "    if not is_torch(x):",
        CHANGES_NOTHING + "[learned-torch.compile]",
    ),
}
