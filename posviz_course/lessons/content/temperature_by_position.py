"""What scores are multiplied by at each position: in steps, or smoothly."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.temperatures import llama4_factor, log_n_factor
from posviz.pictures.knobs import Integer, Real
from posviz.pictures.parts import Curve, Dense, EndName, Rule
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons.stretching.dispersal import weight

STEP = 8192  # tokens, of Llama 4
STEPS = 128
# Both positions beside a step, so that it is as steep as it is; later ones are about a pixel.
_STEPS = STEP * np.arange(1, 65)[:, None] + np.arange(-2, 1)
POSITIONS = np.unique([*np.geomspace(256, STEP * STEPS, 200).astype(int), *_STEPS.ravel()])
LOOKS = {  # of each rule its line, and its marks
    "none": ({"color": "C6", "ls": "-"}, "C6."),
    "log n": ({"color": "C2", "ls": "-."}, "C2^"),
    "Llama 4": ({"color": "C0", "ls": "-"}, "C0o"),
}


class TemperatureByPosition(Picture):
    """Without a temperature the best key loses its weight in a long text."""

    size = (8.0, 4.4)
    paper_size = (3.3, 3.6)

    step = Integer(2, low=1, high=STEPS, play=True, label=f"k, near k · {STEP:,}")
    margin = Real(10, low=0, high=20, step=0.1, label="margin δ")

    def compute(self) -> Arrays:
        """Return by rule the factors of scores and the best key's weight, at POSITIONS and here.

        The best key's score is margin above those of all others, which are equal.
        """
        position = self.step * STEP - 1
        factors, here = factors_at(POSITIONS), factors_at(np.array([position]))
        return self.arrays(
            position=position,
            factors=factors,
            weights={name: weight(by * self.margin, POSITIONS + 1) for name, by in factors.items()},
            here=here,
            best={name: weight(by * self.margin, position + 1) for name, by in here.items()},
        )

    def draw(self, figure: Figure) -> list:
        """Factors and weights over all positions."""
        factor, weights = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.7))
        parts: list = []
        grey = {"color": "C6", "linestyle": ":"}
        for axes, all_, here in ((factor, "factors", "here"), (weights, "weights", "best")):
            lines = [
                Dense(axes, props, lambda a, of=all_, n=name: (POSITIONS, getattr(a, of)[n]))
                for name, (props, _) in LOOKS.items()
            ]
            marks = [
                # The larger triangle is seen under the disc.
                Curve(
                    axes,
                    mark,
                    lambda a, of=here, n=name: ([a.position], getattr(a, of)[n]),
                    marks=1.8 if name == "log n" else 1,
                )
                for name, (_, mark) in LOOKS.items()
            ]
            parts += [Rule(axes, grey, "position"), *lines, *marks]
        weights.set(
            xscale="log", xlim=(POSITIONS[0], 1.1 * POSITIONS[-1]), xlabel="position (tokens)"
        )
        weights.xaxis.set_major_locator(LogLocator())
        weights.xaxis.set_minor_locator(NullLocator())
        factor.set(ylabel="factor of scores", ylim=(0.55, 1.6), yticks=(0.6, 1, 1.4))
        weights.set(ylabel="weight of best key", ylim=(-0.05, 1.05), yticks=(0, 0.5, 1))
        ends = ("none", 3e4, "left"), ("log n", np.inf, "right"), ("Llama 4", np.inf, "right")
        names = [
            EndName(weights, LOOKS[name][0]["color"], _named(name, end), ha=side)
            for name, end, side in ends
        ]
        return [*parts, *names]

    def caption(self, arrays: Arrays) -> str:
        best = {name: kept for name, (kept,) in arrays.best.items()}
        return (
            f"At position {arrays.position:,} Llama 4 multiplies scores by "
            f"{arrays.here['Llama 4'][0]:.4f}, so that the best key has the weight "
            f"{best['Llama 4']:.2f}; without a factor it has {best['none']:.2f}."
        )


def _named(name, until):
    """A rule at the end of its weights, or at a position where its name has room."""
    shown = until >= POSITIONS
    words = {"none": "  no factor"}.get(name, name)

    def show(arrays):
        y = arrays.weights[name][shown]
        is_below = name == "Llama 4"  # where ticks are if there is nothing to keep
        return POSITIONS[shown], y, "" if is_below and y[-1] < 0.15 else words, not is_below

    return show


def factors_at(positions: np.ndarray) -> dict[str, np.ndarray]:
    """Return by rule what scores are multiplied by at positions [n], [n] each.

    log n is scaled to be 1 where 8192 keys are seen.

    Source: Nakanishi 2025 on log n; the released code of Llama 4.
    """
    return {
        "none": np.ones(len(positions)),
        "log n": log_n_factor(positions + 1, 1 / math.log(STEP)),
        "Llama 4": llama4_factor(positions),
    }
