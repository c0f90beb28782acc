"""What rounding the angles costs: a score that should be the same at every position."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from posviz.arrays import to_dtype
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.pictures.knobs import Choice, LogInteger
from posviz.pictures.parts import Curve, EndName, Rule
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

HEAD_DIM, OFFSET = 64, 5
BASE = 100_000  # of the lesson's model, SmolLM2
FURTHEST = 1_000_000
POSITIONS = np.unique(np.geomspace(1, FURTHEST, 121).astype(int))
SMALLEST = 1e-16  # an error of 0 has no logarithm
LOOKS = {  # of each dtype its line, and its marker at the position
    "bfloat16": ("C1-.", "^"),
    "float16": ("C3:", "D"),
    "float32": ("C2--", "s"),
    "float64": ("C0-", "o"),
}


class PrecisionLab(Picture):
    """Compute angles in float64: rounded angles make a score wrong, the more the later it is."""

    size = (8.0, 3.7)
    paper_size = (3.3, 2.9)

    rounded = Choice("angles", options=("angles", "cos and sin"))
    position = LogInteger(30_000, low=1, high=FURTHEST, play=True)

    def compute(self) -> Arrays:
        """Return |score − exact| by dtype at all positions and at the marked one; NaN: overflow."""
        curves, here = _errors(POSITIONS, self.rounded), _errors([self.position], self.rounded)
        before = POSITIONS[self.position > POSITIONS]  # a line grows with the position
        lines = []
        for name in LOOKS:
            errors = np.append(curves[name][: len(before)], here[name])
            errors, there = np.maximum(errors, SMALLEST), np.isfinite(errors)
            lines.append((np.append(before, self.position)[there], errors[there]))
        ends = [(x[-1:], y[-1:]) for x, y in lines if x[-1] < self.position]
        return self.arrays(
            here={name: error[0] for name, error in here.items()},
            lines=lines,
            marks=[([self.position], np.maximum(here[name], SMALLEST)) for name in LOOKS],
            overflow=ends[0] if ends else ([], []),
        )

    def draw(self, figure: Figure) -> list:
        """A line and a mark for each dtype on logarithmic axes, and a cross where one overflows."""
        axes = figure.subplots()
        axes.axhline(1e-3, color="C6")
        right: dict = {"color": "C6", "va": "center", "transform": axes.get_yaxis_transform()}
        axes.text(1.01, 1e-3, "0.001", **right)
        curves = [
            Curve(axes, line, f"lines[{i}]", stroke=1 / 1.5)
            for i, (line, _) in enumerate(LOOKS.values())
        ]
        here = Rule(axes, {"color": "C6", "linestyle": ":"}, "position")
        marks = [
            Curve(axes, line[:2] + marker, f"marks[{i}]")
            for i, (line, marker) in enumerate(LOOKS.values())
        ]
        end = Curve(axes, "C3x", "overflow", marks=2)
        names = [
            EndName(axes, line[:2], _named(i, name), ha="left", weight="bold")
            for i, (name, (line, _)) in enumerate(LOOKS.items())
        ]
        room = 10 * FURTHEST  # at the right, for names
        axes.set(xscale="log", yscale="log", xlim=(0.8, room), ylim=(3e-17, 1e3))
        axes.set(xlabel="position of the key (tokens)", ylabel="error of the score")
        axes.set_xticks((1, 100, 10_000, 1_000_000))
        axes.yaxis.set_major_locator(LogLocator(numticks=6))
        axes.minorticks_off()
        return [*curves, here, *marks, end, *names]

    def caption(self, arrays: Arrays) -> str:
        errors = " and ".join(
            f"{number(arrays.here[name], 2)} in {name}" for name in ("bfloat16", "float32")
        )
        return (
            f"With rounded {arrays.rounded}, the score at position {arrays.position:,} is off by "
            f"{errors}."
        )


def _named(i, name):
    """A dtype at the end of its line; that of float16 is below, because bfloat16 is near it."""
    return lambda arrays: (*arrays.lines[i], f"  {name}", name != "float16")


def _errors(positions, rounded):
    """By dtype |score − exact| of one q at positions + 5 and one k at positions."""
    inv_freq = rotary_frequencies(HEAD_DIM, BASE)
    q, k = np.random.default_rng(2).standard_normal((2, HEAD_DIM)).view(complex)
    products = q * k.conj()
    exact = (np.exp(1j * rotary_angles(OFFSET, inv_freq)) @ products).real
    both = np.stack([np.add(positions, OFFSET), positions])
    errors = {}
    for name in LOOKS:
        of_q, of_k = _rotations(both, inv_freq, name, rounded)
        errors[name] = np.abs(((of_q * of_k.conj()) @ products).real - exact)
    return errors


def _rotations(positions, inv_freq, name, rounded):
    """cos + i·sin of every angle, [..., pairs]: either the angles or the two waves are rounded."""
    if rounded == "cos and sin":
        angles = rotary_angles(positions, inv_freq)
        return to_dtype(np.cos(angles), name) + 1j * to_dtype(np.sin(angles), name)
    angles = to_dtype(to_dtype(positions, name)[..., None] * to_dtype(inv_freq, name), name)
    with np.errstate(invalid="ignore"):  # of an infinite angle
        return np.cos(angles) + 1j * np.sin(angles)
