"""One pair of a query and a key: both rotate, and the score sees only their offset."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, Rule, circle, legend_above
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])
HEAD_DIM = 80  # so that pair 3 rotates by 0.501 radians per token, as the lesson's numbers do
ALONG = np.linspace(0, 60, 241)


class RotatingVectors(Picture):
    """Query and key rotate with their positions, the score with their offset."""

    size = (8.0, 3.3)
    paper_size = (3.3, 2.1)

    together = Integer(0, low=0, high=30, play=True, label="both moved by")
    query = Integer(7, low=0, high=30, play=True, label="query starts at")
    key = Integer(4, low=0, high=30, label="key starts at")
    pair = Integer(3, low=0, high=HEAD_DIM // 2 - 1, more=True)

    def compute(self) -> Arrays:
        """Return q and k rotated, their score, and the scores where one or both of them move."""
        inv_freq = rotary_frequencies(HEAD_DIM)[[self.pair]]
        offset = self.query - self.key
        query, key = self.query + self.together, self.key + self.together
        queries = ALONG[max(offset, 0) <= ALONG]  # no key is before position 0
        q, k = _rotated(Q, query, inv_freq), _rotated(K, key, inv_freq)
        both = _rotated(Q, queries, inv_freq) * _rotated(K, queries - offset, inv_freq)
        between = np.arctan2(k[0] * q[1] - k[1] * q[0], q @ k)  # from k to q, the shorter way
        arc = np.arctan2(k[1], k[0]) + np.linspace(0, between, 60)
        return self.arrays(
            positions=(query, key),
            vectors=(q, k),
            names=_names(q, k),
            arc=0.45 * np.array([np.cos(arc), np.sin(arc)]),
            score=q @ k,
            here=([query], [q @ k]),
            alone=(ALONG, _rotated(Q, ALONG, inv_freq) @ k),
            both=(queries, both.sum(axis=-1)),
        )

    def draw(self, figure: Figure) -> list:
        """The plane at left; at right the score, if q moves alone and if both do."""
        plane, scores = figure.subplots(1, 2, width_ratios=(1, 1.25))
        arrows = _arrows(plane)
        arc = Curve(plane, "C2-", "arc", "angle", zorder=4)
        alone = Curve(scores, "C0-", "alone", "q alone moves")
        both = Curve(scores, "C2--", "both", "both move")
        key = Rule(scores, {"color": "C1", "linestyle": ":"}, "positions[1]", "position of k")
        here = Curve(scores, "C0o", "here", marks=1.4)
        scores.set(xlim=(-1, 61), ylim=(-1.6, 1.6), yticks=(-1, 0, 1))
        scores.set(xlabel="position of q (tokens)", ylabel="score q·k")
        legend_above(figure, [arc, alone, both, key], 2, handlelength=1.6, columnspacing=1.2)
        return [*arrows, arc, alone, both, key, here]

    def caption(self, arrays: Arrays) -> str:
        score, change = signed(arrays.score, ".2f"), np.ptp(arrays.both[1])
        same = "is the same" if change < 1e-12 else f"changes by up to {change:.1e}"
        starts = arrays.query, arrays.key
        query, key = (
            f"{start} + {arrays.together} = {position}" if arrays.together else f"{position}"
            for start, position in zip(starts, arrays.positions, strict=True)
        )
        return (
            f"The score is {score} with q at {query} and k at {key}, and it {same} wherever "
            f"i − j = {signed(arrays.query - arrays.key, 'd')}."
        )


def _rotated(vector, positions, inv_freq):
    """The vector as it is at each position, [..., 2]."""
    angles = rotary_angles(positions, inv_freq)
    return apply_rotary(np.broadcast_to(vector, (*angles.shape[:-1], 2)), angles)


def _names(q, k):
    """The places of two vectors' names: beyond their heads, and apart from each other."""
    angles = np.arctan2([q[1], k[1]], [q[0], k[0]])
    between = (angles[0] - angles[1] + np.pi) % (2 * np.pi) - np.pi
    half = (1 if between > 0 else -1) * max(0.2 - abs(between), 0) / 2
    angles += half * np.array([1, -1])
    radii = np.hypot([q[0], k[0]], [q[1], k[1]]) + 0.24
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)


class _Arrow:
    """An arrow to one of the vectors, with its name; a faint one stays."""

    def __init__(self, plane, at, rest, props):
        shape = {"width": 0.06, "head_width": 0.2, "linewidth": rcParams["lines.linewidth"] / 1.5}
        shape |= {"length_includes_head": True, **props}
        plane.arrow(0, 0, *rest, **shape).set_alpha(0.4)
        self.arrow = plane.arrow(0, 0, *rest, **shape)
        self.arrow.set(animated=True, zorder=5)
        where = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        self.name = plane.text(0, 0, "qk"[at], color=props["edgecolor"], **where)
        self.at = at

    def move(self, arrays: Arrays) -> None:
        """Set its head and its name."""
        dx, dy = arrays.vectors[self.at]
        self.arrow.set_data(dx=dx, dy=dy)
        self.name.set_position(arrays.names[self.at])


def _arrows(plane):
    """q, filled, and k, hollow; the faint ones are not rotated."""
    for vector in (Q, K):
        circle(plane, np.hypot(*vector))
    plane.set(xlim=(-1.7, 1.7), ylim=(-1.7, 1.7), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    plane.set(aspect="equal", title="faint: not rotated")
    plane.set(xlabel="first of the pair", ylabel="second of the pair")
    return [
        _Arrow(plane, 0, Q, {"facecolor": "C0", "edgecolor": "C0"}),
        _Arrow(plane, 1, K, {"facecolor": "none", "edgecolor": "C1"}),
    ]
