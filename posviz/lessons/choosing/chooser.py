"""Six questions, and the rows of the comparison that answer them."""

import textwrap

from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.choosing.guide import QUESTIONS, choose, fault
from posviz.choosing.rows import ROWS
from posviz.pictures.knobs import choice
from posviz.pictures.parts import Text, wide
from posviz.pictures.picture import Arrays, Picture


def _question(name, label, default=1, **more):
    options = tuple(QUESTIONS[name])
    return choice(options[default], options=options, label=label, **more)


class Chooser(Picture):
    """Which encoding, then: rows that do what is asked for stay lit."""

    size = (9.0, 3.3)
    paper_size = (3.3, 4.3)

    reads = _question("reads", "it reads", 0)
    later = _question("later", "later on", 0)
    distance = _question("distance", "distance")
    kernel = _question("kernel", "kernel")
    learns = _question("learns", "it learns", more=True)
    cache = _question("cache", "cache", more=True)

    def compute(self) -> Arrays:
        """Return of each row a line that says whether it is lit, or why not; and the advice."""
        found = choose({name: getattr(self, name) for name in QUESTIONS})
        lines = [
            f"✗ {row}: {'; '.join(fault(*each) for each in faults.items())}"
            if faults
            else f"✓ {row}"
            for row, faults in found.faults.items()
        ]
        return self.arrays(lines=lines, advice=found.advice, lit=found.lit)

    def draw(self, figure: Figure) -> list:
        """The rows in two columns, lit and unlit ones as texts of their own; the advice below."""
        axes, columns = figure.subplots(), 2 if wide(figure) else 1
        axes.set_axis_off()
        width = int(72 * figure.get_size_inches()[0] / rcParams["font.size"] / 0.6)
        each = -(-len(ROWS) // columns)
        look = {"parse_math": False, "transform": axes.transAxes}
        top = look | {"va": "top", "linespacing": 1.45}
        looks = {"✓": top | {"weight": "bold"}, "✗": top | {"color": "C6"}}
        parts = [
            Text(axes, at / columns, 1, _lines(at * each, each, sign, width // columns), **look)
            for at in range(columns)
            for sign, look in looks.items()
        ]
        advice = Text(axes, 0, 0, lambda a: textwrap.fill(a.advice, width), va="bottom", **look)
        return [*parts, advice]

    def caption(self, arrays: Arrays) -> str:
        """How many rows stay lit, and the one to take; the nearest where none does."""
        if not arrays.lit:
            return arrays.advice
        take = arrays.advice.split(";")[0].removeprefix("Take ").rstrip(".")
        return f"{len(arrays.lit)} of {len(arrays.lines)} rows stay lit, among them {take}."


def _lines(first, count, sign, width):
    """What a text shows: so many lines from the first, those without the sign left blank."""
    return lambda arrays: "\n".join(
        textwrap.shorten(line, width, placeholder=" …") if line[0] == sign else ""
        for line in arrays.lines[first : first + count]
    )
