"""The loss of a text, and a value that was said far back: one may be flat, and the other lost."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from posviz.lab.tables import ALL_ARMS, GUESSED, table
from posviz.lessons.length._curves import (
    BESIDE,
    NOTHING,
    Curves,
    by_position,
    lit,
    names,
    results_of,
)
from posviz.pictures.knobs import choice
from posviz.pictures.parts import legend_above, wide, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

TEXT, NEEDLE = "bytes", "recall"


class NeedleByDistance(Picture):
    """A loss that stays flat says nothing of what is found far back.

    `given` are results of a sweep, as `posviz.lab.results.results("runs")` returns them; they stand
    in for those of the package.
    """

    size = (8.0, 3.9)
    paper_size = (3.3, 4.2)

    arm = choice("ALiBi", options=ALL_ARMS)
    beside = choice("RoPE", options=BESIDE)

    def __init__(self, given=None, **knobs):
        super().__init__(**knobs)
        self._data = () if given is None else ("given",)
        found = results_of(given)
        self._text, self._needle = table(found, TEXT), table(found, NEEDLE)
        self._losses = by_position(self._text)
        middles = self._needle.places * np.sqrt(2)
        self._found = Curves(middles, self._needle.by_place)

    def compute(self) -> Arrays:
        """Return, of both arms, losses {arm: [runs, lengths]} and found {arm: [runs, bins]}."""
        both = [name for name in (self.arm, self.beside) if name != NOTHING]
        return self.arrays(
            places=self._needle.places,
            trained=self._needle.trained,
            lengths=self._text.lengths,
            losses={name: self._text.by_length.get(name, ()) for name in both},
            found={name: self._found.of(name) for name in both},
        )

    def draw(self, figure: Figure) -> list:
        """The loss by position; beside it the answers that are right, by distance."""
        side_by_side = wide(figure)
        loss, needle = figure.subplots(*((1, 2) if side_by_side else (2, 1)))
        dashes: dict[str, Any] = {"color": "C6", "linestyle": "--", "label": "trained length"}
        end = loss.axvline(self._text.trained, **dashes)
        needle.axvline(self._needle.trained, **dashes)
        needle.axhline(GUESSED[NEEDLE], color="C6", linestyle=":")
        first, second = lit(loss, self._losses), lit(needle, self._found)
        values = np.concatenate([x.ravel() for x in self._losses.runs.values()] or [np.arange(2.0)])
        loss.set(ylim=with_room(np.nanmin(values), np.nanmax(values), 0.05), ylabel="loss (nats)")
        loss.set(title="the next character", xlabel="its position (tokens)")
        needle.set(ylim=(-0.04, 1.04), ylabel="answers right")
        needle.set(title="a value said before", xlabel="how far back (tokens)")
        for axes, x in ((loss, self._losses.x), (needle, self._found.x)):
            axes.set_xscale("log", base=4)
            axes.set_xlim(x[0] / 1.1, x[-1] * 1.1)
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
            axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [*first[2:], end], narrow=2)
        return [*first, *second, *names(loss, (0.04, 0.88, "left"), (0.04, 0.77, "left"))]

    def caption(self, arrays: Arrays) -> str:
        """By how much the loss grows, and the answers that are right near and far."""
        near = arrays.places < arrays.trained // 2
        far = arrays.places >= arrays.trained
        told = []
        for name, found in arrays.found.items():
            losses = np.asarray(arrays.losses[name])
            if not len(found) or not len(losses):
                told.append(f"{name} has no run")
                continue
            grown = signed(np.median(losses[:, -1] - losses[:, 0]), "z.2f")
            inside, beyond = (np.median(np.nanmean(found[:, part], axis=1)) for part in (near, far))
            told.append(
                f"{name}’s loss changes by {grown} nats; it finds {inside:.0%} up to "
                f"half the trained length, {beyond:.0%} past it"
            )
        return (
            f"In {arrays.lengths[-1]:,} tokens, medians of all runs: "
            f"{'; '.join(told)} (guessing finds {GUESSED[NEEDLE]:.0%})."
        )
