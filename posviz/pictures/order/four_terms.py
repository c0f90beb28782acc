"""What adding a vector at the input does to a score."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import choice, even, integer
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

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
        return SimpleNamespace(
            images=[*terms, score],
            # Fixed for each width, so that colours can be compared from seed to seed.
            limit=5.0 if self.projection == "random" else 2 * self.d_model**0.5,
            spread=max(np.ptp(terms[3].diagonal(k)) for k in range(self.seq_len)),
        )

    def draw(self, figure):
        """The four terms as a table of query and key, and their sum."""
        axes = figure.subplot_mosaic(
            [["xx", "xp", "score"], ["px", "pp", "score"]], width_ratios=(1.1, 1.1, 2)
        )
        panels = [axes[name] for name in ("xx", "xp", "px", "pp", "score")]
        images = [
            panel.imshow(np.zeros((1, 1)), cmap=SIGNED, aspect="equal", animated=True)
            for panel in panels
        ]
        axes["xx"].set(title="key: content", ylabel="query: content")
        axes["xp"].set(title="key: position")
        axes["px"].set(ylabel="query: position")
        for panel in panels[:4]:
            panel.set(xticks=(), yticks=())
        axes["score"].set(title="their sum: the score")
        axes["score"].set(xlabel="key position (tokens)", ylabel="query position (tokens)")
        for axis in (axes["score"].xaxis, axes["score"].yaxis):
            axis.set_major_locator(MaxNLocator(6, integer=True))
        bar = figure.colorbar(
            images[0],
            ax=panels,
            location="bottom",
            shrink=0.6,
            aspect=40,
            extend="both",
            label="score",
        )
        bar.locator = MaxNLocator(4, symmetric=True)
        artists = SimpleNamespace(panels=panels, images=images, limit=None, seq_len=None)
        _fit(artists, LONGEST, 10)
        return artists

    def update(self, artists, arrays):
        """Colour the five matrices."""
        seq_len = len(arrays.images[0])
        if (seq_len, arrays.limit) != (artists.seq_len, artists.limit):
            _fit(artists, seq_len, arrays.limit)
        for image, array in zip(artists.images, arrays.images, strict=True):
            image.set_data(array)

    def caption(self, arrays):
        """Whether the last term depends on the distance alone."""
        if arrays.spread < 1e-9:
            relative = "depends on the distance alone"
        else:
            relative = f"differs by up to {arrays.spread:.2f} between pairs at one distance"
        return (
            f"Position enters three of the four terms, and with {self.projection} W_Q and W_K "
            f"(d_model = {self.d_model}) the position–position term {relative}."
        )


def _fit(artists, seq_len, limit):
    """Fit axes and colours to the arrays, which costs a full redraw."""
    artists.seq_len, artists.limit = seq_len, limit
    edges = (-0.5, seq_len - 0.5)
    for panel, image in zip(artists.panels, artists.images, strict=True):
        image.set_extent((*edges, *edges[::-1]))
        image.set_clim(-limit, limit)
        panel.set(xlim=edges, ylim=edges[::-1])
