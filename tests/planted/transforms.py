"""Errors in what torch transforms, in halves, and where there is nothing or odd bytes."""

A, E = "posviz/arrays.py", "posviz/encodings/"
EDGES, TRANSFORMS = "tests/encodings/test_edges.py::", "tests/encodings/test_transforms.py::"
CHANGES_NOTHING = TRANSFORMS + "test_a_transform_changes_nothing"
ARRAYS = "tests/test_arrays.py::"
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
        TRANSFORMS + "test_no_device_is_waited_for[5-learned]",
    ),
    "runs are looked for on a device": (
        E + "relative.py",
        "return is_readable(x) and not (",
        "return not (",
        TRANSFORMS + "test_no_device_is_waited_for[5-Transformer-XL]",
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
        "offsets = wide_integers(offsets)  #",
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
        EDGES + "test_within_autocast_all_encodings_return_bfloat16[Shaw]",
    ),
    "an empty list holds floats": (
        A,
        "x = x.astype(np.int64)  # nothing",
        "pass  # nothing",
        EDGES + "test_attend_with_nothing_to_attend_from[2-0-asarray-T5]",
    ),
    "halves: every piece turns as the first": (
        E + "rotary.py",
        "tuple(wave[piece] for wave in waves)",
        "tuple(wave[..., : x[piece].shape[-2], :] for wave in waves)",
        EDGES + "test_many_halves_turn_as_few_do",
    ),
    "halves: the caller's own are turned": (
        E + "rotary.py",
        "turned = namespace(x).empty_like(x)",
        "turned = x",
        EDGES + "test_many_halves_are_turned_elsewhere",
    ),
    "halves: pieces of nothing": (
        E + "rotary.py",
        "step = max(1, PIECE * length // math.prod(x.shape))",
        "step = PIECE * length // math.prod(x.shape)",
        EDGES + "test_many_halves_are_turned_elsewhere",
    ),
    "halves: turned as they are": (
        E + "rotary.py",
        "_turn(x[piece].float(), ",
        "_turn(x[piece], ",
        EDGES + "test_many_halves_turn_as_few_do",
    ),
    "a parameter is not read": (
        A,
        "plain = type(x) is torch.Tensor or type(x) is torch.nn.Parameter",
        "plain = type(x) is torch.Tensor",
        ARRAYS + "test_a_parameter_is_read_and_a_mere_shape_is_not",
    ),
    "only the first array is asked whether it is mapped over": (
        A,
        "    for x in arrays:\n        if is_abstract(x) or",
        "    for x in arrays[:1]:\n        if is_abstract(x) or",
        ARRAYS + "test_torch_follows_what_it_maps_over",
    ),
    "integers of a tensor wrap around in 32 bits": (
        A,
        "return x.long() if is_torch(x)",
        "return x.int() if is_torch(x)",
        ARRAYS + "test_integers_may_be_larger_than_thirty_two_bits",
    ),
    "ranges wrap around in 32 bits": (
        A,
        "np.arange(values.start, values.stop, values.step)",
        "np.arange(values.start, values.stop, values.step, dtype=np.int32)",
        ARRAYS + "test_integers_may_be_larger_than_thirty_two_bits",
    ),
    "a mere shape takes memory": (
        A,
        "needed <= UNQUESTIONED_BYTES or is_abstract(x) or",
        "needed <= UNQUESTIONED_BYTES or",
        ARRAYS + "test_no_machine_has_an_exbibyte",
    ),
    "what is kept was made in inference mode": (
        A,
        "with torch.inference_mode(False):",
        "with torch.no_grad():",
        ARRAYS + "test_what_is_kept_for_later_can_be_differentiated",
    ),
    "what is kept has one dtype for all": (
        A,
        "return _kept(x.device, dtype, make, *arguments)",
        "return _kept(x.device, None, make, *arguments)",
        "tests/encodings/test_alibi.py::"
        "test_the_encoding_acts_at_the_scores_and_keeps_kind_and_dtype",
    ),
    "prepared: a tensor is asked for the version it has not": (
        A,
        "return 0 if x.is_inference() else x._version",
        "return x._version",
        TRANSFORMS + "test_prepared_in_inference_mode_where_no_tensor_tells_its_version",
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
        CHANGES_NOTHING + "[xPos-torch.compile]",
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
    "exported: a length is asked for where no run is looked for": (
        E + "relative.py",
        "if not _may_be_shortened(positions) or positions.ndim != 1 or len(positions) == 0:",
        "if positions.ndim != 1 or len(positions) == 0 or not _may_be_shortened(positions):",
        CHANGES_NOTHING + "[sinusoidal-torch.export]",
    ),
    "exported: a length is compared where no row is looked for": (
        "posviz/sdpa.py",
        " or is_compiling():",
        ":",
        CHANGES_NOTHING + "[T5-torch.export]",
    ),
    "exported: memory is asked for": (
        A,
        "    if is_compiling():\n        return  # how large",
        "    if False:\n        return  # how large",
        CHANGES_NOTHING + "[RoPE-torch.export]",
    ),
    "compiled: numbers are read": (
        A,
        "    if torch.compiler.is_compiling():\n        return True\n",
        "",
        CHANGES_NOTHING + "[learned-torch.compile]",
    ),
}
