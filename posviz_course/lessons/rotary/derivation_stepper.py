"""Derivations line by line, each line beside its value."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Background, Curve, Other, Ring, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons.rotary._derivations import DERIVATIONS, lines_of, steps_of, value_text

# Red that is read on a light background and on a dark one, beside a cross and a word.
WRONG = {"light": "#cc3311", "dark": "#ff7a66"}
FOLLOWS = "every line follows: each dot is in its ring"


class DerivationStepper(Picture):
    """Line by line: RoPE's score depends on the offset alone."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.5)

    derivation = Choice("matrices", options=tuple(DERIVATIONS), redraw=True)
    version = Choice("right", options=("right", "with a mistake"), redraw=True)
    line = Integer(5, low=1, high=6, until=lambda p: len(p.lines()), play=True)
    query = Integer(7, low=0, high=50, play=True, label="query position i")

    def compute(self) -> Arrays:
        """Return the words of each shown line, and its points as x and y: the value and the row.

        A complex value has two points. The key is at position 4, and θ is 0.5 radians per token.
        """
        lines = self.lines()
        steps = steps_of(lines, self.query)[: self.line]
        points = [
            (row, left, right, step.follows)
            for row, step in enumerate(steps)
            for left, right in zip(_entries(step.left), _entries(step.right), strict=False)
        ]
        row, left, right, follows = np.array(points, float).T
        follows, reached = follows == 1, ~np.isnan(left)
        values = [value_text(step.right) for step in steps]
        off = ["" if step.follows else f"off by {value_text(step.residual)}" for step in steps]
        later = [""] * (len(lines) - len(steps))
        return self.arrays(
            last=(steps[-1].line.why, values[-1], off[-1]),
            values=[*values, *later],
            off=[*off, *later],
            dots=(right[follows], row[follows]),
            rings=(left[reached], row[reached]),
            crosses=(right[~follows], row[~follows]),
        )

    def lines(self):
        """The lines of the version that is chosen."""
        return lines_of(self.derivation, self.version != "right")

    def draw(self, figure: Figure) -> list:
        """Numbers, formulas and values at left, the values on a common axis at right."""
        lines = self.lines()
        width, height = 72 * inches(figure)
        # As large as fits beside the values, and two lines of text in a row.
        room = 27.5  # in units of the font size
        most = (0.77 if wide(figure) else 0.82) * width / room
        size = min(1.5 * rcParams["font.size"], most, 0.26 * height / len(lines))
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
        texts = [
            part
            for row, line in enumerate(lines)
            for part in _texts(words, row, line.formula.replace("\n", "$\n   $"), size)
        ]
        rings = Ring(plot, "C0o", "rings", edge=0.2, marks=1.7)
        dots = Curve(plot, "C0o", "dots")
        crosses = Curve(plot, "X", "crosses", "does not follow", color=_wrong(), marks=1.4)
        verdict = Background(lambda look: words.set_title(**look), _verdict)
        words.set_title(FOLLOWS, weight="bold")
        return [*texts, dots, rings, crosses, verdict]

    def caption(self, arrays: Arrays) -> str:
        why, value, off = arrays.last
        return (
            f"Line {arrays.line} of {len(arrays.values)} ({why}) is {value} at i = "
            f"{arrays.query} and j = 4, and {f'is {off}' if off else 'follows'}."
        )


def _verdict(arrays):
    """Which line is the first that does not follow."""
    wrong = [row for row, off in enumerate(arrays.off, 1) if off]
    said = f"line {wrong[0]} does not follow" if wrong else FOLLOWS
    return {"label": said, "color": _wrong() if wrong else "C0"}


def _texts(words, row, formula, size):
    """The formula of a line and its value, both red where the line does not follow."""
    ink, red = rcParams["text.color"], _wrong()
    text = words.text(1.8, row, f"${formula}$", va="center", size=size, zorder=1)
    right = {"ha": "right", "va": "center", "size": size, "animated": True, "in_layout": False}
    value = words.text(words.get_xlim()[1], row, "", linespacing=1.0, **right)  # between the rules

    def formula_look(arrays):
        return {"visible": row < arrays.line, "color": red if arrays.off[row] else ink}

    def value_look(arrays):
        if off := arrays.off[row]:
            return {"text": f"{arrays.values[row]}\n✗ {off}", "color": red}
        return {"text": arrays.values[row], "color": ink}

    return [Background(lambda props: text.set(**props), formula_look), Other(value, value_look)]


def _wrong():
    background = sum(to_rgb(rcParams["axes.facecolor"])) / 3
    return WRONG["light" if background > 0.5 else "dark"]


def _entries(value):
    """The one or two numbers that are shown of a value; none is known of no value."""
    if value is None:
        return [np.nan]
    return [value.real, value.imag] if np.iscomplexobj(value) else [value]
