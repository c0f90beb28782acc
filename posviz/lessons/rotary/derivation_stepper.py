"""Derivations line by line, each line beside its value."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from posviz.lessons.rotary._derivations import DERIVATIONS, lines_of, steps_of, value_text
from posviz.pictures.knobs import choice, integer
from posviz.pictures.parts import Background, Curve, Other, Ring, broken, inches, legend_above, wide
from posviz.pictures.picture import Arrays, Picture

# Red that is read on a light background and on a dark one; a cross and a word say it, too.
WRONG = {"light": "#cc3311", "dark": "#ff7a66"}


class DerivationStepper(Picture):
    """Derivations line by line, each line beside its value."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.5)

    derivation = choice("matrices", options=tuple(DERIVATIONS), redraw=True)
    version = choice("right", options=("right", "with a mistake"), redraw=True)
    line = integer(5, low=1, high=10, until=lambda p: len(p.lines()), play=True)
    query = integer(7, low=0, high=50, play=True, label="query position i")

    def compute(self) -> Arrays:
        """Return what each line shown says, and its points as x and y: the value and the row.

        A complex value has two points. The key is at position 4, and θ is 0.5 radians per token.
        """
        lines = self.lines()
        steps = steps_of(lines, self.query)[: self.line]
        points = [
            (row, left, right, step.follows, step.left is not None and step.line.left is None)
            for row, step in enumerate(steps)
            for left, right in zip(_entries(step.left), _entries(step.right), strict=False)
        ]
        row, left, right, *which = np.array(points, float).T
        follows, goes_on = np.array(which, bool)
        reached = ~np.isnan(left)
        return self.arrays(
            lines=len(lines),
            why=steps[-1].line.why,
            values=[step.value for step in steps],
            off=["" if step.follows else value_text(step.residual) for step in steps],
            dots=(right[follows], row[follows]),
            rings=(left[reached], row[reached]),
            crosses=(right[~follows], row[~follows]),
            threads=_strokes((left, row - 1), (left, row), goes_on),
            gaps=_strokes((left, row), (right, row), ~follows),
        )

    def lines(self):
        """The lines of the version that is chosen."""
        return lines_of(self.derivation, self.version != "right")

    def draw(self, figure: Figure) -> list:
        """Numbers, formulas and values at left, the values on a common axis at right."""
        lines = self.lines()
        width, height = 72 * inches(figure)
        # As large as fits beside the values, and in a row: two lines of text, or a formula in one.
        whole = len(lines) > 6 and wide(figure)
        room, tall = (31, 0.36) if whole else (27.5, 0.28)  # in units of the font size; of a row
        most = (0.77 if wide(figure) else 0.82) * width / room
        size = min(1.5 * rcParams["font.size"], most, tall * height / len(lines))
        share = room * size / width
        words, plot = figure.subplots(1, 2, sharey=True, width_ratios=(share, 1 - share))
        words.set(xlim=(0, room), ylim=(len(lines) - 0.5, -0.5), xticks=(), yticks=())
        for spine in (*words.spines.values(), plot.spines["left"]):
            spine.set_visible(False)
        for row in range(len(lines)):
            words.text(1, row, str(row + 1), ha="right", va="center", size=size, zorder=1)
            for axes in (words, plot) if row else ():
                thin = rcParams["axes.linewidth"]
                axes.axhline(row - 0.5, color=rcParams["grid.color"], lw=thin, zorder=0)
        plot.tick_params(axis="y", left=False)
        plot.set(xlabel="value", xlim=(-3.5, 3.5), xticks=(-3, 0, 3))
        formulas = [line.formula.replace("\n", " " if whole else "$\n   $") for line in lines]
        texts = [
            part for row, each in enumerate(formulas) for part in _texts(words, row, each, size)
        ]
        red = {"color": _wrong(), "marks": 1.4}
        rings = Ring(plot, "C0o", "rings", "what it must equal", edge=0.2, marks=1.7)
        dots = Curve(plot, "C0o", "dots", "this line")
        crosses = Curve(plot, "X", "crosses", "does not follow", **red)
        threads = [Curve(plot, "C6-", "threads", stroke=0.5), Curve(plot, ":", "gaps", **red)]
        handles = [rings, dots, crosses]
        legend_above(figure, handles, columnspacing=1.0, handletextpad=0.2)
        return [*texts, *threads, dots, rings, crosses]

    def caption(self, arrays: Arrays) -> str:
        count, off = len(arrays.values), arrays.off[-1]
        return (
            f"Line {count} of {arrays.lines} ({arrays.why}) is {arrays.values[-1]} at i = "
            f"{arrays.query} and j = 4, and {f'is off by {off}' if off else 'follows'}."
        )


def _texts(words, row, formula, size):
    """The formula of a line and its value, both red where the line does not follow."""
    colours = {False: rcParams["text.color"], True: _wrong()}
    text = words.text(1.8, row, f"${formula}$", va="center", size=size, zorder=1)
    right = {"ha": "right", "va": "center", "size": size, "animated": True, "in_layout": False}
    value = words.text(words.get_xlim()[1], row, "", linespacing=1.0, **right)  # between the rules
    return [
        Background(
            lambda look: text.set(**look),
            lambda a: {"visible": row < len(a.values), "color": colours[any(a.off[row : row + 1])]},
        ),
        Other(
            value,
            lambda a: {"text": _said(a, row), "color": colours[any(a.off[row : row + 1])]},
        ),
    ]


def _said(arrays, row):
    """A value, and below it by how much it is off; nothing for a line not yet reached."""
    if row >= len(arrays.values):
        return ""
    return arrays.values[row] + f"\n✗ off by {arrays.off[row]}" * bool(arrays.off[row])


def _wrong():
    background = sum(to_rgb(rcParams["axes.facecolor"])) / 3
    return WRONG["light" if background > 0.5 else "dark"]


def _entries(value):
    """The one or two numbers that are shown of a value; none is known of no value."""
    if value is None:
        return [np.nan]
    return [value.real, value.imag] if np.iscomplexobj(value) else [value]


def _strokes(starts, ends, which):
    """Lines from points to points, so many of them, as x and y."""
    return broken(np.stack([np.transpose(starts), np.transpose(ends)], axis=1)[which])
