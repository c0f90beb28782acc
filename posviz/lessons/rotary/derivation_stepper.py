"""Derivations line by line, each line beside its value."""

import re
from itertools import compress

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from posviz.lessons.rotary.derivations.chain import Line, value_text
from posviz.lessons.rotary.derivations.rotary import DERIVATIONS, derive
from posviz.lessons.rotary.derivations.typeset import typeset
from posviz.pictures.knobs import choice, even, integer, real
from posviz.pictures.parts import Background, Curve, Other, Ring, broken, legend_above, wide
from posviz.pictures.picture import Arrays, Picture

VERSIONS = ("right", "slip", "other slip")
MOST_LINES = max(len(derivation.lines) for derivation in DERIVATIONS.values())
WORDS = 27.5  # what a number, a formula and its value need, in units of their font size
WHOLE_WORDS = 31  # what they need where no formula is broken in two
BROKEN = 6  # so many lines at most leave room for two lines of text in each
# Red that is read on a light background and on a dark one; a cross and a word say it, too.
WRONG = {"light": "#cc3311", "dark": "#ff7a66"}
LIMIT = 4.8  # just above |q| |k| at the ends of their knobs


def _using(quantity):
    """The derivations into which a quantity enters."""
    return {"derivation": [name for name, each in DERIVATIONS.items() if quantity in each.uses]}


