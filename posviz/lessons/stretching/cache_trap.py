"""Frequencies that follow the length, and a cache of keys that were turned by earlier ones."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.stretching import dynamic_ntk, longrope
from posviz.pictures.knobs import choice, integer, log_integer
from posviz.pictures.parts import Curve, Rule, legend_above, whole, zero
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM, PAIRS = 64, 32
TRAINED, LONGEST = 512, 2048  # tokens
FACTOR = LONGEST // TRAINED
LONG_FACTORS = FACTOR ** (np.arange(PAIRS) / (PAIRS - 1))  # made up: those of models are searched
STEPS = np.arange(32, LONGEST + 1, 32)  # lengths at which the error is told
KEYS = np.arange(LONGEST)
TURNED, UNTURNED, FIXED = "turned keys", "unturned keys", "one length for all"


class CacheTrap(Picture):
    """The cache trap: frequencies follow the length, keys in a cache keep those of their time."""

    size = (9.0, 4.0)
    paper_size = (3.3, 3.4)

    method = choice("dynamic NTK", options=("dynamic NTK", "LongRoPE"))
    cache = choice(TURNED, options=(TURNED, UNTURNED, FIXED), label="cache with")
    length = log_integer(1024, low=32, high=LONGEST, play=True, label="text so far")
    prompt = log_integer(64, low=1, high=LONGEST, label="of it the prompt")
    pair = integer(PAIRS - 1, low=0, high=PAIRS - 1)

    def compute(self) -> Arrays:
        """Return where a pair sees the keys [length], and by how much the scores are off.

        error: the largest difference from a fresh pass, now and at all steps [steps]; elsewhere:
        the share of the attention that goes to other keys.
        """
        speeds, scale = _speeds(self.method)
        now = speeds[-1 if self.cache == FIXED else self.length - 1]
        keys = np.broadcast_to(now, speeds.shape)
        if self.cache == TURNED and self.length > self.prompt:  # else one pass has turned all
            keys = _speeds_in_cache(speeds, self.prompt)
        keys = keys[: self.length]
        fresh, cached = (_scores(now, each, scale) for each in (0 * keys + now, keys))
        weights = softmax(np.stack([fresh, cached]))
        return self.arrays(
            seems=KEYS[: self.length] * keys[:, self.pair] / now[self.pair],
            error=abs(cached - fresh).max(),
            errors=_errors(self.method, self.prompt) if self.cache == TURNED else 0.0 * STEPS,
            elsewhere=abs(weights[1] - weights[0]).sum() / 2,
        )

    def draw(self, figure: Figure) -> list:
        """Where keys seem to stand for the newest query, and the error as the text grows."""
        places, errors = figure.subplots(2, 1, height_ratios=(1.9, 1), sharex=True)
        zero(errors)
        dashes = {"color": "C6", "linestyle": "--"}
        ends = [axes.axvline(TRAINED, label="trained", **dashes) for axes in (places, errors)]
        true = Curve(places, "C6:", lambda a: 2 * (KEYS[: a.length],), "fresh pass")
        seems = Curve(places, "C0-", _behind, "with the cache", stroke=1.5)
        ahead = Curve(places, "C1-", _ahead, "seems ahead", stroke=2.5)
        query = Rule(places, {"color": "C2"}, lambda a: a.length - 1, "query", upright=False)
        look = {"color": "C4", "linestyle": "-."}
        prompt = Rule(places, look, lambda a: min(a.prompt, a.length), "prompt")
        error = Curve(errors, "C1-", lambda a: (STEPS, a.errors))
        mark = Curve(errors, "C1o", lambda a: ([a.length], [a.error]), marks=1.6)
        places.set(ylabel="seems to stand at", ylim=(-150, 3900))
        places.set(xlim=(-0.02 * LONGEST, 1.02 * LONGEST))
        errors.set(xlabel="key (position); text so far (tokens)", ylabel="score off by")
        errors.set_ylim(-0.6, 5.6)
        whole(places.xaxis, places.yaxis, errors.yaxis, most=4)
        legend_above(figure, [seems, ahead, true, query, prompt, ends[0]], narrow=2)
        figure.align_ylabels((places, errors))
        return [true, query, prompt, seems, ahead, error, mark]

    def caption(self, arrays: Arrays) -> str:
        """Where the most misplaced key seems to stand, how far scores are off, and the cost."""
        made_up = " (factors made up for this picture)" * (arrays.method == "LongRoPE")
        start = (
            f"{arrays.method}{made_up}, trained on {TRAINED} tokens, {arrays.length:,} so far, a "
            f"prompt of {min(arrays.prompt, arrays.length):,}"
        )
        if arrays.cache == UNTURNED:
            return f"{start}: no score is off, but each step turns all {arrays.length:,} keys anew."
        if arrays.cache == FIXED:
            return (
                f"{start}: no score is off, but texts within {TRAINED} tokens are stretched, too."
            )
        if arrays.error < 1e-9:
            return f"{start}: no score is off, for all keys were turned by the same frequencies."
        shifts = arrays.seems - KEYS[: arrays.length]
        key = np.argmax(shifts)
        place = f"the key at {key:,} seems to stand at {arrays.seems[key]:,.0f}"
        return (
            f"{start}: for pair {arrays.pair} {place if shifts[key] > 0.5 else 'no key moves'}, "
            f"the query is at {arrays.length - 1:,}; scores are off by up to {arrays.error:.2f}, "
            f"and {arrays.elsewhere:.0%} of the attention goes elsewhere."
        )


def _behind(arrays):
    """Keys that do not seem to lie ahead of the query, and where they seem to stand."""
    return KEYS[: arrays.length], np.where(arrays.seems < arrays.length, arrays.seems, np.nan)


def _ahead(arrays):
    return KEYS[: arrays.length], np.where(arrays.seems >= arrays.length, arrays.seems, np.nan)


@functools.cache
def _speeds(method):
    """The frequencies for each length, from 1 [lengths, pairs], and the factor of the scores."""
    if method == "LongRoPE":
        short, long = (_longrope(length) for length in (TRAINED, LONGEST))
        is_long = KEYS[:, None] >= TRAINED
        return np.where(is_long, long.inv_freq, short.inv_freq), short.attention_factor**2
    lengths = range(1, LONGEST + 1)
    found = [dynamic_ntk(HEAD_DIM, 2, seq_len=n, original_max_seq_len=TRAINED) for n in lengths]
    return np.array([each.inv_freq for each in found]), 1.0


def _longrope(seq_len):
    return longrope(
        HEAD_DIM,
        short_factors=np.ones(PAIRS),
        long_factors=LONG_FACTORS,
        seq_len=seq_len,
        original_max_seq_len=TRAINED,
        max_seq_len=LONGEST,
    )


def _speeds_in_cache(speeds, prompt):
    """By which frequencies keys were turned: the prompt's at its end, each later one as it came."""
    return speeds[np.maximum(KEYS, prompt - 1)]


