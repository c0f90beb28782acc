"""RoPE derived line by line: choose a derivation, a slip and a setting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posviz.encodings.checks import require_base, require_choice, require_even, require_real
from posviz.lessons.rotary.derivations.chain import Derived, steps_of
from posviz.lessons.rotary.derivations.dimensions import FREQUENCIES, SPARSE
from posviz.lessons.rotary.derivations.plane import COMPLEX, MATRICES, ORDER, POLAR
from posviz.lessons.rotary.derivations.setting import Setting
from posviz.wording import quoted

DERIVATIONS = {
    "matrices": MATRICES,
    "complex": COMPLEX,
    "polar": POLAR,
    "sparse": SPARSE,
    "order": ORDER,
    "frequencies": FREQUENCIES,
}


def derive(
    name: str,
    *,
    slip: str | None = None,
    q: Sequence[float] = (1.0, 0.5),
    k: Sequence[float] = (0.3, 1.2),
    m: float = 7,
    n: float = 4,
    inv_freq: float = 0.5,
    head_dim: int = 8,
    base: float = 10_000.0,
) -> Derived:
    """Return a derivation of RoPE, each line with its value; printed, a slip says by how much.

    Shapes: q and k [2]. Units: m and n in tokens, inv_freq, the θ of the formulas, in radians per
    token; beyond 100,000 radians rounding may show. "sparse" has q in its first pair and
    head_dim − 2 entries of its own; there and in "frequencies" inv_freq follows from head_dim and
    base.

    Raises:
        TypeError: when a number is none.
        ValueError: for an unknown derivation or slip, q or k of another shape or without length,
            a head_dim that is odd or below 4, or a base that is not above 1.

    Source: Su et al. 2021 (RoFormer), section 3.4.
    """
    require_choice(name, "name", tuple(DERIVATIONS))
    derivation = DERIVATIONS[name]
    if slip is not None:
        require_choice(slip, "slip", tuple(derivation.slips))
    setting = Setting(
        _pair(q, "q"),
        _pair(k, "k"),
        require_real(m, "m"),
        require_real(n, "n"),
        require_real(inv_freq, "inv_freq"),
        require_even(head_dim, "head_dim"),
        require_base(base),
    )
    if setting.head_dim < 4:
        raise ValueError(f"head_dim must be at least 4, got {head_dim}")
    lines = derivation.lines if slip is None else derivation.slips[slip]
    steps = steps_of(
        lines,
        setting,
        scale=float(np.hypot(*setting.q) * np.hypot(*setting.k)) if "k" in derivation.uses else 0.0,
        entries=derivation.entries,
    )
    return Derived(name, slip, setting.described(derivation.uses), steps, derivation.note)


def _pair(value: Sequence[float], name: str) -> np.ndarray:
    pair = np.array([require_real(number, name) for number in value])
    if pair.shape != (2,) or not pair.any():
        raise ValueError(f"{name} must be two numbers, not both 0, got {quoted(value)}")
    return pair
