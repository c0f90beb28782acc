"""One 2 × 2 matrix M for most encodings: the score is qᵀ exp(d·M) k at distance d."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import choice, real
from posviz.pictures.parts import Curve, Limits, legend_above, wide, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

Q, K = np.array([1.0, 1.0]), np.array([0.5, 0.5])
FURTHEST = 64  # tokens
DISTANCES = np.arange(FURTHEST + 1)
ALONG = np.linspace(0, FURTHEST, 8 * FURTHEST + 1)
LEFT, RIGHT, TOP = -0.1, 0.02, 1.0  # the ends of both parts
HEAD_DIM = 64  # of the released encodings' eigenvalues
STEPS = 1.0, 3.0, 10.0, 30.0  # the ends of the axis of scores
TWO, DOUBLE = "a ± iω", "Jordan block"


class OneMatrix(Picture):
    """NoPE, decay, RoPE, xPos and ALiBi are one matrix, at different eigenvalues."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.6)
    combined = (("real_part", "imaginary_part"), ("real_part", "matrix"))

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
        double = self.matrix == DOUBLE
        omega = 0.0 if double else self.imaginary_part
        return self.arrays(
            eigenvalues=np.array([complex(self.real_part, omega), complex(self.real_part, -omega)]),
            scores=self._scores(DISTANCES),
            curve=self._scores(ALONG),
            bound=np.exp(self.real_part * ALONG),
        )

    def _scores(self, distances):
        """qᵀ exp(d·M) k [distances], of either kind in closed form."""
        fade = np.exp(self.real_part * distances)
        if self.matrix == DOUBLE:  # exp(d·M) = e^(a·d) [[1, −2m·d], [0, 1]]
            return fade * (Q @ K - 2 * self.slope * distances * Q[0] * K[1])
        cos, sin = np.cos(self.imaginary_part * distances), np.sin(self.imaginary_part * distances)
        return fade * (cos * (Q @ K) + sin * (Q[1] * K[0] - Q[0] * K[1]))

    def draw(self, figure: Figure) -> list:
        """The plane of eigenvalues with what lies where; beside it, or below, the scores."""
        shape = (1, 2) if wide(figure) else (2, 1)
        plane, row = figure.subplots(*shape)
        released = _draw_regions(plane)
        pair = Curve(
            plane, "C0o", lambda a: (a.eigenvalues.real, a.eigenvalues.imag), "a ± iω", marks=1.8
        )
        zero(row)
        row.set(xlim=(-1, FURTHEST + 1), xticks=range(0, FURTHEST + 1, 16), ylabel="score")
        row.set(xlabel="distance d (tokens)", title="qᵀ exp(dM) k")
        bound = Curve(row, "C6--", lambda a: (ALONG, a.bound), "e^(a·d)")
        under = Curve(row, "C6--", lambda a: (ALONG, -a.bound))
        curve = Curve(row, "C0-", lambda a: (ALONG, a.curve), stroke=0.7)
        score = Curve(row, "C0.", lambda a: (DISTANCES, a.scores), "score")
        fit = Limits(row, lambda a: {"ylim": _ends(a)})
        row.yaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
        legend_above(figure, [pair, *released, score, bound], narrow=3)
        return [pair, fit, bound, under, curve, score]

    def dragged(self, x: float, y: float) -> dict:
        """The eigenvalue goes with the pointer, its twin mirrors it; a double one stays real."""
        turn = {} if self.matrix == DOUBLE else {"imaginary_part": abs(y)}
        return {"real_part": x} | turn

    def caption(self, arrays: Arrays) -> str:
        """Which encoding this is, and the score near and far."""
        near, far = (signed(arrays.scores[d], "z.3f") for d in (1, FURTHEST))
        return (
            f"{_named(arrays)}; the score is 1 at distance 0, {near} at 1 and {far} at "
            f"{FURTHEST} (T5, FIRE and CoPE have no such matrix)."
        )


def _draw_regions(plane):
    """What lies on each side of the plane, on its axes and at 0; return two encodings’ pairs."""
    grows = Rectangle((0, -2), 1, 4, facecolor="C6", alpha=0.25, linewidth=0, zorder=0)
    plane.add_patch(grows)
    wide_line = {"linewidth": 2 * rcParams["lines.linewidth"], "alpha": 0.6, "zorder": 1}
    plane.axvline(0, color="C1", **wide_line)
    plane.plot([2 * LEFT, 0], [0, 0], color="C2", linestyle=":", **wide_line)
    speeds = rotary_frequencies(HEAD_DIM, 10_000.0)
    fades = np.log(xpos_scale(1, HEAD_DIM))
    small = {"markersize": rcParams["lines.markersize"] / 2, "linestyle": "none"}
    both = np.concatenate([speeds, -speeds])
    released = [
        *plane.plot(0 * both, both, "C1o", label="RoPE’s pairs", **small),
        *plane.plot(np.tile(fades, 2), both, "C3D", label="xPos’s pairs", **small),
    ]
    plane.set(xlim=(1.05 * LEFT, 1.25 * RIGHT), xticks=(LEFT, LEFT / 2, 0), xlabel="real part a")
    plane.set(ylim=(-1.12 * TOP, 1.12 * TOP), yticks=(-1, 0, 1), ylabel="imaginary part")
    plane.set_title("eigenvalues of M")
    name = {"ha": "center", "va": "center"}
    plane.text(LEFT / 2, 0.55, "xPos: turns\nand fades", **name)
    plane.text(0.96 * LEFT, 0.1, "decay", **name | {"ha": "left"})
    plane.text(-0.006, 0.97, "RoPE", **name | {"ha": "right"})
    plane.text(RIGHT * 0.62, -0.6, "grows", rotation=90, **name)
    plane.text(-0.006, -0.16, "0: NoPE; double: ALiBi", **name | {"ha": "right"})
    return released


def _ends(arrays):
    """The ends of the axis of scores, alike: they stand still while the curve moves a little."""
    most = max(abs(arrays.curve).max(), 1)
    end = 1.1 * next(step for step in STEPS if step >= most - 1e-9)
    return -end, end


def _named(arrays):
    """The encoding whose matrix this is, with what its eigenvalues mean in tokens."""
    a, omega = arrays.real_part, arrays.eigenvalues[0].imag
    where = f"{signed(a, 'g')} ± {omega:g}i" if omega else f"{signed(a, 'g')}, twice"
    parts = []
    if omega:
        parts.append(f"a turn every {2 * np.pi / omega:.1f} tokens")
    if arrays.matrix == DOUBLE and arrays.slope:
        where += " (Jordan block)"
        parts.append(f"a line of slope −{arrays.slope:g}")
    if a:
        times = "halved" if a < 0 else "doubled"
        parts.append(f"{times} every {np.log(2) / abs(a):.1f} tokens")
    return f"Eigenvalues {where}, {_encoding(arrays)}: {', '.join(parts) or 'nothing changes'}"


def _encoding(arrays):
    a, omega = arrays.real_part, arrays.eigenvalues[0].imag
    if a > 0:
        return "which grows, as no encoding does"
    if arrays.matrix == DOUBLE and arrays.slope:
        return "a line that fades" if a else "ALiBi’s bias"
    if omega:
        return "as in xPos" if a else "as in RoPE"
    return "decay alone" if a else "NoPE"
