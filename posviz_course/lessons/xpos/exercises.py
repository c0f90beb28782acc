"""Exercises: from RoPE to xPos, the half-life of a pair, and the mask of blocks."""

from functools import partial

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.teaching.mistakes import answer, argument, right_on, step, wrong
from posviz_course.lesson_checker import LessonChecker

# A mistake of two exercises.
FIRST_ZETA = argument("first ζ for all pairs",
    "All your pairs forget as the first one does, with zeta[0]. Each has its own: use the whole "
    "array zeta.", zeta=lambda zeta: np.full_like(zeta, zeta[0]))


def xpos_scores(q, k, positions, inv_freq, zeta, scale_base, *, on_q=1, on_k=-1, power=np.power):
    """Scores [len, len] of xPos, 0 for future keys; q, k [len, pairs] complex."""
    p = positions[:, None] / scale_base
    turn = np.exp(1j * rotary_angles(positions, inv_freq))
    q = q * turn * power(zeta, on_q * p)
    k = k * turn * power(zeta, on_k * p)
    return np.tril((q @ k.conj().T).real)


def divided_last(q, k, positions, inv_freq, zeta, scale_base):
    """The scores of code that divides the powers by scale_base, and not the positions."""
    return xpos_scores(q, k, positions, inv_freq, zeta, 1) / scale_base**2


def score_inputs(rng, size):
    """Complex q, k [len, pairs], positions [len], frequencies and zeta [pairs], scale base."""
    pairs = 1 + (size + 1) % 4  # never as many as tokens
    q, k = rng.normal(size=(2, 2, size + 1, pairs)).transpose(1, 2, 3, 0) @ [1, 1j]
    positions = 1 + np.sort(rng.permutation(3 * size)[: size + 1])
    zeta = xpos_scale(1, 2 * pairs, scale_base=1)
    return q, k, positions, rotary_frequencies(2 * pairs, 50.0), zeta, int(rng.integers(4, 9))


def score_edge(positions):
    """Arguments with these positions, for an edge."""
    q, k, _, *rest = score_inputs(np.random.default_rng(0), 1)
    return q[: len(positions)], k[: len(positions)], np.array(positions), *rest


check_xpos = LessonChecker(
    "The scores of xPos",
    xpos_scores,
    score_inputs,
    edges=[score_edge([0, 3]), score_edge([0])],  # position 0; one token
    mistakes=[
        step("same sign on q and k",
            "Your key has the exponent of a query. Give it the opposite sign, or divide the key by "
            "its scale: then only the offset is left in the product.", on_k=1),
        step("ζ inverted",
            "Your exponents have the opposite sign. Either your ζ is inverted, or you divided the "
            "query and multiplied the key: with ζ below 1, the query is multiplied and the key "
            "divided.", on_q=-1, on_k=1),
        step("only q scaled",
            "You scaled the query alone, so the factor is that of the query's position, not of "
            "the distance. Divide the key by its own scale.", on_k=0),
        wrong("only k scaled", partial(xpos_scores, on_q=0),
            "You scaled the key alone, so the factor is that of the key's position, not of the "
            "distance. Multiply the query by its own scale."),
        wrong("RoPE", partial(xpos_scores, on_q=0, on_k=0),
            "Those are the scores of RoPE. Multiply the query by zeta ** (position / "
            "scale_base), and divide the key by the same of its own position."),
        argument("scale_base missing",
            "All forget at once in your scores. Either scale_base is missing, or it cancels, "
            "because in Python ** goes before /. The exponent is (position / scale_base), in "
            "parentheses.", scale_base=1),
        wrong("power before division", divided_last,
            "You divided the power by scale_base, not the position: in Python ** goes before /. "
            "Write zeta ** (position / scale_base), with parentheses."),
        step("* in place of **",
            "You multiplied ζ by its exponent. The exponent goes above: zeta ** (position / "
            "scale_base).", power=np.multiply),
        FIRST_ZETA,
        right_on("512 for scale_base", lambda rng, size: (*score_inputs(rng, size)[:-1], 512),
            "Your scores are right where scale_base is 512, and only there. Did you write 512, "
            "or call xpos_scale without it, which then takes 512? Use the argument scale_base."),
    ],
)


def at_most_one(blocks):
    """A query sees its own block and the one before."""
    return blocks <= 1


def blockwise_mask(
    length, block, *, number=np.floor_divide, near=at_most_one, sees=np.greater_equal
):
    """Mask [length, length] of blockwise causal attention, True where a query may look."""
    i = np.arange(length)
    blocks = number(i, block)
    return near(blocks[:, None] - blocks) & sees(i[:, None], i)


def mask_inputs(rng, size):
    """The length of a text and of a block, in tokens."""
    block = 2 if size < 5 else 4  # so that position / block is exact, should a reader divide with /
    blocks = 3 + int(rng.integers(min(size, 3)))  # the shortest is shown in full
    return blocks * block + size, block


