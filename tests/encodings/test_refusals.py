"""What a person may get wrong is refused in a sentence that names the argument."""

import numpy as np
import pytest
import torch

import posviz
from posviz import Rotary
from posviz.attention import attention
from tests.every_encoding import random

NAN, PLACES = float("nan"), range(3)
X, W, Q = random(2, 3, 8), random(8, 8), random(2, 4, 3, 8)
TABLE, TABLES, GRID = random(32, 4), random(4, 8, 8), posviz.raster(2, 2)
FAR = {"seq_len": 9, "original_max_seq_len": 4}


def attending(**changes):
    given = {"x": X, "w_q": W, "w_k": W, "w_v": W, "num_heads": 2, "positions": PLACES}
    return posviz.attend(**{"encoding": Rotary(), **given, **changes})


def of(**changes):
    """Attention with an argument changed."""
    given = {"q": Q, "k": Q, "v": Q, "q_positions": PLACES, "k_positions": PLACES}
    return attention(**{"encoding": Rotary(), **given, **changes})


def longrope(**changes):
    lists = {"short_factors": [1, 1], "long_factors": [1, 2], "max_seq_len": 8}
    return posviz.longrope(4, **{**lists, **FAR, **changes})


def mrope(sections):
    return posviz.mrope_angles(np.ones((3, 4)), [1.0], sections)


REFUSALS = [  # a call, and what its message says
    # attention
    (lambda: attending(encoding="rope"), "encoding"),
    (lambda: attending(x=X[0]), "x must"),
    (lambda: attending(w_k=W[:7]), "w_k"),
    (lambda: attending(w_k=W[:, :6], w_v=W[:, :6]), "w_k"),
    (lambda: attending(w_q=torch.tensor(W)), "mixed"),
    (lambda: attending(num_heads=3), "num_heads"),
    (lambda: attending(positions=range(2)), "positions"),
    (lambda: of(encoding=posviz.Sinusoidal()), "Sinusoidal"),
    (lambda: of(encoding=posviz.FoX(W)), "FoX"),
    (lambda: of(k=Q[:, :3], v=Q[:, :3]), "kv_heads"),
    (lambda: of(mask=np.ones((3, 4), bool)), "mask"),
    (lambda: of(window=0), "window"),
    (lambda: of(temperature=0.0), "temperature"),
    # masks
    (lambda: posviz.blockwise_causal_mask([0], [0], 0), "block"),
    (lambda: posviz.offsets(3, [1]), "q_positions"),
    (lambda: posviz.offsets([1], 3), "k_positions"),
    # at the input
    (lambda: posviz.sinusoidal([0], 5), "d_model"),
    (lambda: posviz.sinusoidal([0], 4, base=1), "base"),
    (lambda: posviz.sinusoidal([0], 4, layout="half_split"), "layout"),
    (lambda: posviz.Sinusoidal(frequencies="x"), "frequencies"),
    (lambda: posviz.Sinusoidal().at_input(X, range(2)), "positions"),
    (lambda: posviz.learned(TABLE, [32]), "31"),
    (lambda: posviz.learned(TABLE, [-1]), "31"),
    (lambda: posviz.learned(TABLE, [30], padding_offset=2), "29"),
    (lambda: posviz.Learned(TABLE).at_input(X, PLACES), "table"),
    # RoPE
    (lambda: posviz.rotary_frequencies(7), "rotary_dim"),
    (lambda: posviz.rotary_frequencies(4, 1), "base"),
    (lambda: posviz.proportional_frequencies(4, 1.5), "fraction"),
    (lambda: posviz.rotary_angles(["x"], [1.0]), "positions"),
    (lambda: posviz.apply_rotary(Q, np.ones((3, 5))), "angles"),
    (lambda: posviz.apply_rotary(Q, np.ones((3, 4)), layout="split"), "layout"),
    (lambda: Rotary(base=1), "base"),
    (lambda: Rotary(rotary_dim=3), "rotary_dim"),
    (lambda: Rotary(layout="x"), "layout"),
    (lambda: Rotary(rotary_dim=16).at_query(Q, PLACES), "rotary_dim"),
    (lambda: Rotary().at_key(Q[..., :7], PLACES), "even"),
    (lambda: posviz.change_layout(Q, source="x", target="half_split"), "source"),
    (lambda: posviz.apply_xpos(Q, Q, PLACES, range(5)), "k must"),
    (lambda: posviz.XPos(gamma=0), "gamma"),
    (lambda: posviz.PoPE(random(3, 8)).at_query(Q, PLACES), "delta"),
    # images and video
    (lambda: posviz.raster(0, 3), "height"),
    (lambda: posviz.axial_angles([0], [0], 6), "head_dim"),
    (lambda: posviz.axial_angles([0], [0], 8, first="x"), "first"),
    (lambda: posviz.mixed_angles([0], [0], np.ones((3, 4))), "frequencies"),
    (lambda: mrope((1, 0)), "sections"),
    (lambda: posviz.mrope_positions([3, (2, 2)]), "frames, rows, columns"),
    (lambda: posviz.mrope_positions([3, (1, 0, 2)]), "parts"),
    (lambda: posviz.mrope_positions([3], time_step=0), "time_step"),
    (lambda: posviz.AxialRotary(GRID).at_query(Q, [0, 1, 4]), "positions"),
    (lambda: posviz.MRotary(GRID, (1, 1, 1)), "time, row, column"),
    # longer texts
    (lambda: posviz.ntk(2, 8), "rotary_dim"),
    (lambda: posviz.position_interpolation(8, 0.5), "factor"),
    (lambda: posviz.yarn(8, 2, original_max_seq_len=64, ramp="hf"), "ramp"),
    (lambda: posviz.yarn(8, 2, original_max_seq_len=64, beta_slow=33), "beta_slow"),
    (lambda: longrope(long_factors=[1]), "long_factors"),
    (lambda: longrope(short_factors=[1]), "short_factors"),
    (lambda: posviz.llama3(8, 8, original_max_seq_len=64, low_freq_factor=5), "low_freq_factor"),
    (lambda: posviz.rerope_positions([0], [0], 0), "window"),
    (lambda: posviz.dual_chunk_positions([0], [0], 8, 7), "farthest"),
    (lambda: posviz.randomised_positions(5, 4, rng=0), "max_position"),
    (lambda: posviz.randomised_positions(5, "x", rng=0), "max_position"),
    (lambda: of(temperature=posviz.LogN(np.ones(3))), "scale"),
    # at the scores
    (lambda: posviz.alibi_slopes(0), "num_heads"),
    (lambda: posviz.KerpleLog(np.ones(2), np.zeros(2)), "r2"),
    (lambda: posviz.KerplePower(np.ones(2), np.full(2, 2.5)), "r2"),
    (lambda: posviz.t5_bucket([0], num_buckets=7), "num_buckets"),
    (lambda: posviz.t5_bucket([0], max_distance=8), "max_distance"),
    (lambda: of(encoding=posviz.T5(TABLE[:, :3])), "table"),
    (lambda: posviz.shaw_index([0.5], 2), "offsets"),
    (lambda: posviz.shaw_index([0], 2, ahead="x"), "ahead"),
    (lambda: posviz.Shaw(TABLE), "key_table"),
    (lambda: posviz.Shaw(), "key_table, value_table or both"),
    (lambda: posviz.DeBERTa(random(4, 6), random(4, 6)), "head_dim"),
    (lambda: posviz.deberta_bucket([0], 8, 5), "max_position"),
    (lambda: posviz.DeBERTa(TABLES), "position_query"),
    (lambda: posviz.DeBERTa(TABLES, TABLES, p2c="x"), "p2c"),
    (lambda: posviz.TransformerXL(W, random(2, 3), random(2, 3)), "w_r"),
    (lambda: posviz.FIRE(*random(4, 3)), "w_out"),
    (lambda: of(encoding=posviz.CoPE(TABLE)), "table"),
    (lambda: posviz.FoX(W[0]), "w_f"),
    (lambda: posviz.PaTH(W, random(7, 2)), "w_w"),
    (lambda: posviz.Inkling(W, random(3, 4)), "w_r"),
]


