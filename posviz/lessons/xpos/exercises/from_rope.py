"""Exercise: from RoPE to xPos."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.teaching.checker import Checker


def _scaled(zeta, positions, scale_base):
    return zeta ** (positions[:, None] / scale_base)


def _turns(positions, inv_freq):
    return np.exp(1j * rotary_angles(positions, inv_freq))


def _turned_scores(q, k, positions, inv_freq):
    """The scores of RoPE, those of keys ahead, too, still complex."""
    turns = _turns(positions, inv_freq)
    return (q * turns) @ (k * turns).conj().T


def _complex_scores(q, k, positions, inv_freq, zeta, scale_base, *, on_q=1, on_k=-1):
    """Scores of all keys, from q × scale^on_q and k × scale^on_k."""
    scale = _scaled(zeta, positions, scale_base)
    return _turned_scores(q * scale**on_q, k * scale**on_k, positions, inv_freq)


def _rescored(q, k, positions, inv_freq, scale):
    return np.tril(_turned_scores(q * scale, k / scale, positions, inv_freq).real)


def _scores(*given, **signs):
    return np.tril(_complex_scores(*given, **signs).real)


def _score_inputs(rng, size):
    pairs = 1 + size % 4
    q, k = rng.normal(size=(2, 2, size + 1, pairs)).transpose(1, 2, 3, 0) @ [1, 1j]
    positions = 1 + np.sort(rng.permutation(3 * size)[: size + 1])
    zeta = xpos_scale(1, 2 * pairs, scale_base=1)
    return q, k, positions, rotary_frequencies(2 * pairs, 50.0), zeta, int(rng.integers(4, 9))


def _at(positions):
    q, k, _, *rest = _score_inputs(np.random.default_rng(0), 1)
    return q[: len(positions)], k[: len(positions)], np.array(positions), *rest


def _xpos(q, k, positions, inv_freq, zeta, scale_base):
    return _scores(q, k, positions, inv_freq, zeta, scale_base)


# The answer is a function (q, k [len, pairs] complex, positions [len], inv_freq, zeta [pairs],
# scale_base) -> scores [len, len], real, unscaled, and 0 for keys ahead of their query. Positions
# rise; the query's pairs decay as zeta^(position/scale_base).
check_xpos = Checker(
    "The scores of xPos",
    reference=_xpos,
    inputs=_score_inputs,
    edges=[
        _at([0, 3]),
        _at([0]),  # one token
    ],
)


@check_xpos.mistake("same sign on q and k")
def _(*given):
    """You multiplied the key as you did the query, so the score knows the sum of their positions.
    Divide the key by its scale: then only the offset is left."""
    return _scores(*given, on_k=1)


@check_xpos.mistake("q and k divided")
def _(*given):
    """You divided the query as you did the key, so the score grows with the sum of their
    positions. Multiply the query by its scale."""
    return _scores(*given, on_q=-1)


@check_xpos.mistake("ζ inverted")
def _(*given):
    """Your scores grow with the distance. Either your ζ is inverted, or you divided the query and
    multiplied the key: with ζ below 1, the query is multiplied and the key divided."""
    return _scores(*given, on_q=-1, on_k=1)


@check_xpos.mistake("scale_base missing")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """All forget at once in your scores. Either scale_base is missing, or it cancels, because in
    Python ** goes before /. The exponent is (position / scale_base), in parentheses."""
    return _xpos(q, k, positions, inv_freq, zeta, 1)


@check_xpos.mistake("multiplied by scale_base")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You multiplied positions by scale_base. Divide: the exponent is position / scale_base."""
    return _xpos(q, k, positions, inv_freq, zeta, 1 / scale_base)


