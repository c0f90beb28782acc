"""Claims: what attention knows of the order of words."""

import numpy as np

from posviz.attention import attend
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


def stacked(words, layers, mask=None):
    """Outputs [len, d_model] of layers of one head, each above the one before."""
    for _ in range(layers):
        words = outputs(words, mask)
    return words


@claim(
    "Without positions and masks, the mean of all output rows stays the same when the words are "
    "shuffled.", measures="the largest change of this mean when six words are shuffled",
    rule="< 1e-12", section="2 Shuffle it")
def the_mean_is_invariant():
    """Each output row moves with its word, and a mean does not depend on the order of its terms."""
    return largest(outputs(WORDS[ORDER]).mean(axis=0) - outputs(WORDS).mean(axis=0))


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
    "Without positions and masks, three layers, one above the other, see the order that one "
    "layer does not see.",
    measures=(
        "the largest difference between the outputs of the shuffled words and the shuffled "
        "outputs, of three layers"
    ), rule="> 1e-9", section="2 Shuffle it")
def more_layers_see_the_order():
    """The second layer gets shuffled rows that are unchanged, so it shuffles its outputs, too."""
    return largest(stacked(WORDS[ORDER], 3) - stacked(WORDS, 3)[ORDER])


@claim(
    "With a causal mask and no positional encoding, the output for the last word does not depend "
    "on the order of the words before it.",
    cases={"with one layer": 1, "with two layers": 2},
    measures="the largest change of the last output when the other five words are reversed",
    rule="< 1e-12", section="5 The causal mask")
def the_last_word_sees_a_bag(layers):
    """The last word sees all words, but below it each word has seen only the words before it."""
    reverse = [4, 3, 2, 1, 0, 5]
    mask = MASKS["with a causal mask"]
    return largest(stacked(WORDS[reverse], layers, mask)[-1] - stacked(WORDS, layers, mask)[-1])


@claim("The factor 1/√head_dim keeps the variance of the scores at 1.",
    cases={"if queries and keys are independent": False, "if queries equal their keys": True},
    measures="the variance of 20 000 scaled scores with head_dim = 64", rule="< 1.05",
    sources=("vaswani2017attention",), section="3 Why divide?")
def the_scale_keeps_the_variance_at_1(alike):
    """Of normal entries, a product of two independent ones has variance 1, and a square has 2."""
    q, k = normal(3, 2, 20_000, 64)
    return float((q * (q if alike else k)).sum(axis=1).var() / 64)
