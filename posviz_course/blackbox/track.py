"""Follow angles from position to position: the frequency and the start of each pair.

A response is what a pair is multiplied by at a position, as a complex number: its angle is the
rotation, its absolute value is the gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NEAR = 64  # gaps: so far a phase is read off
LOST = 0.5  # radians: beyond this residual, rounding decides


@dataclass(frozen=True)
class Track:
    """Of each pair: radians per token (signed), the angle at position 0, and how sure both are.

    Shapes: theta, phase and error [pairs]; residual [len, pairs] in (−π, π].
    """

    theta: np.ndarray
    phase: np.ndarray
    error: np.ndarray
    residual: np.ndarray


def track(
    positions: np.ndarray, response: np.ndarray, weights: np.ndarray | None = None, step: float = 0
) -> Track:
    """Fit angle = phase + theta · position, from neighbours to far positions.

    ``step`` is the rounding of the response: an angle below it may not show at all.

    Shapes: positions [len] in rising order, response [len, pairs], weights alike. Units: tokens,
    radians per token. A frequency is known up to full rotations between neighbours.
    """
    unit = response / np.maximum(np.abs(response), 1e-300)
    weights = np.ones(unit.shape) if weights is None else weights
    gaps = np.diff(positions)
    nearest = gaps == gaps.min()
    both = np.minimum(weights[1:], weights[:-1])
    steps = (both * unit[1:] * unit[:-1].conj())[nearest].sum(axis=0)
    theta = np.angle(steps) / gaps.min()
    origin = positions[np.argmax(nearest)]
    moved = positions - origin
    close = np.abs(moved) <= gaps.min()
    phase = np.angle((weights * unit * np.exp(-1j * moved[:, None] * theta))[close].sum(axis=0))
    horizon, sure = 2.0 * gaps.min(), np.ones(len(theta), bool)
    error = np.full(len(theta), np.inf)
    while True:
        near = np.abs(moved) <= horizon
        old = _residual(unit[near], moved[near], theta, phase)
        d_theta, d_phase, new_error = _least_squares(moved[near], old, weights[near])
        new_error += step / np.ptp(moved[near])
        rest = old - d_phase - moved[near][:, None] * d_theta
        rms = np.sqrt((weights[near] * rest**2).sum(axis=0) / weights[near].sum(axis=0))
        sure &= (rms < LOST) & (new_error < error * 1.5)
        theta, phase = theta + sure * d_theta, phase + sure * d_phase
        error = np.where(sure, new_error, error)
        if near.all() or not sure.any():
            break
        horizon *= 2
    near = np.abs(moved) <= NEAR * gaps.min()  # far angles are rounded more
    turned = unit[near] * np.exp(-1j * moved[near][:, None] * theta)
    phase = np.angle((weights[near] * turned).sum(axis=0))
    residual = _residual(unit, moved, theta, phase)
    phase = _wrapped(phase - theta * origin)
    return Track(theta, phase, np.minimum(error, 1.0), residual)


def _wrapped(angles: np.ndarray) -> np.ndarray:
    return (angles + np.pi) % (2 * np.pi) - np.pi


def _residual(unit, moved, theta, phase):
    return np.angle(unit * np.exp(-1j * (phase + moved[:, None] * theta)))


def _least_squares(moved, residual, weights):
    """Return the corrections of theta and phase, and the error of theta."""
    total = weights.sum(axis=0)
    mean = (weights * moved[:, None]).sum(axis=0) / total
    apart = moved[:, None] - mean
    spread = np.maximum((weights * apart**2).sum(axis=0), 1e-300)
    middle = (weights * residual).sum(axis=0) / total
    d_theta = (weights * apart * residual).sum(axis=0) / spread
    rest = residual - middle - apart * d_theta
    variance = (weights * rest**2).sum(axis=0) / total + 1e-32
    error = np.sqrt(variance * (weights**2 * apart**2).sum(axis=0)) / spread
    return d_theta, middle - mean * d_theta, error


def start_of(theta: np.ndarray, phase: np.ndarray, error: np.ndarray) -> float | None:
    """Return the position that the first token has, or None where the phases follow no start.

    The slowest pair gives it roughly, up to its full rotations, each faster one more exactly.
    """
    order = [k for k in np.argsort(np.abs(theta)) if abs(theta[k]) > 20 * error[k]]
    if not order:
        return 0.0
    for rotations in sorted(range(-8, 9), key=abs):
        start = (phase[order[0]] + 2 * np.pi * rotations) / theta[order[0]]
        for k in order[1:]:
            start += _wrapped(phase[k] - theta[k] * start) / theta[k]
        near = round(2 * start) / 2
        start = float(near) if abs(start - near) < 0.02 else round(float(start), 6)
        off = np.abs(_wrapped(phase - theta * start))
        if off.max() < 0.05 + 0.02 * abs(start) * error.max():
            return start
    return None