@pytest.mark.parametrize(("call", "named"), REFUSALS)
def test_a_wrong_argument_is_named(call, named):
    with pytest.raises((TypeError, ValueError, IndexError), match=rf"\b{named}\b"):
        call()


NUMBERS = [  # functions, and arguments that have to be numbers
    (posviz.offsets, {"q_positions": [0], "k_positions": [0]}),
    (posviz.causal_mask, {"q_positions": [0], "k_positions": [0]}),
    (posviz.blockwise_causal_mask, {"q_positions": [0], "k_positions": [0], "block": 2}),
    (posviz.chunked_causal_mask, {"q_positions": [0], "k_positions": [0], "chunk": 2}),
    (posviz.rotary_angles, {"positions": [0], "inv_freq": [1.0]}),
    (posviz.sinusoidal, {"positions": [0], "d_model": 4}),
    (posviz.axial_angles, {"rows": [0], "columns": [0], "head_dim": 4}),
    (posviz.mixed_angles, {"rows": [0], "columns": [0], "frequencies": np.ones((2, 2))}),
    (posviz.mrope_angles, {"positions_thw": np.ones((3, 1)), "inv_freq": [1.0] * 3}),
    (posviz.xpos_scale, {"positions": [0], "head_dim": 4}),
    (posviz.rerope_positions, {"q_positions": [0], "k_positions": [0], "window": 2}),
    (posviz.sink_positions, {"q_positions": [0], "k_positions": [0], "sinks": 1, "window": 2}),
    (posviz.alibi_bias, {"slopes": [1.0], "offsets": [[0]]}),
    (posviz.kerple_log_bias, {"r1": [1.0], "r2": [1.0], "offsets": [[0]]}),
    (posviz.t5_bucket, {"offsets": [0], "num_buckets": 8, "max_distance": 9}),
    (posviz.shaw_index, {"offsets": [0], "max_distance": 2, "ahead": 2}),
    (posviz.deberta_bucket, {"offsets": [0], "bucket_size": 8, "max_position": 9}),
    (posviz.learned, {"positions": [0], "padding_offset": 0}),
    (posviz.fire_distances, {"q_positions": [0], "k_positions": [0]}),
    (posviz.ntk, {"rotary_dim": 4, "factor": 2}),
    (posviz.llama3, {"rotary_dim": 4, "factor": 2, "original_max_seq_len": 8}),
    (posviz.yarn, {"rotary_dim": 4, "factor": 2, "original_max_seq_len": 8}),
    (posviz.dynamic_ntk, {"rotary_dim": 4, "factor": 2, "seq_len": 9, "original_max_seq_len": 8}),
]
GIVEN = {  # arguments beside them
    posviz.mrope_angles: {"sections": (1, 1, 1)},
    posviz.learned: {"table": TABLE},
}


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [(function, numbers, name) for function, numbers in NUMBERS for name in numbers],
)
def test_a_word_in_the_place_of_numbers_is_refused_by_name(function, arguments, name):
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        function(**GIVEN.get(function, {}) | arguments | {name: ["x"]})


@pytest.mark.parametrize("what", [posviz.NoPosition, "rope", None])
def test_only_an_encoding_has_doors(what):
    with pytest.raises(TypeError, match="encoding"):
        posviz.doors(what)
