"""One 2 × 2 matrix M for most encodings: the score is qᵀ exp(d·M) k at distance d."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import choice, real
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Limits, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

FURTHEST = 64  # tokens
DISTANCES = np.arange(FURTHEST + 1)
ALONG = np.linspace(0, FURTHEST, 8 * FURTHEST + 1)
LEFT, RIGHT, TOP = -0.1, 0.02, 1.0  # the ends of both parts
TWO, DOUBLE = "a ± iω", "Jordan block"


class OneMatrix(Picture):
    """NoPE, decay, RoPE, xPos and ALiBi are one matrix, at different eigenvalues."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.6)

    real_part = real(-0.02, low=LEFT, high=RIGHT, step=0.002, play=True, label="real part a")
    imaginary_part = real(
        0.3, low=0, high=TOP, step=0.02, label="imaginary part ω", when={"matrix": (TWO,)}
    )
    matrix = choice(TWO, options=(TWO, DOUBLE), label="eigenvalues")
    slope = real(0.05, low=0, high=0.1, step=0.005, label="slope m", when={"matrix": (DOUBLE,)})

    def compute(self) -> Arrays:
        """Return the eigenvalues [2], the scores at DISTANCES and ALONG, and their bound ALONG.

        Of two eigenvalues M is [[a, −ω], [ω, a]], of a double one [[a, −2m], [0, a]]; q is
        (1, 1) and k (½, ½), so that the score is 1 at distance 0.
        """
        omega = 0.0 if self.matrix == DOUBLE else self.imaginary_part
        bound, curve = np.exp(self.real_part * ALONG), self._scores(ALONG)
        # The ends of the axis, alike: they stand still while the curve moves a little.
        end = next(step for step in (1, 3, 10, 30) if step >= abs(curve).max() - 1e-9)
        return self.arrays(
            eigenvalues=np.array([complex(self.real_part, omega), complex(self.real_part, -omega)]),
            scores=(DISTANCES, self._scores(DISTANCES)),
            curve=(ALONG, curve),
            bound=(ALONG, bound),
            below=(ALONG, -bound),
            room=(-1.1 * end, 1.1 * end),
        )

    def _scores(self, distances):
        """qᵀ exp(d·M) k [distances], of either kind in closed form."""
        fade = np.exp(self.real_part * distances)
        if self.matrix == DOUBLE:  # exp(d·M) = e^(a·d) [[1, −2m·d], [0, 1]]
            return fade * (1 - self.slope * distances)
        return fade * np.cos(self.imaginary_part * distances)

    def draw(self, figure: Figure) -> list:
        """The plane of eigenvalues with what lies where; beside it, or below, the scores."""
        plane, row = beside(figure)
        released = _draw_regions(plane)
        pair = Curve(
            plane, "C0o", lambda a: (a.eigenvalues.real, a.eigenvalues.imag), TWO, marks=1.8
        )
        zero(row)
        row.set(xlim=(-1, FURTHEST + 1), xticks=range(0, FURTHEST + 1, 16), ylabel="score")
        row.set(xlabel="distance d (tokens)", title="qᵀ exp(dM) k")
        bound, under = Curve(row, "C6--", "bound", "e^(a·d)"), Curve(row, "C6--", "below")
        curve, score = Curve(row, "C0-", "curve", stroke=0.7), Curve(row, "C0.", "scores", "score")
        row.yaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
        legend_above(figure, [pair, *released, score, bound], narrow=3)
        return [pair, Limits(row, lambda a: {"ylim": a.room}), bound, under, curve, score]

    def dragged(self, x: float, y: float) -> dict:
        """The eigenvalue goes with the pointer, its twin mirrors it; a double one stays real."""
        up = {} if self.matrix == DOUBLE else {"imaginary_part": abs(y)}
        return {"real_part": x} | up

    def caption(self, arrays: Arrays) -> str:
        """Which encoding this is, and how fast its score rotates and fades, in tokens."""
        a, omega = arrays.real_part, arrays.eigenvalues[0].imag
        is_line = arrays.matrix == DOUBLE and arrays.slope > 0
        told = []
        if is_line:
            told.append(f"the score falls by {arrays.slope:g} for each token")
        if omega:
            told.append(f"a full rotation takes {2 * np.pi / omega:.1f} tokens")
        if a:
            times = "halved" if a < 0 else "doubled"
            told.append(f"the score is {times} every {np.log(2) / abs(a):.1f} tokens")
        kind = "decay alone" if a else "NoPE"
        if is_line:
            kind = "a line that fades" if a else "ALiBi"
        elif omega:
            kind = "xPos" if a else "RoPE"
        kind = "no encoding, because it grows" if a > 0 else kind
        where = f"{signed(a, 'g')} ± {omega:g}i" if omega else f"{signed(a, 'g')}, twice"
        return f"Eigenvalues {where}: {kind}; {' and '.join(told) or 'the score stays the same'}."


def _draw_regions(plane):
    """What lies on each side of the plane, on its axes and at 0; return two encodings’ pairs."""
    plane.add_patch(Rectangle((0, -2), 1, 4, facecolor="C6", alpha=0.25, linewidth=0, zorder=0))
    wide_line = {"linewidth": 2 * rcParams["lines.linewidth"], "alpha": 0.6, "zorder": 1}
    plane.axvline(0, color="C1", **wide_line)
    plane.plot([2 * LEFT, 0], [0, 0], color="C2", linestyle=":", **wide_line)
    head_dim = 64  # of the released encodings
    frequencies, fades = rotary_frequencies(head_dim, 10_000.0), np.log(xpos_scale(1, head_dim))
    small = {"markersize": rcParams["lines.markersize"] / 2, "linestyle": "none"}
    both = np.concatenate([frequencies, -frequencies])
    plane.set(xlim=(1.05 * LEFT, 1.25 * RIGHT), xticks=(LEFT, LEFT / 2, 0), xlabel="real part a")
    plane.set(ylim=(-1.12 * TOP, 1.12 * TOP), yticks=(-1, 0, 1), ylabel="imaginary part")
    plane.set_title("eigenvalues of M")
    for x, y, name, side in (
        (LEFT / 2, 0.55, "xPos: rotates\nand fades", "center"),
        (0.96 * LEFT, 0.1, "decay", "left"),
        (-0.006, 0.97, "RoPE", "right"),
        (-0.006, -0.16, "0: NoPE; double: ALiBi", "right"),
    ):
        plane.text(x, y, name, ha=side, va="center")
    plane.text(RIGHT * 0.62, -0.6, "grows", rotation=90, ha="center", va="center")
    return [
        *plane.plot(0 * both, both, "C1o", label="RoPE’s pairs", **small),
        *plane.plot(np.tile(fades, 2), both, "C3D", label="xPos’s pairs", **small),
    ]
