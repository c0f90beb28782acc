"""Moving by k tokens turns every pair by an angle that depends on k alone."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.sinusoidal import shift_matrix, sinusoidal
from posviz.pictures.knobs import even, integer
from posviz.pictures.parts import Curve, Ring, legend_above
from posviz.pictures.picture import Arrays, Picture

FURTHEST = 100  # positions and offsets go up to here
ROUNDING = 1e-12
ALONG = np.linspace(0, 2 * FURTHEST, 801)


class ShiftIsRotation(Picture):
    """A shift by k tokens is a rotation of every pair."""

    size = (8.0, 3.9)
    paper_size = (3.3, 2.1)

    position = integer(10, low=0, high=FURTHEST, play=True, label="position pos")
    offset = integer(15, low=0, high=FURTHEST, play=True, label="offset k")
    pair = integer(64, low=0, high=255, until=lambda p: p.d_model // 2 - 1)
    d_model = even(512, low=2, high=512)

    def compute(self) -> Arrays:
        """Return the pair at pos and at pos + k, the matrix between them, and its residual."""
        pair = self.held("pair")
        positions = np.array([self.position, self.position + self.offset])
        before, after = sinusoidal(positions, self.d_model)
        matrix = shift_matrix(self.offset, self.d_model)
        turned = matrix @ before
        columns = slice(2 * pair, 2 * pair + 2)
        inv_freq = rotary_frequencies(self.d_model)[pair]
        angle = self.offset * inv_freq
        swept = self.position * inv_freq + np.linspace(0, angle % (2 * np.pi), 60)
        return self.arrays(
            positions=positions,
            hands=(before[columns], after[columns]),
            turned=turned[columns],
            matrix=matrix[columns, columns],
            residual=np.abs(turned - after).max(),
            angle=angle,
            arc=(0.5 * np.sin(swept), 0.5 * np.cos(swept)),  # of the last turn alone
            waves=(np.sin(ALONG * inv_freq), np.cos(ALONG * inv_freq)),
        )

    def draw(self, figure: Figure) -> list:
        """The pair as clock hands at left, its two waves at right."""
        dial, waves = figure.subplots(1, 2, width_ratios=(2, 3))
        turn = np.linspace(0, 2 * np.pi, 181)
        dial.plot(np.sin(turn), np.cos(turn), color="C6", linewidth=rcParams["axes.linewidth"])
        dial.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), xlabel="sine column", ylabel="cosine column")
        grey = {"color": "C6", "stroke": 1 / 2}
        sine = Curve(waves, "-", lambda a: (ALONG, a.waves[0]), "sine", **grey)
        cosine = Curve(waves, ":", lambda a: (ALONG, a.waves[1]), "cosine", **grey)
        hands = [
            Curve(dial, "C0-", lambda a: np.outer(a.hands[0], (0, 1)), "pos"),
            Curve(dial, "C1--", lambda a: np.outer(a.hands[1], (0, 1)), "pos + k"),
        ]
        marks = [
            Curve(waves, "C0o-", lambda a: (a.positions[[0, 0]], a.hands[0])),
            Curve(waves, "C1o--", lambda a: (a.positions[[1, 1]], a.hands[1])),
        ]
        arc = Curve(dial, "C2:", lambda a: a.arc, "M")
        tip = Ring(dial, "C2o", lambda a: a.turned[:, None], edge=1 / 5, marks=1.6)
        waves.set(xlabel="position (tokens)", xlim=(-4, 2 * FURTHEST + 4), ylim=(-1.2, 1.2))
        waves.set(yticks=(-1, 0, 1))
        legend_above(figure, [*hands, arc, sine, cosine], columnspacing=1.2)
        return [sine, cosine, *hands, *marks, arc, tip]

    def caption(self, arrays: Arrays) -> str:
        """The angle, the pair's matrix in (sin, cos) order, and the residual over all pairs."""
        (a, b), (c, d) = arrays.matrix
        rounding = arrays.residual < ROUNDING  # its digits differ from machine to machine
        worst = f"below {ROUNDING:.0e}" if rounding else f"up to {arrays.residual:.1e}"
        clamped = f" (the last; {arrays.beyond['pair']} does not exist)" if arrays.beyond else ""
        return (
            f"k = {arrays.offset} turns pair {arrays.pair}{clamped} clockwise by "
            f"{arrays.angle:.4f} radians, M = [[{a:.4f}, {b:.4f}], [{c:.4f}, {d:.4f}]] on "
            f"(sin, cos); over all pairs |M PE(pos) − PE(pos + k)| is "
            f"{worst}."
        )
