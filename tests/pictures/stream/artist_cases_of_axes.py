"""Moving artists in several axes, in insets, on a circle and in space."""

import numpy as np

from tests.pictures.stream.artist_cases import add_line, case


@case
def twin_at_rest_above(figure, rng):
    axes = figure.add_subplot()
    moving = add_line(axes, rng, linewidth=4)
    axes.twinx().plot(rng.random(50), color="red", linewidth=4)
    return lambda: moving.set_ydata(rng.random(50))


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


@case
def polar(figure, rng):
    axes = figure.add_subplot(projection="polar", rmax=1)
    moving = axes.plot(np.linspace(0, 6, 50), rng.random(50), animated=True)[0]
    return lambda: moving.set_ydata(rng.random(50))


@case
def line_in_3d(figure, rng):
    axes = figure.add_subplot(projection="3d")
    moving = axes.plot(*rng.random((3, 5)), animated=True)[0]
    return lambda: moving.set_data_3d(*rng.random((3, 5)))