@check_xpos.mistake("// instead of /")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You divided with //, so the decay goes in steps of scale_base tokens. The exponent is
    position / scale_base, a fraction."""
    return _rescored(q, k, positions, inv_freq, zeta ** (positions[:, None] // scale_base))


@check_xpos.mistake("// with a minus on the key")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You divided with //, and with a minus before the position on the key. It rounds down, so it
    rounds the two in opposite directions. The exponent is position / scale_base, a fraction."""
    on_q, on_k = (zeta ** (sign * positions[:, None] // scale_base) for sign in (1, -1))
    return np.tril(_turned_scores(q * on_q, k * on_k, positions, inv_freq).real)


@check_xpos.mistake("power before division")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You divided the power by scale_base, not the position: in Python ** goes before /. Write
    zeta ** (position / scale_base), with parentheses."""
    return _xpos(q, k, positions, inv_freq, zeta, 1) / scale_base**2


@check_xpos.mistake("only q scaled")
def _(*given):
    """You scaled the query alone, so scores shrink along the text, whatever the distance. Divide
    the key by its own scale."""
    return _scores(*given, on_k=0)


@check_xpos.mistake("only k scaled")
def _(*given):
    """You scaled the key alone, so scores grow along the text, whatever the distance. Multiply the
    query by its own scale."""
    return _scores(*given, on_q=0)


@check_xpos.mistake("RoPE")
def _(*given):
    """Those are the scores of RoPE. Multiply the query by zeta ** (position / scale_base), and
    divide the key by the same of its own position."""
    return _scores(*given, on_q=0, on_k=0)


@check_xpos.mistake("not turned")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """Your arrows decay, but do not turn. Multiply each by np.exp(1j * position * inv_freq) as
    well, as in RoPE."""
    return _xpos(q, k, positions, 0 * inv_freq, zeta, scale_base)


@check_xpos.mistake("key not conjugated")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You did not conjugate the key, so the angles add up. The real part of q times the conjugate
    of k is the product of two arrows: angles are subtracted."""
    turns, scale = _turns(positions, inv_freq), _scaled(zeta, positions, scale_base)
    return np.tril(((q * turns * scale) @ (k * turns / scale).T).real)


@check_xpos.mistake("key turned back, not conjugated")
def _(q, k, *rest):
    """You turned the key the other way and left its own arrow unconjugated. Turn it as the query,
    and conjugate the product of both: (k * turn).conj()."""
    return _xpos(q, k.conj(), *rest)


@check_xpos.mistake("decay in the angle")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """Your decay is in the angle, so arrows turn less and do not shrink. Multiply the arrow itself,
    outside of np.exp(1j * …)."""
    turns = np.exp(1j * rotary_angles(positions, inv_freq) * _scaled(zeta, positions, scale_base))
    return np.tril(((q * turns) @ (k * turns).conj().T).real)


@check_xpos.mistake("one decay for all pairs")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """All your pairs decay as e^(−position/scale_base). Each has its own: take powers of zeta."""
    return _xpos(q, k, positions, inv_freq, np.full_like(zeta, np.exp(-1)), scale_base)


@check_xpos.mistake("first ζ for all pairs")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """All your pairs decay as the first one does, with zeta[0]. Each has its own: take powers of
    the whole array zeta."""
    return _xpos(q, k, positions, inv_freq, np.full_like(zeta, zeta[0]), scale_base)


@check_xpos.harmless_on("512 for scale_base")
def _(rng, size):
    """Your scores are right where scale_base is 512, and only there. Did you write 512, or call
    xpos_scale without it, which then takes 512? Use the argument scale_base."""
    *given, _ = _score_inputs(rng, size)
    return *given, 512


@check_xpos.mistake("product instead of power")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """You multiplied zeta by position / scale_base. It is the exponent: zeta ** (…)."""
    return _rescored(q, k, positions, inv_freq, zeta * positions[:, None] / scale_base)


def _products(q, k, positions, inv_freq, zeta, scale_base):
    """Scores with ±zeta × position / scale_base in place of the two powers."""
    factor = zeta * positions[:, None] / scale_base
    return np.tril(_turned_scores(q * factor, -k * factor, positions, inv_freq).real)


@check_xpos.mistake("products instead of powers")
def _(*given):
    """You multiplied zeta by position / scale_base, and by its negative on the key. These are the
    exponents: zeta ** (…)."""
    return _products(*given)


@check_xpos.mistake("products instead of powers, undivided")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """Two things. You multiplied zeta by the position, and by its negative on the key: the position
    belongs into the exponent. And it is divided by scale_base there: zeta ** (…)."""
    return _products(q, k, positions, inv_freq, zeta, 1)


@check_xpos.mistake("positions ignored")
def _(q, k, positions, *rest):
    """You counted the places 0, 1, 2, … of the tokens: use the positions that are given."""
    return _xpos(q, k, np.arange(len(positions)), *rest)


@check_xpos.mistake("positions ignored in the decay")
def _(q, k, positions, inv_freq, zeta, scale_base):
    """Your arrows turn by their positions, but decay by the places 0, 1, 2, … of the tokens. Use
    the positions that are given for both."""
    scale = _scaled(zeta, np.arange(len(positions)), scale_base)
    return _rescored(q, k, positions, inv_freq, scale)


@check_xpos.mistake("imaginary part")
def _(*given):
    """You took the imaginary part. The product of two arrows is the real part of q times the
    conjugate of k."""
    return np.tril(_complex_scores(*given).imag)


@check_xpos.mistake("absolute value")
def _(*given):
    """You took the absolute value, which has no sign and knows no angle. Take the real part."""
    return np.tril(abs(_complex_scores(*given)))


@check_xpos.mistake("rows are keys")
def _(*given):
    """Your rows are keys. Rows are queries: q @ k.conj().T, and then 0 above the diagonal."""
    return np.tril(_complex_scores(*given).real.T)


@check_xpos.mistake("keys ahead scored")
def _(*given):
    """You scored keys ahead of their query. There zeta has a negative exponent, so they grow
    instead of shrinking: xPos is for causal attention. Leave 0 there, with np.tril."""
    return _complex_scores(*given).real


@check_xpos.mistake("keys behind hidden")
def _(*given):
    """You kept keys ahead and hid those behind. Rows are queries: keys behind stand left of the
    diagonal, and np.tril keeps these."""
    return np.triu(_complex_scores(*given).real)


@check_xpos.mistake("−∞ ahead")
def _(*given):
    """Your scores are right, and a mask would put −∞ ahead, as you did. Here leave 0 there, so that
    all of them are numbers."""
    scores = _xpos(*given)
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


@check_xpos.recognised_by("a large negative number ahead")
def _(scores):
    """You put a large negative number ahead, as a mask would. Here leave 0 there, so that all of
    them are scores."""
    return len(scores) > 1 and bool((scores[np.triu_indices(len(scores), 1)] < -999).all())


@check_xpos.mistake("scaled")
def _(*given):
    """You divided by √head_dim. That is right in a head, but here return the plain sums."""
    return _xpos(*given) / np.sqrt(2 * given[0].shape[-1])


@check_xpos.mistake("weights returned")
def _(*given):
    """You went one step too far: return the scores, before the mask and the softmax."""
    scores = _xpos(*given)
    return softmax(np.where(np.tri(len(scores), dtype=bool), scores, -np.inf))
