"""Six questions, and the rows of the comparison that answer them."""

import textwrap

from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.choosing.guide import QUESTIONS, choose, fault
from posviz.pictures.knobs import choice
from posviz.pictures.parts import Text, wide
from posviz.pictures.picture import Arrays, Picture


def _question(name, label, default=0):
    options = tuple(QUESTIONS[name])
    return choice(options[default], options=options, label=label)


class Chooser(Picture):
    """Which encoding, then: rows that do what is asked for stay lit."""

    size = (9.0, 3.3)
    paper_size = (3.3, 4.3)
    combined = (("reads", "later"), ("kernel", "learns", "distance"))

    reads = _question("reads", "it reads")
    later = _question("later", "later on")
    kernel = _question("kernel", "kernel", 1)
    learns = _question("learns", "it learns", 1)
    cache = _question("cache", "cache", 1)
    distance = _question("distance", "distance", 1)

    def compute(self) -> Arrays:
        """Return of each row why it stays lit or does not, in words, and the advice."""
        found = choose(self.values())
        told = {
            row: "; ".join(fault(*each) for each in faults.items())
            for row, faults in found.faults.items()
        }
        return self.arrays(told=told, advice=found.advice, lit=found.lit)

    def draw(self, figure: Figure) -> list:
        """The rows in two columns, lit and unlit ones as texts of their own; the advice below."""
        beside = wide(figure)
        axes = figure.subplots()
        axes.set_axis_off()
        columns = 2 if beside else 1
        width = int(72 * figure.get_size_inches()[0] / rcParams["font.size"] / 0.6)
        look = {"va": "top", "linespacing": 1.45, "parse_math": False, "transform": axes.transAxes}
        parts = []
        for column in range(columns):
            for lit, style in ((True, {"weight": "bold"}), (False, {"color": "C6"})):
                lines = _Lines(column, columns, lit, width // columns)
                parts.append(Text(axes, column / columns, 1, lines, **look, **style))
        below = {"va": "bottom", "parse_math": False, "transform": axes.transAxes}
        advice = Text(axes, 0, 0, lambda a: textwrap.fill(a.advice, width), **below)
        return [*parts, advice]

    def caption(self, arrays: Arrays) -> str:
        """How many rows stay lit, and the advice."""
        advice = arrays.advice[0].lower() + arrays.advice[1:].rstrip(".")
        return f"{len(arrays.lit)} of {len(arrays.told)} rows stay lit: {advice}."


class _Lines:
    """The lines of a column of rows that are lit, or that are not, the others left blank."""

    def __init__(self, column, columns, lit, width):
        self.column, self.columns, self.lit, self.width = column, columns, lit, width

    def __call__(self, arrays):
        rows = list(arrays.told.items())
        each = -(-len(rows) // self.columns)
        mine = rows[self.column * each : (self.column + 1) * each]
        return "\n".join(self._line(*row) if (not row[1]) == self.lit else "" for row in mine)

    def _line(self, row, faults):
        if not faults:
            return f"✓ {row}"
        return textwrap.shorten(f"✗ {row}: {faults}", self.width, placeholder=" …")