def first_block_empty(length, block):
    """A loop whose slice starts below 0 in the first block, and so is empty there."""
    mask = np.zeros((length, length), dtype=bool)
    for i in range(length):
        mask[i, (i // block - 1) * block : i + 1] = True
    return mask


check_blockwise_mask = LessonChecker(
    "The mask of blockwise causal attention",
    blockwise_mask,
    mask_inputs,
    # An odd length, whole blocks, one token; blocks of no power of two, where / is exact as well.
    edges=[(7, 2), (6, 2), (1, 2), (7, 3), (11, 5)],
    mistakes=[
        step("/ instead of //",
            "Your window moves with every token and goes back by block tokens. Blocks stand "
            "still: the number of a block is position // block, a whole number. With / it would "
            "be a fraction.", number=np.divide),
        step("window of two blocks",
            "You let each token see 2·block tokens. Only the last of a block sees so many: "
            "compare position // block, which is the number of the block.", number=np.divide,
            near=lambda blocks: blocks < 2),
        step("own block only",
            "You let tokens see their own block only, so the first of each sees nothing but "
            "itself. They see the block before as well.", near=lambda blocks: blocks == 0),
        step("not causal",
            "Your tokens see blocks ahead. You asked only that blocks are not too far behind: "
            "hide keys ahead of their query as well.", sees=lambda i, j: True),
        step("block ahead seen",
            "Your tokens see the block ahead and the rest of their own: you asked only that "
            "blocks are neighbours, as with abs(…) <= 1. Hide keys ahead of their query as well.",
            near=lambda blocks: abs(blocks) <= 1, sees=lambda i, j: True),
        step("rest of its block seen",
            "Your tokens see the rest of their own block: you asked only that no block is ahead. "
            "Compare positions as well, to hide keys ahead of their query.",
            near=lambda blocks: (blocks == 0) | (blocks == 1), sees=lambda i, j: True),
        step("itself hidden",
            "Your tokens do not see themselves, and the first sees nothing: compare with >=, not "
            ">.", sees=np.greater),
        wrong("first block empty", first_block_empty,
            "Tokens of your first block see nothing. No block stands before it, so your start is "
            "below 0 there, and a slice then counts from the end: take max(0, start)."),
        answer("rows are keys", lambda mask: mask.T,
            "Your rows are keys. Rows are queries, so a token sees what stands left of the "
            "diagonal."),
        answer("True for what is hidden", lambda mask: ~mask,
            "Your mask is True where nothing may be seen, as torch wants it in some places. Here "
            "True means that a query may look."),
        answer("−∞ for what is hidden", lambda mask: np.where(mask, 0, -np.inf),
            "You returned what a mask adds to the scores, 0 or −∞. Return True where a query may "
            "look and False elsewhere."),
        right_on("blocks of a power of two only", mask_inputs,
            "Your mask is right where a block has 2 or 4 tokens. A block may have any length: the "
            "number of a block is position // block, without bits or halves."),
    ],
)


def half_lives(zeta, scale_base, *, left=0.5):
    """Distances in tokens at which one half of each pair's part is left; zeta [pairs]."""
    return scale_base * np.log(left) / np.log(zeta)


def half_life_inputs(rng, size):
    """zeta [pairs], and the scale base, in tokens."""
    zeta = xpos_scale(1, 2 + 2 * size, gamma=rng.uniform(0.1, 1), scale_base=1)
    return zeta, int(rng.integers(2, 9))


check_half_lives = LessonChecker(
    "The half-life of each pair",
    half_lives,
    half_life_inputs,
    edges=[(np.array([0.25]), 2), (np.array([0.9, 0.25]), 4)],  # one pair; ζ in no order
    mistakes=[
        argument("scale_base forgotten",
            "You left out scale_base. The exponent is distance / scale_base, so the distance is "
            "scale_base times as large.", scale_base=1),
        argument("divided by scale_base",
            "You divided by scale_base. The distance is divided by it before it is an exponent, "
            "so the distance is scale_base times as large: multiply.",
            scale_base=lambda scale_base: 1 / scale_base),
        answer("sign", lambda distance: -distance,
            "Your distances are below 0. Both logarithms are negative, so their quotient is "
            "positive."),
        answer("upside down", lambda distance, scale_base: scale_base**2 / distance,
            "Your fraction is upside down. A ζ near 1 forgets slowly, so its half-life is long: "
            "divide ln(1/2) by ln(ζ)."),
        step("1/e in place of one half",
            "You found the distance at which 1/e is left, 37 %. Asked is one half: ln(1/2) is in "
            "the formula.", left=np.exp(-1)),
        wrong("straight line", lambda zeta, scale_base: scale_base * 0.5 / (1 - zeta),
            "You drew a straight line from 1 to ζ. The factor is a power, ζ^(distance/scale_base): "
            "solve with logarithms."),
        wrong("np.log with a base",
            lambda zeta, scale_base: np.full(len(zeta), scale_base * np.log(0.5)),
            "Your distances do not depend on ζ. The second argument of np.log is no base: divide "
            "np.log(0.5) by np.log(zeta)."),
        wrong("half of S", lambda zeta, scale_base: np.full(len(zeta), scale_base / 2),
            "You returned half of scale_base. After scale_base tokens the factor is ζ, which is "
            "another number for each pair."),
        FIRST_ZETA,
    ],
)
