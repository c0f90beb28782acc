"""Every head of a trained model on a reader's own text: does it look by position or by content?"""

import functools
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Integer, TypedText
from posviz.pictures.parts import Curve, Map, Ring, Text, greyed, inches, on_colours, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz_course.lessons._sentences import label_tokens
from posviz_course.models.reading import Look, look
from posviz_course.models.small import ENCODINGS, small_model

MOST = 40  # tokens that are shown
FEW = 8  # layers, up to which the grid is drawn to scale
FINE = 480  # cells that the grid of all heads has across, or down, at most


class HeadBrowser(Picture):
    """Heads that look by position keep their map on shuffled text.

    `given` is a model, as `posviz.load_model("~/models/…")` returns it, or a
    `posviz_course.models.small.SmallModel`; it replaces the stored ones.
    """

    size = (9.0, 4.4)
    paper_size = (3.3, 4.0)

    layer = Integer(1, low=0, high=127, until=lambda p: len(p._seen().look.weights) - 1)
    head = Integer(
        0, low=0, high=127, play=True, until=lambda p: len(p._seen().look.weights[0]) - 1
    )
    model = Choice("ALiBi", options=tuple(ENCODINGS), given="a model was given")
    text = TypedText("for x in xs: print(x)", redraw=True)

    def __init__(self, given=None, **knobs):
        self.given_data = () if given is None else ("given",)
        self._given = given
        self._read = functools.lru_cache(maxsize=8)(_read)
        super().__init__(**knobs)  # a knob ends where the data do

    def _model(self) -> Any:
        return self._given or small_model(self.model)

    def _seen(self) -> "_HeadMaps":
        return self._read(self._model(), self.text)

    def compute(self) -> Arrays:
        """Return the maps of all heads, and both of the chosen one, with what was measured of all.

        grid: all maps side by side; maps: of the text and of its tokens shuffled [len, len], NaN
        ahead; by_offset and left_in_place [layers, heads].
        """
        seen, look = self._seen(), self._seen().look
        at = self.layer, self.head
        ahead = ~np.tri(len(look.words), dtype=bool)
        left = look.left_in_place
        return self.arrays(
            name=self._model().name,
            grid=seen.grid,
            outline=_outline(*at, seen.cell),
            maps=[np.where(ahead, np.nan, maps[at]) for maps in (look.weights, look.shuffled)],
            left_in_place=left,
            stays="" if np.isnan(left[at]) else f"{left[at]:.0%} stays",
            points=(look.by_offset.ravel(), left.ravel()),
            chosen=([look.by_offset[at]], [left[at]]),
        )

    def draw(self, figure: Figure) -> list:
        """The maps and the measures of all heads; the chosen one's map, on both texts."""
        # Whichever stored model it is: they read the same characters and have as many heads.
        seen = self._read(self._given or small_model("ALiBi"), self.text)
        look, is_wide, is_large = seen.look, wide(figure), len(seen.look.weights) > FEW
        rows = "aws;pws" if is_wide else "ap;ws"
        panels = figure.subplot_mosaic(rows, width_ratios=(1.15, 1.25, 1.25) if is_wide else (1, 1))
        colours: dict[str, Any] = {"cmap": greyed(PLAIN), "limits": (0, 1)}
        grid = Map(panels["a"], "grid", most=seen.grid.shape, **colours)
        panels["a"].set_aspect("auto" if is_large else "equal")
        _label_grid(panels["a"], seen)
        chosen = on_colours(panels["a"], "outline")
        upright = 90 if max(map(len, look.words)) > 1 else 0
        side = (0.29 if is_wide else 0.36) * inches(figure)[0]
        maps: list[Map] = []
        both = panels["w"], panels["s"]
        for axes, title, words in zip(
            both, ("as written", "shuffled"), (look.words, look.shuffled_words), strict=True
        ):
            size = len(words), len(words)
            maps.append(Map(axes, f"maps[{len(maps)}]", most=size, aspect="equal", **colours))
            label_tokens(axes.xaxis, words, side, rotation=upright)
            label_tokens(axes.yaxis, words, side)
            axes.set(title=title, xlabel="key", ylabel="query")
        above = {"transform": panels["s"].transAxes, "ha": "right", "va": "bottom"}
        stays = Text(panels["s"], 1, 1.01, "stays", **above)
        bar: dict[str, Any] = {"ticks": (0, 0.5, 1), "label": "attention weight"}
        figure.colorbar(maps[0].image, ax=both, location="bottom", aspect=40, **bar)
        return [grid, *chosen, *maps, stays, *_draw_points(panels["p"], 0.5 if is_large else 1)]

    def caption(self, arrays: Arrays) -> str:
        told = f"In {arrays.name}, layer {arrays.layer} head {arrays.head}"
        left = arrays.left_in_place
        if np.isnan(left).all():
            return f"{told}: one token looks at itself alone, so there is nothing to measure."
        return (
            f"{told} keeps {left[arrays.layer, arrays.head]:.0%} of its weight in place when the "
            f"text is shuffled; all keep {np.nanmin(left):.0%} to {np.nanmax(left):.0%}."
        )

    def dragged(self, x: float, y: float) -> dict:
        """The head whose map is there in the grid."""
        cell = self._seen().cell
        return {"layer": int(max(y, 0) // cell), "head": int(max(x, 0) // cell)}


class _HeadMaps(NamedTuple):
    """A text as a model sees it; grid: the maps of all heads, each in so many cells."""

    look: Look
    grid: np.ndarray
    cell: int


def _read(model, text) -> _HeadMaps:
    seen = look(model, text, MOST)
    layers, heads, count, _ = seen.weights.shape
    fine = min(count, max(8, FINE // max(layers, heads)))
    ends = np.linspace(0, count, fine + 1).astype(int)[:-1]
    tiles = np.where(np.tri(count, dtype=bool), seen.weights, -np.inf)
    for axis in (-1, -2):  # of a large map the heaviest weight of every few
        tiles = np.maximum.reduceat(tiles, ends, axis=axis)
    cell = fine + max(1, fine // 12)  # with what is left free between two
    grid = np.full((layers, cell, heads, cell), np.nan)
    grid[:, :fine, :, :fine] = np.where(np.isinf(tiles), np.nan, tiles).swapaxes(1, 2)
    return _HeadMaps(seen, grid.reshape(layers * cell, heads * cell), cell)


def _outline(row, column, cell):
    """The outline of a head in the grid."""
    left, top = column * cell - 1, row * cell - 1
    return [left, left + cell, left + cell, left, left], [top, top, top + cell, top + cell, top]


def _label_grid(axes, seen):
    """Numbers of layers and heads, at most eight of each."""
    for axis, count, name in (
        (axes.yaxis, seen.look.weights.shape[0], "layer"),
        (axes.xaxis, seen.look.weights.shape[1], "head"),
    ):
        shown = range(0, count, -(-count // 8))
        axis.set_ticks([(i + 0.5) * seen.cell - 1 for i in shown], labels=[*map(str, shown)])
        axis.set_label_text(name)


def _draw_points(axes, marks):
    """Each head by both measures, the chosen one in a ring."""
    axes.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.3), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    axes.set(xlabel="correlation with offset", ylabel="weight that stays")
    props: dict[str, Any] = {"color": "C6", "style": "italic"}
    axes.text(0, 0, "by content", va="bottom", **props)
    axes.text(1, 1.28, "by position", va="top", ha="right", **props)
    points = Curve(axes, "C0o", "points", marks=marks)
    return [points, Ring(axes, "C1s", "chosen", edge=0.35, marks=2)]
