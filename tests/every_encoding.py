"""One encoding of every kind, for tests of what all of them share."""

from functools import partial

import numpy as np

from posviz import (
    FIRE,
    T5,
    Alibi,
    AxialRotary,
    CoPE,
    DeBERTa,
    FoX,
    Frequencies,
    Inkling,
    KerpleLog,
    KerplePower,
    Learned,
    MappedRotary,
    MixedRotary,
    MRotary,
    NoPosition,
    PaTH,
    PoPE,
    Rotary,
    Shaw,
    Sinusoidal,
    TransformerXL,
    XPos,
    dynamic_ntk,
    llama3,
    longrope,
    ntk,
    position_interpolation,
    proportional_frequencies,
    raster,
    rerope_positions,
    yarn,
)

HEADS, HEAD_DIM = 2, 4
D_MODEL = HEADS * HEAD_DIM


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def stretched(frequencies):
    return Rotary(frequencies=frequencies)


def phi(seq_len):
    """LongRoPE as in Phi-3: two lists, for texts up to 6 tokens and for longer ones."""
    return longrope(
        HEAD_DIM,
        short_factors=[1.0, 1.5],
        long_factors=[1.5, 4.0],
        seq_len=seq_len,
        original_max_seq_len=6,
        max_seq_len=24,
    )


def dynamic(seq_len):
    """Dynamic NTK of a model that was trained on 6 tokens."""
    return dynamic_ntk(HEAD_DIM, 2.0, seq_len=seq_len, original_max_seq_len=6)


def falls(kind):
    """Two numbers per head, above 0."""
    return kind(1 + random(HEADS) ** 2), kind(0.5 + random(HEADS, seed=1) ** 2 % 1)


# Each takes the kind of its learned arrays: np.asarray or torch.tensor.
RELATIVE = {
    "NoPE": lambda kind: NoPosition(),
    "RoPE": lambda kind: Rotary(),
    "RoPE, half_split": lambda kind: Rotary(layout="half_split"),
    "RoPE, partial": lambda kind: Rotary(rotary_dim=2),
    "p-RoPE": lambda kind: stretched(Frequencies(proportional_frequencies(HEAD_DIM, 0.5))),
    "position interpolation": lambda kind: stretched(position_interpolation(HEAD_DIM, 3.0)),
    "NTK": lambda kind: stretched(ntk(HEAD_DIM, 3.0)),
    "dynamic NTK": lambda kind: stretched(dynamic(12)),
    "YaRN": lambda kind: stretched(yarn(HEAD_DIM, 3.0, original_max_seq_len=6)),
    "LongRoPE": lambda kind: stretched(phi(12)),
    "Llama 3": lambda kind: stretched(llama3(HEAD_DIM, 3.0, original_max_seq_len=64)),
    "ALiBi": lambda kind: Alibi(),
    "T5": lambda kind: T5(kind(random(8, HEADS)), max_distance=20),
    "Shaw": lambda kind: Shaw(kind(random(5, HEAD_DIM)), kind(random(5, HEAD_DIM, seed=1))),
    "Transformer-XL": lambda kind: TransformerXL(
        kind(random(6, D_MODEL)),
        kind(random(HEADS, HEAD_DIM, seed=1)),
        kind(random(HEADS, HEAD_DIM, seed=2)),
    ),
    "DeBERTa": lambda kind: DeBERTa(
        kind(random(HEADS, 8, HEAD_DIM)),
        kind(random(HEADS, 8, HEAD_DIM, seed=1)),
        bucket_size=4,
        max_position=9,
    ),
    "DeBERTa, paper": lambda kind: DeBERTa(
        kind(random(HEADS, 8, HEAD_DIM)), kind(random(HEADS, 8, HEAD_DIM, seed=1)), p2c="paper"
    ),
    "xPos": lambda kind: XPos(),
    "ReRoPE": lambda kind: MappedRotary(partial(rerope_positions, window=3)),
    "Kerple, log": lambda kind: KerpleLog(*falls(kind)),
    "Kerple, power": lambda kind: KerplePower(*falls(kind)),
    "CoPE": lambda kind: CoPE(kind(random(4, HEAD_DIM))),
    "PoPE": lambda kind: PoPE(kind(-1 - random(HEADS, HEAD_DIM) / 2)),
}
FROM_INPUT = {  # made from what a layer is given
    "FoX": lambda kind: FoX(kind(random(D_MODEL, HEADS)), kind(random(HEADS, seed=1))),
    "PaTH": lambda kind: PaTH(
        kind(random(D_MODEL, D_MODEL)),
        kind(random(D_MODEL, HEADS, seed=1)),
        kind(random(HEADS, seed=2)),
    ),
    "Inkling": lambda kind: Inkling(kind(random(D_MODEL, 3 * HEADS)), kind(random(3, 4, seed=1))),
}
LOOKED_UP = {  # positions index a table: none below 0
    "learned": lambda kind: Learned(kind(random(12, D_MODEL))),
    "2-D, axial": lambda kind: AxialRotary(kind(raster(4, 3))),
    "2-D, mixed": lambda kind: MixedRotary(kind(raster(4, 3)), kind(random(2, HEAD_DIM // 2))),
    "M-RoPE": lambda kind: MRotary(kind(np.arange(36).reshape(12, 3) % 7), sections=(1, 1, 0)),
}
FIRST_COUNTS = {  # where a text begins is seen
    "FIRE": lambda kind: FIRE(
        *(kind(random(*shape, seed=3)) for shape in ((5,), (5,), (5, HEADS), (HEADS,))),
        threshold=2.6,
    ),
    "sinusoidal": lambda kind: Sinusoidal(),
}
ENCODINGS = RELATIVE | FROM_INPUT | FIRST_COUNTS | LOOKED_UP


def at_doors(name, kind, batch=2, length=5):
    """The encoding as ``attention`` takes it: one made from an input is made for some tokens."""
    x = kind(random(batch, length, D_MODEL, seed=9))
    return ENCODINGS[name](kind).for_input(x, range(length), None)[0]
