"""How well a trained model predicts a text that goes on past the length of its training."""

import numpy as np
from matplotlib.figure import Figure

from posviz.engine.knobs import choice
from posviz.engine.picture import Arrays, Picture
from posviz.pictures.parts import Curve, legend_above
from posviz.stretched_real import BIN, LENGTH, TRAINED, Reading, stored

PLAIN, CROPPED = "nothing changed", "cropped"
READINGS = stored()
SHOWN = 2  # bins of the readings in one of the picture: its wiggles are the text's own
SHORT = TRAINED // 2  # tokens that a short text has
TOP = 6.0  # nats; no reading is above it, as a test makes sure of


class LossPastTraining(Picture):
    """SmolLM2 reads past its trained length: in each way, beside nothing changed."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.6)
    filmed = ("reading",)

    reading = choice(
        "YaRN × 2", options=tuple(n for n in READINGS if n not in (PLAIN, CROPPED)), label="method"
    )

    def compute(self) -> Arrays:
        """Return the losses [bins], and of each part of the text, and of the numbers asked for."""
        readings = [READINGS[name] for name in (PLAIN, CROPPED, self.reading)]
        return self.arrays(
            middles=(np.arange(LENGTH // BIN // SHOWN) + 0.5) * BIN * SHOWN,
            losses=[_smoothed(reading) for reading in readings],
            short=[reading.mean(0, SHORT) for reading in (readings[0], readings[2])],
            long=[reading.mean(TRAINED, LENGTH) for reading in readings],
            right=[_right(reading) for reading in readings],
        )

    def draw(self, figure: Figure) -> list:
        """The loss along the text, with nothing changed, cropped, and as chosen."""
        axes = figure.subplots()
        axes.set(xlim=(0, LENGTH), ylim=(0, TOP), xlabel="position (tokens)")
        axes.set(ylabel="loss (nats per token)", xticks=np.arange(0, LENGTH + 1, TRAINED // 4))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        end = axes.axvline(TRAINED, color="C6", linestyle="--", label="trained length")
        plain = Curve(axes, "C1-", lambda a: (a.middles, a.losses[0]), PLAIN)
        cropped = Curve(axes, "C2:", lambda a: (a.middles, a.losses[1]), "cropped to 8,192")
        chosen = Curve(axes, "C0-", lambda a: (a.middles, a.losses[2]), "as chosen")
        legend_above(figure, [end, plain, cropped, chosen], narrow=2)
        return [plain, cropped, chosen]

    def caption(self, arrays: Arrays) -> str:
        """What the method costs a short text and does for a long one, and the numbers found."""
        (short, own_short), (long, cropped, own_long) = arrays.short, arrays.long
        plain, seen, own = arrays.right
        return (
            f"{arrays.reading}: {own_short:.2f} nats up to {SHORT:,} (unchanged {short:.2f}), "
            f"{own_long:.2f} past {TRAINED:,} (unchanged {long:.2f}, cropped {cropped:.2f}); "
            f"of the digits asked for at the end, {own:.0%} are right (unchanged {plain:.0%}, "
            f"cropped {seen:.0%})."
        )


def _smoothed(reading: Reading) -> list[float]:
    """The mean loss in each bin of the picture, NaN where nothing was read."""
    wide = BIN * SHOWN
    return [
        reading.mean(at, at + wide) if reading.counts[at // BIN] else np.nan
        for at in range(0, LENGTH, wide)
    ]


def _right(reading: Reading) -> float:
    """The share of digits that were right, of the numbers asked for past the trained length."""
    return float(np.mean([needle.right for needle in reading.needles if needle.asked > TRAINED]))
