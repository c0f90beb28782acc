"""How well a trained model predicts a text that goes on past the length of its training."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Curve, EndName, legend_above
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._hues import Coloured, hues
from posviz_course.models.stretched_real import (
    ASKED_EVERY,
    BIN,
    LENGTH,
    TRAINED,
    LongReading,
    stored,
)

READINGS = stored()
SHOWN = ("nothing changed", "PI × 2", "NTK × 2", "YaRN × 2", "YaRN × 4", "cropped")
BINS = 2  # of the readings, in one of the picture: its wiggles are the text's own
ASKED = np.arange(ASKED_EVERY, LENGTH + 1, ASKED_EVERY)  # tokens


class LossPastTraining(Picture):
    """SmolLM2 reads past its trained length: what it predicts, and what it finds again."""

    size = (8.0, 3.6)

    reading = Choice("YaRN × 2", options=SHOWN, label="reading")
    beside = Choice("nothing changed", options=SHOWN, label="beside it")

    def compute(self) -> Arrays:
        """Return the losses along the text and past the trained length, and digits that were right.

        found: their share at each place where numbers are asked for; right: past the trained one.
        """
        readings = [READINGS[name] for name in (self.reading, self.beside)]
        middles = (np.arange(LENGTH // BIN // BINS) + 0.5) * BIN * BINS
        return self.arrays(
            losses=[(middles, _smoothed(reading)) for reading in readings],
            long=[reading.mean(TRAINED, LENGTH) for reading in readings],
            found=[(ASKED, _found(reading)) for reading in readings],
            right=[_right(reading) for reading in readings],
        )

    def draw(self, figure: Figure) -> list:
        """The loss along the text, and the digits that are right, in two readings."""
        losses, digits = figure.subplots(2, 1, height_ratios=(1.6, 1), sharex=True)
        losses.set(xlim=(0, 1.02 * LENGTH), ylim=(0, 10), ylabel="loss (nats)")
        digits.set(ylim=(-0.15, 1.15), ylabel="digits right", xlabel="position (tokens)")
        digits.set_xticks(np.arange(0, LENGTH + 1, ASKED_EVERY))
        digits.yaxis.set_major_formatter(PercentFormatter(1))
        dashes: dict = {"color": "C6", "linestyle": "--"}
        end, _ = [axes.axvline(TRAINED, label="trained length", **dashes) for axes in figure.axes]
        legend_above(figure, [end])
        curves, points = [], []
        for at, (fmt, stroke) in enumerate((("-", 1.4), ("--", 1.0))):  # may lie on the first
            curves.append(Curve(losses, fmt, f"losses[{at}]", stroke=stroke))
            points.append(Curve(digits, f"{fmt}o", f"found[{at}]", marks=1.4))
        names = [
            EndName(losses, "k", lambda a, at=at: _named(a, at), fontweight="bold") for at in (0, 1)
        ]
        colours = [
            Coloured(
                (curves[at].line, points[at].line, names[at].text),
                lambda a, at=at: hues(a.reading, a.beside)[at],
            )
            for at in (0, 1)
        ]
        figure.align_ylabels((losses, digits))
        return [*curves, *points, *names, *colours]

    def caption(self, arrays: Arrays) -> str:
        (own, other), (right, other_right) = arrays.long, arrays.right
        return (
            f"Past {TRAINED:,} tokens: {arrays.reading} has {own:.2f} nats and {right:.0%} of the "
            f"digits right, {arrays.beside} {other:.2f} nats and {other_right:.0%}."
        )


def _named(arrays, at):
    """Where a reading's name stands, beyond its last waves, the name, and whether it is above."""
    (x, y), (_, other) = arrays.losses[at], arrays.losses[1 - at]
    above = (y[-1], -at) >= (other[-1], at - 1)  # the first of two that are equal
    return x[-1:], [(max if above else min)(y[-8:])], (arrays.reading, arrays.beside)[at], above


def _smoothed(reading: LongReading) -> list[float]:
    """The mean loss in each bin of the picture, NaN where nothing was read."""
    wide = BIN * BINS
    return [
        reading.mean(at, at + wide) if reading.counts[at // BIN] else np.nan
        for at in range(0, LENGTH, wide)
    ]


def _found(reading: LongReading) -> list[float]:
    """The share of digits that were right at each place of ASKED, NaN where nothing was read."""
    return [_right(reading, at - ASKED_EVERY, at) for at in ASKED.tolist()]


def _right(reading: LongReading, after: float = TRAINED, until: float = LENGTH) -> float:
    """The share of digits that were right, of the numbers asked for between two places."""
    shares = [needle.right for needle in reading.needles if after < needle.asked <= until]
    return float(np.mean(shares)) if shares else np.nan
