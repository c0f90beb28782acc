"""Edits of a configuration as people make them; None where it has not what is edited."""

LAYERS = 12  # of the files: more are not needed for any pattern, and take longer
COUNTS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
BASE = 123456.0


def shortened(file):
    """The file with at most LAYERS layers, and lists by layer cut to fit."""
    number = next((file[name] for name in COUNTS if file.get(name)), 0)
    cut = {k: v[:LAYERS] for k, v in file.items() if isinstance(v, list) and len(v) == number}
    if by_layer := file.get("per_layer_config"):
        cut["per_layer_config"] = {k: v for k, v in by_layer.items() if int(k) < LAYERS}
    return file | cut | {k: min(file[k], LAYERS) for k in COUNTS if isinstance(file.get(k), int)}


def is_nested(file):
    return any(isinstance(each, dict) for each in (file.get("rope_parameters") or {}).values())


def without(file, *names):
    return {name: value for name, value in file.items() if name not in names}


def entry(file, **numbers):
    return file | {"rope_parameters": (file.get("rope_parameters") or {}) | numbers}


def base_outside(file):
    return None if is_nested(file) else without(file, "rope_parameters") | {"rope_theta": BASE}


def base_inside(file):
    return None if is_nested(file) else entry(file, rope_theta=BASE)


def base_of_each_kind(file):
    if not is_nested(file):
        return None
    kinds = enumerate(file["rope_parameters"].items(), 2)
    given = {k: v | {"rope_theta": 1000.0 * i} if v else v for i, (k, v) in kinds}
    return file | {"rope_parameters": given}


def base_outside_of_kinds(file):
    return without(file, "rope_parameters") | {"rope_theta": BASE} if is_nested(file) else None


def fraction(file):
    if is_nested(file):
        return None
    inside = without(file.get("rope_parameters") or {}, "partial_rotary_factor")
    return file | {"rope_parameters": inside, "partial_rotary_factor": 0.5}


def old_linear(file):
    scaling = {"rope_scaling": {"type": "linear", "factor": 4.0}, "rope_theta": BASE}
    return None if is_nested(file) else without(file, "rope_parameters") | scaling


def flat_linear(file):
    scaling = {"rope_type": "linear", "factor": 4.0, "rope_theta": BASE}
    return file | {"rope_parameters": scaling} if is_nested(file) else None


def new_yarn(file):
    numbers = {"factor": 4.0, "original_max_position_embeddings": 4096, "rope_theta": BASE}
    return None if is_nested(file) else entry(file, rope_type="yarn", **numbers)


def head_dim(file):
    return file | {"head_dim": 48} if file.get("head_dim") else None


def seven_layers(file):
    lists = [name for name, value in file.items() if isinstance(value, list) and len(value) > 7]
    counts = {name: 7 for name in COUNTS if isinstance(file.get(name), int)}
    return without(file, "layer_types", "per_layer_config", *lists) | counts


def no_window(file):
    return file | {"sliding_window": None} if file.get("sliding_window") else None


def kinds_in_turn(file):
    kinds = list(dict.fromkeys(file.get("layer_types") or []))
    turns = [kinds[i % len(kinds)] for i in range(len(file.get("layer_types") or []))]
    return file | {"layer_types": turns} if len(kinds) > 1 else None


OF_ENTRIES = (
    *(base_outside, base_inside, base_of_each_kind, base_outside_of_kinds, fraction, old_linear),
    *(flat_linear, new_yarn),
)
MUTATIONS = (*OF_ENTRIES, head_dim, seven_layers, no_window, kinds_in_turn)
