"""Weights trained in one pairing of dimensions, run by a program that rotates the other."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, apply_rotary, change_projection_layout
from posviz.pictures.knobs import Choice, Switch
from posviz.pictures.parts import Map, Text
from posviz.pictures.picture import Arrays, Picture

LENGTH, D_MODEL, HEAD_DIM = 24, 32, 8
LIMIT = 3.0  # of the colours


class LayoutConverter(Picture):
    """Weights trained with half_split pairs give other scores in the interleaved layout."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.4)

    query_layout = Choice("interleaved", options=LAYOUTS, label="query rotated as")
    key_layout = Choice("interleaved", options=LAYOUTS, label="key rotated as")
    query_reordered = Switch(False, label="W_Q converted")
    key_reordered = Switch(False, label="W_K converted")

    def compute(self) -> Arrays:
        """Return the scores [len, len] as trained and as run, and how far they are apart."""
        angles = rotary_angles(np.arange(LENGTH), rotary_frequencies(HEAD_DIM))
        x, w_q, w_k = _weights()
        query = self.query_reordered, self.query_layout
        key = self.key_reordered, self.key_layout
        trained = _scores(_rotated(x, w_q, angles), _rotated(x, w_k, angles))
        run = _scores(_rotated(x, w_q, angles, *query), _rotated(x, w_k, angles, *key))
        return self.arrays(
            trained=trained,
            run=run,
            difference=np.abs(run - trained).max(),
            spread=max(np.ptp(run.diagonal(k)) for k in range(1 - LENGTH, LENGTH)),
        )

    def draw(self, figure: Figure) -> list:
        """The map of scores as trained, and beside it that of those as run."""
        panels = figure.subplots(1, 2, sharey=True)
        props = {"most": (LENGTH, LENGTH), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
        maps = [
            Map(axes, name, **props) for axes, name in zip(panels, ("trained", "run"), strict=True)
        ]
        for axes in panels:
            axes.set(title=" ", xlabel="key (position)", xticks=(0, 10, 20), yticks=(0, 10, 20))
        panels[0].set_ylabel("query (position)")
        below: dict = {"location": "bottom", "shrink": 0.6, "aspect": 40, "extend": "both"}
        bar = figure.colorbar(maps[0].image, ax=panels, ticks=(-LIMIT, 0, LIMIT), **below)
        bar.set_label("score")
        panels[0].set_title("trained: half_split")
        above: dict = {"size": rcParams["axes.titlesize"], "transform": panels[1].transAxes}
        return [*maps, Text(panels[1], 0, 1.03, _program, **above)]

    def caption(self, arrays: Arrays) -> str:
        if arrays.difference < 1e-12:
            return "The scores are those of training, because each side rotates its trained pairs."
        if arrays.query_reordered != arrays.key_reordered:
            why = f"Only {'W_Q' if arrays.query_reordered else 'W_K'} is converted"
        elif arrays.query_layout != arrays.key_layout:
            why = "Query and key rotate different pairs"
        else:
            why = "Query and key rotate the same wrong pairs"
        if arrays.spread < 1e-9:
            return (
                f"{why}: the scores depend on the offset alone, but are off by up to "
                f"{arrays.difference:.2f}."
            )
        return (
            f"{why}: the scores are not relative, and those at one offset differ by up to "
            f"{arrays.spread:.2f}."
        )


def _program(arrays):
    """What the program rotates."""
    same = arrays.query_layout == arrays.key_layout
    return f"run: {arrays.query_layout if same else 'two layouts'}"


@functools.cache
def _weights():
    """One token [1, d_model], repeated everywhere, and w_q and w_k, each [d_model, head_dim].

    They are scaled until q and k are as long as a normalised vector is, √head_dim.
    """
    random = np.random.default_rng(140)  # so that wrong scores look wrong
    x = random.standard_normal((1, D_MODEL))
    projections = random.standard_normal((2, D_MODEL, HEAD_DIM))
    return x, *(w * HEAD_DIM**0.5 / np.linalg.norm(x @ w) for w in projections)


def _rotated(x, w, angles, is_reordered=False, layout="half_split"):
    """The token at every position [len, head_dim]: projected, by reordered weights or not."""
    if is_reordered:
        w = change_projection_layout(w, num_heads=1, source="half_split", target="interleaved")
    return apply_rotary(np.broadcast_to(x @ w, (LENGTH, HEAD_DIM)), angles, layout=layout)


def _scores(q, k):
    return q @ k.T / HEAD_DIM**0.5
