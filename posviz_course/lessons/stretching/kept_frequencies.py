"""What three methods of context extension leave of each pair's frequency."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.pictures.knobs import Log, LogInteger
from posviz.pictures.parts import Curve, EndName, Other, legend_above, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number
from posviz_course.lessons._hues import hue
from posviz_course.lessons._own import own_numbers
from posviz_course.lessons.stretching.phases_seen import HEAD_DIM, METHODS

PAIRS = np.arange(HEAD_DIM // 2)
LOOKS = {"PI": "--", "NTK": "-.", "YaRN": "-"}


class KeptFrequencies(Picture):
    """PI slows every pair alike, NTK slow pairs more, and YaRN leaves fast pairs as they are.

    `ramp` is a reader's function of lesson 10, with the arguments of its exercise -> [pairs].
    """

    size = (8.0, 3.1)

    factor = Log(4, low=1, high=64, play=True, label="factor s")
    length = LogInteger(4096, low=256, high=128_000, label="trained length L")

    def __init__(self, ramp=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if ramp is None else ("ramp",)
        self._own = ramp

    def compute(self) -> Arrays:
        """Return by method the share of its frequency that each pair keeps, [methods, pairs].

        own: the reader's shares [pairs], or none while the function has no body.
        """
        trained = rotary_frequencies(HEAD_DIM)
        shares = [METHODS[name](self.factor, self.length) / trained for name in LOOKS]
        own = None
        if self._own:
            given = HEAD_DIM, 10_000.0, self.length, self.factor, 32, 1  # base; rotations
            own = own_numbers(self._own(*given), PAIRS.shape)
        finished = int((self.length * trained >= 2 * np.pi).sum())
        return self.arrays(
            shares=shares,
            own=([], []) if own is None else (PAIRS, own),
            curves=[(PAIRS, share) for share in shares],
            band={"x": finished - 0.5, "width": len(PAIRS) - finished},
        )

    def draw(self, figure: Figure) -> list:
        """A line for each method over the band of the pairs that finished no rotation."""
        axes = figure.subplots()
        grey: dict = {"facecolor": "C6", "alpha": 0.25, "lw": 0}
        label = "no full rotation in training"
        band = axes.axvspan(-0.5, 0.5, animated=True, label=label, **grey)
        axes.set(xlim=(-1, len(PAIRS)), ylim=(-0.04, 1.06), yticks=(0, 0.25, 0.5, 0.75, 1))
        axes.set(xlabel="pair (0 is the fastest)", ylabel="share of its frequency")
        whole(axes.xaxis, most=7)
        curves = [
            Curve(axes, fmt, f"curves[{at}]", stroke=1.3, color=hue(name))
            for at, (name, fmt) in enumerate(LOOKS.items())
        ]
        if self._own:
            ink = rcParams["text.color"]
            curves.append(Curve(axes, "o", "own", "yours", color=ink, marks=0.6))
        names = [
            EndName(axes, hue("PI"), _until(6, 0, "PI", True)),
            EndName(axes, hue("NTK"), _until(20, 1, "NTK", False)),
            EndName(axes, hue("YaRN"), _until(32, 2, "  YaRN", True), ha="left"),
        ]
        legend_above(figure, [*curves[len(LOOKS) :], band])
        return [Other(band, "band"), *curves, *names]

    def caption(self, arrays: Arrays) -> str:
        setting = f"(s = {number(arrays.factor)}, L = {arrays.length:,})"
        if self._own:
            _, own = arrays.own
            if not len(own):
                return "Your function returns no shares yet."
            right = np.isclose(own, arrays.shares[-1]).sum()
            return f"{right} of your {len(own)} shares are those of YaRN {setting}."
        pi, ntk, yarn = ((abs(share - 1) < 1e-9).sum() for share in arrays.shares)
        return (
            f"YaRN keeps {yarn} of {len(PAIRS)} pairs as they were trained, NTK {ntk} and PI {pi} "
            f"{setting}."
        )


def _until(pair, at, name, above):
    """The curve of a method up to a pair, where its name has room."""

    def show(arrays):
        x, y = arrays.curves[at]
        return x[:pair], y[:pair], name, above

    return show
