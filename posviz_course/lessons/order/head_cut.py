"""How the columns of one projection are cut into heads."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Map
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

TOKENS, WIDTH, GAP = 6, 32, 2  # the gap in columns, between two heads


class HeadCut(Picture):
    """One projection is cut into heads."""

    size = (8.0, 3.4)
    paper_size = (3.3, 2.6)

    num_heads = Choice(4, options=(1, 2, 4, 8), redraw=True)

    def compute(self) -> Arrays:
        """Return for each entry the head that it belongs to, before and after the cut."""
        belongs = np.repeat(np.arange(self.num_heads), WIDTH // self.num_heads)
        whole = np.tile(belongs.astype(float), (TOKENS, 1))
        gap = np.full((TOKENS, GAP), np.nan)
        heads = np.split(whole, self.num_heads, axis=1)
        return self.arrays(whole=whole, apart=np.hstack([x for h in heads for x in (h, gap)][:-1]))

    def draw(self, figure: Figure) -> list:
        """The projection above, the heads below it."""
        above, below = figure.subplots(2, 1)
        head_dim = WIDTH // self.num_heads
        props = {"limits": (0, max(self.num_heads - 1, 1)), "cmap": PLAIN, "aspect": "auto"}
        whole = Map(above, "whole", most=(TOKENS, WIDTH), **props)
        apart = Map(below, "apart", most=(TOKENS, WIDTH + GAP * (self.num_heads - 1)), **props)
        above.set_title(f"x @ w_q: {TOKENS} tokens, {WIDTH} columns")
        below.set_title(f"q: {self.num_heads} heads, {TOKENS} tokens, {head_dim} columns")
        for axes in (above, below):
            axes.set(ylabel="tokens", xticks=(), yticks=())
        middles = [(head_dim + GAP) * head + (head_dim - 1) / 2 for head in range(self.num_heads)]
        below.set_xticks(middles, [f"head {head}" for head in range(self.num_heads)])
        return [whole, apart]

    def caption(self, arrays: Arrays) -> str:
        width = WIDTH // arrays.num_heads
        return f"Each head has {width} neighbouring columns of every token."
