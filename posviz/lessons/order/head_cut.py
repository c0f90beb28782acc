"""How the columns of one projection are cut into heads, and how a wrong reshape mixes them."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import choice
from posviz.pictures.parts import Map
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

TOKENS, WIDTH, GAP = 6, 32, 2  # the gap in columns, between two heads
WAYS = ("cut the columns", "reshape only")


class HeadCut(Picture):
    """One projection is cut into heads."""

    size = (8.0, 3.4)
    paper_size = (3.3, 2.6)

    num_heads = choice(4, options=(1, 2, 4, 8), redraw=True)
    way = choice(WAYS[0], options=WAYS)

    def compute(self) -> Arrays:
        """Return for each entry the head that it belongs to, before and after the cut."""
        belongs = np.repeat(np.arange(self.num_heads), WIDTH // self.num_heads)
        whole = np.tile(belongs.astype(float), (TOKENS, 1))
        shape = (TOKENS, self.num_heads, -1)
        if self.way == WAYS[0]:
            heads = whole.reshape(shape).swapaxes(0, 1)
        else:
            heads = whole.reshape(self.num_heads, TOKENS, -1)
        gap = np.full((TOKENS, GAP), np.nan)
        apart = [part for head in heads for part in (head, gap)][:-1]
        mixed = sum(len(np.unique(head)) > 1 for head in heads)
        return self.arrays(whole=whole, apart=np.hstack(apart), mixed=mixed)

    def draw(self, figure: Figure) -> list:
        """The projection above, the heads below it."""
        above, below = figure.subplots(2, 1)
        head_dim = WIDTH // self.num_heads
        look = {"limits": (0, max(self.num_heads - 1, 1)), "cmap": PLAIN}
        columns = WIDTH + GAP * (self.num_heads - 1)
        whole = Map(above, "whole", most=(TOKENS, WIDTH), aspect="auto", **look)
        apart = Map(below, "apart", most=(TOKENS, columns), aspect="auto", **look)
        above.set(title=f"x @ w_q: {TOKENS} tokens, {WIDTH} columns", xticks=(), yticks=())
        middles = [(head_dim + GAP) * head + (head_dim - 1) / 2 for head in range(self.num_heads)]
        below.set_xticks(middles, [f"head {head}" for head in range(self.num_heads)])
        below.set(title=f"q: {self.num_heads} heads, {TOKENS} tokens, {head_dim} columns")
        below.set(yticks=())
        for axes in (above, below):
            axes.set_ylabel("tokens")
        return [whole, apart]

    def caption(self, arrays: Arrays) -> str:
        """Whether each head has the columns that belong to it."""
        if arrays.mixed:
            return "A reshape alone has the right shape, but it mixes columns of different heads."
        width = WIDTH // arrays.num_heads
        return f"Each head has {width} neighbouring columns of every token."
