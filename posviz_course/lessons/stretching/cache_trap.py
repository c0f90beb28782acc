"""Frequencies that follow the length, and a cache of keys that have those of their own time."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.stretching import dynamic_ntk
from posviz.pictures.knobs import Choice, LogInteger
from posviz.pictures.parts import Curve, Limits, Other, Rule, whole, with_room, zero
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM, PAIRS, SCALE = 64, 32, 2 / 8  # a score of two numbers a pair, after 1/√head_dim
TRAINED, LONGEST = 512, 2048  # tokens
STEPS = np.arange(32, LONGEST + 1, 32)  # lengths at which the error is shown
KEYS = np.arange(LONGEST)
TURNED, UNTURNED, FIXED = "rotated keys", "unrotated keys", "one length for all"


class CacheTrap(Picture):
    """Cache trap: once frequencies change, rotated keys seem ahead."""

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
            names=_names(self.length - 1, seems),
            by_step=(STEPS, errors),
            here=([self.length], [error]),
        )

    def draw(self, figure: Figure) -> list:
        """Where keys seem to be for the newest query, and the error as the text grows."""
        places, errors = figure.subplots(2, 1, height_ratios=(1.9, 1))
        zero(errors)
        dashes = {"color": "C6", "linestyle": "--"}
        for axes in (places, errors):
            axes.axvline(TRAINED, **dashes)
        true = Curve(places, "C6:", "fresh")
        seems = Curve(places, "C0-", "behind", stroke=1.5)
        ahead = Curve(places, "C1-", "ahead", stroke=2.5)
        query = Rule(places, {"color": "C2"}, "query", upright=False)
        error = Curve(errors, "C1-", "by_step")
        mark = Curve(errors, "C1o", "here", marks=1.6)
        places.set(title=f"where pair {PAIRS - 1} of the query sees each key")
        places.set(xlabel="true position of the key", ylabel="seems to be at")
        errors.set(title="largest error of a score", xlabel="text so far (tokens)")
        errors.set(xlim=with_room(0, LONGEST), ylim=(-0.6, 5.6), ylabel="score off by")
        places.set(**_room(LONGEST))
        errors.text(TRAINED + 20, 5.4, "trained length", va="top", color="C6")
        whole(places.xaxis, places.yaxis, errors.xaxis, errors.yaxis, most=4)
        figure.align_ylabels((places, errors))
        looks = {"C2": "bottom", "C1": "bottom", "C0": "top", "C6": "top"}
        names = [
            Other(
                places.text(0, 0, "", color=color, va=va, animated=True, in_layout=False),
                f"names[{at}]",
            )
            for at, (color, va) in enumerate(looks.items())
        ]
        fit = Limits(places, lambda a: _room(a.length))
        return [fit, true, query, seems, ahead, error, mark, *names]

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


def _most(length):
    return 2 ** int(np.ceil(np.log2(length)))


def _room(length):
    """The ends of both axes: the same for several lengths, because axes take long to be drawn."""
    most = _most(length)
    return {"xlim": with_room(0, most), "ylim": with_room(0, 2 * most, 0.04)}


def _names(query, seems):
    """Of the level of the query and of each curve a name, and its place."""
    peak, late = np.argmax(seems), 2 * query // 3
    is_ahead = seems[peak] > query + 1e-9
    early = np.argmax(seems >= (0.7 if is_ahead else 0.2) * query)
    right = "" if is_ahead else " = true position"
    has_room = is_ahead and late - early > 0.4 * _most(query + 1)
    return [
        {"x": 0, "y": query, "text": "the query"},
        {"x": peak, "y": seems[peak], "text": " seem to be ahead of it" if is_ahead else ""},
        {"x": early, "y": seems[early], "text": f"   keys in the cache{right}"},
        {"x": late, "y": late, "text": "   true position" if has_room else ""},
    ]


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
