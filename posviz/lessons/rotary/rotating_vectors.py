"""One pair of a query and a key: both turn, and the score sees only how far they stand apart."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.lessons.rotary._arrows import Arrow, beyond
from posviz.pictures.knobs import integer, log
from posviz.pictures.parts import Curve, Rule, circle, legend_above
from posviz.pictures.picture import Arrays, Picture

Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])
HEAD_DIM = 32
FURTHEST = 30  # each of the three moves goes up to here
ALONG = np.linspace(0, 2 * FURTHEST, 8 * FURTHEST + 1)
ROUNDING = 1e-13
ARC = 0.45  # radius
ROOM, APART = 0.24, 0.2  # of names: beyond their heads, and in radians from each other


class RotatingVectors(Picture):
    """Query and key turn with their positions, the score with their offset."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.1)
    combined = (("query", "pair"),)

    together = integer(0, low=0, high=FURTHEST, play=True, label="both moved by")
    query = integer(7, low=0, high=FURTHEST, play=True, label="query position m")
    key = integer(4, low=0, high=FURTHEST, label="key position n")
    pair = integer(1, low=0, high=HEAD_DIM // 2 - 1)
    base = log(65_536, low=10, high=1_000_000)  # 2^16: each pair turns half as fast as the last

    def compute(self) -> Arrays:
        """Return q and k turned, their score, and the scores where one or both of them move."""
        inv_freq = rotary_frequencies(HEAD_DIM, self.base)[[self.pair]]
        offset = self.query - self.key
        query, key = self.query + self.together, self.key + self.together
        queries = ALONG[max(offset, 0) <= ALONG]  # no key stands before position 0
        q, k = _turned(Q, query, inv_freq), _turned(K, key, inv_freq)
        both = _turned(Q, queries, inv_freq) * _turned(K, queries - offset, inv_freq)
        return self.arrays(
            positions=(query, key),
            inv_freq=inv_freq[0],
            vectors=(q, k),
            names=beyond(np.stack([q, k]), ROOM, APART),
            score=q @ k,
            alone=_turned(Q, ALONG, inv_freq) @ k,
            queries=queries,
            both=both.sum(axis=-1),
        )

    def draw(self, figure: Figure) -> list:
        """The plane at left; at right the score, if q moves alone and if both do."""
        plane, scores = figure.subplots(1, 2, width_ratios=(1, 1.25))
        arrows = _arrows(plane)
        arc = Curve(plane, "C2-", _arc, "angle", zorder=4)
        alone = Curve(scores, "C0-", lambda a: (ALONG, a.alone), "q alone moves")
        both = Curve(scores, "C2--", lambda a: (a.queries, a.both), "both move")
        key = Rule(scores, {"color": "C1", "linestyle": ":"}, lambda a: a.positions[1], "k")
        here = Curve(scores, "C0o", lambda a: (a.positions[:1], [a.score]), marks=1.4)
        scores.set(xlim=(-1, ALONG[-1] + 1), ylim=(-1.6, 1.6), yticks=(-1, 0, 1))
        scores.set(xlabel="position of q (tokens)", ylabel="score q·k")
        legend_above(figure, [arc, alone, both, key], handlelength=1.6, columnspacing=1.2)
        return [*arrows, arc, alone, both, key, here]

    def caption(self, arrays: Arrays) -> str:
        """Where the two stand, by how much the angle changed, and whether the score stood still."""
        query, key = arrays.positions
        offset = query - key
        residual = np.abs(arrays.both - arrays.score).max()
        outcome = "the same wherever they are that far apart"
        if residual > ROUNDING:
            outcome = f"but up to {residual:.1e} away from it elsewhere"
        moved = f" (both moved by {arrays.together})" if arrays.together else ""
        return (
            f"q at {query} and k at {key}{moved}: offset {offset} changes the angle between them "
            f"by {offset * arrays.inv_freq:.4f} radians (pair {arrays.pair} turns by "
            f"{arrays.inv_freq:.4g} per token); the score goes from {Q @ K:.4f} to "
            f"{arrays.score:.4f}, {outcome}."
        )


def _turned(vector, positions, inv_freq):
    """The vector as it stands at each position, [..., 2]."""
    angles = rotary_angles(positions, inv_freq)
    return apply_rotary(np.broadcast_to(vector, (*angles.shape[:-1], 2)), angles)


def _arrows(plane):
    """q, filled, and k, hollow; the faint ones have not turned."""
    shape = {"width": 0.06, "head_width": 0.2, "linewidth": rcParams["lines.linewidth"] / 1.5}
    for vector in (Q, K):
        circle(plane, np.hypot(*vector))
    filled = shape | {"facecolor": "C0", "edgecolor": "C0"}
    hollow = shape | {"facecolor": "none", "edgecolor": "C1"}
    arrows = [
        Arrow(
            plane,
            look,
            lambda a, at=at: a.vectors[at],
            name,
            rest=rest,
            named_at=lambda a, at=at: a.names[at],
            faint=0.4,
        )
        for at, (look, name, rest) in enumerate([(filled, "q", Q), (hollow, "k", K)])
    ]
    plane.set(xlim=(-1.7, 1.7), ylim=(-1.7, 1.7), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    plane.set(aspect="equal", title="faint: before turning")
    plane.set(xlabel="first of the pair", ylabel="second of the pair")
    return arrows


def _arc(arrays):
    """From k to q, the shorter way."""
    q, k = arrays.vectors
    between = np.arctan2(k[0] * q[1] - k[1] * q[0], q @ k)
    angles = np.arctan2(k[1], k[0]) + np.linspace(0, between, 60)
    return ARC * np.cos(angles), ARC * np.sin(angles)
