"""Exercises of lesson 08: where a key overflows, and the mask that keeps distances short."""

import numpy as np

from posviz.encodings.relative import offsets
from posviz.encodings.xpos import xpos_scale
from posviz.exercises.checker import Checker
from posviz.masks import blockwise_causal_mask, causal_mask

LARGEST = tuple(float(np.finfo(dtype).max) for dtype in (np.float16, np.float32, np.float64))


def _overflow(largest, zeta, scale_base):
    return scale_base * np.log(largest) / -np.log(zeta.min())


def _overflow_inputs(rng, size):
    zeta = xpos_scale(1, 2 + 2 * size, gamma=rng.uniform(0.2, 1), scale_base=1)
    return LARGEST[size % 3], zeta, int(rng.integers(2, 600))


# The answer is a function (largest, zeta [pairs], scale_base) -> position where a key, 1 in every
# pair before it is scaled, grows to the largest number of its format; not rounded.
check_overflow_position = Checker(
    "Where a key overflows", reference=_overflow, inputs=_overflow_inputs
)


@check_overflow_position.mistake("scale_base forgotten")
def _(largest, zeta, scale_base):
    """You left out scale_base. The exponent is position / scale_base, so the position is
    scale_base times as large."""
    return _overflow(largest, zeta, 1)


@check_overflow_position.mistake("divided by scale_base")
def _(largest, zeta, scale_base):
    """You divided by scale_base. Positions are divided by it before they are exponents, so the
    position is scale_base times as large: multiply."""
    return _overflow(largest, zeta, 1 / scale_base)


@check_overflow_position.mistake("counted from the middle")
def _(largest, zeta, scale_base):
    """You doubled the position, as if it were counted from the middle of the text. Here positions
    count from the start."""
    return 2 * _overflow(largest, zeta, scale_base)


@check_overflow_position.harmless_on("rounded")
def _(rng, size):
    """You rounded the position. Return it as it comes out, with its decimals."""
    _, zeta, _ = _overflow_inputs(rng, size)
    return LARGEST[size % 2], zeta, 20_000  # positions so large that one token is no matter


@check_overflow_position.mistake("ζ forgotten")
def _(largest, zeta, scale_base):
    """You wrote scale_base · ln(largest), as if keys grew as e^(position/scale_base). They grow as
    (1/ζ)^(position/scale_base): divide by ln(1/ζ)."""
    return scale_base * np.log(largest)


@check_overflow_position.mistake("log2 with ln")
def _(largest, zeta, scale_base):
    """You took log2 of the largest number and ln of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) / np.log(2)


@check_overflow_position.mistake("ln with log2")
def _(largest, zeta, scale_base):
    """You took ln of the largest number and log2 of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) * np.log(2)


@check_overflow_position.mistake("log10 with ln")
def _(largest, zeta, scale_base):
    """You took log10 of the largest number and ln of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) / np.log(10)


@check_overflow_position.mistake("ln with log10")
def _(largest, zeta, scale_base):
    """You took ln of the largest number and log10 of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) * np.log(10)


@check_overflow_position.mistake("slowest pair")
def _(largest, zeta, scale_base):
    """You took the largest ζ, of the pair that overflows last. The first to overflow has the
    smallest ζ."""
    return _overflow(largest, zeta.max(), scale_base)


@check_overflow_position.mistake("every pair")
def _(largest, zeta, scale_base):
    """You returned a position for every pair. The key overflows where the first of them does:
    return the smallest."""
    return scale_base * np.log(largest) / -np.log(zeta)


@check_overflow_position.mistake("mean of the pairs")
def _(largest, zeta, scale_base):
    """You took the mean ζ. The key overflows where the first of its pairs does, the one with the
    smallest ζ."""
    return _overflow(largest, zeta.mean(), scale_base)


@check_overflow_position.mistake("sign")
def _(largest, zeta, scale_base):
    """Your position is below 0: that is where a query overflows. The key is divided by its scale,
    so it grows as ζ^(−position/scale_base)."""
    return -_overflow(largest, zeta, scale_base)


@check_overflow_position.mistake("upside down")
def _(largest, zeta, scale_base):
    """Your fraction is upside down: the larger the largest number, the later it overflows. Divide
    ln(largest) by ln(1/ζ)."""
    return scale_base**2 / _overflow(largest, zeta, scale_base)


@check_overflow_position.mistake("multiplied by ln(1/ζ)")
def _(largest, zeta, scale_base):
    """You multiplied by ln(1/ζ). The smaller ζ, the sooner the key overflows: divide by it."""
    return scale_base * np.log(largest) * -np.log(zeta.min())


@check_overflow_position.mistake("1 − ζ for its logarithm")
def _(largest, zeta, scale_base):
    """You divided by 1 − ζ, which is near ln(1/ζ) only where ζ is near 1. Take −ln ζ."""
    return scale_base * np.log(largest) / (1 - zeta.min())


