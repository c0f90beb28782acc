"""What scores are multiplied by at each position: in steps, smoothly, or everywhere alike."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.encodings.temperatures import llama4_factor, log_n_factor, ministral3_factor
from posviz.lessons.stretching.dispersal import weight
from posviz.pictures.knobs import integer, real
from posviz.pictures.parts import Curve, Rule, legend_above, whole, wide
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
    "none": ("C6-", 0.6, "C6."),
    "YaRN’s a²": ("C1--", 1, "C1D"),
    "log n": ("C2-.", 1, "C2^"),
    "Ministral 3": ("C3-", 1.6, "C3s"),
    "Llama 4": ("C0-", 1, "C0o"),
}
STEPPING = ("Ministral 3", "Llama 4")


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
        how much larger the factor is than that of the first of 2 · BESIDE + 1 positions, per cent;
        here, before: by rule the factor at the position, and at the one before.
        """
        position = self.step * STEP + self.offset
        factors, around = factors_at(POSITIONS), factors_at(self.step * STEP + AROUND)
        return self.arrays(
            position=position,
            factors=factors,
            weights={name: _weight(by, self.margin, POSITIONS) for name, by in factors.items()},
            around={name: 100 * (by / by[0] - 1) for name, by in around.items()},
            here=(here := {name: by[0] for name, by in factors_at(np.array([position])).items()}),
            before={name: by[0] for name, by in factors_at(np.array([position - 1])).items()},
            best={name: _weight(by, self.margin, position) for name, by in here.items()},
        )

    def draw(self, figure: Figure) -> list:
        """Factors and weights over all positions; beside them the steps, token by token."""
        table, widths = ("fn\nwn", (1.5, 1)) if wide(figure) else ("ff\nwn", None)
        panels = figure.subplot_mosaic(table, width_ratios=widths)
        factor, weights, near = (panels[name] for name in "fwn")
        lines: list = []
        parts: list = []
        grey = {"color": "C6", "linestyle": ":"}
        for axes, shown, here in ((factor, "factors", "here"), (weights, "weights", "best")):
            parts.append(Rule(axes, grey, lambda a: a.position, "position"))
            lines = [
                _Line(axes, name, lambda a, n=name, of=shown: (POSITIONS, vars(a)[of][n]))
                for name in LOOKS
            ]
            parts += lines
            parts += [
                Curve(axes, marks, lambda a, n=name, of=here: ([a.position], [vars(a)[of][n]]))
                for name, (*_, marks) in LOOKS.items()
            ]
            axes.set(xscale="log", xlim=(POSITIONS[0], 1.1 * POSITIONS[-1]))
            axes.xaxis.set_major_locator(LogLocator())
            axes.xaxis.set_minor_locator(NullLocator())
        parts.append(Rule(near, grey, lambda a: a.offset))
        for name, size in (("Ministral 3", 0.95), ("log n", 0.7), ("Llama 4", 0.5)):
            marks = LOOKS[name][2]
            parts.append(Curve(near, marks, lambda a, n=name: (AROUND, a.around[n]), marks=size))
        factor.set(ylabel="factor of scores", ylim=(0.55, 1.6), yticks=(0.6, 0.8, 1, 1.2, 1.4))
        weights.set(ylabel="weight of best key", ylim=(-0.05, 1.05), yticks=(0, 0.5, 1))
        weights.set(xlabel="position p")
        near.set(title="factor grows by, %", xlabel=f"tokens from k · {STEP:,}")
        near.set(xlim=(-BESIDE - 1, BESIDE + 1), ylim=(-0.5, 7.5))
        whole(near.xaxis, near.yaxis, most=4)
        legend_above(figure, lines, narrow=3, columnspacing=1.2, handlelength=1.8)
        return parts

    def caption(self, arrays: Arrays) -> str:
        """The factors here, which of them is new, and what each leaves to the best key."""
        factors = ", ".join(
            f"{name} × {factor:.4f}"
            + f" (× {arrays.before[name]:.4f} one token before)"
            * bool(name in STEPPING and factor != arrays.before[name])
            for name, factor in reversed(arrays.here.items())
            if name != "none"
        )
        weights = ", ".join(f"{name} {best:.3f}" for name, best in reversed(arrays.best.items()))
        return (
            f"Position {arrays.position:,}, which sees {arrays.position + 1:,} keys; its scores: "
            f"{factors}; the weight of a key {arrays.margin:g} above all others: {weights}."
        )


def factors_at(positions: np.ndarray) -> dict[str, np.ndarray]:
    """Return by rule what scores are multiplied by at positions [...], [...] each.

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


class _Line(Curve):
    """The line of a rule."""

    def __init__(self, axes, name, show):
        line, width, _ = LOOKS[name]
        super().__init__(axes, line, show, name, stroke=width)


def _weight(factors, margin, positions):
    return weight(factors * margin, positions + 1)
