"""What scores are multiplied by at each position: in steps, smoothly, or everywhere alike."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.encodings.temperatures import llama4_factor, log_n_factor, ministral3_factor
from posviz.lessons.stretching.dispersal import weight
from posviz.pictures.knobs import integer, real
from posviz.pictures.parts import Curve, Dense, Rule, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture

STEP = 8192  # tokens, of Llama 4; Ministral 3 has 16 384
STEPS = 128
BESIDE = 12  # tokens on both sides that are shown one by one
YARN = yarn(128, 4, original_max_seq_len=STEP).attention_factor ** 2  # of texts four times as long
AROUND = np.arange(-BESIDE, BESIDE + 1)
# Both positions beside a step, so that it is as steep as it is; later ones are about a pixel.
_STEPS = STEP * np.arange(1, 65)[:, None] + np.arange(-2, 1)
POSITIONS = np.unique([*np.geomspace(256, STEP * STEPS, 200).astype(int), *_STEPS.ravel()])
LOOKS = {  # of each rule its line, how wide, and its marks
    "none": ({"color": "C6", "ls": "-"}, 0.6, "C6."),
    "YaRN’s a²": ({"color": "C1", "ls": "--"}, 1, "C1D"),
    "log n": ({"color": "C2", "ls": "-."}, 1, "C2^"),
    "Ministral 3": ({"color": "C3", "ls": "-"}, 1.6, "C3s"),
    "Llama 4": ({"color": "C0", "ls": "-"}, 1, "C0o"),
}


class TemperatureByPosition(Picture):
    """Temperatures in steps, which one token decides, beside a smooth one and a constant."""

    size = (8.0, 4.4)
    paper_size = (3.3, 3.6)

    step = integer(2, low=1, high=STEPS, label=f"k, near k · {STEP:,}")
    offset = integer(-1, low=-BESIDE, high=BESIDE, play=True, label="tokens from there")
    margin = real(10, low=0, high=20, step=0.1, label="margin δ")

    def compute(self) -> Arrays:
        """Return by rule the factors of scores and the best key's weight, at POSITIONS and here.

        The best key's score is margin above those of all others, which are equal. around: by rule
        how much larger the factor is than that of the first of 2 · BESIDE + 1 positions, per cent.
        """
        position = self.step * STEP + self.offset
        factors, here = factors_at(POSITIONS), factors_at(np.array([position]))
        around = factors_at(self.step * STEP + AROUND)
        return self.arrays(
            position=position,
            factors=factors,
            weights={name: weight(by * self.margin, POSITIONS + 1) for name, by in factors.items()},
            around={name: 100 * (by / by[0] - 1) for name, by in around.items()},
            here=here,
            best={name: weight(by * self.margin, position + 1) for name, by in here.items()},
        )

    def draw(self, figure: Figure) -> list:
        """Factors and weights over all positions; beside them the steps, token by token."""
        table, widths = ("fn\nwn", (1.5, 1)) if wide(figure) else ("ff\nwn", None)
        panels = figure.subplot_mosaic(table, width_ratios=widths)
        factor, weights, near = (panels[name] for name in "fwn")
        lines: list = []
        parts: list = []
        grey = {"color": "C6", "linestyle": ":"}
        for axes, all_, here in ((factor, "factors", "here"), (weights, "weights", "best")):
            lines = [
                Dense(axes, look, _rule(POSITIONS, all_, name), name, stroke=width)
                for name, (look, width, _) in LOOKS.items()
            ]
            marks = [
                Curve(axes, mark, lambda a, of=here, n=name: ([a.position], getattr(a, of)[n]))
                for name, (*_, mark) in LOOKS.items()
            ]
            parts += [Rule(axes, grey, "position"), *lines, *marks]
            axes.set(xscale="log", xlim=(POSITIONS[0], 1.1 * POSITIONS[-1]))
            axes.xaxis.set_major_locator(LogLocator())
            axes.xaxis.set_minor_locator(NullLocator())
        parts.append(Rule(near, grey, "offset"))
        for name, size in (("Ministral 3", 0.95), ("log n", 0.7), ("Llama 4", 0.5)):
            parts.append(Curve(near, LOOKS[name][2], _rule(AROUND, "around", name), marks=size))
        factor.set(ylabel="factor of scores", ylim=(0.55, 1.6), yticks=(0.6, 0.8, 1, 1.2, 1.4))
        weights.set(ylabel="weight of best key", ylim=(-0.05, 1.05), yticks=(0, 0.5, 1))
        weights.set(xlabel="position p")
        near.set(title="factor grows by, %", xlabel=f"tokens from k · {STEP:,}")
        near.set(xlim=(-BESIDE - 1, BESIDE + 1), ylim=(-0.5, 7.5))
        whole(near.xaxis, near.yaxis, most=4)
        legend_above(figure, lines, narrow=3, columnspacing=1.2, handlelength=1.8)
        return parts

    def caption(self, arrays: Arrays) -> str:
        best = {name: kept for name, (kept,) in arrays.best.items()}
        return (
            f"At position {arrays.position:,} Llama 4 multiplies scores by "
            f"{arrays.here['Llama 4'][0]:.4f}, so that the best key has the weight "
            f"{best['Llama 4']:.2f}; without a factor it has {best['none']:.2f}."
        )


def _rule(x, name, rule):
    """What a curve shows: over x one rule's values, of those that the arrays have by rule."""
    return lambda arrays: (x, getattr(arrays, name)[rule])


def factors_at(positions: np.ndarray) -> dict[str, np.ndarray]:
    """Return by rule what scores are multiplied by at positions [n], [n] each.

    log n is scaled to be 1 where 8192 keys are seen.

    Source: Peng et al. 2023 (YaRN), equation 22; Nakanishi 2025 on log n; the released code of
    Llama 4 and of Ministral 3.
    """
    return {
        "none": np.ones(len(positions)),
        "YaRN’s a²": np.full(len(positions), YARN),
        "log n": log_n_factor(positions + 1, 1 / math.log(STEP)),
        "Ministral 3": ministral3_factor(positions),
        "Llama 4": llama4_factor(positions),
    }
