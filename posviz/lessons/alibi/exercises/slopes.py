"""Exercise: the slopes of any number of heads."""

import numpy as np

from posviz.encodings.alibi import alibi_slopes
from posviz.teaching.checker import Checker

HEADS = (1, 2, 8, 3, 7, 12, 40)  # powers of two first: their rule is half of the answer


def _slopes_inputs(rng, size):
    return (HEADS[size - 1] if size <= len(HEADS) else int(rng.integers(9, 64)),)


# The answer is a function (num_heads) -> slopes [num_heads], all above 0, in the order of the
# released code.
check_slopes = Checker(
    "The slopes of ALiBi",
    reference=alibi_slopes,
    inputs=_slopes_inputs,
)


def _power(num_heads):
    """The largest power of two that is not above."""
    return 2 ** (num_heads.bit_length() - 1)


def _series(count, *, of=None, first=1):
    """2^(−8h/of) for `count` numbers h."""
    return 2.0 ** (-8 * np.arange(first, first + count) / (of or count))


def _slip(name):
    """Add a mistake in right slopes, and the same in those of one formula for every num_heads."""

    def add(slip):
        def released(num_heads):
            return slip(alibi_slopes(num_heads))

        def one_formula(num_heads):
            return slip(_series(num_heads))

        released.__doc__ = slip.__doc__
        one_formula.__doc__ = f"""Two things. {slip.__doc__} And you used one formula for every
        number of heads, where the released code does so for powers of two only."""
        check_slopes.mistake(name)(released)
        check_slopes.mistake(f"{name}, and one formula")(one_formula)
        return slip

    return add


def _with_extra(num_heads, extra, *, first=1):
    """The slopes of the power below, then those that are picked from twice the power."""
    power = _power(num_heads)
    twice = _series(2 * power, first=first)
    return np.concatenate([_series(power, first=first), extra(twice, num_heads - power)])


@check_slopes.mistake("heads from 0")
def _(num_heads):
    """You counted heads from 0, so the first slope is 1. They count from 1: the first slope of 8
    heads is 1/2, and the last 1/256."""
    return _with_extra(num_heads, lambda twice, count: twice[::2][:count], first=0)


@check_slopes.mistake("heads from 0, and not every second")
def _(num_heads):
    """Two things. You counted heads from 0, so the first slope is 1: they count from 1. And your
    extra slopes are the first ones of twice the power: take every second, [::2]."""
    return _with_extra(num_heads, lambda twice, count: twice[:count], first=0)


@check_slopes.mistake("heads from 0, but not the extra ones")
def _(num_heads):
    """You counted heads from 0 in the first series, so its first slope is 1. They count from 1
    there as well: 2^(−8h/n), h = 1 … n."""
    return _with_extra(num_heads, lambda twice, count: twice[::2][:count]) * np.where(
        np.arange(num_heads) < _power(num_heads), 2 ** (8 / _power(num_heads)), 1
    )


@check_slopes.mistake("heads from 0 in the extra ones")
def _(num_heads):
    """You counted heads from 0 in the series of twice the power, so its first slope is 1. They
    count from 1 there as well: 2^(−8h/n), h = 1 … n."""
    twice = _series(2 * _power(num_heads), first=0)
    return _with_extra(num_heads, lambda _, count: twice[::2][:count])


@check_slopes.mistake("heads from 0, and one formula")
def _(num_heads):
    """Two things. You counted heads from 0, so the first slope is 1: they count from 1. And you
    used one formula for every number of heads, where the released code does so for powers of two
    only."""
    return _series(num_heads, first=0)


@check_slopes.mistake("the formula for every number of heads")
def _(num_heads):
    """You used 2^(−8h/n) for every n. The released code does so only where n is a power of two.
    Otherwise take the slopes of the power below, then every second slope of twice that power."""
    return _series(num_heads)


@check_slopes.mistake("the power above")
def _(num_heads):
    """You took the first slopes of the power of two above. Take all slopes of the power below,
    then every second one of the power above."""
    power = _power(num_heads)
    return _series(power if power == num_heads else 2 * power)[:num_heads]


@check_slopes.mistake("the series goes on")
def _(num_heads):
    """You let the series of the power below go on beyond 2^(−8). The extra slopes are
    every second one of twice the power, from the first on."""
    return _series(num_heads, of=_power(num_heads))


@check_slopes.mistake("extra slopes missing")
def _(num_heads):
    """You have the slopes of the power of two below, and none for the other heads. Append every
    second slope of twice the power."""
    return _series(_power(num_heads))


@check_slopes.mistake("every second from the second")
def _(num_heads):
    """Your extra slopes are there twice: every second slope of twice the power, from the second
    on, is a slope of the power itself. Start from the first, [::2]."""
    return _with_extra(num_heads, lambda twice, count: twice[1::2][:count])


@check_slopes.mistake("every second of the power itself")
def _(num_heads):
    """Your extra slopes are every second one of the power below, so they are there twice. Take
    them from the series of twice that power."""
    power = _power(num_heads)
    return np.concatenate([_series(power), _series(power)[::2][: num_heads - power]])


