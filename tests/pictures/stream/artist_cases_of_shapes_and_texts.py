"""More kinds of artists that may move: shapes, words, and what a layout would have moved."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch

from tests.pictures.stream.artist_cases import ALWAYS, ONCE, add_image, add_line, case

# ---------------------------------------------------------------- shapes


@case
def fancy_arrow(figure, rng):
    axes = figure.add_subplot()
    moving = FancyArrowPatch((0, 0), (0.5, 0.5), mutation_scale=15, animated=True)
    axes.add_patch(moving)
    return lambda: moving.set_positions((0, 0), rng.random(2))


@case
def scatter(figure, rng):
    axes = figure.add_subplot(xlim=(0, 1), ylim=(0, 1))
    moving = axes.scatter(*rng.random((2, 20)), c=rng.random(20), animated=True)
    return lambda: (moving.set_offsets(rng.random((20, 2))), moving.set_array(rng.random(20)))


@case
def line_collection(figure, rng):
    moving = LineCollection(rng.random((9, 4, 2)), animated=True)
    figure.add_subplot().add_collection(moving)
    return lambda: moving.set_segments(rng.random((9, 4, 2)))


@case
def fill_between(figure, rng):
    x = np.arange(9)
    moving = figure.add_subplot().fill_between(x, rng.random(9), animated=True)
    return lambda: moving.set_data(x, rng.random(9), 0)


# ---------------------------------------------------------------- words


@case
def text(figure, rng):
    moving = figure.add_subplot().text(0.5, 0.5, "$x_1$", animated=True)
    return lambda: (moving.set_text(r"$\theta_2$"), moving.set_position(rng.random(2)))


@case
def figure_text(figure, rng):
    figure.add_subplot()
    moving = figure.text(0.5, 0.95, "a", animated=True)
    return lambda: moving.set_text(f"{rng.random():.2f}")


@case(redraws=ONCE)
def title_through_its_axes(figure, rng):
    axes = figure.add_subplot()
    axes.set_title("a", animated=True)
    return lambda: axes.set_title(f"{rng.random():.2f}")


@case
def figure_title(figure, rng):
    figure.add_subplot()
    moving = figure.suptitle("a", animated=True)
    return lambda: moving.set_text(f"{rng.random():.2f}")


@case(redraws=ONCE, by_hand=True)
def axis_label(figure, rng):
    axes = figure.add_subplot()
    axes.set_xlabel("a", animated=True)
    return lambda: axes.xaxis.label.set_text(f"{rng.random():.2f}")


@case
def annotation(figure, rng):
    moving = add_annotation(figure)

    def move():
        moving.xy = rng.random(2)
        moving.set_text(f"{rng.random():.2f}")

    return move


def add_annotation(figure):
    """A word with an arrow that moves."""
    axes = figure.add_subplot()
    arrow = {"arrowstyle": "->"}
    return axes.annotate("hi", (0.5, 0.5), (0.2, 0.2), arrowprops=arrow, animated=True)


@case(redraws=ALWAYS, by_hand=True)
def table_cell(figure, rng):
    table = figure.add_subplot().table([["a", "b"]])
    return lambda: table[0, 0].get_text().set_text(f"{rng.random():.2f}")


# ---------------------------------------------------------------- layouts, settled once


@case(layout="constrained")
def image_in_constrained_layout(figure, rng):
    axes = figure.add_subplot(title="title", ylabel="y")
    moving = add_image(axes, rng)
    figure.colorbar(moving)
    return lambda: moving.set_data(rng.random((20, 30)))


@case(layout="constrained")
def growing_title_in_constrained_layout(figure, rng):
    add_line(figure.add_subplot(), rng)
    moving = figure.suptitle("one line", animated=True)
    return lambda: moving.set_text("two\nlines")
