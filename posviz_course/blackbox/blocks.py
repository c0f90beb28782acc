"""Which columns are a pair: in what goes in, and in what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def _none() -> np.ndarray:
    return np.array([], int)


@dataclass(frozen=True)
class Blocks:
    """Pairs of columns, by the first column; the others at rest keep their value, or its multiple.

    Shapes: entering and leaving [pairs, 2]; rest and rest_to [columns]. ``mixed`` where the two
    members of a pair rotate by different angles.
    """

    width: int
    entering: np.ndarray
    leaving: np.ndarray
    rest: np.ndarray = field(default_factory=_none)
    rest_to: np.ndarray = field(default_factory=_none)
    rest_gain: float = 1.0
    mixed: bool = False

    def response(self, rows: np.ndarray) -> np.ndarray:
        """Return z_out / z_in of pairs whose first member was 1 and whose second was 0.

        Shapes: rows [len, width], result [len, pairs].
        """
        return rows[:, self.leaving[:, 0]] + 1j * rows[:, self.leaving[:, 1]]

    def probe(self) -> np.ndarray:
        """Return the row [1, width] that probes all pairs at once."""
        x = np.zeros((1, self.width))
        x[0, self.entering[:, 0]] = 1
        return x


def blocks_of(matrices: np.ndarray) -> Blocks | str:
    """Read the pairs off matrices [len, d, d] of several positions, or say why there are none."""
    exact = _blocks_above(matrices, 1e-10)  # most programs leave exact zeros
    return _blocks_above(matrices, 1e-5) if isinstance(exact, str) else exact


def _blocks_above(matrices: np.ndarray, least: float) -> Blocks | str:
    d, out = matrices.shape[1:]
    if d != out:
        return f"It makes {out} columns out of {d}, so it is no rotation."
    size = abs(matrices).max()
    reach = abs(matrices).max(axis=0) > least * size
    still = reach.sum(axis=1) == 1
    entering, leaving, mixed = [], [], False
    for i in np.flatnonzero(~still):
        outputs = np.flatnonzero(reach[i])
        inputs = np.flatnonzero(reach[:, outputs].any(axis=1))
        if len(outputs) != 2 or len(inputs) != 2:
            return (
                f"Column {i} becomes a mixture of {len(outputs)} columns, so columns do not rotate "
                "in pairs."
            )
        if inputs[0] != i:
            continue
        a, b = matrices[:, inputs[0]], matrices[:, inputs[1]]
        (first, second), (o, p) = inputs, outputs
        turning = a[:, o] * b[:, p] - a[:, p] * b[:, o]
        o, p = (o, p) if turning.sum() >= 0 else (p, o)
        off = np.maximum(abs(a[:, o] - b[:, p]), abs(a[:, p] + b[:, o])).max()
        mixed = mixed or bool(off > 0.02 * size)
        entering.append((first, second))
        leaving.append((o, p))
    rest = np.flatnonzero(still)
    rest_to = np.array([np.argmax(reach[i]) for i in rest], int)
    if len({*rest_to.tolist()}) < len(rest):
        return "Two columns become one, so it is no rotation."
    gains = matrices[:, rest, rest_to] if len(rest) else np.ones((1, 1))
    if np.ptp(gains) > 0.02 * size:
        return "Some columns are multiplied by numbers that change, so they do not rotate in pairs."
    pairs = np.array(entering, int).reshape(-1, 2), np.array(leaving, int).reshape(-1, 2)
    return Blocks(d, *pairs, rest, rest_to, float(gains.mean()), mixed)


def layout_of(pairs: np.ndarray, width: int) -> tuple[str, int]:
    """Name the order of pairs [pairs, 2], and the first column that rotates."""
    first = int(pairs.min())
    moved, k = pairs - first, np.arange(len(pairs))
    if np.array_equal(moved, np.stack([2 * k, 2 * k + 1], axis=1)):
        return "interleaved", first
    for half in dict.fromkeys((len(pairs), (width - first) // 2)):
        if np.array_equal(moved, np.stack([k, k + half], axis=1)):
            return "half_split", first
    return "other", first
