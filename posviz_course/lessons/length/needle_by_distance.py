"""The loss of a text, and a value that was said far back: one may be flat, and the other lost."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice
from posviz.pictures.layouts import beside
from posviz.pictures.parts import legend_above
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lab.results import committed
from posviz_course.lab.tables import ALL_ARMS, GUESSED, table
from posviz_course.lessons.length._curves import (
    Curves,
    arm_and_beside,
    by_position,
    ends_of,
    guessing,
    in_tokens,
    legend_of_runs,
)


class NeedleByDistance(Picture):
    """A loss that stays flat does not promise far recall."""

    size = (8.0, 3.5)
    paper_size = (3.3, 4.2)

    arm = Choice("ALiBi", options=ALL_ARMS, label="method")
    beside = Choice("RoPE", options=ALL_ARMS, label="beside it")

    def __init__(self, **knobs):
        super().__init__(**knobs)
        self._text, self._needle = (table(committed(), task) for task in ("bytes", "recall"))
        self._losses = by_position(self._text)
        middles = self._needle.places * np.sqrt(2)
        self._found = Curves(middles, self._needle.by_place)

    def compute(self) -> Arrays:
        """Return, of both arms, losses {arm: [runs, lengths]} and found {arm: [runs, bins]}."""
        both = self.arm, self.beside
        return self.arrays(
            far=self._needle.places >= self._needle.trained,
            losses={name: self._text.by_length.get(name, ()) for name in both},
            found={name: self._found.of(name) for name in both},
        )

    def draw(self, figure: Figure) -> list:
        """The loss by position; beside it the answers that are right, by distance."""
        loss, needle = beside(figure)
        dashes: dict = {"color": "C6", "linestyle": "--", "label": "trained length"}
        end = loss.axvline(self._text.trained, **dashes)
        needle.axvline(self._needle.trained, **dashes)
        guessing(needle, GUESSED["recall"])
        first, second = (
            arm_and_beside(loss, self._losses),
            arm_and_beside(needle, self._found, has_names=False),
        )
        loss.set(title="the next character", xlabel="its position (tokens)")
        loss.set(ylim=ends_of(self._losses), ylabel="loss (nats)")
        needle.set(title="a value from before", xlabel="distance (tokens)")
        needle.set(ylim=(-0.14, 1.14), yticks=(0, 0.5, 1), ylabel="answers right")
        in_tokens(loss, self._losses.x, base=4, room=1.1)
        in_tokens(needle, self._found.x, base=4, room=1.1)
        legend_above(figure, [*legend_of_runs(loss), end])
        return [*first, *second]

    def caption(self, arrays: Arrays) -> str:
        told = []
        for name, shares in arrays.found.items():
            losses = np.asarray(arrays.losses[name])
            found, grows = "has no run of recall", "has no run of bytes"
            if len(shares):
                found = f"finds {np.median(np.nanmean(shares[:, arrays.far], axis=1)):.0%}"
            if len(losses):
                grown = signed(np.median(losses[:, -1] - losses[:, 0]), "z.2f")
                grows = f"its loss grows by {grown} nats"
            told.append(f"{name} {found} and {grows}")
        return f"Past the trained length {'; '.join(told)} (medians)."
