"""Claims: what a trained table holds, and what it costs."""

import numpy as np

from posviz.encodings.learned import Learned, learned
from posviz.encodings.sinusoidal import sinusoidal
from posviz.teaching.measures import normal
from posviz_course.choosing.rows import parameters_of
from posviz_course.claims import claim

UNTRAINED = 0.02 * normal(0, 512, 64)  # as GPT-2 starts with its table: [rows, d_model]


def rows_found(position, look_up=learned):
    """How many rows a table of 512 gives for the position: 1, or 0 where it is an error."""
    try:
        look_up(UNTRAINED, position)
    except IndexError:
        return 0
    return 1


@claim("Neighbouring rows of a learned table are similar from the start.",
    measures="the mean cosine of two neighbouring rows before training", rule="> 0.9",
    section="2 Which rows learn?")
def neighbours_are_similar_from_the_start():
    """The rows of a learned table start at random, and training has to make them similar."""
    rows = UNTRAINED / np.linalg.norm(UNTRAINED, axis=1, keepdims=True)
    return float((rows[1:] * rows[:-1]).sum(axis=1).mean())


@claim("A table can have rows whose dot products depend on the offset alone.",
    measures="the largest minus the smallest dot product of two rows 5 positions apart",
    rule="< 1e-9", section="4 What has it learned?")
def a_table_can_know_offsets():
    """Sinusoids are such rows. Training may find some, but nothing makes it find them."""
    rows = sinusoidal(np.arange(64), 64)
    return float(np.ptp(np.diagonal(rows @ rows.T, -5)))


@claim("A model with a learned table can read texts longer than its table.",
    cases={"if the program clips positions": 511, "if it does not": 1023},
    measures="how many of the positions 512 to 1023 get a row from a table of 512 rows",
    rule="== 512", section="5 Beyond the last row")
def the_table_extrapolates(last):
    """Nothing comes after the last row. A program that clips gives all later tokens that row."""
    return sum(rows_found(min(position, last)) for position in range(512, 1024))


@claim("Asking a table for a position that it does not have ends in an error.",
    cases={
        "for a position that is too large": (512, learned),
        "for −1 where posviz looks it up": (-1, learned),
        "for −1 where Python indexes an array": (-1, np.ndarray.__getitem__),
    }, measures="the number of rows that come back", rule="== 0", section="5 Beyond the last row")
def a_missing_row_is_an_error(asked):
    """Python counts −1 from the end of an array, so it returns the last row."""
    return rows_found(*asked)


@claim("A learned table for L positions costs L · d_model parameters.",
    cases={
        "for BERT-base": (512, 768),
        "for GPT-2": (1024, 768),
    }, measures="the number of parameters beyond L · d_model", rule="== 0",
    sources=("gehring2017convolutional",), section="5 Beyond the last row")
def a_table_costs_length_times_width(model):
    """The table has one row of d_model numbers for each position, and each number is trained."""
    positions, d_model = model
    table = np.broadcast_to(np.float32(0), model)  # takes no memory
    return parameters_of(Learned(table)) - positions * d_model
