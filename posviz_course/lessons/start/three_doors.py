"""One attention layer and the doors through which position can enter it."""

from itertools import pairwise

from matplotlib import rcParams
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from posviz.pictures.knobs import Choice
from posviz.pictures.picture import Arrays, Picture

# Places; the axes run from 0 to 1 in both directions.
_TOP, _QUERY, _SCORES, _KEY, _VALUE, _BOTTOM = 0.91, 0.70, 0.59, 0.48, 0.26, 0.08
_NODES = {
    "x": (0.025, _KEY),
    "q": (0.245, _QUERY),
    "k": (0.245, _KEY),
    "v": (0.245, _VALUE),
    "q·k/√d": (0.48, _SCORES),
    "softmax": (0.848, _SCORES),
    "Σ": (0.955, _SCORES),
}
_WIRES = [
    [(0.025, _KEY), (0.375, _KEY), (0.46, _SCORES), (1.0, _SCORES)],
    [(0.15, _KEY), (0.22, _QUERY), (0.375, _QUERY), (0.46, _SCORES)],
    [(0.15, _KEY), (0.22, _VALUE), (0.92, _VALUE)],
]
_TURN = [(0.92, _VALUE), (0.955, _VALUE), (0.955, _SCORES)]
# Of each door: where its label and its stations on the wires are.
DOOR_POINTS = {
    "input": [(0.1, _TOP), (0.1, _KEY)],
    "query and key": [(0.335, _TOP), (0.335, _QUERY), (0.335, _KEY)],
    "scores": [(0.605, _TOP), (0.605, _SCORES)],
    "mask": [(0.745, _TOP), (0.745, _SCORES)],
    "values": [(0.605, _BOTTOM), (0.605, _VALUE)],
}
SIDE_ENTRANCES = ("mask", "values")
_CAPTIONS = {
    "none": "Position has three doors, the input, the query and key, and the scores, and two side "
    "entrances, the mask and the values.",
    "input": "At the input, a vector is added to each embedding, once, before the first layer.",
    "query and key": "At the query and key, each is rotated or scaled by its own position, usually "
    "in every layer.",
    "scores": "At the scores, a number that depends on the two positions is added, usually in "
    "every layer.",
    "mask": "Through the mask, each token sees only itself and the tokens before it.",
    "values": "Through the values, a vector that depends on the two positions is added to the sum.",
}


class ThreeDoors(Picture):
    """One attention layer, and the doors through which position can enter."""

    size = (8.0, 2.2)
    paper_size = (3.3, 1.3)

    door = Choice("none", options=tuple(_CAPTIONS))

    def compute(self) -> Arrays:
        """The doors to light, and what happens there."""
        return self.arrays(lit={self.door} & DOOR_POINTS.keys(), caption=_CAPTIONS[self.door])

    def draw(self, figure: Figure) -> list:
        """The layer at rest, the doors ready to be lit."""
        return draw_doors(figure.subplots())

    def caption(self, arrays: Arrays) -> str:
        return arrays.caption


def draw_doors(axes):
    """Draw an attention layer; return its doors, which are lit where `arrays.lit` names them."""
    blank(axes)
    paper, grey = rcParams["axes.facecolor"], to_hex("C6")
    for path in [*map(_wire, _WIRES), Path(_TURN, [Path.MOVETO, Path.CURVE3, Path.CURVE3])]:
        width = rcParams["lines.linewidth"]
        axes.add_patch(PathPatch(path, lw=width, edgecolor=grey, facecolor="none", zorder=1))
    axes.plot(0.992, _SCORES, ">", color=grey, clip_on=False, zorder=1)
    box = {"boxstyle": "round,pad=0.35", "facecolor": paper, "edgecolor": grey}
    for name, point in _NODES.items():
        axes.text(*point, name, ha="center", va="center", bbox=box, zorder=1.5)
    return [_Door(axes, name, *points) for name, points in DOOR_POINTS.items()]


def blank(axes):
    """Make axes from 0 to 1 invisible."""
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")


def _wire(points):
    """A path that leaves and reaches each point level."""
    path, codes = [points[0]], [Path.MOVETO]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) / 2
        path += [(middle, y0), (middle, y1), (x1, y1)]
        codes += [Path.CURVE4] * 3
    return Path(path, codes)


class _Door:
    """A door's label, the way in, and its stations on the wires; empty and dotted unless lit."""

    def __init__(self, axes, name, label, *stations):
        x, y = zip(label, *stations, strict=True)
        (self.way,) = axes.plot(x, y, zorder=2, animated=True)
        dots = {"ms": 0.8 * rcParams["font.size"], "mew": rcParams["lines.linewidth"]}
        (self.stops,) = axes.plot(x[1:], y[1:], "o", zorder=3, animated=True, **dots)
        pill = {"boxstyle": "round,pad=0.35,rounding_size=0.8"}
        weight = "normal" if name in SIDE_ENTRANCES else "bold"
        self.text = axes.text(*label, name, ha="center", va="center", weight=weight, bbox=pill)
        self.text.set(zorder=5, animated=True)
        if name in SIDE_ENTRANCES:
            self.text.set_size("small")
            self.text.get_bbox_patch().set_linestyle("--")
        paper, grey, orange = rcParams["axes.facecolor"], to_hex("C6"), to_hex("C1")
        self.name = name
        self.dim, self.lit = (rcParams["text.color"], paper, grey), (paper, orange, orange)

    def move(self, arrays: Arrays) -> None:
        """Show whether the door is lit."""
        is_lit = self.name in arrays.lit
        ink, fill, edge = self.lit if is_lit else self.dim
        self.way.set(color=edge, linestyle="-" if is_lit else ":")
        self.stops.set(markerfacecolor=fill, markeredgecolor=edge)
        self.text.set_color(ink)
        self.text.get_bbox_patch().set(facecolor=fill, edgecolor=edge)
