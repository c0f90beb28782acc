"""Why scores are divided by √head_dim."""

import functools
from types import SimpleNamespace

import numpy as np

from posviz.attention import softmax
from posviz.engine.knobs import integer
from posviz.engine.picture import Picture

LARGEST, PAIRS, KEYS = 256, 500, 16


class ScoreVariance(Picture):
    """Why scores are divided by √head_dim: variance, and what the softmax makes of it."""

    size = (9.0, 4.4)
    paper_size = (3.3, 2.5)

    head_dim = integer(64, low=1, high=LARGEST, play=True)
    seed = integer(4, low=0, high=99)

    def compute(self):
        """Variances for every head_dim [LARGEST], and the weights of one query [KEYS]."""
        variances, scores = _measured(self.seed)
        score = scores[:, self.head_dim - 1]
        scaled = score / self.head_dim**0.5
        return SimpleNamespace(
            head_dim=self.head_dim,
            plain_variances=variances,
            scaled_variances=variances / np.arange(1, LARGEST + 1),
            plain_weights=np.sort(softmax(score))[::-1],
            scaled_weights=np.sort(softmax(scaled))[::-1],
        )

    def draw(self, figure):
        """The variance against head_dim, and what the softmax makes of one head_dim."""
        left, right = figure.subplots(1, 2)
        artists = SimpleNamespace()
        dims = np.arange(1, LARGEST + 1)
        artists.plain, artists.scaled = (
            left.plot(dims, np.ones(LARGEST), style, animated=True)[0] for style in ("C1--", "C0")
        )
        artists.plain_mark, artists.scaled_mark = (
            left.plot([1], [1], style, animated=True)[0] for style in ("C1s", "C0o")
        )
        left.set(xscale="log", yscale="log", ylim=(0.2, 1000))
        left.set(xlabel="head_dim", ylabel="variance of the score")
        artists.plain_weights, artists.scaled_weights = (
            right.plot(np.arange(1, KEYS + 1), np.zeros(KEYS), style, label=label, animated=True)[0]
            for style, label in (("C1s--", "q·k"), ("C0o-", "q·k / √head_dim"))
        )
        right.set(xlabel=f"key, of {KEYS}, by weight", ylabel="attention weight")
        right.set(ylim=(-0.04, 1.04), xticks=(1, 4, 8, 12, 16))
        legend = right.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
        legend.set_zorder(1)  # below what moves, so that it is drawn once
        return artists

    def update(self, artists, arrays):
        """Move both marks and both rows of weights."""
        at = arrays.head_dim - 1
        for name in ("plain", "scaled"):
            variances = getattr(arrays, f"{name}_variances")
            getattr(artists, name).set_ydata(variances)
            getattr(artists, f"{name}_mark").set_data([arrays.head_dim], [variances[at]])
            getattr(artists, f"{name}_weights").set_ydata(getattr(arrays, f"{name}_weights"))

    def caption(self, arrays):
        """The variance and the largest weight, with and without the division."""
        at = arrays.head_dim - 1
        return (
            f"At head_dim = {arrays.head_dim} the variance of q·k is "
            f"{arrays.plain_variances[at]:.1f} and the largest of {KEYS} weights "
            f"{arrays.plain_weights[0]:.2f}; divided by √head_dim they are "
            f"{arrays.scaled_variances[at]:.2f} and {arrays.scaled_weights[0]:.2f}."
        )


@functools.lru_cache(maxsize=8)
def _measured(seed):
    """Variances of q·k over many pairs [LARGEST], scores of one q with a few keys [KEYS, LARGEST].

    Column d − 1 holds what the first d dimensions make, for every head_dim at once.
    """
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, PAIRS, LARGEST), dtype=np.float32)
    scores = np.cumsum(q * k, axis=1)
    variances = np.einsum("pd,pd->d", scores, scores) / PAIRS  # their mean is 0
    return variances, np.cumsum(q[0] * k[:KEYS], axis=1, dtype=float)
