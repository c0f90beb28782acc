"""Solutions: stretching the context."""

import numpy as np

from posviz import dynamic_ntk


def my_base(head_dim, factor, base):
    """The new base, one number."""
    return base * factor ** (head_dim / (head_dim - 2))


def my_ramp(head_dim, base, length, factor, fast, slow):
    """What each pair keeps of its frequency, [head_dim/2]."""
    turns = np.array([fast, slow])
    pairs = head_dim * np.log(length / (2 * np.pi * turns)) / (2 * np.log(base))
    low, high = np.floor(pairs[0]), np.ceil(pairs[1])
    ramp = np.clip((np.arange(head_dim // 2) - low) / (high - low), 0, 1)
    return 1 - ramp + ramp / factor


def my_distances(length, window, group):
    """Apparent distances [length, length], 0 for keys ahead."""
    i, j = np.indices((length, length))
    far = i // group - j // group + window - window // group
    return np.tril(np.where(i - j < window, i - j, far))


def my_factor(factor, mscale, mscale_all_dim):
    """What a score is multiplied by, one number."""
    if mscale and mscale_all_dim:
        first, second = (0.1 * k * np.log(factor) + 1 for k in (mscale, mscale_all_dim))
    else:
        first, second = 0.1 * np.log(factor) + 1, 1
    return (first / second) ** 2  # the query has the factor, and the key


def my_scores(q, k, length, base):
    """Scores [len] of the newest query; q [pairs], k [len, pairs] complex, not turned."""

    def frequencies(n):
        lengths = {"seq_len": n, "original_max_seq_len": length}
        return dynamic_ntk(2 * len(q), 1, base=base, **lengths).inv_freq

    angles = np.outer(np.arange(len(k)), frequencies(len(k)))
    turned_q = q * np.exp(1j * angles[-1])
    turned_k = k * np.exp(1j * angles)
    return (turned_k.conj() * turned_q).real.sum(axis=-1)


def my_reading(config, seq_len):
    """One number for each layer."""
    original = config["original_max_position_embeddings"]

    def slower(entry):
        if entry["rope_type"] == "default":
            return 1
        if entry["rope_type"] == "longrope":
            return entry["long_factor" if seq_len > original else "short_factor"][-1]
        return entry.get("factor", config["max_position_embeddings"] / original)

    layers = zip(config["layer_types"], config["no_rope_layers"], strict=True)
    return [slower(config["rope_parameters"][kind]) if turns else 0 for kind, turns in layers]
