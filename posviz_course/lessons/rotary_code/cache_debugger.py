"""Decoding token by token: what the key/value cache must hold, and what goes wrong."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Background, Curve, Map, greyed
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED

PROMPT, LONGEST, HEAD_DIM = 6, 24, 64
BASE = 100_000  # of the lesson's model, SmolLM2
LIMIT = 2.5  # of the colours
LARGEST = 5.0  # of the errors that are shown
MISTAKES = ("none", "start forgotten", "query at 0", "query one late", "cache rotated again")
TITLES = {"none": "with the cache", "cache rotated again": "rotated again"}  # of mistakes


class CacheDebugger(Picture):
    """A mistake with the key/value cache begins with the first new token, not in the prompt."""

    size = (9.0, 3.9)
    paper_size = (3.3, 2.05)

    mistake = Choice("start forgotten", options=MISTAKES)
    decoded = Integer(20, low=PROMPT, high=LONGEST, play=True, label="tokens so far")

    def compute(self) -> Arrays:
        """Return the scores with a cache and without, [len, len], and each row's largest error."""
        scores, true = _decoded(self.mistake), _decoded("none")
        errors = np.tril(np.abs(scores - true)).max(axis=1)[: self.decoded]
        weights = [softmax(matrix[self.decoded - 1, : self.decoded]) for matrix in (scores, true)]
        seen = np.tri(LONGEST, dtype=bool) & (np.arange(LONGEST) < self.decoded)[:, None]
        blank = -10 * LIMIT  # below every colour: not yet decoded, or not yet seen
        return self.arrays(
            maps=[np.where(seen, np.clip(x, -LIMIT, LIMIT), blank) for x in (scores, true)],
            errors=errors,
            rows=(np.minimum(errors, LARGEST), np.arange(self.decoded)),
            moved=np.abs(weights[0] - weights[1]).sum() / 2,
        )

    def draw(self, figure: Figure) -> list:
        """Scores with a cache and without, and beside them the largest error of each row."""
        panels = figure.subplots(1, 3, sharey=True, width_ratios=(1, 1, 0.7))
        props = {"cmap": greyed(SIGNED, "under"), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
        maps = [Map(panels[i], f"maps[{i}]", most=(LONGEST, LONGEST), **props) for i in (0, 1)]
        for axes, title in zip(panels, (MISTAKES[1], "no cache"), strict=False):
            axes.set(title=title, xlabel="key (position)", xticks=(0, 10, 20), yticks=(0, 10, 20))
        panels[0].set_ylabel("query (position)")
        below: dict = {"location": "bottom", "shrink": 0.6, "aspect": 50, "extend": "min"}
        bar = figure.colorbar(maps[0].image, ax=panels, ticks=(-2, 0, 2), **below)
        bar.set_label("score (grey: not yet)")
        errors = Curve(panels[2], "C1o-", "rows", marks=1 / 1.5)
        panels[2].set_box_aspect(1 / 0.7)  # as high as the maps are
        panels[2].set(xlabel="largest error", xlim=(-0.25, LARGEST), xticks=(0, 2, 4))
        panels[2].tick_params(labelleft=True)
        dots = {"linestyle": ":", "color": "C2"}
        for axes in panels:
            axes.axhline(PROMPT - 0.5, **dots, zorder=3)
        for y, part, side in ((PROMPT - 1, "prompt", "bottom"), (PROMPT, "new", "top")):
            panels[2].text(LARGEST, y, part, color="C2", ha="right", va=side, zorder=3)
        heading = Background(panels[0].set_title, lambda a: TITLES.get(a.mistake, a.mistake))
        return [*maps, errors, heading]

    def caption(self, arrays: Arrays) -> str:
        if arrays.errors[-1] < 1e-9:
            return f"Token {arrays.decoded - 1} has the scores of one call without a cache."
        return (
            f"Scores of token {arrays.decoded - 1} are off by up to {arrays.errors[-1]:.2f}, and "
            f"{arrays.moved:.0%} of its weight moves to wrong keys."
        )


def query_and_key():
    """One token's query and key [2, head_dim], as long as normalised vectors are: √head_dim."""
    both = np.random.default_rng(2).standard_normal((2, LONGEST, HEAD_DIM))[:, 0]
    return both * HEAD_DIM**0.5 / np.linalg.norm(both, axis=-1, keepdims=True)


@functools.cache
def _decoded(mistake):
    """The scores [len, len] of a call with the prompt, and then of one call for each token."""
    # One position more, for a query that is one late.
    angles = rotary_angles(np.arange(LONGEST + 1), rotary_frequencies(HEAD_DIM, BASE))
    q, k = (np.tile(vector, (LONGEST, 1)) for vector in query_and_key())
    cache, scores = k[:0], np.zeros((LONGEST, LONGEST))
    for start, stop in [(0, PROMPT), *((i, i + 1) for i in range(PROMPT, LONGEST))]:
        new = slice(start, stop)
        q_at = k_at = positions = np.arange(start, stop)
        if mistake == "start forgotten":  # each call counts from 0
            q_at = k_at = positions - start
        elif mistake == "query at 0":
            q_at = positions - start
        elif mistake == "query one late" and start:  # at the length of the cache, itself included
            q_at = positions + 1
        if mistake == "cache rotated again":  # what came out of the rotation goes into it again
            cache = apply_rotary(np.concatenate([cache, k[new]]), angles[:stop])
        else:
            cache = np.concatenate([cache, apply_rotary(k[new], angles[k_at])])
        scores[new, :stop] = apply_rotary(q[new], angles[q_at]) @ cache.T / HEAD_DIM**0.5
    return scores
