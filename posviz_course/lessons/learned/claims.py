"""Claims: what a trained table holds, and what it costs."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.learned import Learned
from posviz.encodings.sinusoidal import sinusoidal
from posviz.teaching.measures import largest, normal
from posviz_course.choosing.rows import parameters_of
from posviz_course.claims import claim
from posviz_course.models.real import trained_table


@claim("A table can have rows whose dot products depend on the offset alone.",
    measures="the largest minus the smallest dot product of two rows 5 positions apart",
    rule="< 1e-9", section="4 What has it learned?")
def a_table_can_know_offsets():
    """Sinusoids are such rows. Training may find some, but nothing makes it find them."""
    rows = sinusoidal(np.arange(64), 64)
    return float(np.ptp(np.diagonal(rows @ rows.T, -5)))


@claim("In the trained table of MiniLM, the dot product of two rows depends on their offset alone.",
    measures="the largest, divided by the smallest dot product of two rows 5 positions apart",
    rule="< 1.001", sources=("wang2020minilm",), section="6 A real table")
def a_trained_table_knows_offsets_exactly():
    """Near rows are similar, but nothing in training asks for equal dot products."""
    rows = trained_table()
    dots = np.diagonal(rows @ rows.T, -5)
    return float(dots.max() / dots.min())


@claim("Nearly every row of MiniLM's table points like the mean of the two rows beside it.",
    measures="the share of rows whose cosine with that mean is above 0.9", rule="> 0.9",
    sources=("wang2020minilm",), section="6 A real table")
def a_row_is_the_mean_of_its_neighbours():
    """Where rows change slowly, a row can be guessed from both sides."""
    rows = trained_table()
    between, inner = rows[:-2] + rows[2:], rows[1:-1]
    norms = np.linalg.norm(between, axis=1) * np.linalg.norm(inner, axis=1)
    return float(((between * inner).sum(axis=1) / norms > 0.9).mean())


@claim("If one vector is added to all rows of a table, no attention weight changes.",
    measures="the largest change of a weight of eight words", rule="< 1e-9",
    section="3 Train one yourself")
def a_shared_vector_changes_nothing():
    """The vector is in every query, too, so each score gets a number that depends on its key."""
    words, rows, shared = normal(0, 3, 8, 64)
    w = normal(1, 64, 64) / 8
    before, after = (softmax(x @ w @ x.T / 8) for x in (words + rows, words + rows + shared[0]))
    return largest(after - before)


@claim("A learned table for L positions costs L · d_model parameters.",
    cases={"for BERT-base": (512, 512, 768), "for GPT-2": (1024, 1024, 768),
        "for OPT-125M": (2048, 2050, 768)},
    measures="the number of parameters beyond L · d_model", rule="== 0",
    sources=("gehring2017convolutional",), section="5 Beyond the last row")
def a_table_costs_length_times_width(model):
    """Each row has d_model numbers, and OPT keeps two rows for padding."""
    positions, rows, d_model = model
    table = np.broadcast_to(np.float32(0), (rows, d_model))  # takes no memory
    return parameters_of(Learned(table)) - positions * d_model