class DerivationStepper(Picture):
    """Derivations line by line, each line beside its value."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.5)
    combined = (("line", "version"),)

    derivation = choice("matrices", options=tuple(DERIVATIONS), restarts=("line",), redraw=True)
    version = choice("slip", options=VERSIONS, redraw=True)
    line = integer(5, low=1, high=MOST_LINES, until=lambda p: len(p.lines()), play=True)
    m = integer(7, low=0, high=50, when=_using("m"), play=True, label="query position m")
    n = integer(4, low=0, high=50, when=_using("n"), label="key position n")
    inv_freq = real(0.5, low=0.0, high=1.0, step=0.01, when=_using("inv_freq"), label="inv_freq θ")
    q0 = real(1.0, low=-1.5, high=1.5, step=0.1, when=_using("q"), label="q₀")
    q1 = real(0.5, low=-1.5, high=1.5, step=0.1, when=_using("q"), label="q₁")
    k0 = real(0.3, low=-1.5, high=1.5, step=0.1, when=_using("k"), label="k₀")
    k1 = real(1.2, low=-1.5, high=1.5, step=0.1, when=_using("k"), label="k₁")
    head_dim = even(8, low=4, high=64, when=_using("head_dim"), label="head_dim d")

    def compute(self) -> Arrays:
        """What each line shown says, and its points, [points, 2] as (value, row)."""
        asked = ((self.q0, self.q1), (self.k0, self.k1))
        q, k = (pair if any(pair) else (0.1, 0.0) for pair in asked)
        derived = derive(
            self.derivation,
            slip=_slip(self.derivation, self.version),
            q=q,
            k=k,
            m=self.m,
            n=self.n,
            inv_freq=self.inv_freq,
            head_dim=self.head_dim,
        )
        steps = derived.steps[: self.line]
        return self.arrays(
            setting=derived.setting,
            without_length=any(
                not any(pair) and name in DERIVATIONS[self.derivation].uses
                for name, pair in zip("qk", asked, strict=True)
            ),
            lines=len(derived.steps),
            why=steps[-1].line.why,
            follows=[step.follows for step in steps],
            values=[step.value for step in steps],
            residuals=[step.residual for step in steps],
            goes_on=[step.left is not None and step.line.left is None for step in steps],
            lefts=[_points(step.left, row) for row, step in enumerate(steps)],
            rights=[_points(step.right, row) for row, step in enumerate(steps)],
            tolerances=[step.tolerance for step in steps],
            title=DERIVATIONS[self.derivation].title,
        )

    def lines(self) -> tuple[Line, ...]:
        """The lines of the version that is chosen."""
        slip, chosen = _slip(self.derivation, self.version), DERIVATIONS[self.derivation]
        return chosen.slips[slip] if slip else chosen.lines

    def draw(self, figure: Figure) -> list:
        """Numbers, formulas and values at left, the values on a common axis at right."""
        lines = self.lines()
        width, height = 72 * figure.get_size_inches()
        # As large as fits beside the values, and in a row: two lines of text, or a formula in one.
        whole = len(lines) > BROKEN and wide(figure)
        room, tall = (WHOLE_WORDS, 0.36) if whole else (WORDS, 0.28)
        most = (0.77 if wide(figure) else 0.82) * width / room
        size = min(1.5 * rcParams["font.size"], most, tall * height / len(lines))
        share = room * size / width
        words, plot = figure.subplots(1, 2, sharey=True, width_ratios=(share, 1 - share))
        words.set(xlim=(0, room), ylim=(len(lines) - 0.5, -0.5), xticks=(), yticks=())
        for spine in (*words.spines.values(), plot.spines["left"]):
            spine.set_visible(False)
        thin = rcParams["axes.linewidth"]
        for row in range(len(lines)):
            words.text(1, row, str(row + 1), ha="right", va="center", size=size, zorder=1)
            for axes in (words, plot) if row else ():
                axes.axhline(row - 0.5, color=rcParams["grid.color"], lw=thin, zorder=0)
        said = [line.formula for line in lines]
        if whole:
            said = [re.sub(r"\s*\n\s*", " ", formula) for formula in said]
        formulas, values = _texts(words, said, size)
        plot.tick_params(axis="y", left=False)
        plot.set_xlabel("value")
        if self.derivation == "frequencies":
            plot.set(xscale="log", xlim=(1e-9, 5), xticks=(1e-8, 1e-4, 1))
        else:
            plot.set(xlim=(-LIMIT, LIMIT), xticks=(-4, 0, 4))
        *threads, dots, rings, crosses = _threads_and_points(plot)
        handles = [rings, dots, crosses]
        legend_above(figure, handles, columnspacing=1.0, handletextpad=0.2)
        return [*formulas, *values, *threads, dots, rings, crosses]

    def caption(self, arrays: Arrays) -> str:
        """Which line is reached and why it follows, or by how much it does not."""
        asked = f"{arrays.beyond['line']} was asked; " if arrays.beyond else ""
        count = len(arrays.values)
        wrong = [row for row in range(count) if not arrays.follows[row]]
        held = ", where 0.1 stands for a vector without length" if arrays.without_length else ""
        if wrong:
            off = value_text(arrays.residuals[wrong[0]])
            said = f"line {wrong[0] + 1} does not follow and is off by {off}"
        else:
            said = "every line so far follows"
        return (
            f"{arrays.title}, line {count} of {arrays.lines} ({asked}{arrays.why}): "
            f"{arrays.values[-1]}, and {said} at {arrays.setting}{held}."
        )


def _slip(derivation, version):
    """The name of the slip that a version of the derivation has, or None."""
    return (None, *DERIVATIONS[derivation].slips)[VERSIONS.index(version)]


def _texts(words, said, size):
    """Formulas and values of the lines so far; those that do not follow are red."""
    colours = _wrong(), rcParams["text.color"]

    def formula(row, plain):
        text = words.text(1.8, row, typeset(plain), va="center", size=size, zorder=1)
        return Background(
            lambda look: text.set(**look),
            lambda a: {"visible": row < len(a.values), "color": colours[_right(a, row)]},
        )

    formulas = [formula(row, plain) for row, plain in enumerate(said)]
    right = {"ha": "right", "va": "center", "size": size, "animated": True, "in_layout": False}
    right["linespacing"] = 1.0  # two lines stand between the rules
    values = [
        Other(
            words.text(words.get_xlim()[1], row, "", **right),
            lambda a, row=row: {"text": _said(a, row), "color": colours[_right(a, row)]},
        )
        for row in range(len(said))
    ]
    return formulas, values


def _threads_and_points(plot):
    """Threads from line to line, rings where a line must be, dots or crosses where it is."""
    red = {"color": _wrong(), "marks": 1.4}
    return [
        Curve(plot, "C6-", _threads, stroke=1 / 2),
        Curve(plot, ":", _gaps, **red),
        Curve(plot, "C0o", lambda a: _joined(a.rights)[~_aside(a)].T, "this line"),
        Ring(plot, "C0o", lambda a: _joined(a.lefts).T, "what it must equal", edge=0.2, marks=1.7),
        Curve(plot, "X", lambda a: _joined(a.rights)[_aside(a)].T, "does not follow", **red),
    ]


def _wrong():
    background = sum(to_rgb(rcParams["axes.facecolor"])) / 3
    return WRONG["light" if background > 0.5 else "dark"]


def _points(value, row):
    """The entries of a value as points in a row, [entries, 2]; none for no value."""
    if value is None:
        return np.empty((0, 2))
    entries = np.array([value.real, value.imag]) if np.iscomplexobj(value) else np.ravel(value)
    return np.stack([entries, np.full(len(entries), row)], axis=1)


def _threads(arrays):
    """Links from a line to the next where that continues from its value."""
    ends = _joined(compress(arrays.lefts, arrays.goes_on))
    return broken(np.stack([ends - (0, 1), ends], axis=1))


def _gaps(arrays):
    """From where a line that does not follow must be to where it is."""
    wrong = np.logical_not(arrays.follows)
    ends = [_joined(compress(points, wrong)) for points in (arrays.lefts, arrays.rights)]
    return broken(np.stack(ends, axis=1))


def _aside(arrays):
    """Which of the points, row after row, stand aside from where they must be."""
    return np.concatenate(
        [
            np.zeros(len(right), bool) if follows else np.abs(right - left).max(axis=1) > tolerance
            for right, left, follows, tolerance in zip(
                arrays.rights, arrays.lefts, arrays.follows, arrays.tolerances, strict=True
            )
        ]
    )


def _joined(points):
    return np.concatenate([np.empty((0, 2)), *points])


def _right(arrays, row):
    return row >= len(arrays.follows) or arrays.follows[row]


def _said(arrays, row):
    """A value, and below it by how much it is off; nothing for a line not yet reached."""
    if row >= len(arrays.values):
        return ""
    fault = f"\n✗ off by {value_text(arrays.residuals[row])}"
    return arrays.values[row] + fault * (not arrays.follows[row])