def _scores(query, keys, scale):
    """The scores [keys] of a newest token with equal ones, its own kind, of length √head_dim.

    query: its frequencies [pairs]; keys: those of each key [keys, pairs].
    """
    angles = (len(keys) - 1) * query - KEYS[: len(keys), None] * keys
    return scale * 2 / HEAD_DIM**0.5 * np.cos(angles).sum(axis=-1)


@functools.lru_cache(maxsize=4)
def _errors(method, prompt):
    """The largest error of a score at each step [steps]; none while the prompt is read."""
    speeds, scale = _speeds(method)
    turned = np.exp(-1j * KEYS[:, None] * _speeds_in_cache(speeds, prompt))
    queries = np.exp(1j * (STEPS - 1)[:, None] * speeds[STEPS - 1])
    off = abs(scale * 2 / HEAD_DIM**0.5 * (queries @ turned.T).real - _fresh(method))
    is_key = STEPS[:, None] > KEYS
    return np.where(prompt < STEPS, np.where(is_key, off, 0).max(axis=1), 0)


@functools.cache
def _fresh(method):
    """The scores of a fresh pass over the text at each step [steps, keys], 0 where no key is."""
    speeds, scale = _speeds(method)
    found = np.zeros((len(STEPS), LONGEST))
    for row, step in zip(found, STEPS.tolist(), strict=True):
        now = speeds[step - 1]
        row[:step] = _scores(now, np.broadcast_to(now, (step, PAIRS)), scale)
    return found
