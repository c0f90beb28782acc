"""Frequencies that follow the length, and a cache of keys that have those of their own time."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.stretching import dynamic_ntk
from posviz.pictures.knobs import Choice, LogInteger
from posviz.pictures.parts import Curve, Rule, legend_above, whole, zero
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM, PAIRS, SCALE = 64, 32, 2 / 8  # a score of two numbers a pair, after 1/√head_dim
TRAINED, LONGEST = 512, 2048  # tokens
STEPS = np.arange(32, LONGEST + 1, 32)  # lengths at which the error is shown
KEYS = np.arange(LONGEST)
TURNED, UNTURNED, FIXED = "rotated keys", "unrotated keys", "one length for all"


class CacheTrap(Picture):
    """The cache trap: frequencies follow the length, keys in a cache keep those of their time."""

    size = (9.0, 4.0)
    paper_size = (3.3, 3.4)

    cache = Choice(TURNED, options=(TURNED, UNTURNED, FIXED), label="cache with")
    length = LogInteger(1024, low=32, high=LONGEST, play=True, label="text so far")

    def compute(self) -> Arrays:
        """Return where the slowest pair sees the keys [length], and how far the scores are off.

        error: the largest difference from a fresh pass, now and at all steps [steps]; elsewhere:
        the share of the attention that goes to other keys.
        """
        now = _by_length()[-1 if self.cache == FIXED else self.length - 1]
        is_trap = self.cache == TURNED
        of_keys = _by_length()[: self.length] if is_trap else now
        errors = _errors() if is_trap else 0.0 * STEPS
        scores = np.stack([_scores(self.length, now, inv_freq) for inv_freq in (now, of_keys)])
        weights, keys = softmax(scores), KEYS[: self.length]
        error = abs(scores[1] - scores[0]).max()
        seems = keys * of_keys[..., -1] / now[-1]
        return self.arrays(
            seems=seems,
            error=error,
            elsewhere=abs(weights[1] - weights[0]).sum() / 2,
            errors=errors,
            fresh=(keys, keys),
            behind=(keys, np.where(seems < self.length, seems, np.nan)),
            ahead=(keys, np.where(seems >= self.length, seems, np.nan)),
            query=self.length - 1,
            by_step=(STEPS, errors),
            here=([self.length], [error]),
        )

    def draw(self, figure: Figure) -> list:
        """Where keys seem to be for the newest query, and the error as the text grows."""
        places, errors = figure.subplots(2, 1, height_ratios=(1.9, 1), sharex=True)
        zero(errors)
        dashes = {"color": "C6", "linestyle": "--"}
        ends = [axes.axvline(TRAINED, label="trained", **dashes) for axes in (places, errors)]
        true = Curve(places, "C6:", "fresh", "fresh pass")
        seems = Curve(places, "C0-", "behind", "with the cache", stroke=1.5)
        ahead = Curve(places, "C1-", "ahead", "seems ahead", stroke=2.5)
        query = Rule(places, {"color": "C2"}, "query", "query", upright=False)
        error = Curve(errors, "C1-", "by_step")
        mark = Curve(errors, "C1o", "here", marks=1.6)
        places.set(ylabel="seems to be at", ylim=(-150, 3900))
        places.set(xlim=(-0.02 * LONGEST, 1.02 * LONGEST))
        errors.set(xlabel="key (position); text so far (tokens)", ylabel="score off by")
        errors.set_ylim(-0.6, 5.6)
        whole(places.xaxis, places.yaxis, errors.yaxis, most=4)
        legend_above(figure, [seems, ahead, true, query, ends[0]], narrow=2)
        figure.align_ylabels((places, errors))
        return [true, query, seems, ahead, error, mark]

    def caption(self, arrays: Arrays) -> str:
        start = f"Dynamic NTK, {arrays.length:,} tokens: "
        if arrays.cache == UNTURNED:
            return f"{start}no score is off, but each step rotates all {arrays.length:,} keys anew."
        if arrays.cache == FIXED:
            return f"{start}no score is off, but texts within {TRAINED} tokens are stretched too."
        if arrays.error < 1e-9:
            return f"{start}no score is off, because all keys have the same frequencies."
        key = np.argmax(arrays.seems - KEYS[: arrays.length])
        return (
            f"{start}pair {PAIRS - 1} sees key {key:,} at {arrays.seems[key]:,.0f}, "
            f"scores change by up to {arrays.error:.2f}, and {arrays.elsewhere:.0%} of the "
            "attention moves."
        )


@functools.cache
def _by_length():
    """The frequencies for each length, from 1, so those of each key as it came [lengths, pairs]."""
    trained = {"original_max_seq_len": TRAINED}
    scaled = [dynamic_ntk(HEAD_DIM, 2, seq_len=key + 1, **trained) for key in KEYS.tolist()]
    return np.array([frequencies.inv_freq for frequencies in scaled])


def _scores(length, query, keys):
    """The scores [length] of a newest token with equal ones, its own kind, of norm √head_dim.

    query: its frequencies [pairs]; keys: those of all keys [pairs], or of each [length, pairs].
    """
    angles = (length - 1) * query - KEYS[:length, None] * keys
    return SCALE * np.cos(angles).sum(axis=-1)


@functools.cache
def _errors():
    """The largest error of a score at each step [steps]."""
    inv_freq, errors = _by_length(), []
    for length in STEPS:
        now = inv_freq[length - 1]
        off = _scores(length, now, inv_freq[:length]) - _scores(length, now, now)
        errors.append(abs(off).max())
    return np.array(errors)
