"""Exercise: the mask that keeps distances short."""

import numpy as np

from posviz.attention.masks import blockwise_causal_mask, causal_mask
from posviz.encodings.relative import offsets
from posviz.teaching.checker import Checker


def _mask(length, block):
    return blockwise_causal_mask(np.arange(length), np.arange(length), block)


def _behind(length):
    return offsets(np.arange(length), np.arange(length))


def _blocks_behind(length, block, *, first=0):
    blocks = (np.arange(length) + first) // block
    return offsets(blocks, blocks)


def _causal(mask):
    positions = np.arange(len(mask))
    return mask & causal_mask(positions, positions)


def _mask_inputs(rng, size):
    block = 2 if size < 5 else 4  # so that position / block is exact, should a reader divide with /
    blocks = 3 + int(rng.integers(min(size, 3)))  # the shortest is shown in full
    return blocks * block + size, block


# The answer is a function (length, block) -> mask [length, length], True where a query may look.
check_blockwise_mask = Checker(
    "The mask of blockwise causal attention",
    reference=_mask,
    inputs=_mask_inputs,
    edges=[(7, 2), (6, 2), (1, 2)],  # an odd length, whole blocks, one token
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


@check_blockwise_mask.mistake("window of two blocks and one")
def _(length, block):
    """You let each token see 2·block tokens before itself. Only the last of a block sees so many,
    itself among them: compare position // block, which is the number of the block."""
    return _causal(_behind(length) <= 2 * block)


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


@check_blockwise_mask.mistake("pieces of a training length")
def _(length, block):
    """You cut the text into pieces of 2·block, a whole training length, and let tokens see their
    own piece only. So the first of each sees nothing but itself. Cut blocks of half that, `block`
    tokens, and let tokens see the one before as well."""
    return _causal(_blocks_behind(length, 2 * block) == 0)


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
    return (near >= 0) & (near <= 1)


@check_blockwise_mask.mistake("not causal")
def _(length, block):
    """Your tokens see blocks ahead. You asked only that blocks are not too far behind: hide keys
    ahead of their query as well."""
    return _blocks_behind(length, block) <= 1


@check_blockwise_mask.mistake("neighbours on both sides")
def _(length, block):
    """Your tokens see the block after theirs. Blocks have an order: one before, none after, and no
    key ahead of its query."""
    return np.abs(_blocks_behind(length, block)) <= 1


@check_blockwise_mask.mistake("itself hidden")
def _(length, block):
    """Your tokens do not see themselves, and the first sees nothing: compare with >=, not >."""
    return _mask(length, block) & (_behind(length) > 0)


@check_blockwise_mask.mistake("blocks one place early")
def _(length, block):
    """Your blocks start one place early. Positions count from 0, so the number of the block is
    position // block."""
    return _causal(_blocks_behind(length, block, first=1) <= 1)


@check_blockwise_mask.mistake("blocks one place late")
def _(length, block):
    """Your blocks start one place late, at 1. Positions count from 0, so the number of the block is
    position // block."""
    return _causal(_blocks_behind(length, block, first=-1) <= 1)


@check_blockwise_mask.mistake("first block empty")
def _(length, block):
    """Tokens of your first block see nothing. No block stands before it, so your start is below 0
    there, and a slice then counts from the end: take max(0, start)."""
    mask = np.zeros((length, length), dtype=bool)
    for i in range(length):
        mask[i, (i // block - 1) * block : i + 1] = True
    return mask


@check_blockwise_mask.mistake("% instead of //")
def _(length, block):
    """You compared places within the blocks, position % block. Compare the numbers of the blocks,
    position // block."""
    within = np.arange(length) % block
    return _causal(offsets(within, within) <= 1)


@check_blockwise_mask.mistake("block halved")
def _(length, block):
    """You halved the block. It is half the training length already."""
    return _mask(length, block // 2)


@check_blockwise_mask.mistake("block doubled")
def _(length, block):
    """Your blocks have 2·block tokens, a whole training length. `block` is the length of one, half
    of that: the two blocks that a token sees make it whole."""
    return _mask(length, 2 * block)


@check_blockwise_mask.mistake("rows are keys")
def _(length, block):
    """Your rows are keys. Rows are queries, so a token sees what stands left of the diagonal."""
    return _mask(length, block).T


@check_blockwise_mask.mistake("True for what is hidden")
def _(length, block):
    """Your mask is True where nothing may be seen, as torch wants it in some places. Here True
    means that a query may look."""
    return ~_mask(length, block)


@check_blockwise_mask.mistake("−∞ for what is hidden")
def _(length, block):
    """You returned what a mask adds to the scores, 0 or −∞. Return True where a query may look and
    False elsewhere."""
    return np.where(_mask(length, block), 0, -np.inf)


@check_blockwise_mask.recognised_by("a low number for what is hidden")
def _(mask):
    """You returned what a mask adds to the scores, 0 or a very low number. Return True where a
    query may look and False elsewhere."""
    return len(np.unique(mask)) == 2 and mask.max() == 0 and mask.min() < -1
