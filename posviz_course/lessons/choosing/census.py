"""How many model files have an encoding, and names of some of them."""

import textwrap

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Curve, Other, Text, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.choosing.census import CENSUS, FILES, READ, RELEASE


class Census(Picture):
    """Who uses what: the number of model files that have each encoding."""

    size = (8.0, 4.0)
    paper_size = (3.3, 4.0)

    encoding = Choice("RoPE", options=tuple(CENSUS))

    def compute(self) -> Arrays:
        """Return the number of files with the encoding, some names, and which row it is."""
        entry = CENSUS[self.encoding]
        at = list(CENSUS).index(self.encoding)
        return self.arrays(files=entry.files, examples=entry.examples, at=at)

    def draw(self, figure: Figure) -> list:
        """A bar for each encoding, the chosen one marked; names of models below."""
        axes, words = figure.subplots(2, 1, height_ratios=(6, 1) if wide(figure) else (6, 2))
        files, rows = [count.files for count in CENSUS.values()], np.arange(len(CENSUS))
        axes.barh(rows, files, color="C0", height=0.7)
        axes.set(yticks=rows, yticklabels=CENSUS, ylim=(len(rows) - 0.4, -0.6))
        axes.set(xlim=(0, 1.15 * max(files)), xlabel=f"of {FILES} files, transformers {RELEASE}")
        axes.tick_params(axis="y", labelsize="small", length=0)
        for row, count in zip(rows, files, strict=True):
            axes.text(count + 3, row, count, va="center_baseline", fontsize="small")
        words.set_axis_off()
        width = int(72 * inches(figure)[0] / rcParams["font.size"] / 0.58)
        props = {"va": "bottom", "parse_math": False}
        names = Text(
            words,
            0.01,
            0.01,
            lambda a: textwrap.fill(_named(a.examples), width),
            transform=figure.transFigure,
            **props,
        )
        bar = axes.add_patch(Rectangle((0, 0), 0, 0.7, color="C1", animated=True))
        mark = Curve(axes, "C1<", lambda a: ([a.files + 22], [a.at]))
        return [Other(bar, lambda a: {"width": a.files, "y": a.at - 0.35}), mark, names]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"{arrays.encoding}: {arrays.files} of {FILES} model files of transformers {RELEASE}, "
            f"read on {READ}."
        )


def _named(examples):
    return f"For example: {examples}" if examples else "No file has it."