@check_slopes.mistake("not every second")
def _(num_heads):
    """Your extra slopes are the first ones of twice the power. Take every second, [::2]: those
    between are there already."""
    return _with_extra(num_heads, lambda twice, count: twice[:count])


@check_slopes.mistake("extra slopes from the power on")
def _(num_heads):
    """Your extra slopes are those of twice the power from number power + 1 on. Take every second
    from the first, [::2], and of these the first ones, [:num_heads - power]."""
    return _with_extra(num_heads, lambda twice, count: twice[len(twice) // 2 :][:count])


@check_slopes.mistake("extra slopes of num_heads")
def _(num_heads):
    """Your extra slopes are of the series of num_heads. Take them from the series of twice the
    power below."""
    return _with_extra(num_heads, lambda _, count: _series(num_heads)[::2][:count])


@check_slopes.mistake("extra slopes from the end")
def _(num_heads):
    """Your extra slopes are the last ones of every second. Take the first, [:num_heads - power]."""
    return _with_extra(num_heads, lambda twice, count: twice[::2][len(twice) // 2 - count :])


@check_slopes.mistake("extra slopes from the end, by [-0:]")
def _(num_heads):
    """Two things. Your extra slopes are the last ones of every second: take the first,
    [:num_heads - power]. And a power of two needs none, but [-0:] is all of them."""
    return _with_extra(num_heads, lambda twice, count: twice[::2][-count:])


@check_slopes.mistake("extra slopes not cut")
def _(num_heads):
    """You have all slopes of the power below and every second one of twice the power: too many.
    Cut the second part to what is missing, [:num_heads - power], which is nothing for a power of
    two."""
    return _with_extra(num_heads, lambda twice, count: twice[::2])


@check_slopes.mistake("extra slopes not cut, but for powers of two")
def _(num_heads):
    """Where num_heads is no power of two you append every second slope of twice the power: too
    many. Cut them to what is missing, [:num_heads - power]."""
    return _with_extra(num_heads, lambda twice, count: twice[::2] if count else twice[:0])


@check_slopes.mistake("extra slopes first")
def _(num_heads):
    """Your extra slopes come first. The released code appends them, and a trained head keeps its
    slope: the order counts."""
    return np.roll(alibi_slopes(num_heads), num_heads - _power(num_heads))


@check_slopes.mistake("sorted")
def _(num_heads):
    """You sorted the slopes. The released code appends the extra ones, so the order is broken
    where num_heads is no power of two, and a trained head keeps its slope."""
    return np.sort(alibi_slopes(num_heads))[::-1]


@check_slopes.mistake("sorted from the flattest")
def _(num_heads):
    """You sorted the slopes from the flattest on. Head 1 is the steepest of the power of two, and
    the extra ones come after that series."""
    return np.sort(alibi_slopes(num_heads))


@_slip("flattest first")
def _(slopes):
    """You start with the flattest head. Head 1 is the steepest: 2^(−8h/n) falls with h."""
    return slopes[::-1]


@_slip("sign")
def _(slopes):
    """Your slopes are below 0. Return them as positive numbers: the bias subtracts them."""
    return -slopes


@_slip("exponents returned")
def _(slopes):
    """Those are the exponents, −log2 of the slopes. Return 2 to the power of minus them."""
    return -np.log2(slopes)


@_slip("sign of the exponent")
def _(slopes):
    """Your slopes grow to 2^8 = 256. The exponent is negative: 2^(−8h/n)."""
    return 1 / slopes


@check_slopes.mistake("2^(−h)")
def _(num_heads):
    """You wrote 2^(−h), which is right for 8 heads alone. The exponent is −8h/n."""
    return _series(num_heads, of=8)


@check_slopes.mistake("8/n inverted")
def _(num_heads):
    """You wrote n/8 where 8/n belongs: the exponent is −8h/n, so that the last slope of a power of
    two is 2^(−8)."""
    power = _power(num_heads)
    extra = 2.0 ** (-2 * power * np.arange(1, 2 * power, 2) / 8)
    series = 2.0 ** (-power * np.arange(1, power + 1) / 8)
    return np.concatenate([series, extra[: num_heads - power]])


@check_slopes.mistake("8/n inverted, and one formula")
def _(num_heads):
    """Two things. You wrote n/8 where 8/n belongs: the exponent is −8h/n. And you used one formula
    for every number of heads, where the released code does so for powers of two only."""
    return 2.0 ** (-num_heads * np.arange(1, num_heads + 1) / 8)


@_slip("// instead of /")
def _(slopes):
    """Your exponents are whole numbers, as // makes them. Divide with /: the first of 16 heads
    has the exponent −0.5."""
    return 2 ** np.floor(np.log2(slopes))


@_slip("8 missing")
def _(slopes):
    """Your last slope of a power of two is 1/2. The exponent is −8h/n, with an 8, so that it is
    2^(−8)."""
    return slopes ** (1 / 8)


@_slip("e instead of 2")
def _(slopes):
    """You took powers of e. The slopes are powers of 2: 2^(−8h/n)."""
    return slopes ** (1 / np.log(2))
