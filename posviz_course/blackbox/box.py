"""A function as a black box: called with unit vectors, in the form that it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from posviz.arrays import to_numpy
from posviz.wording import reason


class NotLinear(ValueError):
    """The function is no linear map of each row."""


class Box:
    """rotate(x, positions) on NumPy arrays [len, head_dim] in float64, whatever it takes itself.

    axes: how many columns its positions have; 1 means positions [len].
    """

    def __init__(self, rotate: Callable[..., Any], head_dim: int, axes: int | None) -> None:
        self.rotate, self.head_dim, self.axes = rotate, head_dim, axes
        self.form: Callable[..., np.ndarray] | None = None

    def __call__(self, x: np.ndarray, positions: Any) -> np.ndarray:
        """Return the rows, rotated: [len, head_dim], or wider where the function makes them so."""
        positions = np.asarray(positions)
        if self.form is None:
            self._find_form()
        assert self.form is not None
        with np.errstate(all="ignore"):  # far positions may overflow, which is then said
            return self.form(x, positions)

    def in_a_batch(self, x: np.ndarray, positions: np.ndarray) -> np.ndarray | None:
        """Return the first of a batch [2, len, head_dim], or None where no batch is taken."""
        for kind in _kinds():
            try:
                result = np.asarray(to_numpy(self.rotate(kind(x), kind(positions))), np.float64)
            except Exception:  # somebody's code may raise anything
                continue
            return result[0] if result.shape == x.shape else None
        return None

    def place(self, positions: Any, axis: int = 0) -> np.ndarray:
        """Return positions [len] on one axis, and 0 on the others."""
        positions = np.asarray(positions)
        if self.axes == 1:
            return positions
        columns = np.zeros((len(positions), self.axes or 1), positions.dtype)
        columns[:, axis] = positions
        return columns

    def _find_form(self) -> None:
        """Try NumPy and torch, with batch and heads, row by row, and columns of positions."""
        errors: list[Exception] = []
        for axes in (self.axes,) if self.axes else (1, 2, 3):
            self.axes = axes
            positions = self.place(np.arange(5) % 4)
            x = np.random.default_rng(0).normal(size=(5, self.head_dim))
            for form in _forms(self.rotate):
                try:
                    result = form(x, positions)
                except Exception as error:  # somebody's code may raise anything
                    errors.append(error)
                    continue
                if result.ndim == 2 and len(result) == 5:
                    self.form = form
                    return
                shape = tuple(result.shape)
                errors.append(ValueError(f"it returned an array of shape {shape}"))
        raise ValueError(
            f"The function must take x [len, {self.head_dim}] and positions [len], and return "
            f"an array like x; it said {reason(errors[len(_kinds()) - 1]).rstrip('.')}."
        )


def _forms(rotate: Callable[..., Any]) -> list[Callable[..., np.ndarray]]:
    """Return the ways to call the function: with a batch and heads, without, and row by row."""

    def form(kind, lead):
        def call(x, positions):
            result = rotate(kind(np.array(x)[(None,) * lead]), kind(np.array(positions)))
            result = result[0] if isinstance(result, tuple | list) else result
            result = np.asarray(to_numpy(result), np.float64)
            if lead:
                return result[(0,) * lead] if result.ndim == 2 + lead else result
            while result.ndim > 2 and len(result) == 1:
                result = result[0]
            return result

        return call

    def row_by_row(kind):
        def call(x, positions):
            pairs = zip(kind(np.array(x)), kind(np.array(positions)), strict=True)
            return np.array([np.asarray(to_numpy(rotate(*pair)), np.float64) for pair in pairs])

        return call

    forms = [form(kind, lead) for lead in (0, 1, 2) for kind in _kinds()]
    return [*forms, *map(row_by_row, _kinds())]


def _kinds() -> list[Callable[[np.ndarray], Any]]:
    """Return how arrays may be handed over: NumPy's and torch's, in float64 and float32."""
    kinds: list[Callable] = [np.array, lambda a: a.astype("f4") if a.dtype.kind == "f" else a]
    if torch := sys.modules.get("torch"):
        kinds += [lambda a, kind=kind: torch.from_numpy(kind(a)) for kind in kinds]
    return kinds


def matrices(box: Box, positions: list[int], axis: int = 0) -> np.ndarray:
    """Return one matrix a position: row r is what becomes of unit vector r. [len, d, d_out]."""
    eye = np.eye(box.head_dim)
    return np.stack([box(eye, box.place(np.full(len(eye), p), axis)) for p in positions])


def require_linear(box: Box) -> None:
    """Raise NotLinear where the rows are not mapped one by one, by a matrix each."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 6, box.head_dim))
    places = box.place(np.array([0, 5, 2, 9, 2, 1]))
    of_x, again, of_y, of_both = (box(rows, places) for rows in (x, x, y, 2 * x - y))
    if not all(np.isfinite(output).all() for output in (of_x, of_y)):
        raise NotLinear("It returns NaN or infinity for ordinary vectors at positions 0 to 9.")
    scale = max(abs(of_x).max(), abs(of_y).max(), 1e-30)
    if abs(again - of_x).max() > 1e-6 * scale:
        raise NotLinear("It gives another answer when it is called with the same input again.")
    if abs(of_both - (2 * of_x - of_y)).max() > 0.05 * scale:
        raise NotLinear("It is not linear: f(2x − y) is not 2 f(x) − f(y), so it is no rotation.")
    if abs(box(0 * x, places)).max() > 1e-3 * scale:
        raise NotLinear(
            "It adds something to its rows: zeros do not stay zeros. To name a table that is "
            "added, give the table."
        )
    alone = np.concatenate([box(x[[row]], places[[row]]) for row in range(6)])
    if abs(alone - of_x).max() > 0.05 * scale:
        raise NotLinear(
            "What becomes of a row depends on the other rows of the call: it may ignore the "
            "positions that it is given, or mix tokens."
        )
    takes_batches = (same := box.in_a_batch(np.stack([x, x]), places)) is not None
    takes_batches = takes_batches and abs(same - of_x).max() < 1e-3 * scale
    beside = box.in_a_batch(np.stack([x, y]), places)
    if takes_batches and abs(beside - of_x).max() > 0.05 * scale:
        raise NotLinear("What becomes of a text depends on the other texts of its batch.")