@check_overflow_position.mistake("ζ for its logarithm")
def _(largest, zeta, scale_base):
    """You divided by ζ itself. Solve ζ^(−position/scale_base) = largest: take logarithms of both
    sides first."""
    return scale_base * np.log(largest) / zeta.min()


def _mask(length, block):
    # As numbers, so that answers can be subtracted.
    return blockwise_causal_mask(np.arange(length), np.arange(length), block).astype(int)


def _behind(length):
    return offsets(np.arange(length), np.arange(length))


def _blocks_behind(length, block, *, first=0):
    blocks = (np.arange(length) + first) // block
    return offsets(blocks, blocks)


def _causal(mask):
    places = np.arange(len(mask))
    return (mask & causal_mask(places, places)).astype(int)


def _mask_inputs(rng, size):
    block = 2 if size < 5 else 4  # so that position / block is exact, should a reader divide with /
    return int(rng.integers(3 * block + 1, 5 * block)), block


# The answer is a function (length, block) -> mask [length, length], True where a query may look.
check_blockwise_mask = Checker(
    "The mask of blockwise causal attention", reference=_mask, inputs=_mask_inputs
)


@check_blockwise_mask.mistake("window of one block")
def _(length, block):
    """Your window moves with every token. Blocks stand still: a token sees all of its own up to
    itself, and all of the one before. Compare position // block."""
    return _causal(_behind(length) < block)


@check_blockwise_mask.mistake("window of two blocks")
def _(length, block):
    """You let each token see 2·block tokens. Only the last of a block sees so many: compare
    position // block, which is the number of the block."""
    return _causal(_behind(length) < 2 * block)


@check_blockwise_mask.mistake("/ instead of //")
def _(length, block):
    """Your window moves with every token and goes back by block tokens. Blocks stand still: the
    number of a block is position // block, a whole number. With / it would be a fraction."""
    return _causal(_behind(length) <= block)


@check_blockwise_mask.mistake("own block only")
def _(length, block):
    """You let tokens see their own block only, so the first of each sees nothing but itself. They
    see the block before as well."""
    return _causal(_blocks_behind(length, block) == 0)


@check_blockwise_mask.mistake("block before only")
def _(length, block):
    """You let tokens see the block before only. They see their own as well, up to themselves."""
    return _causal(_blocks_behind(length, block) == 1)


@check_blockwise_mask.mistake("one block too many")
def _(length, block):
    """You let tokens see two blocks before their own. One is enough: then no distance reaches
    2·block, the training length."""
    return _causal(_blocks_behind(length, block) <= 2)


@check_blockwise_mask.mistake("all before")
def _(length, block):
    """That is the plain causal mask. Hide what stands more than one block before the token's
    own."""
    return _causal(_behind(length) >= 0)


@check_blockwise_mask.mistake("own block not causal")
def _(length, block):
    """Your tokens see to the end of their block. Hide keys ahead of their query, in the own block,
    too."""
    near = _blocks_behind(length, block)
    return ((near >= 0) & (near <= 1)).astype(int)


@check_blockwise_mask.mistake("not causal")
def _(length, block):
    """Your tokens see blocks ahead. You asked only that blocks are not too far behind: hide keys
    ahead of their query as well."""
    return (_blocks_behind(length, block) <= 1).astype(int)


@check_blockwise_mask.mistake("neighbours on both sides")
def _(length, block):
    """Your tokens see the block after theirs. Blocks have an order: one before, none after, and no
    key ahead of its query."""
    return (np.abs(_blocks_behind(length, block)) <= 1).astype(int)


@check_blockwise_mask.mistake("itself hidden")
def _(length, block):
    """Your tokens do not see themselves, and the first sees nothing: compare with >=, not >."""
    return _mask(length, block) & (_behind(length) > 0)


@check_blockwise_mask.mistake("blocks one place early")
def _(length, block):
    """Your blocks start one place early. Positions count from 0, so the number of the block is
    position // block."""
    return _causal(_blocks_behind(length, block, first=1) <= 1)


@check_blockwise_mask.mistake("% instead of //")
def _(length, block):
    """You compared places within the blocks, position % block. Compare the numbers of the blocks,
    position // block."""
    places = np.arange(length) % block
    return _causal(offsets(places, places) <= 1)


@check_blockwise_mask.mistake("block halved")
def _(length, block):
    """You halved the block. It is half the training length already."""
    return _mask(length, block // 2)


@check_blockwise_mask.mistake("rows are keys")
def _(length, block):
    """Your rows are keys. Rows are queries, so a token sees what stands left of the diagonal."""
    return _mask(length, block).T


@check_blockwise_mask.mistake("True for what is hidden")
def _(length, block):
    """Your mask is True where nothing may be seen, as torch wants it in some places. Here True
    means that a query may look."""
    return 1 - _mask(length, block)


@check_blockwise_mask.mistake("−∞ for what is hidden")
def _(length, block):
    """You returned what a mask adds to the scores, 0 or −∞. Return True where a query may look and
    False elsewhere."""
    return np.where(_mask(length, block), 0, -np.inf)
