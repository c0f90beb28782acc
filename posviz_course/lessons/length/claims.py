"""Claims of lesson 12: which encodings go on past the trained length, and how one knows."""

from functools import cache

import numpy as np

from posviz_course.claims import claim
from posviz_course.lab.results import committed
from posviz_course.lab.tables import Table, table

CURVES = "2 Every position, every run"
GROWTH = "the growth of the loss at eight times the length, in nats, in the worst of five runs"


@cache
def of(task: str) -> Table:
    """The runs of a task."""
    return table(committed(), task)


def growth(arm):
    """By how much the loss of every run grows up to eight times the length, in nats [runs]."""
    losses = of("bytes").by_length[arm]
    return losses[:, -1] - losses[:, 0]


def found_far(arm):
    """The share that every run finds at distances beyond the trained length [runs]."""
    recall = of("recall")
    return np.nanmean(recall.by_place[arm][:, recall.places >= recall.trained], axis=1)


@claim("RoPE extrapolates excellently.",
    cases={"as it was trained": "RoPE", "with a window at test": "RoPE, window at test"},
    measures=GROWTH, rule="< 0.1", sources=("su2021roformer", "press2022train"), section=CURVES)
def rope_extrapolates(arm):
    """At far offsets, the slow pairs have angles that never occurred in training."""
    return growth(arm).max()


@claim("Sinusoidal positions are defined for any length, so the model works at any length.",
    measures=GROWTH, rule="< 0.1", sources=("vaswani2017attention", "press2022train"),
    section=CURVES)
def sinusoidal_extrapolates():
    """The formula defines the new rows, but the model was never trained on them."""
    return growth("sinusoidal").max()


@claim("With ALiBi the loss stays where it was, far past the trained length.", measures=GROWTH,
    rule="< 0.1", sources=("press2022train",), section=CURVES)
def alibi_goes_on():
    """In heads with a steep slope, near keys keep nearly all the weight, however long the text."""
    return growth("ALiBi").max()


@claim("A flat loss past the trained length shows that a model finds what is far back.",
    cases={
        "for ALiBi": "ALiBi",
        "for FoX": "FoX",
        "for RoPE with a window at test": "RoPE, window at test",
    },
    measures="the mean share found from 64, from 128 and from 256 tokens on, in the worst of five "
    "runs",
    rule=">= 0.9", sources=("press2022train",), section="3 A flat loss is no memory")
def a_flat_loss_is_a_memory(arm):
    """Most characters follow from near ones, so a model that sees no others keeps its loss."""
    return found_far(arm).min()


@claim("Three seeds are enough to see that a method sometimes fails.",
    measures="the chance that none of the three runs fails", rule="<= 0.05",
    section="4 Inside first")
def three_seeds_show_it():
    """A method that fails in one run of five succeeds three times in a row in half of all cases."""
    return (1 - 0.2) ** 3
