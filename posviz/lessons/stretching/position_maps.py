"""Maps of positions: how far apart a query and a key look when a long text is read."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from posviz.attention.masks import causal_mask
from posviz.encodings.position_maps import (
    dual_chunk_positions,
    mapped_offsets,
    rerope_positions,
    self_extend_positions,
    sink_positions,
)
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import choice, integer
from posviz.pictures.parts import Curve, Map, Rule, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LONGEST = 192
RED = "#D55E00"  # the map's own, the same in both themes
FORGOTTEN, UNSEEN = -1.0, 2.0  # shares of the trained length that stand for colours
MAPS = {  # of a picture and positions: the branches
    "ReRoPE": lambda p, at: rerope_positions(at, at, p.window),
    "Leaky ReRoPE": lambda p, at: rerope_positions(at, at, p.window, leak=1 / p.group),
    "Self-Extend": lambda p, at: self_extend_positions(at, at, p.window, p.group),
    "dual chunk": lambda p, at: dual_chunk_positions(at, at, p.window, p.trained - 1),
    "sinks": lambda p, at: sink_positions(at, at, 4, p.window),  # four, as StreamingLLM has them
}


class PositionMaps(Picture):
    """Maps of positions: which distances a long text shows to a model trained on short ones."""

    size = (9.0, 4.0)
    paper_size = (3.3, 2.6)

    positions = choice("plain", options=("plain", "interpolated", *MAPS))
    length = integer(128, low=8, high=LONGEST, play=True, label="text (tokens)")
    window = integer(
        32,
        low=1,
        high=LONGEST // 2 - 1,
        until=lambda p: p.trained - 1,
        when={"positions": tuple(MAPS)},
        label="window, chunk",
    )
    group = integer(
        4, low=1, high=16, when={"positions": ("Leaky ReRoPE", "Self-Extend")}, label="group G"
    )
    trained = integer(64, low=8, high=LONGEST // 2, label="trained on (tokens)", more=True)

    def compute(self) -> Arrays:
        """Return how far apart all pairs look, as a share of the trained length [LONGEST, LONGEST].

        looks: how far all keys look from the last query, nearest first; forgotten: how many pairs
        no branch has; beyond_training: how many look further apart than any in training.
        """
        at = np.arange(self.length)
        causal, apart = causal_mask(at, at), offsets(at, at)
        looks, kept = apart, np.full_like(apart, True, dtype=bool)
        if self.positions == "interpolated":
            looks = apart / max(self.length / self.trained, 1)
        elif self.positions in MAPS:
            branches = MAPS[self.positions](self, at)
            looks = mapped_offsets(branches)
            kept = np.any([branch.where for branch in branches], axis=0)
        is_new = looks >= self.trained
        shares = np.where(is_new, UNSEEN, looks / self.trained)
        room = np.full((LONGEST, LONGEST), np.nan)  # the text grows in axes that stay
        room[: self.length, : self.length] = np.where(
            causal, np.where(kept, shares, FORGOTTEN), np.nan
        )
        row = np.where(kept, looks, np.nan)[-1, ::-1]
        return self.arrays(
            shares=room,
            row=row,
            largest=looks[causal & kept].max(),
            pairs=causal.sum(),
            forgotten=(causal & ~kept).sum(),
            beyond_training=(causal & kept & is_new).sum(),
            true=(at, at),
            seen=(at, np.where(row < self.trained, row, np.nan)),
            unseen=(at, np.where(row >= self.trained, row, np.nan)),
        )

    def draw(self, figure: Figure) -> list:
        """The distances of all pairs as a map; beside it those that the last query sees."""
        matrix, curves = figure.subplots(1, 2, width_ratios=(1, 1.1))
        curves.set_box_aspect(1 / 1.1)  # as high as the matrix is
        grey = rcParams["grid.color"]
        cmap = colormaps[PLAIN].with_extremes(over=RED, under=grey, bad=(0, 0, 0, 0))
        look = {"cmap": cmap, "limits": (0, 1), "aspect": "equal", "interpolation": "nearest"}
        shares = Map(matrix, "shares", most=(LONGEST, LONGEST), **look)
        true = Curve(curves, "C6:", "true", "as it is")
        dashes = {"color": "C6", "linestyle": "--"}
        end = Rule(curves, dashes, "trained", "trained length", upright=False)
        seen = Curve(curves, "C0-", "seen", "as it looks", stroke=1.5)
        unseen = Curve(curves, "-", "unseen", stroke=1.5, color=RED)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        curves.set(xlabel="distance (tokens)", ylabel="distance it looks")
        whole(matrix.xaxis, matrix.yaxis, curves.xaxis, curves.yaxis, most=4)
        curves.set(xlim=with_room(0, LONGEST), ylim=with_room(0, LONGEST, 0.04))
        patches = [
            Patch(color=RED, label="never seen in training"),
            Patch(color=grey, label="forgotten"),
        ]
        close = {"columnspacing": 1.1, "handlelength": 1.4}
        legend_above(figure, [seen, true, end, *patches], narrow=2, **close)
        return [shares, true, end, seen, unseen]

    def caption(self, arrays: Arrays) -> str:
        """How many pairs training has never seen so far apart, and how many are forgotten."""
        return (
            f"Positions {arrays.positions}, {arrays.length} tokens: {arrays.beyond_training:,} of "
            f"{arrays.pairs:,} pairs look farther apart than any in training, "
            f"{arrays.forgotten:,} are forgotten, and the largest distance is {arrays.largest:g}."
        )
