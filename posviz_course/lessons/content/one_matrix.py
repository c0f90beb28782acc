"""One 2 × 2 matrix A for most encodings: at distance d the key is multiplied d times by A."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from posviz.pictures.knobs import Choice, Integer, Real
from posviz.pictures.parts import Curve, Rule, Text, circle, legend_above, wide, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons._hues import hue

FURTHEST, SLOPE = 64, 0.03  # tokens; ALiBi's
DISTANCES = np.arange(FURTHEST + 1)
ALONG = np.linspace(0, FURTHEST, 8 * FURTHEST + 1)
LEFT, TOP = -0.1, 1.0  # the ends of a and ω
TWO, SHEAR = "rotate and shrink", "shear"


class OneMatrix(Picture):
    """NoPE, decay, RoPE and xPos: one matrix, applied once per token."""

    size = (8.0, 3.2)
    paper_size = (3.3, 4.6)

    real_part = Real(
        -0.02, low=LEFT, high=0, step=0.002, label="a (shrinks)", when={"matrix": (TWO,)}
    )
    imaginary_part = Real(
        0.3, low=0, high=TOP, step=0.02, label="ω (rotates)", when={"matrix": (TWO,)}
    )
    matrix = Choice(TWO, options=(TWO, SHEAR), label="matrix A")
    distance = Integer(4, low=0, high=FURTHEST, play=True, label="distance d")

    def compute(self) -> Arrays:
        """Return a and ω, the key Aᵈk at DISTANCES and ALONG, and its height, the score.

        A is e^a · [[cos ω, −sin ω], [sin ω, cos ω]] and k is (0, 1), or A is [[1, 0], [−m, 1]] and
        k is (1, 1); q is (0, 1), so that the score is 1 at distance 0.
        """
        is_shear = self.matrix == SHEAR
        keys, path = self._keys(DISTANCES), self._keys(ALONG)
        x, y = keys[self.distance]
        return self.arrays(
            # A shear neither rotates nor shrinks: its eigenvalues are NoPE's.
            point=([0], [0]) if is_shear else ([self.real_part], [self.imaginary_part]),
            at_zero="ALiBi" if is_shear else "NoPE",
            keys=keys.T,
            path=path.T,
            arrow=([0, x], [0, y]),
            scores=(DISTANCES, keys[:, 1]),
            curve=(ALONG, path[:, 1]),
            now=([self.distance], [y]),
            height=y,
        )

    def _keys(self, distances):
        """Aᵈ k [distances, 2], in closed form."""
        if self.matrix == SHEAR:
            return np.stack([np.ones(len(distances)), 1 - SLOPE * distances], axis=-1)
        length, angle = np.exp(self.real_part * distances), self.imaginary_part * distances
        return length[:, None] * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)

    def draw(self, figure: Figure) -> list:
        """The plane of a and ω; where the key goes, token by token; and its height, the score."""
        if wide(figure):
            plane, keys, row = figure.subplots(1, 3, width_ratios=(1, 1, 1.25))
            row.set_box_aspect(1 / 1.25)  # as high as the key's panel
        else:
            panels = figure.subplot_mosaic("ab;cc", height_ratios=(1, 1))
            plane, keys, row = panels.values()
        _draw_regions(plane)
        point = Curve(plane, "C0o", "point", marks=1.8)
        at_zero = Text(plane, -0.006, 0.06, "at_zero", ha="right", va="center")
        circle(keys)
        keys.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal", title="the key, Aᵈ k")
        zero(row)
        row.set(xlim=(-1, FURTHEST + 1), xticks=range(0, FURTHEST + 1, 16), ylim=(-1.15, 1.15))
        row.set(xlabel="distance d (tokens)", title="score = its height")
        for axes in (keys, row):
            axes.set_yticks((-1, 0, 1))
        keys.xaxis.set_major_locator(MultipleLocator(1))
        level = {"color": "C6", "linestyle": ":"}
        levels = [Rule(axes, level, "height", upright=False) for axes in (keys, row)]
        path = Curve(keys, "C0-", "path", stroke=0.7)
        steps = Curve(keys, "C0.", "keys", "each token between", marks=0.9)
        arrow = Curve(keys, "C3-", "arrow", "key at distance d", stroke=1.6)
        tip = Curve(keys, "C3o", lambda a: tuple(ends[1:] for ends in a.arrow), marks=1.4)
        curve, score = Curve(row, "C0-", "curve", stroke=0.7), Curve(row, "C0.", "scores")
        now = Curve(row, "C3o", "now", marks=1.4)
        legend_above(figure, [steps, arrow])
        return [point, at_zero, *levels, path, steps, arrow, tip, curve, score, now]

    def dragged(self, x: float, y: float) -> dict:
        """The point goes with the pointer; that of a shear stays at 0."""
        return {} if self.matrix == SHEAR else {"real_part": x, "imaginary_part": abs(y)}

    def caption(self, arrays: Arrays) -> str:
        a, omega = arrays.real_part, arrays.imaginary_part
        now = f"at distance {arrays.distance} the score is {signed(arrays.height, 'z.2f')}"
        if arrays.matrix == SHEAR:
            return f"ALiBi: the key goes down by {SLOPE} for each token, and {now}."
        told = []
        if omega:
            told.append(f"a full rotation takes {2 * np.pi / omega:.0f} tokens")
        if a:
            told.append(f"the key is halved every {np.log(2) / -a:.0f} tokens")
        kind = ("xPos" if a else "RoPE") if omega else ("decay alone" if a else "NoPE")
        return f"{kind}: {', '.join(told) or 'the key stays where it is'}, and {now}."


def _draw_regions(plane):
    """Which encoding lies where: on an axis, beside them, or at 0."""
    wide_line = {"linewidth": 2 * rcParams["lines.linewidth"], "alpha": 0.6, "zorder": 1}
    plane.axvline(0, color=hue("RoPE"), **wide_line)
    plane.plot([2 * LEFT, 0], [0, 0], color="C6", linestyle=":", **wide_line)
    plane.set(xlim=(1.06 * LEFT, -0.06 * LEFT), xticks=(LEFT, LEFT / 2, 0), xlabel="a: shrinks")
    plane.set(ylim=(-0.08 * TOP, 1.08 * TOP), yticks=(0, 0.5, 1), ylabel="ω: rotates")
    plane.set_box_aspect(1)
    plane.set_title("● the matrix A", color="C0")
    plane.axvspan(1.06 * LEFT, 0, color=hue("xPos"), alpha=0.15, linewidth=0)
    for x, y, name, side, color in (
        (0.55 * LEFT, 0.6, "xPos", "center", hue("xPos")),
        (0.96 * LEFT, 0.06, "decay", "left", "C6"),
        (-0.006, 0.93, "RoPE", "right", hue("RoPE")),  # in the colours of their lines
    ):
        plane.text(x, y, name, ha=side, va="center", color=color)
