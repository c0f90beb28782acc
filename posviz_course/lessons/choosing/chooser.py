"""Six questions, and the rows of the comparison that answer them."""

import textwrap

from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Text, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.choosing.guide import QUESTIONS, choose, fault, files
from posviz_course.choosing.rows import PLANS, ROWS


def _question(name, label, default=1, **more):
    options = tuple(QUESTIONS[name])
    return Choice(options[default], options=options, label=label, **more)


class Chooser(Picture):
    """Which encoding, then: what can do all that is asked for, the most used first."""

    size = (9.0, 3.7)
    paper_size = (3.3, 5.0)

    reads = _question("reads", "it reads", 0)
    later = _question("later", "later on", 0)
    distance = _question("distance", "distance")
    kernel = _question("kernel", "kernel")
    learns = _question("learns", "it learns", more=True)
    cache = _question("cache", "cache", more=True)

    def compute(self) -> Arrays:
        """Return a line for each row: the most used that can do it, then why each other fails."""
        choice = choose({name: getattr(self, name) for name in QUESTIONS})
        lines = [f"✓ {row} ({files(row)} files)" for row in choice.used]
        lines += [f"○ {row} (only measured here)" for row in choice.lit if row not in choice.used]
        lines += [f"? {row}: not measured here" for row in choice.unknown]
        lines += [
            f"✗ {row}: {fault(*next(each for each in faults.items() if each[1].can is False))}"
            for row, faults in choice.faults.items()
            if faults and row not in choice.unknown
        ]
        return self.arrays(
            lines=lines,
            advice=choice.advice,
            lit=choice.lit,
            used=choice.used,
            unknown=len(choice.unknown),
        )

    def draw(self, figure: Figure) -> list:
        """The rows in two columns, each kind of line as a text of its own; the advice below."""
        axes, columns = figure.subplots(), 2 if wide(figure) else 1
        axes.set_axis_off()
        width = int(72 * inches(figure)[0] / rcParams["font.size"] / 0.6)
        rows = -(-len((*ROWS, *PLANS)) // columns)
        props = {"parse_math": False, "transform": axes.transAxes}
        top = props | {"va": "top", "linespacing": 1.45}
        props_of = {"✓": top | {"weight": "bold"}, "○": top, "?": top, "✗": top | {"color": "C6"}}
        parts = [
            Text(axes, at / columns, 1, _lines(at * rows, rows, sign, width // columns), **props)
            for at in range(columns)
            for sign, props in props_of.items()
        ]
        advice = Text(axes, 0, 0, lambda a: textwrap.fill(a.advice, width), va="bottom", **props)
        return [*parts, advice]

    def caption(self, arrays: Arrays) -> str:
        unknown = f"; {arrays.unknown} not measured" if arrays.unknown else ""
        if not arrays.used:
            return "No released encoding is known to do all of it; the text names the nearest."
        return (
            f"Of {len(arrays.lines)} rows {len(arrays.lit)} can do it ({len(arrays.used)} in "
            f"released models{unknown})."
        )


def _lines(first, count, sign, width):
    """Return a function for a text's lines, those with other signs left blank."""
    return lambda arrays: "\n".join(
        textwrap.shorten(line, width, placeholder=" …") if line[0] == sign else ""
        for line in arrays.lines[first : first + count]
    )
