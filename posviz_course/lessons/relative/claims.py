"""Claims about relative positions: what a shift does, what is stored, what far keys get."""

import numpy as np

from posviz.attention import attend, attention
from posviz.encodings.deberta import DeBERTa
from posviz.encodings.relative import offsets
from posviz.encodings.shaw import Shaw, shaw_index
from posviz.encodings.t5 import T5, t5_bucket
from posviz.encodings.transformer_xl import TransformerXL
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

HEAD_DIM = 64
ROWS = normal(1, 2, 9, HEAD_DIM) / np.sqrt(HEAD_DIM)  # tables of nine offsets, for keys and values
METHODS = {
    "for Shaw": Shaw(*ROWS),
    "for Transformer-XL": TransformerXL(normal(2, HEAD_DIM, HEAD_DIM) / 8, *ROWS[:, :1]),
    "for T5": T5(normal(3, 32, 1)),
    "for DeBERTa": DeBERTa(*ROWS[:, None, :8]),
}


def outputs(encoding, shift=0, order=range(6)):
    """Outputs [6, d_model] of one head with random projections, for six words in some order."""
    w = normal(4, 3, HEAD_DIM, HEAD_DIM) / np.sqrt(HEAD_DIM)
    x, positions = normal(0, 6, HEAD_DIM)[None, order], np.arange(6) + shift
    return attend(x, *w, num_heads=1, encoding=encoding, positions=positions)[0]


def weighed(length, encoding):
    """Outputs [length, head_dim] of random words, their weights, and the values."""
    (q, k, v), at = normal(0, 3, 1, 1, length, HEAD_DIM), np.arange(length)
    how = {"encoding": encoding, "q_positions": at, "k_positions": at, "return_weights": True}
    output, weights = attention(q, k, v, **how)
    return output[0, 0], weights[0, 0], v[0, 0]


@claim("With a relative encoding the output is the same wherever a text stands.", cases=METHODS,
    measures="the largest change of an output when six words move by 7 positions", rule="< 1e-9",
    section="4 What such a model does not see")
def the_output_does_not_see_a_shift(encoding):
    """A shift adds the same number to both positions of a pair, so their offset stays the same."""
    return largest(outputs(encoding, shift=7) - outputs(encoding))


@claim("With a relative encoding, a sentence whose words change places is the same to the model.",
    cases=METHODS,
    measures="the largest change of a word's output when the halves of six words change places",
    rule="< 1e-9", section="4 What such a model does not see")
def a_reordered_sentence_is_the_same(encoding):
    """Reordering changes offsets, and other offsets may have other vectors or numbers."""
    order = [3, 4, 5, 0, 1, 2]
    return largest(outputs(encoding, order=order) - outputs(encoding)[order])


@claim("Relative positions need storage of the order n²: a vector for each pair of tokens.",
    cases={
        "with a row for each offset": lambda apart: len(np.unique(apart)),
        "with clipped offsets (Shaw, k = 16)": lambda apart: len(np.unique(shaw_index(apart, 16))),
        "with buckets (T5)": lambda apart: len(np.unique(t5_bucket(apart))),
    }, measures="the number of rows that 512 tokens read, where n² is 262 144", rule="== 262144",
    section="2 One number for each offset")
def storage_grows_with_the_square(rows):
    """All pairs at the same offset share one row of the table."""
    return rows(offsets(np.arange(512), np.arange(512)))


@claim("Clipping at k means that tokens farther away than k are ignored.",
    cases={"with k = 4": 4, "with k = 16": 16},
    measures="the share of attention that 32 random tokens give to those farther away than k",
    rule="< 1e-9", sources=("shaw2018relative",), section="5 A table for any length")
def far_tokens_are_ignored(clip):
    """Far tokens share the vector of distance k, and their words still count."""
    table = normal(1, 2 * clip + 1, HEAD_DIM) / np.sqrt(HEAD_DIM)
    far = np.abs(offsets(np.arange(32), np.arange(32))) > clip
    return float(weighed(32, Shaw(table))[1][far].sum() / 32)


@claim("In Shaw's paper, positions act on the scores alone.",
    measures="the largest difference of an output from the weighted sum of the values",
    rule="< 1e-9", sources=("shaw2018relative",), section="A vector for each offset")
def shaw_acts_on_the_scores_alone():
    """The paper adds a vector of the offset to each value as well."""
    output, weights, values = weighed(6, Shaw(*ROWS))
    return largest(output - weights @ values)
