"""Exercise: what YaRN multiplies scores by."""

import math

from posviz.teaching.checker import Checker


def _sharper(factor, mscale=1.0):
    return 0.1 * mscale * math.log(factor) + 1


def _attention_factor(factor, mscale, mscale_all_dim):
    if mscale and mscale_all_dim:
        return _sharper(factor, mscale) / _sharper(factor, mscale_all_dim)
    return _sharper(factor)


def _on_scores(factor, mscale, mscale_all_dim):
    return _attention_factor(factor, mscale, mscale_all_dim) ** 2


GIVEN = ((0.0, 0.0), (0.7, 0.0), (1.0, 1.0), (1.0, 0.6), (0.0, 0.8), (0.5, 0.5))


def _score_inputs(rng, size):
    return float(rng.integers(2, 65)), *GIVEN[size % len(GIVEN)]


# The answer is a function (factor, mscale, mscale_all_dim) -> what scores are multiplied by, of
# which cos and sin, of queries and of keys, have their part; 0 for a number that is not given.
check_on_scores = Checker(
    "What YaRN does to scores",
    reference=_on_scores,
    inputs=_score_inputs,
    edges=[(40.0, 0.0, 0.0), (1.0, 1.0, 0.5)],  # nothing is stretched by 1
)


@check_on_scores.mistake("q only")
def _(*given):
    """That is the attention factor, which cos and sin are multiplied by. Query and key both are
    turned with them, so a score has it twice: square it."""
    return _on_scores(*given) ** 0.5


@check_on_scores.mistake("squared twice")
def _(*given):
    """You squared too often. The factor stands on the query and on the key: that makes its square,
    and no more."""
    return _on_scores(*given) ** 2


@check_on_scores.mistake("temperature for its reciprocal")
def _(*given):
    """Scores are divided by the temperature, and here they grow: return what they are multiplied
    by, which is above 1 where nothing else is given."""
    return 1 / _on_scores(*given)


@check_on_scores.mistake("mscale alone used")
def _(factor, mscale, mscale_all_dim):
    """You used mscale where mscale_all_dim is not given, or the other way around. The code asks for
    both; with one of them it takes neither, and 0.1 · ln(factor) + 1."""
    return (_sharper(factor, mscale or 1) / _sharper(factor, mscale_all_dim)) ** 2


@check_on_scores.mistake("0 for what is not given")
def _(factor, mscale, mscale_all_dim):
    """You put 0 into the formula for what is not given. Where one of the two is missing neither is
    used: it is 0.1 · ln(factor) + 1."""
    return (_sharper(factor, mscale) / _sharper(factor, mscale_all_dim)) ** 2


@check_on_scores.mistake("all_dim not divided by")
def _(factor, mscale, mscale_all_dim):
    """You took the numerator alone. With both given, the factor is a quotient: with two equal
    numbers it is 1, as in DeepSeek-V3."""
    return _sharper(factor, mscale if mscale and mscale_all_dim else 1) ** 2


@check_on_scores.mistake("neither used")
def _(factor, mscale, mscale_all_dim):
    """You left mscale and mscale_all_dim out. Where both are given, the factor is the quotient of
    0.1 · mscale · ln(factor) + 1 and the same with mscale_all_dim."""
    return _sharper(factor) ** 2


@check_on_scores.mistake("quotient upside down")
def _(factor, mscale, mscale_all_dim):
    """Your quotient is upside down: mscale stands above, mscale_all_dim below."""
    if mscale and mscale_all_dim:
        mscale, mscale_all_dim = mscale_all_dim, mscale
    return _on_scores(factor, mscale, mscale_all_dim)


@check_on_scores.mistake("quotient of the two numbers")
def _(factor, mscale, mscale_all_dim):
    """You divided mscale by mscale_all_dim. Each has a factor of its own,
    0.1 · mscale · ln(factor) + 1, and these are divided."""
    together = mscale / mscale_all_dim if mscale and mscale_all_dim else 1
    return _sharper(factor, together) ** 2


@check_on_scores.mistake("in the scale as well")
def _(factor, mscale, mscale_all_dim):
    """You multiplied by what DeepSeek's attention multiplies its scale by. That is the model's, not
    the frequencies': here only what comes through cos and sin is asked for."""
    scale = _sharper(factor, mscale_all_dim) ** 2
    return _on_scores(factor, mscale, mscale_all_dim) * scale


@check_on_scores.mistake("log2")
def _(factor, mscale, mscale_all_dim):
    """You took the logarithm to base 2. It is the natural one: math.log, np.log."""
    return _on_scores(math.exp(math.log2(factor)), mscale, mscale_all_dim)


@check_on_scores.mistake("1 missing")
def _(factor, mscale, mscale_all_dim):
    """You forgot the 1. Without stretching, factor 1, the logarithm is 0 and scores stay."""
    if mscale and mscale_all_dim:
        return (mscale / mscale_all_dim) ** 2
    return (0.1 * math.log(factor)) ** 2


@check_on_scores.mistake("mscale times all")
def _(factor, mscale, mscale_all_dim):
    """You multiplied mscale by the whole of 0.1 · ln(factor) + 1. It stands at the logarithm alone:
    the 1 stays."""
    if mscale and mscale_all_dim:
        return (mscale / mscale_all_dim) ** 2
    return _sharper(factor) ** 2
