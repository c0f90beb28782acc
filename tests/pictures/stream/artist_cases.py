"""Kinds of artists that decide what is drawn anew, each in a figure of its own.

A case gets a figure and a source of random numbers, makes its artists, and returns what moves them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from posviz.pictures.style import style_context
from posviz.pictures.styled_figure import StyledFigure

CASES = []
NEVER, ONCE, ALWAYS = (False, False), (True, False), (True, True)


@dataclass(frozen=True)
class Case:
    """How to make the artists, and what is known of moving them."""

    make: Any
    redraws: tuple[bool, bool]  # whether their first and next move ask for a new background

    def build(self):
        """A settled figure, and a function that moves its artists; the same ones every time."""
        with style_context():
            figure = StyledFigure("notebook", False, figsize=(3, 2.4))
            FigureCanvasAgg(figure)
            move = self.make(figure, np.random.default_rng(0))
            for _ in range(2):
                figure.draw_without_rendering()
            figure.set_layout_engine("none")
        return figure, move


def case(make=None, *, redraws=NEVER):
    """Add a case to the list."""
    if make is None:
        return lambda make: case(make, redraws=redraws)
    CASES.append(Case(make, redraws))
    return make


def add_image(axes, rng, **settings):
    """An image of random numbers that moves."""
    return axes.imshow(rng.random((20, 30)), vmin=0, vmax=1, animated=True, **settings)


def add_line(axes, rng, height=1, **settings):
    """A line of fifty random numbers that moves."""
    return axes.plot(height * rng.random(50), animated=True, **settings)[0]


# ---------------------------------------------------------------- images


@case(redraws=ALWAYS)
def image_with_new_colour_limits(figure, rng):
    moving = add_image(figure.add_subplot(), rng)
    figure.colorbar(moving)
    return lambda: (moving.set_data(2 * rng.random((20, 30))), moving.set_clim(0, rng.random() + 1))


@case
def image_under_static_line_under_marker(figure, rng):
    axes = figure.add_subplot()
    moving = add_image(axes, rng)
    axes.axhline(5, color="red", linewidth=4)
    mark = axes.plot([3], [5], "wo", markersize=12, animated=True)[0]
    return lambda: (
        moving.set_data(rng.random((20, 30))),
        mark.set_data([9 * rng.random()], [5]),
    )


@case
def marker_over_an_image_that_stays(figure, rng):
    axes = figure.add_subplot()
    add_image(axes, rng)
    mark = axes.plot([3], [5], "wo", markersize=12, animated=True)[0]
    return lambda: mark.set_data(20 * rng.random(1), 15 * rng.random(1))


@case
def pcolormesh(figure, rng):
    moving = figure.add_subplot().pcolormesh(rng.random((9, 9)), animated=True)
    return lambda: moving.set_array(rng.random((9, 9)))


# ---------------------------------------------------------------- lines


@case
def line(figure, rng):
    moving = add_line(figure.add_subplot(), rng)
    return lambda: moving.set_ydata(rng.random(50))


@case(redraws=ONCE)
def line_and_autoscale(figure, rng):
    axes = figure.add_subplot()
    moving = add_line(axes, rng)
    return lambda: (moving.set_ydata(3 * rng.random(50)), axes.relim(), axes.autoscale_view())


@case(redraws=ONCE)
def tick_label_colour(figure, rng):
    axes = figure.add_subplot()
    add_line(axes, rng)
    return lambda: axes.get_xticklabels()[1].set_color(rng.random(3))


# ---------------------------------------------------------------- several axes


@case
def inset_at_rest_above(figure, rng):
    axes = figure.add_subplot()
    moving = add_line(axes, rng, linewidth=4)
    axes.inset_axes([0.2, 0.2, 0.6, 0.6]).plot(rng.random(9), color="red")
    return lambda: moving.set_ydata(rng.random(50))


@case
def subfigures(figure, rng):
    left, right = figure.subfigures(1, 2)
    moving = add_line(left.subplots(), rng)
    title = right.suptitle("a title", animated=True)
    return lambda: (moving.set_ydata(rng.random(50)), title.set_text(f"{rng.random():.2f}"))
