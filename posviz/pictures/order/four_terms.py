"""What adding a vector at the input does to a score."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import choice, even, integer
from posviz.engine.picture import Picture
from posviz.pictures.parts import Map, Other, whole

LONGEST = 64


class FourTerms(Picture):
    """The four terms of a score when a position vector is added at the input."""

    size = (9.0, 5.0)
    paper_size = (3.3, 2.6)

    seq_len = integer(24, low=2, high=LONGEST)
    d_model = even(64, low=2, high=128)
    projection = choice("random", options=("random", "identity"), label="W_Q and W_K")
    seed = integer(0, low=0, high=99)

    def compute(self):
        """The terms, query first, and the score, each [seq_len, seq_len]."""
        random = np.random.default_rng(self.seed)
        x = random.standard_normal((LONGEST, self.d_model))[: self.seq_len]
        p = sinusoidal(np.arange(self.seq_len), self.d_model)
        w_q = w_k = np.eye(self.d_model)
        if self.projection == "random":
            w_q, w_k = random.standard_normal((2, self.d_model, self.d_model)) / self.d_model**0.5
        scale = self.d_model**-0.5
        terms = [scale * query @ w_q @ (key @ w_k).T for query in (x, p) for key in (x, p)]
        score = scale * (x + p) @ w_q @ ((x + p) @ w_k).T
        # Fixed for each width, so that colours can be compared from seed to seed.
        limit = 5.0 if self.projection == "random" else 2 * self.d_model**0.5
        return SimpleNamespace(
            images=[*terms, score],
            limits=(-limit, limit),
            spread=max(np.ptp(terms[3].diagonal(k)) for k in range(self.seq_len)),
            projection=self.projection,
            d_model=self.d_model,
        )

    def draw(self, figure):
        """The four terms as a table of query and key, and their sum."""
        axes = figure.subplot_mosaic(
            [["xx", "xp", "score"], ["px", "pp", "score"]], width_ratios=(1.1, 1.1, 2)
        )
        panels = [axes[name] for name in ("xx", "xp", "px", "pp", "score")]
        # Room for the largest, and on the bar for the longest numbers.
        room = {"most": (LONGEST, LONGEST), "limits": (-10, 10), "aspect": "equal"}
        maps = [Map(panel, lambda a, i=i: a.images[i], **room) for i, panel in enumerate(panels)]
        axes["xx"].set(title="key: content", ylabel="query: content")
        axes["xp"].set(title="key: position")
        axes["px"].set(ylabel="query: position")
        for panel in panels[:4]:
            panel.set(xticks=(), yticks=())
        axes["score"].set(title="their sum: the score")
        axes["score"].set(xlabel="key position (tokens)", ylabel="query position (tokens)")
        whole(axes["score"].xaxis, axes["score"].yaxis, most=6, fewest=2, steps=None)
        look = {"location": "bottom", "shrink": 0.6, "aspect": 40, "extend": "both"}
        bar = figure.colorbar(maps[0].image, ax=panels, label="score", **look)
        bar.locator = MaxNLocator(4, symmetric=True)
        return [*maps, *(Other(map_.image, lambda a: {"clim": a.limits}) for map_ in maps)]

    def caption(self, arrays):
        """Whether the last term depends on the distance alone."""
        if arrays.spread < 1e-9:
            relative = "depends on the distance alone"
        else:
            relative = f"differs by up to {arrays.spread:.2f} between pairs at one distance"
        return (
            f"Position enters three of the four terms, and with {arrays.projection} W_Q and W_K "
            f"(d_model = {arrays.d_model}) the position–position term {relative}."
        )
