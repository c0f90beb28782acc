"""Moving by k tokens rotates every pair by an angle that depends on k alone."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.sinusoidal import shift_matrix, sinusoidal
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, EndName, Other, PointName, Ring, circle
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

FURTHEST, D_MODEL = 100, 512  # positions and offsets go up to the first
ALONG = np.linspace(0, 2 * FURTHEST, 801)
BEYOND = 1.5, 1.25  # the tips of the hands, for their names


class ShiftIsRotation(Picture):
    """One matrix M moves every row by k tokens: it rotates the hand of each pair."""

    size = (8.0, 3.7)
    paper_size = (3.3, 2.1)

    position = Integer(10, low=0, high=FURTHEST, play=True, label="position pos")
    offset = Integer(15, low=0, high=FURTHEST, play=True, label="offset k")
    pair = Integer(64, low=0, high=D_MODEL // 2 - 1)

    def compute(self) -> Arrays:
        """Return the pair's hands at pos and at pos + k, what M makes of the first, its waves."""
        positions = np.array([self.position, self.position + self.offset])
        table = sinusoidal(positions, D_MODEL)
        moved = shift_matrix(self.offset, D_MODEL) @ table[0]
        columns = [2 * self.pair + 1, 2 * self.pair]  # cosine across, sine up
        inv_freq = rotary_frequencies(D_MODEL)[self.pair]
        angle = self.offset * inv_freq
        swept = self.position * inv_freq + np.linspace(0, angle % (2 * np.pi), 60)
        arc = np.stack([np.cos(swept), np.sin(swept)])
        here, there = table[:, columns]
        close = np.linalg.norm(there - here) < 0.4
        return self.arrays(
            angle=angle,
            hands=(np.outer(here, (0, 1)), np.outer(there, (0, 1))),
            marks=[(positions[[i, i]], table[i, columns]) for i in (0, 1)],
            moved=moved[columns, None],
            tips=[
                {"position": BEYOND * here, "text": "" if close else "pos"},
                {"position": BEYOND * there, "text": "pos + k"},
                {"position": 0.72 * arc[:, 30], "text": "" if close else "M"},
            ],
            arc=tuple(0.5 * arc),  # of the last rotation alone
            shift=(positions, [1.2, 1.2]),
            sine=(ALONG, np.sin(ALONG * inv_freq)),
            cosine=(ALONG, np.cos(ALONG * inv_freq)),
            is_sine_above=np.sin(ALONG[-1] * inv_freq) > np.cos(ALONG[-1] * inv_freq),
        )

    def draw(self, figure: Figure) -> list:
        """The pair as clock hands at left, its two waves at right."""
        dial, waves = figure.subplots(1, 2, width_ratios=(5, 6))
        circle(dial)
        dial.set(xlim=(-1.8, 1.8), ylim=(-1.4, 1.4), aspect="equal")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), xlabel="cosine column", ylabel="sine column")
        lines = [
            Curve(waves, "C6-", "sine", "sine", stroke=0.8),
            Curve(waves, "C6:", "cosine", "cosine", stroke=0.8),
            Curve(dial, "C0-", "hands[0]", "pos", stroke=1.5),
            Curve(dial, "C1--", "hands[1]", "pos + k", stroke=1.5),
            Curve(dial, "C2:", "arc", "M"),
            Curve(waves, "C2:", "shift"),
        ]
        waves.set(xlabel="position (tokens)", xlim=(-4, 2.5 * FURTHEST), ylim=(-1.2, 1.5))
        waves.set(yticks=(-1, 0, 1))
        middle = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        names = [
            *(Other(dial.text(0, 0, "", color=f"C{i}", **middle), f"tips[{i}]") for i in range(3)),
            PointName(waves, "C2", lambda a: (*a.shift, "M: k tokens", True)),
            EndName(waves, "C6", lambda a: (*a.sine, " sin", a.is_sine_above), ha="left"),
            EndName(waves, "C6", lambda a: (*a.cosine, " cos", not a.is_sine_above), ha="left"),
        ]
        # Dots for pos and rings for pos + k, so that neither hides the other.
        dots = Curve(waves, "C0o", "marks[0]", marks=1.2)
        rings = Ring(waves, "C1o", "marks[1]", edge=1 / 3, marks=1.8)
        return [*lines, *names, dots, rings, Ring(dial, "C2o", "moved", edge=1 / 5, marks=1.6)]

    def caption(self, arrays: Arrays) -> str:
        position, offset = arrays.position, arrays.offset
        return (
            f"M rotates the hand of pair {arrays.pair} by {number(arrays.angle)} radians: from "
            f"position {position} to position {position + offset}."
        )
