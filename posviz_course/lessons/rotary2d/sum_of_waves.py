"""Why axial RoPE draws a cross: a score map is a sum of waves, one for each pair."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.rotary2d import mixed_angles, raster
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Map, Other, wide, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons.rotary2d.patch_grid import DIRECTIONS, arrows

PAIRS = 32  # head_dim 64
SIDE, FAR = 27, 10  # patches: along a side, and from the query to those of the caption


class SumOfWaves(Picture):
    """Each pair is a wave over the image, and the mean of the waves is the score."""

    size = (9.0, 3.3)
    paper_size = (3.3, 4.2)

    waves = Integer(PAIRS, low=1, high=PAIRS, play=True)
    encoding = Choice("axial", options=("axial", *DIRECTIONS, "one frequency"))

    def compute(self) -> Arrays:
        """Return the frequencies [pairs, 2], column first and fastest first, and two maps.

        The last wave, and the mean of all so far: the score of equal queries and keys, at each
        patch of an image that has the query in its middle, [side, side].
        """
        frequencies, count = by_speed(self.encoding), self.waves
        rows, columns = (raster(SIDE, SIDE) - SIDE // 2).T
        waves = np.cos(mixed_angles(rows, columns, frequencies[:count].T))
        waves = waves.T.reshape(count, SIDE, SIDE)
        return self.arrays(
            dots=[frequencies.T, frequencies[:count].T],
            arrow=np.stack([[0, 0], frequencies[count - 1]]).T,
            last=waves[-1],
            score=waves.mean(axis=0),
            titles=[{"text": f"wave {count} alone"}, {"text": f"mean of {count} waves"}],
        )

    def draw(self, figure: Figure) -> list:
        """A dot for each wave; then the last wave by itself, and the mean of all so far."""
        names = "abc" if wide(figure) else "ab;cc"
        ratios = (1, 1.7) if names == "ab;cc" else (1,)
        plane, *maps = figure.subplot_mosaic(names, height_ratios=ratios).values()
        plane.set(xlim=(-1.15, 1.15), ylim=(1.15, -1.15), aspect="equal")
        plane.set(xlabel="radians per column", ylabel="radians per row")
        plane.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), title="a dot for each wave")
        zero(plane)
        plane.axvline(0, color="C6", linewidth=rcParams["axes.linewidth"])
        parts: list = [
            Curve(plane, "o", "dots[0]", marks=0.5, color="C6"),
            Curve(plane, "C0o", "dots[1]", marks=0.8),
            Curve(plane, "C1o-", "arrow", stroke=0.7, markevery=[1]),
        ]
        for i, axes in enumerate(maps):
            parts.append(Map(axes, ("last", "score")[i], most=(SIDE, SIDE), aspect="equal"))
            title = axes.set_title(("wave 32 alone", "mean of 32 waves")[i], animated=True)
            parts.append(Other(title, f"titles[{i}]"))
            axes.set(xlabel="column (patches)", xticks=(0, 13, 26), yticks=(0, 13, 26))
        maps[-1].set_ylabel("row (patches)")
        figure.colorbar(parts[-2].image, ax=maps[-1], ticks=(-1, 0, 1), shrink=0.8)
        query = Curve(
            maps[-1], "ko", lambda arrays: ([SIDE // 2], [SIDE // 2]), "query", mec="white"
        )
        return [*parts, query]

    def dragged(self, x: float, y: float) -> dict:
        """The nearest dot is the last wave."""
        return {"waves": 1 + int(np.hypot(*(by_speed(self.encoding) - (x, y)).T).argmin())}

    def caption(self, arrays: Arrays) -> str:
        middle, score = SIDE // 2, arrays.score
        far = (
            score[middle, middle + FAR],
            score[middle + FAR, middle],
            score[middle + FAR, middle - FAR],
        )
        right, down, both = (signed(each, ".2f") for each in far)
        return (
            f"The patch {FAR} columns right of the query scores {right}, the one {FAR} rows down "
            f"{down}, and the one {FAR} down and {FAR} left {both}."
        )


def by_speed(encoding):
    """The frequencies of each pair [pairs, 2], column first; the fastest pairs come first."""
    frequencies = arrows(encoding, 2 * PAIRS).T
    return frequencies[np.argsort(-np.hypot(*frequencies.T).round(9), kind="stable")]
