"""What rounding the angles costs: a score that should stand still at every position."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.arrays import to_dtype
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.pictures.knobs import choice, integer, log, log_integer
from posviz.pictures.parts import Curve, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM = 64
FURTHEST = 1_000_000
POSITIONS = np.unique(np.geomspace(1, FURTHEST, 241).astype(int))
RANGES = np.arange(0, len(POSITIONS), 4)  # errors jump: of so many neighbours the largest is drawn
SMALLEST, TOLERANCE = 1e-16, 1e-3  # an error of 0 has no logarithm
LOOKS = {  # of each dtype its line, and its marker at the position
    "bfloat16": ("C1-.", "^"),
    "float16": ("C3:", "D"),
    "float32": ("C2--", "s"),
    "float64": ("C0-", "o"),
}


class PrecisionLab(Picture):
    """Why angles belong in float64: the error of one score, wherever its query and key stand."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.9)
    combined = (("position", "rounded"),)

    rounded = choice("angles", options=("angles", "cos and sin"))
    position = log_integer(30_000, low=1, high=FURTHEST, play=True)
    offset = integer(5, low=1, high=100)
    base = log(10_000, low=10, high=1_000_000)
    seed = integer(2, low=0, high=99)

    def compute(self) -> Arrays:
        """Return by dtype |score − exact| at all positions and at the marked one; NaN: overflow."""
        setting = self.rounded, self.offset, self.base, self.seed
        inv_freq = rotary_frequencies(HEAD_DIM, self.base)
        curves = _curves(*setting)
        lines = {name: _line(errors) for name, errors in curves.items()}
        return self.arrays(
            exact=_exact(_products(self.seed), self.offset, inv_freq),
            curves=curves,
            lines=lines,
            overflow=_overflow(lines.values()),
            here={name: error[0] for name, error in _errors([self.position], *setting).items()},
        )

    def draw(self, figure: Figure) -> list:
        """A line and a mark for each dtype on logarithmic axes, and a cross where one overflows."""
        axes = figure.subplots()
        axes.axhline(TOLERANCE, color="C6", linewidth=rcParams["axes.linewidth"])
        curves = [
            Curve(axes, line, lambda a, name=name: a.lines[name], name)
            for name, (line, _) in LOOKS.items()
        ]
        here = Rule(axes, {"color": "C6", "linestyle": ":"}, lambda a: a.position)
        marks = [
            Curve(
                axes,
                line[:2] + marker,
                lambda a, name=name: ([a.position], np.maximum([a.here[name]], SMALLEST)),
            )
            for name, (line, marker) in LOOKS.items()
        ]
        end = Curve(axes, "C3X", lambda a: a.overflow, "overflow", marks=2)
        axes.set(xscale="log", yscale="log", xlim=(0.8, 1.25 * FURTHEST), ylim=(3e-17, 1e3))
        axes.set(xlabel="position of the key (tokens)", ylabel="|score − exact score|")
        for axis, numticks in ((axes.xaxis, 8), (axes.yaxis, 6)):
            axis.set_major_locator(LogLocator(numticks=numticks))
            axis.set_minor_locator(NullLocator())
        legend_above(figure, [*curves, end], ncols=3, columnspacing=1.2, handlelength=1.8)
        return [*curves, here, *marks, end]

    def caption(self, arrays: Arrays) -> str:
        """The errors at the position, and where each dtype is first off by more than 0.001."""
        here = ", ".join(f"{name} {_found(arrays, name)}" for name in LOOKS)
        first = ", ".join(
            f"{name} at {POSITIONS[off[0]]:,}" if len(off) else f"{name} nowhere"
            for name, errors in arrays.curves.items()
            for off in [np.flatnonzero(~(errors <= TOLERANCE))]
        )
        return (
            f"With {arrays.rounded} rounded, the score {arrays.exact:.3f} of a query at "
            f"{arrays.position + arrays.offset:,} and a key at {arrays.position:,} is off by: "
            f"{here}; first off by more than {TOLERANCE}, of {len(POSITIONS)} positions: {first}; "
            f"drawn is the largest of {RANGES[1]} neighbours."
        )


def _line(errors):
    """The largest of neighbours at their first position, as far as there are numbers."""
    largest = np.fmax.reduceat(errors, RANGES)  # NaN where all are
    shown = np.isfinite(largest)
    return POSITIONS[RANGES][shown], np.maximum(largest[shown], SMALLEST)


def _overflow(lines):
    """The last point of a line that ends early."""
    for x, y in lines:
        if len(x) < len(RANGES):
            return x[-1:], y[-1:]
    return [], []


def _found(arrays, name):
    """The error at the position, and why nothing is left of the rotation where it is so."""
    error = arrays.here[name]
    if np.isnan(error):
        return "NaN (overflow)"
    q, k = to_dtype([arrays.position + arrays.offset, arrays.position], name)
    lost = " (both at one place)" if arrays.rounded == "angles" and q == k else ""
    return f"{error:.1e}{lost}"


def _products(seed):
    """Each pair of a random q times the conjugate of k's, [pairs]."""
    q, k = np.random.default_rng(seed).standard_normal((2, HEAD_DIM)).view(complex)
    return q * k.conj()


def _exact(products, offset, inv_freq):
    """The score, which depends on the offset alone."""
    return (np.exp(1j * rotary_angles(offset, inv_freq)) @ products).real


@functools.lru_cache(maxsize=4)
def _curves(*setting):
    return _errors(POSITIONS, *setting)


def _errors(positions, rounded, offset, base, seed):
    """By dtype |score − exact| of one q at positions + offset and one k at positions."""
    inv_freq = rotary_frequencies(HEAD_DIM, base)
    products = _products(seed)
    exact = _exact(products, offset, inv_freq)
    both = np.stack([np.add(positions, offset), positions])
    errors = {}
    for name in LOOKS:
        turn_q, turn_k = _turns(both, inv_freq, name, rounded)
        scores = ((turn_q * turn_k.conj()) @ products).real
        errors[name] = np.abs(scores - exact)
    return errors


def _turns(positions, inv_freq, name, rounded):
    """cos + i·sin of every angle, [..., pairs]: either the angles or the two waves are rounded."""
    if rounded == "cos and sin":
        angles = rotary_angles(positions, inv_freq)
        return to_dtype(np.cos(angles), name) + 1j * to_dtype(np.sin(angles), name)
    factors = to_dtype(positions, name)[..., None], to_dtype(inv_freq, name)
    angles = to_dtype(factors[0] * factors[1], name)
    with np.errstate(invalid="ignore"):  # of an infinite angle
        return np.cos(angles) + 1j * np.sin(angles)
