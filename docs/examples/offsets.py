"""Exercise: how far each key lies behind each query."""

import numpy as np

from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import answer, argument, wrong


def offsets(q_positions, k_positions):
    """The answer: positions [q_len], [k_len] -> offsets [q_len, k_len]."""
    return q_positions[:, None] - k_positions


def _positions(rng, size):
    return rng.permutation(3 * size)[:size], rng.permutation(3 * size)[: size + 1]


check_offsets = Checker(
    "The offsets",
    offsets,
    _positions,
    edges=[(np.array([0]), np.array([0, 2]))],
    mistakes=[
        answer("sign", lambda y: -y, "You took key − query: an offset is query − key."),
        answer("distance", lambda y: abs(y), "You dropped the sign: keys ahead have one below 0."),
        answer("transposed", lambda y: y.T, "Your rows are keys: row i belongs to query i."),
        wrong("added", lambda q, k: q[:, None] + k, "You added the positions: subtract them."),
        argument(
            "positions ignored",
            "You numbered the tokens 0, 1, 2, …: use the positions that are given.",
            q_positions=lambda q_positions: np.arange(len(q_positions)),
            k_positions=lambda k_positions: np.arange(len(k_positions)),
        ),
    ],
)
