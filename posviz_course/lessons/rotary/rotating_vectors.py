"""One pair of a query and a key: both rotate, and the score sees only their offset."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import Integer, Switch
from posviz.pictures.parts import Curve, circle, inches, legend_above, whole, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number, signed

Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])
HEAD_DIM = 80  # so that pair 3 rotates by 0.501 radians per token, as the lesson's numbers do
SCALE_BASE = 256  # half of xPos's, so that a reader sees the key shrink within 30 tokens
ALONG = np.linspace(0, 60, 241)
TRAIL = np.arange(10, 0, -1)  # tokens ago
EDGE = 1.6  # of a dial


class RotatingVectors(Picture):
    """If query and key rotate together, their score stays the same."""

    size = (8.0, 3.0)
    paper_size = (3.3, 2.9)

    together = Integer(6, low=0, high=30, play=True, label="both moved by")
    query = Integer(7, low=0, high=30, play=True, label="query starts at")
    key = Integer(4, low=0, high=30, label="key starts at")
    pair = Integer(3, low=0, high=HEAD_DIM // 2 - 1, more=True)
    xpos = Switch(False, label="xPos", more=True)

    def compute(self) -> Arrays:
        """Return q and k as they are and as seen from q, and scores where one or both move.

        seen: q points up. Divided by q's length, the score is the height of k.
        """
        offset = self.query - self.key
        query, key = self.query + self.together, self.key + self.together
        queries = ALONG[max(offset, 0) <= ALONG]  # no key is before position 0
        q, k = self._at(query, Q, 1), self._at(key, K, -1)
        both = self._at(queries, Q, 1) * self._at(queries - offset, K, -1)
        was = np.maximum(self.together - TRAIL, 0)
        seen = np.array([[0, Q @ Q], [k[0] * q[1] - k[1] * q[0], q @ k]]) / np.hypot(*Q)
        return self.arrays(
            positions=(query, key),
            vectors=(q, k),
            names=_names(q, k),
            trails=[self._at(self.query + was, Q, 1).T, self._at(self.key + was, K, -1).T],
            seen=seen,
            seen_names=_names(*seen),
            shadow=([0, 0], [0, seen[1, 1]]),
            level=([0, EDGE], [seen[1, 1]] * 2),
            score=q @ k,
            here=([query], [q @ k]),
            alone=(ALONG, self._at(ALONG, Q, 1) @ k),
            both=(queries, both.sum(axis=-1)),
        )

    def _at(self, positions, vector, way):
        """The vector at each position, [..., 2]: rotated, and under xPos scaled one way or back."""
        angles = rotary_angles(positions, rotary_frequencies(HEAD_DIM)[[self.pair]])
        rotated = apply_rotary(np.broadcast_to(vector, (*angles.shape[:-1], 2)), angles)
        if not self.xpos:
            return rotated
        scale = xpos_scale(way * np.asarray(positions), HEAD_DIM, scale_base=SCALE_BASE)
        return rotated * scale[..., [self.pair]]

    def draw(self, figure: Figure) -> list:
        """Both vectors as they are and as seen from q, with a bar as high as the score."""
        width, height = inches(figure)
        if width > 2.2 * height:
            panels = figure.subplot_mosaic("abc", width_ratios=(1, 1, 1.15))
            panels["c"].set_box_aspect(1 / 1.15)  # as high as the dials are
        else:
            panels = figure.subplot_mosaic("ab;cc", height_ratios=(1.7, 1))
        page, own, scores = panels.values()
        page.set_title("both rotate")
        own.set_title("seen from q")
        trails = [Curve(page, f"C{i}o", f"trails[{i}]", marks=0.5) for i in (0, 1)]
        bar = Curve(own, "C2-", "shadow", "shadow of k on q", stroke=7, solid_capstyle="butt")
        level = Curve(own, "C2--", "level")
        arrows = [*_arrows(page, "vectors", "names"), *_arrows(own, "seen", "seen_names")]
        zero(scores)
        alone = Curve(scores, "C0-", "alone", "q alone moves")
        both = Curve(scores, "C2--", "both", "both move")
        here = Curve(scores, "C0o", "here", marks=1.4)
        high = EDGE * np.hypot(*Q)  # so that the bar ends at the height of the score
        scores.set(xlim=(-2, 62), ylim=(-high, high), yticks=(-1, 0, 1))
        scores.set(xlabel="position of q (tokens)", ylabel="score q·k")
        whole(scores.xaxis, most=4)
        legend_above(figure, [bar, alone, both], handlelength=1.6, columnspacing=1.2)
        return [*trails, bar, level, *arrows, alone, both, here]

    def caption(self, arrays: Arrays) -> str:
        score, change = signed(arrays.score, ".2f"), np.ptp(arrays.both[1])
        same = "is the same" if change < 1e-12 else f"changes by up to {number(change, 1)}"
        query, key = arrays.positions
        return (
            f"The score is {score} with q at {query} and k at {key}, and it {same} wherever "
            f"i − j = {signed(arrays.query - arrays.key, 'd')}."
        )


def _names(q, k):
    """The places of two vectors' names: beyond their heads, and apart from each other."""
    angles = np.arctan2([q[1], k[1]], [q[0], k[0]])
    between = (angles[0] - angles[1] + np.pi) % (2 * np.pi) - np.pi
    half = (1 if between > 0 else -1) * max(0.2 - abs(between), 0) / 2
    angles += half * np.array([1, -1])
    radii = np.hypot([q[0], k[0]], [q[1], k[1]]) + 0.24
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)


class _Arrow:
    """An arrow from the centre to a vector, with its name."""

    def __init__(self, axes, name, show, props):
        shape: dict[str, Any] = {"width": 0.06, "head_width": 0.2, "length_includes_head": True}
        shape["linewidth"] = rcParams["lines.linewidth"] / 1.5
        self.arrow = axes.arrow(0, 0, 1, 1, **shape | props)
        self.arrow.set(animated=True, zorder=5)
        where = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        self.name = axes.text(0, 0, name, color=props["edgecolor"], **where)
        self.show = show

    def move(self, arrays: Arrays) -> None:
        """Set its head and its name."""
        (dx, dy), place = self.show(arrays)
        self.arrow.set_data(dx=dx, dy=dy)
        self.name.set_position(place)


def _arrows(axes, vectors, names):
    """A dial with q, filled, and k, hollow."""
    for vector in (Q, K):
        circle(axes, np.hypot(*vector))
    axes.set(xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE), aspect="equal")
    axes.set_axis_off()

    def shown(at):
        return lambda arrays: (getattr(arrays, vectors)[at], getattr(arrays, names)[at])

    return [
        _Arrow(axes, "q", shown(0), {"facecolor": "C0", "edgecolor": "C0"}),
        _Arrow(axes, "k", shown(1), {"facecolor": "none", "edgecolor": "C1"}),
    ]
