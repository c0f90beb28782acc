"""Lines of posviz: written into a verdict, and computed, so that what is printed was run."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from posviz.arrays import to_dtype


def compute(line: str) -> Any:
    """Return the value of a line that uses NumPy as np and the public names of posviz."""
    import posviz

    used = {node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}
    names = {name: getattr(posviz, name) for name in used if hasattr(posviz, name)}
    return eval(line, {"np": np, **names})


def listed(values: Any) -> str:
    """Write an array of numbers, or of rows of numbers, as a line makes it."""
    return f"np.array({np.asarray(values).tolist()!r})"


def step_of(values: np.ndarray) -> float:
    """Return the relative rounding of the format that numbers came in."""
    steps = {"bfloat16": 2.0**-8, "float16": 2.0**-10, "float32": 2.0**-23}
    for dtype, step in steps.items():
        with np.errstate(all="ignore"):
            if np.array_equal(to_dtype(values, dtype), values):
                return step
    return 1e-13
