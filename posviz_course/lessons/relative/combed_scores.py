"""A map of scores whose rows slide until equal offsets are in one column."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import offsets
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Real
from posviz.pictures.parts import Curve, Map, Text, broken, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.models.real import trained_table

LENGTH, HEAD_DIM = 32, 64
FINE = 6  # columns of the image in a cell, because a row slides by parts of a cell
LIMIT = 3.0  # of the colours
PLACES = np.arange(LENGTH)
APART = offsets(PLACES, PLACES)
OFFSETS = np.arange(LENGTH - 1, -LENGTH, -1)  # keys before their query are at the left
METHODS = ("learned table", "sinusoidal table", "relative bias", "RoPE", "ALiBi")


class CombedScores(Picture):
    """Slid by their queries, a relative method's scores become upright stripes."""

    size = (8.0, 4.4)
    paper_size = (3.3, 3.4)

    method = Choice("relative bias", options=METHODS)
    combed = Real(1.0, low=0, high=1, step=0.02, play=True, label="comb the rows")

    def compute(self) -> Arrays:
        """Return the map with its rows slid, the scores of each query by offset, and their mean.

        share: of the variance of the scores, what their mean at each offset explains.
        """
        scores = _scores(self.method)
        by_offset = _slid(scores, 1)
        mean = np.ma.masked_invalid(by_offset).mean(axis=0).filled(np.nan)
        return self.arrays(
            image=_slid(np.repeat(scores, FINE, axis=1), self.combed, FINE),
            rows=broken(np.stack(np.broadcast_arrays(OFFSETS, by_offset), axis=-1)),
            mean=(OFFSETS, mean),
            share=1 - np.nanvar(by_offset - mean) / np.nanvar(by_offset),
        )

    def draw(self, figure: Figure) -> list:
        """The map, whose rows slide; below it the scores of all its rows over the offset."""
        top, below = figure.subplots(2, 1, height_ratios=(1.3, 1))
        ends = (LENGTH - 0.5, 0.5 - LENGTH)
        room = {"most": (LENGTH, len(OFFSETS) * FINE), "limits": (-LIMIT, LIMIT), "across": ends}
        colours = Map(top, "image", **room, aspect="auto", interpolation="nearest")
        figure.colorbar(colours.image, ax=top, ticks=(-LIMIT, 0, LIMIT), label="score (σ)")
        top.set(ylabel="query (position)", xticks=(), title="each row: the keys of one query")
        rows = Curve(below, "C0-", "rows", stroke=0.4, alpha=0.6)
        mean = Curve(below, "C1-", "mean", stroke=1.2)
        below.set(xlabel="offset, query − key (tokens)", ylabel="score (σ)")
        below.set(xlim=ends, ylim=(-4.4, 4.4))
        whole(top.yaxis, below.xaxis, below.yaxis, most=4)
        below.set_title("all queries")
        above = {"transform": below.transAxes, "ha": "right", "color": "C1"}
        above["size"] = "large" if wide(figure) else "medium"
        share = Text(below, 1, 1.04, lambda a: f"the offset explains {a.share:.0%}", **above)
        return [colours, rows, mean, share]

    def caption(self, arrays: Arrays) -> str:
        a = "" if arrays.method in METHODS[3:] else "a "
        return (
            f"With {a}{arrays.method} the offset explains {arrays.share:.0%} of the variance of "
            f"the scores of {LENGTH} identical tokens."
        )


@functools.cache
def _scores(method):
    """The scores [len, len] of one token that is everywhere, as standard deviations from the mean.

    So ALiBi's slope does not matter. It has no scores for future keys.
    """
    random = np.random.default_rng(3)
    learned = trained_table()[1 : LENGTH + 1]  # row 0 is unlike all others: it is that of [CLS]
    d_model = learned.shape[1]
    w_q, w_k = random.standard_normal((2, d_model, HEAD_DIM))
    x = np.tile(random.standard_normal(d_model), (LENGTH, 1))
    if method == "learned table":
        x += learned / learned.std()
    if method == "sinusoidal table":
        x += sinusoidal(PLACES, d_model)
    q, k = x @ w_q, x @ w_k
    if method == "RoPE":
        angles = rotary_angles(PLACES, rotary_frequencies(HEAD_DIM))
        q, k = apply_rotary(q, angles), apply_rotary(k, angles)
    scores = q @ k.T
    if method == "relative bias":
        scores = scores + random.standard_normal(len(OFFSETS))[APART + LENGTH - 1]
    if method == "ALiBi":
        scores = np.where(APART < 0, np.nan, scores - APART)
    return (scores - np.nanmean(scores)) / np.nanstd(scores)


def _slid(scores, combed, fine=1):
    """Rows of scores in a wider matrix: as a square in its middle at 0, by their offsets at 1."""
    slid = np.full((LENGTH, len(OFFSETS) * fine), np.nan)
    for query, row in enumerate(scores):
        left = combed * (LENGTH - 1 - query) + (1 - combed) * (LENGTH - 1) / 2
        slid[query, round(left * fine) :][: len(row)] = row
    return slid
