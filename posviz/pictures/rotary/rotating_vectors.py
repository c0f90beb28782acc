"""One pair of a query and a key: both turn, and the score sees only how far they stand apart."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.engine.knobs import integer, log
from posviz.engine.picture import Picture

Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])
HEAD_DIM = 32
FURTHEST = 30  # each of the three moves goes up to here
ALONG = np.linspace(0, 2 * FURTHEST, 8 * FURTHEST + 1)
ROUNDING = 1e-13
ARC = 0.45  # radius


class RotatingVectors(Picture):
    """Query and key turn with their positions, the score with their offset."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.1)
    film = ("together", "query")

    together = integer(0, low=0, high=FURTHEST, play=True, label="both moved by")
    query = integer(7, low=0, high=FURTHEST, play=True, label="query position m")
    key = integer(4, low=0, high=FURTHEST, label="key position n")
    pair = integer(1, low=0, high=HEAD_DIM // 2 - 1)
    base = log(65_536, low=10, high=1_000_000)  # 2^16: each pair turns half as fast as the last

    def compute(self):
        """Return q and k turned, their score, and the scores where one or both of them move."""
        inv_freq = rotary_frequencies(HEAD_DIM, self.base)[[self.pair]]
        offset = self.query - self.key
        query, key = self.query + self.together, self.key + self.together
        places = ALONG[max(offset, 0) <= ALONG]  # no key stands before position 0
        q, k = _turned(Q, query, inv_freq), _turned(K, key, inv_freq)
        both = _turned(Q, places, inv_freq) * _turned(K, places - offset, inv_freq)
        return SimpleNamespace(
            positions=(query, key),
            together=self.together,
            pair=self.pair,
            inv_freq=inv_freq[0],
            vectors=(q, k),
            score=q @ k,
            alone=_turned(Q, ALONG, inv_freq) @ k,
            places=places,
            both=both.sum(axis=-1),
        )

    def draw(self, figure):
        """The plane at left; at right the score, if q moves alone and if both do."""
        plane, scores = figure.subplots(1, 2, width_ratios=(1, 1.25))
        hands = _hands(plane)
        arc = plane.plot([], [], color="C2", zorder=4, animated=True, label="angle")[0]
        looks = (("-", "C0", "q alone moves"), ("--", "C2", "both move"))
        alone, both = (
            scores.plot([], [], style, color=color, label=label, animated=True)[0]
            for style, color, label in looks
        )
        key = scores.axvline(0, color="C1", linestyle=":", label="k", animated=True)
        here = scores.plot([], [], "o", color="C0", animated=True)[0]
        here.set_markersize(1.4 * here.get_markersize())
        scores.set(xlim=(-1, ALONG[-1] + 1), ylim=(-1.6, 1.6), yticks=(-1, 0, 1))
        scores.set(xlabel="position of q (tokens)", ylabel="score q·k")
        figure.legend(
            handles=[arc, alone, both, key],
            loc="outside upper center",
            ncols=4,
            handlelength=1.6,
            columnspacing=1.2,
        )
        return SimpleNamespace(hands=hands, arc=arc, alone=alone, both=both, key=key, here=here)

    def update(self, artists, arrays):
        """Turn both hands and the arc between them; move the scores."""
        for hand, (dx, dy) in zip(artists.hands, arrays.vectors, strict=True):
            hand.set_data(dx=dx, dy=dy)
        q, k = arrays.vectors
        between = np.arctan2(k[0] * q[1] - k[1] * q[0], q @ k)  # from k to q, the shorter way
        angles = np.arctan2(k[1], k[0]) + np.linspace(0, between, 60)
        artists.arc.set_data(ARC * np.cos(angles), ARC * np.sin(angles))
        artists.alone.set_data(ALONG, arrays.alone)
        artists.both.set_data(arrays.places, arrays.both)
        query, key = arrays.positions
        artists.key.set_xdata([key] * 2)
        artists.here.set_data([query], [arrays.score])

    def caption(self, arrays):
        """Where the two stand, by how much the angle changed, and whether the score stood still."""
        query, key = arrays.positions
        offset = query - key
        residual = np.abs(arrays.both - arrays.score).max()
        verdict = "the same wherever the two stand"
        if residual > ROUNDING:
            verdict = f"but up to {residual:.1e} away from it elsewhere"
        moved = f" (both moved by {arrays.together})" if arrays.together else ""
        return (
            f"q at {query} and k at {key}{moved}: offset {offset} turns the angle between them "
            f"by {offset * arrays.inv_freq:.4f} radians (pair {arrays.pair} turns by "
            f"{arrays.inv_freq:.4g} per token); the score goes from {Q @ K:.4f} to "
            f"{arrays.score:.4f}, {verdict}."
        )


def _turned(vector, positions, inv_freq):
    """The vector as it stands at each position, [..., 2]."""
    angles = rotary_angles(positions, inv_freq)
    return apply_rotary(np.broadcast_to(vector, (*angles.shape[:-1], 2)), angles)


def _hands(plane):
    """q, filled, and k, hollow, as they stand before turning; return those that will turn."""
    turn = np.linspace(0, 2 * np.pi, 181)
    outer, hands = max(np.hypot(*Q), np.hypot(*K)), []
    for name, vector, face, edge in (("q", Q, "C0", "C0"), ("k", K, "none", "C1")):
        radius = np.hypot(*vector)
        plane.plot(
            radius * np.cos(turn),
            radius * np.sin(turn),
            color="C6",
            linewidth=rcParams["axes.linewidth"],
        )
        look = {
            "facecolor": face,
            "edgecolor": edge,
            "linewidth": rcParams["lines.linewidth"] / 1.5,
        }
        shape = {"width": 0.05, "head_width": 0.17, "length_includes_head": True}
        faint, moving = (plane.arrow(0, 0, *vector, **look, **shape) for _ in range(2))
        faint.set_alpha(0.45)
        moving.set(animated=True, zorder=5)
        # Beyond both circles, by as much in every size.
        place = np.array(vector) / radius
        shift = {"xytext": 0.8 * rcParams["font.size"] * place, "textcoords": "offset points"}
        plane.annotate(name, outer * place, **shift, ha="center", va="center")
        hands.append(moving)
    plane.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    plane.set(aspect="equal", xlabel="first of the pair", ylabel="second of the pair")
    return hands
