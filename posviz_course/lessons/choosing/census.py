"""How many model files have an encoding, and names of some of them."""

import textwrap

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Curve, Other, Text, inches
from posviz.pictures.picture import Arrays, Picture
from posviz_course.choosing.census import CENSUS, FILES, READ, RELEASE
from posviz_course.lessons._hues import Coloured, hue


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
        """A bar for each encoding, the chosen one marked; names of models beside them."""
        axes = figure.subplots()
        files, rows = [count.files for count in CENSUS.values()], np.arange(len(CENSUS))
        axes.barh(rows, files, color="C6", alpha=0.5, height=0.7)
        axes.set(yticks=rows, yticklabels=CENSUS, ylim=(len(rows) - 0.4, -0.6))
        axes.set(xlim=(0, 1.15 * max(files)), xlabel=f"of {FILES} files, transformers {RELEASE}")
        axes.tick_params(axis="y", labelsize="small", length=0)
        for row, count in enumerate(files):
            axes.text(count + 3, row, str(count), va="center_baseline", fontsize="small")
        width = int(0.45 * 72 * inches(figure)[0] / rcParams["font.size"] / 0.58)
        corner = {"transform": axes.transAxes, "ha": "right", "va": "center"}
        names = Text(
            axes,
            1,
            0.4,
            lambda a: textwrap.fill(_named(a.encoding, a.examples), width),
            parse_math=False,
            **corner,
        )
        bar = axes.add_patch(Rectangle((0, 0), 0, 0.7, animated=True))
        mark = Curve(axes, "<", lambda a: ([a.files + 22], [a.at]))
        colour = Coloured([bar, mark.line, names.artist], lambda a: hue(a.encoding))
        return [Other(bar, lambda a: {"width": a.files, "y": a.at - 0.35}), mark, names, colour]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"{arrays.encoding}: {arrays.files} of {FILES} model files of transformers {RELEASE}, "
            f"read on {READ}."
        )


def _named(encoding, examples):
    return f"{encoding}: {examples}" if examples else f"{encoding}: no file has it"
