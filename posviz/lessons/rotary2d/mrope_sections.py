"""Which pairs follow the time, which the row, which the column: M-RoPE."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.rotary2d import mrope_angles
from posviz.pictures.knobs import choice, integer, log
from posviz.pictures.parts import Curve, Other, Ring, Rule, broken, legend_above, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import tokens

PAIRS = 64  # head_dim 128, as the models have it
ACROSS = 8
DIALS = np.stack([np.arange(PAIRS) % ACROSS, np.arange(PAIRS) // ACROSS], axis=-1)
LENGTH = 0.35  # of a hand; dials stand 1 apart
FURTHEST = 100  # row or column
# (time, row, column), and whether they take turns.
ARRANGEMENTS = {
    "16, 24, 24 contiguous (Qwen2-VL)": ((16, 24, 24), False),
    "24, 20, 20 interleaved (Qwen3-VL)": ((24, 20, 20), True),
    "24, 20, 20 contiguous": ((24, 20, 20), False),
}
AXES = {"time": "o", "row": "s", "column": "^"}


class MropeSections(Picture):
    """M-RoPE: each pair of a head follows the time, the row or the column."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.3)
    combined = (("column", "row"), ("column", "sections"))

    column = integer(20, low=0, high=FURTHEST, play=True)
    row = integer(10, low=0, high=FURTHEST, play=True)
    time = integer(100, low=0, high=1000)
    sections = choice(next(iter(ARRANGEMENTS)), options=tuple(ARRANGEMENTS))
    base = log(1_000_000, low=10_000, high=10_000_000)

    def compute(self) -> Arrays:
        """Return each pair's axis, found by asking which one turns it, wavelength and angle."""
        sections, interleaved = ARRANGEMENTS[self.sections]
        inv_freq = rotary_frequencies(2 * PAIRS, self.base)
        present = np.array([self.time, self.row, self.column])
        # As if for four tokens: one step along each axis alone, and where we are.
        tokens = np.concatenate([np.eye(3), present[:, None]], axis=1)
        turned = mrope_angles(tokens, inv_freq, sections, interleaved=interleaved)
        return self.arrays(
            axis=turned[:3].argmax(axis=0),
            wavelengths=wavelengths(inv_freq),
            angles=turned[3],
            present=present,
        )

    def draw(self, figure: Figure) -> list:
        """The token in its image at left; at right a dial for each pair, marked by its axis."""
        image, dials = figure.subplots(1, 2, width_ratios=(1, 1.6))
        look = {"edge": 0.3, "marks": 3.2 if wide(figure) else 2}
        ends = {"xlim": (-0.5, FURTHEST + 0.5), "ylim": (FURTHEST + 0.5, -0.5), "aspect": "equal"}
        image.set(**ends, xticks=(0, 50, 100), yticks=(0, 50, 100))
        image.set_xlabel("column", color="C2")
        image.set_ylabel("row", color="C1")
        time = image.set_title("", color="C0", animated=True)
        dials.set(xlim=(-0.7, ACROSS - 0.3), ylim=(PAIRS // ACROSS - 0.3, -0.7), aspect="equal")
        dials.set(xticks=(), yticks=range(PAIRS // ACROSS), title="fast above, slow below")
        dials.set_yticklabels(range(0, PAIRS, ACROSS))
        dials.set_ylabel("pair")
        dials.tick_params(left=False)
        dials.spines[:].set_visible(False)
        rims = [
            Ring(dials, f"C{i}{mark}", lambda a, i=i: DIALS[a.axis == i].T, name, **look)
            for i, (name, mark) in enumerate(AXES.items())
        ]
        ink = {"color": rcParams["text.color"]}
        hands = Curve(dials, "-", lambda a: _hands(a.angles), stroke=1.4, **ink)
        legend_above(figure, rims)
        return [
            Other(time, lambda a: {"text": f"time {a.present[0]}"}),
            Rule(image, {"color": "C1"}, lambda a: a.present[1], upright=False),
            Rule(image, {"color": "C2"}, lambda a: a.present[2]),
            Curve(image, "s", lambda a: (a.present[2:], a.present[1:2]), marks=2, **ink),
            *rims,
            hands,
        ]

    def caption(self, arrays: Arrays) -> str:
        """The wavelengths that each axis has, and how far its fastest pair has turned."""
        words = []
        for i, (name, position) in enumerate(zip(AXES, arrays.present, strict=True)):
            pairs = arrays.axis == i
            waves, fastest = arrays.wavelengths[pairs], arrays.angles[pairs].max()
            words.append(
                f"{name} {position} turns pairs of wavelength {tokens(waves[0])} to "
                f"{tokens(waves[-1])} tokens by at most {fastest:.4g}"
            )
        return f"{arrays.sections}: {'; '.join(words)} radians."


def _hands(angles):
    """From the middle of each dial, as x and y: up at angle 0, and turned clockwise."""
    turned = LENGTH * np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
    return broken(np.stack([DIALS, DIALS + turned], axis=1))
