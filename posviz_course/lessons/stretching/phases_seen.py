"""Phases that training has seen, pair by pair, and those that only the longer text reaches."""

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.stretching import ntk, position_interpolation, yarn
from posviz.pictures.knobs import Choice, Log
from posviz.pictures.parts import Curve, Other, Text, broken, legend_above
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

HEAD_DIM, LENGTH, DISCS, TURN = 128, 4096, 8, 2 * np.pi
# Frequencies for a factor and a trained length; each method has the numbers of its released code.
METHODS = {
    "none": lambda factor, length: rotary_frequencies(HEAD_DIM),
    "PI": lambda factor, length: position_interpolation(HEAD_DIM, factor).inv_freq,
    "NTK": lambda factor, length: ntk(HEAD_DIM, factor).inv_freq,
    "YaRN": lambda factor, length: yarn(HEAD_DIM, factor, original_max_seq_len=length).inv_freq,
}
CENTRES = np.array([(3 * (disc % 4), -2.85 * (disc // 4)) for disc in range(DISCS)])  # radius 1


class PhasesSeen(Picture):
    """In training, slow pairs see only a part of the circle."""

    size = (8.0, 4.0)

    method = Choice("none", options=tuple(METHODS), more=True)
    factor = Log(4, low=1, high=64, play=True, label="factor s")

    def compute(self) -> Arrays:
        """Return the full rotations in training and in the longer text, [pairs], and discs.

        shown: the pairs that have a disc: the last that finished a rotation, and seven after it.
        """
        used = self.factor * METHODS[self.method](self.factor, LENGTH)
        trained, used = (LENGTH / TURN * f for f in (rotary_frequencies(HEAD_DIM), used))
        # An arc that ends where the trained one does is a quotient of floats away from it.
        new = (trained < 1) & (used > trained * (1 + 1e-9))
        last = len(trained) - 1
        first = np.clip((trained >= 1).sum() - 1, 0, last - DISCS + 1)
        shown = np.r_[first, np.linspace(first + 1, last, DISCS - 1).round().astype(int)]
        starts, ends = trained[shown], np.where(new, used, trained)[shown]
        phases = used[shown] * TURN
        tips = CENTRES + np.stack([np.cos(phases), np.sin(phases)], axis=-1)
        return self.arrays(
            trained=trained,
            used=used,
            new=new,
            shown=shown,
            labels=[f"pair {pair}" for pair in shown],
            seen={"verts": _sectors(0 * starts, starts)},
            never_seen={"verts": _sectors(starts, ends)},
            hands=broken(np.stack([CENTRES, tips], axis=1)),
        )

    def draw(self, figure: Figure) -> list:
        """Eight discs: the trained arc grey, the new one coloured, a hand where the text ends."""
        axes = figure.subplots()
        axes.set(xlim=(-1.1, 10.1), ylim=(-4.45, 1.05), aspect="equal")
        axes.set_axis_off()
        rim = np.stack([np.cos(np.linspace(0, TURN, 73)), np.sin(np.linspace(0, TURN, 73))], -1)
        thin = {"color": "C6", "linewidth": rcParams["axes.linewidth"]}
        axes.plot(*broken(CENTRES[:, None] + rim), **thin)
        seen, new = (
            axes.add_collection(
                PolyCollection([], facecolor=colour, label=label, animated=True), autolim=False
            )
            for colour, label in (
                (rcParams["grid.color"], "seen in training"),
                ("C1", "new in the longer text"),
            )
        )
        hand = Curve(axes, "C0-", "hands", "end of the longer text", stroke=1.2)
        legend_above(figure, [seen, new, hand], narrow=2)
        labels = [
            Text(axes, x, y - 1.1, f"labels[{at}]", ha="center", va="top")
            for at, (x, y) in enumerate(CENTRES)
        ]
        middle = {"ha": "center", "va": "center", "fontweight": "bold"}
        labels.append(Text(axes, 4.5, -1.65, lambda a: f"method: {a.method}", **middle))
        return [Other(seen, "seen"), Other(new, "never_seen"), hand, *labels]

    def caption(self, arrays: Arrays) -> str:
        farthest = np.where(arrays.new, arrays.used / arrays.trained, 1).max()
        return (
            f"{arrays.new.sum()} of {(arrays.trained < 1).sum()} unfinished pairs reach new "
            f"angles, up to {farthest:.2f} times their trained arc (method {arrays.method}, "
            f"s = {number(arrays.factor)})."
        )


def _sectors(starts, ends):
    """Sectors of the discs [discs, points, 2], from start to end in rotations, one at most."""
    angles = np.linspace(np.minimum(starts, 1), np.minimum(ends, 1), 61, axis=-1) * TURN
    arcs = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return np.concatenate([np.zeros((DISCS, 1, 2)), arcs], axis=1) + CENTRES[:, None]
