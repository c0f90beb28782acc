"""Claims: what attention knows of the order of words."""

import numpy as np

from posviz.attention import attend, attention
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import NoPosition
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

POSITIONS = np.arange(6)
WORDS = normal(0, 6, 16)[[0, 1, 2, 3, 0, 5]]  # "the cat sat on the mat": [len, d_model]
ORDER = np.array([3, 0, 5, 1, 4, 2])  # a shuffle
PROJECTIONS = normal(1, 3, 16, 16) / 4
MASKS = {"without a mask": None, "with a causal mask": causal_mask(POSITIONS, POSITIONS)}


def outputs(words, mask=None):
    """Outputs [len, d_model] of one head without positional encoding."""
    how = {"num_heads": 1, "encoding": NoPosition(), "positions": POSITIONS, "mask": mask}
    return attend(words[None], *PROJECTIONS, **how)[0]


def summed(q, k, v):
    """Outputs of queries, keys and values [len, head_dim]."""
    how: dict = {"encoding": NoPosition(), "q_positions": POSITIONS, "k_positions": POSITIONS}
    return attention(q[None, None], k[None, None], v[None, None], **how)


@claim(
    "Self-attention is invariant to the order of the words: shuffle them, and its output stays "
    "as it was.", measures="the largest change of an output when six words are shuffled",
    rule="< 1e-12", section="2 Shuffle it")
def attention_is_invariant():
    """Every output moves with its word, so attention is equivariant and not invariant."""
    return largest(outputs(WORDS[ORDER]) - outputs(WORDS))


@claim(
    "In a layer without positional encoding, which may have a mask, shuffling the words shuffles "
    "the outputs in the same way.",
    cases=MASKS,
    measures=(
        "the largest difference between the outputs of the shuffled words and the shuffled "
        "outputs"
    ), rule="< 1e-12", section="5 The causal mask")
def attention_is_equivariant(mask):
    """A causal mask lets a word look only at the words before it, and a shuffle changes them."""
    return largest(outputs(WORDS[ORDER], mask) - outputs(WORDS, mask)[ORDER])


@claim(
    'Without positional encoding, the two "the" of "the cat sat on the mat" cannot be told apart.',
    cases=MASKS, measures='the largest difference between the outputs of the two "the"',
    rule="< 1e-12", section="5 The causal mask")
def equal_words_get_equal_outputs(mask):
    """Equal words have equal queries, but under a causal mask the second one sees more keys."""
    rows = outputs(WORDS, mask)
    return largest(rows[4] - rows[0])


@claim("The output for a word is the weighted sum of the attention scores of all words.",
    measures="the largest change of an output when the values change and all scores stay the same",
    rule="< 1e-12", section="1 One attention head, by hand")
def scores_are_what_is_summed():
    """The scores only decide the weights, and what is summed is the values."""
    q, k, v, other = normal(2, 4, 6, 16)
    return largest(summed(q, k, other) - summed(q, k, v))


@claim("The factor 1/√head_dim keeps the variance of the scores at 1.",
    cases={"if queries and keys are independent": False, "if queries equal their keys": True},
    measures="the variance of 20 000 scaled scores with head_dim = 64", rule="< 1.05",
    sources=("vaswani2017attention",), section="3 Why divide?")
def the_scale_keeps_the_variance_at_1(alike):
    """A product of two independent entries has variance 1, but the square of one has variance 2."""
    q, k = normal(3, 2, 20_000, 64)
    return float((q * (q if alike else k)).sum(axis=1).var() / 64)
