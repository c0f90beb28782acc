"""Moving by k tokens turns every pair by an angle that depends on k alone."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.sinusoidal import shift_matrix, sinusoidal
from posviz.engine.knobs import even, integer
from posviz.engine.picture import Picture

FURTHEST = 100  # positions and offsets go up to here
ALONG = np.linspace(0, 2 * FURTHEST, 801)


class ShiftIsRotation(Picture):
    """A shift by k tokens is a rotation of every pair."""

    size = (8.0, 3.9)
    paper_size = (3.3, 2.1)
    film = ("position", "offset")

    position = integer(10, low=0, high=FURTHEST, play=True, label="position pos")
    offset = integer(15, low=0, high=FURTHEST, play=True, label="offset k")
    pair = integer(64, low=0, high=255)
    d_model = even(512, low=2, high=512)

    def compute(self):
        """Return the pair at pos and at pos + k, the matrix between them, and its residual."""
        pair = min(self.pair, self.d_model // 2 - 1)
        before, after = sinusoidal([self.position, self.position + self.offset], self.d_model)
        matrix = shift_matrix(self.offset, self.d_model)
        turned = matrix @ before
        columns = slice(2 * pair, 2 * pair + 2)
        inv_freq = rotary_frequencies(self.d_model)[pair]
        return SimpleNamespace(
            positions=(self.position, self.position + self.offset),
            offset=self.offset,
            pair=pair,
            asked=self.pair,
            hands=(before[columns], after[columns]),
            turned=turned[columns],
            matrix=matrix[columns, columns],
            residual=np.abs(turned - after).max(),
            inv_freq=inv_freq,
            waves=(np.sin(ALONG * inv_freq), np.cos(ALONG * inv_freq)),
        )

    def draw(self, figure):
        """The pair as clock hands at left, its two waves at right."""
        dial, waves = figure.subplots(1, 2, width_ratios=(2, 3))
        turn = np.linspace(0, 2 * np.pi, 181)
        dial.plot(np.sin(turn), np.cos(turn), color="C6", linewidth=rcParams["axes.linewidth"])
        dial.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), xlabel="sine column", ylabel="cosine column")
        lines = [
            waves.plot([], [], style, color="C6", label=label, animated=True)[0]
            for style, label in (("-", "sine"), (":", "cosine"))
        ]
        for line in lines:
            line.set_linewidth(line.get_linewidth() / 2)
        looks = (("-", "C0", "pos"), ("--", "C1", "pos + k"))
        hands, marks = (
            [
                axes.plot([], [], style, color=c, label=label, animated=True)[0]
                for style, c, label in looks
            ]
            for axes in (dial, waves)
        )
        for mark in marks:
            mark.set_marker("o")
        arc = dial.plot([], [], ":", color="C2", label="M", animated=True)[0]
        tip = dial.plot([], [], "o", color="C2", markerfacecolor="none", animated=True)[0]
        tip.set(markersize=1.6 * tip.get_markersize(), markeredgewidth=arc.get_linewidth() / 1.5)
        waves.set(xlabel="position (tokens)", xlim=(-4, 2 * FURTHEST + 4), ylim=(-1.2, 1.2))
        waves.set(yticks=(-1, 0, 1))
        figure.legend(
            handles=[*hands, arc, *lines], loc="outside upper center", ncols=5, columnspacing=1.2
        )
        return SimpleNamespace(arc=arc, hands=hands, tip=tip, lines=lines, marks=marks)

    def update(self, artists, arrays):
        """Both hands, the arc from one to the other, and the same two places on the waves."""
        for hand, (sine, cosine) in zip(artists.hands, arrays.hands, strict=True):
            hand.set_data([0, sine], [0, cosine])
        for mark, position, hand in zip(artists.marks, arrays.positions, arrays.hands, strict=True):
            mark.set_data([position, position], hand)
        for line, wave in zip(artists.lines, arrays.waves, strict=True):
            line.set_data(ALONG, wave)
        turned = arrays.offset * arrays.inv_freq % (2 * np.pi)  # whole turns change nothing
        angles = arrays.positions[0] * arrays.inv_freq + np.linspace(0, turned, 60)
        artists.arc.set_data(0.5 * np.sin(angles), 0.5 * np.cos(angles))
        artists.tip.set_data(arrays.turned[:1], arrays.turned[1:])

    def caption(self, arrays):
        """The angle, the pair's matrix in (sin, cos) order, and the residual over all pairs."""
        (a, b), (c, d) = arrays.matrix
        angle = arrays.offset * arrays.inv_freq
        clamped = (
            f" (the last; {arrays.asked} does not exist)" if arrays.asked > arrays.pair else ""
        )
        return (
            f"k = {arrays.offset} turns pair {arrays.pair}{clamped} clockwise by {angle:.4f} "
            f"radians, M = [[{a:.4f}, {b:.4f}], [{c:.4f}, {d:.4f}]] on (sin, cos); over all pairs "
            f"|M PE(pos) − PE(pos + k)| is at most {arrays.residual:.1e}."
        )
