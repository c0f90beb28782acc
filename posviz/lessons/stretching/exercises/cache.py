"""Exercise: dynamic NTK with a cache of keys that have not been turned."""

import numpy as np

from posviz.encodings.frequencies import rotary_angles
from posviz.encodings.stretching import dynamic_ntk, position_interpolation
from posviz.teaching.checker import Checker


def _inv_freq(pairs, seq_len, length, base):
    lengths = {"seq_len": seq_len, "original_max_seq_len": length}
    return dynamic_ntk(2 * pairs, 1.0, base=base, **lengths).inv_freq


def _turned(x, positions, inv_freq):
    return x * np.exp(1j * rotary_angles(np.asarray(positions), inv_freq))


def _own_times(k, length, base):
    """Keys as they are where each was turned when it was the newest."""
    each = [_inv_freq(k.shape[1], n, length, base) for n in range(1, len(k) + 1)]
    return np.stack([_turned(k[n], n, inv_freq) for n, inv_freq in enumerate(each)])


def _product(q, k):
    return (q * k.conj()).sum(axis=-1)


def _scored(q, k, q_freq, k_freq, *, first=0, q_at=-1):
    """Scores of the newest query, len(k) + q_at, and of keys that count from `first`."""
    q = _turned(q, len(k) + q_at, q_freq)
    return _product(q, _turned(k, first + np.arange(len(k)), k_freq))


def _scores(q, k, length, base):
    inv_freq = _inv_freq(len(q), len(k), length, base)
    return _scored(q, k, inv_freq, inv_freq).real


def _cache_inputs(rng, size):
    """Texts shorter than the training, as long, and longer."""
    pairs = 2 + size % 3
    q, k = (rng.normal(size=(n, pairs, 2)) @ [1, 1j] for n in (1, 2 + size))
    return q[0], k, 6, float(rng.choice([50.0, 200.0]))


# The answer is a function (q [pairs], k [len, pairs], length, base) -> scores [len] of the newest
# query, at position len − 1, with keys at 0 … len − 1; all complex and not yet turned, and each
# score as in a pass without a cache: all turned by the frequencies for len tokens.
check_cached = Checker(
    "Dynamic NTK with a cache",
    reference=_scores,
    inputs=_cache_inputs,
    edges=[(np.array([1 + 1j, 2 - 1j]), np.array([[2 + 1j, 1 + 3j]]), 6, 50.0)],  # one token
)


@check_cached.mistake("keys of their own time")
def _(q, k, length, base):
    """You turned each key by the frequencies of its own time, when the text was shorter: the query
    meets keys that were turned more quickly than it is. Turn all of them by those of now."""
    inv_freq = _inv_freq(len(q), len(k), length, base)
    return _product(_turned(q, len(k) - 1, inv_freq), _own_times(k, length, base)).real


@check_cached.mistake("turned twice")
def _(q, k, length, base):
    """You turned keys that had been turned already. Cache them before they are turned."""
    return _scores(q, _own_times(k, length, base), length, base)


@check_cached.mistake("keys by the trained base")
def _(q, k, length, base):
    """You turned the query by the new frequencies and the keys by those of the training. Both are
    turned by the same, or the score knows more than their distance."""
    new, old = (_inv_freq(len(q), n, length, base) for n in (len(k), 1))
    return _scored(q, k, new, old).real


@check_cached.mistake("query by the trained base")
def _(q, k, length, base):
    """You turned the keys by the new frequencies and the query by those of the training. Both are
    turned by the same, or the score knows more than their distance."""
    new, old = (_inv_freq(len(q), n, length, base) for n in (len(k), 1))
    return _scored(q, k, old, new).real


@check_cached.mistake("not stretched")
def _(q, k, length, base):
    """That is RoPE as it was trained. Beyond `length` tokens dynamic NTK raises the base: take the
    frequencies for len(k) tokens."""
    old = _inv_freq(len(q), 1, length, base)
    return _scored(q, k, old, old).real


@check_cached.mistake("a token behind")
def _(q, k, length, base):
    """You took the frequencies for one token less. The newest token counts, too: len(k)."""
    inv_freq = _inv_freq(len(q), max(len(k) - 1, 1), length, base)
    return _scored(q, k, inv_freq, inv_freq).real


@check_cached.mistake("stretched from the start")
def _(q, k, length, base):
    """You lowered the base for texts shorter than the training. Up to `length` tokens nothing is
    changed: α is at least 1."""
    pairs, alpha = len(q), len(k) / length
    new = (base * alpha ** (pairs / (pairs - 1))) ** (-np.arange(pairs) / pairs)
    return _scored(q, k, new, new).real


@check_cached.mistake("position interpolation")
def _(q, k, length, base):
    """You slowed all pairs alike, by α. NTK raises the base, so that the first pair stays and the
    last is slowed by α."""
    alpha = max(len(k) / length, 1.0)
    inv_freq = position_interpolation(2 * len(q), alpha, base=base).inv_freq
    return _scored(q, k, inv_freq, inv_freq).real


@check_cached.mistake("exponent missing")
def _(q, k, length, base):
    """You multiplied the base by α itself. Its exponent is d/(d − 2), so that the last pair is
    slowed by α."""
    pairs, alpha = len(q), max(len(k) / length, 1.0)
    new = (base * alpha) ** (-np.arange(pairs) / pairs)
    return _scored(q, k, new, new).real


@check_cached.mistake("query one token late")
def _(q, k, length, base):
    """Your query stands one token too far from all keys. Positions count from 0: with len(k) tokens
    the newest is at len(k) − 1, where the newest key is."""
    inv_freq = _inv_freq(len(q), len(k), length, base)
    return _scored(q, k, inv_freq, inv_freq, q_at=0).real


@check_cached.mistake("keys from 1")
def _(q, k, length, base):
    """Your keys count from 1 and the query from 0. The newest key stands where the query does."""
    inv_freq = _inv_freq(len(q), len(k), length, base)
    return _scored(q, k, inv_freq, inv_freq, first=1).real


@check_cached.mistake("key not conjugated")
def _(q, k, length, base):
    """You did not conjugate the keys, so angles add up. The product of two arrows is the real part
    of q times the conjugate of k."""
    inv_freq = _inv_freq(len(q), len(k), length, base)
    turned = _turned(k, np.arange(len(k)), inv_freq)
    return _product(_turned(q, len(k) - 1, inv_freq), turned.conj()).real


@check_cached.mistake("imaginary part")
def _(q, k, length, base):
    """You took the imaginary part. The score is the real one."""
    inv_freq = _inv_freq(len(q), len(k), length, base)
    return _scored(q, k, inv_freq, inv_freq).imag


@check_cached.mistake("not turned")
def _(q, k, length, base):
    """Nothing is turned in your scores. Multiply query and keys by np.exp(1j · position ·
    frequency) first."""
    return _product(q, k).real


@check_cached.mistake("scaled")
def _(q, k, length, base):
    """You divided by √d. Here the product alone is asked for."""
    return _scores(q, k, length, base) / np.sqrt(2 * len(q))
