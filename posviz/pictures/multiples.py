"""A picture at several values of one knob, in rows of one figure."""

import copy
from typing import Any

from matplotlib import rcParams
from matplotlib.lines import Line2D

from posviz.pictures.dress import (
    Renaming,
    add_legend,
    fit,
    panels,
    set_title,
    show_all,
    take_legends,
)
from posviz.pictures.style import Appearance, style_context
from posviz.pictures.styled_figure import StyledFigure


def side_by_side(picture: Any, look: Appearance) -> StyledFigure:
    """A `Picture` at the values of `look.multiples`, with one legend for all.

    Raises TypeError for a knob that the picture lacks, TraitError for a value that it refuses.
    """
    name, values = look.multiples
    with style_context(*look.theme):
        size, columns = picture.inches(look), look.grid[1]
        figure = StyledFigure(*look.theme, figsize=size, dpi=look.dpi, layout="constrained")
        grid = figure.add_gridspec(*look.grid)
        legends = [
            _draw(picture, name, value, figure.add_subfigure(grid[number]), look)
            for number, value in enumerate(values)
        ]
        alone = [axes for place in figure.subfigs for axes in panels(place) if axes.get_visible()]
        one_each = alone if len(alone) == len(values) else []
        _share_labels(one_each, columns)
        add_legend(figure, next(filter(None, legends), {}) | _taken_title(one_each))
        _even(figure, grid, one_each[:columns])
        fit(figure)
        _even(figure, grid, one_each[:columns])  # labels may have other lines now
        renamed = Renaming(look.labels)
        renamed.in_(figure)
        renamed.check()
        if look.title:
            set_title(figure, look.title)
        show_all(figure)
        figure.draw_without_rendering()  # ticks are made in the style
    knob = picture.knobs()[name]
    figure.caption = f"{picture.title()}: {knob.label} {', '.join(map(knob.write, values))}."
    return figure


def _draw(picture, name, value, place: Any, look) -> dict[str, Any]:
    """Draw a copy of the picture with a knob set into a part of a figure; return its legends."""
    if name not in picture.knobs():
        raise TypeError(picture.no_knob(name))
    one, knob = copy.copy(picture), picture.knobs()[name]
    setattr(one, name, value)
    one.draw_into(place, **look._replace(multiples=(), labels=(), title="")._asdict())
    place.suptitle(f"{knob.label}: {knob.write(getattr(one, name))}", size="medium")
    return take_legends(place)


def _share_labels(alone, columns):
    """Leave labels that panels have in common to the first of their row."""
    for number, axes in reversed([*enumerate(alone)]):
        first = alone[number - number % columns]
        if axes is not first and _left(axes) == _left(first):
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)


def _left(axes) -> tuple:
    ticks = [label.get_text() for label in axes.get_yticklabels()]
    return axes.get_ylabel(), axes.get_ylim(), ticks


def _taken_title(alone) -> dict:
    """The title that panels have in common, which they lose, as an entry of a legend."""
    where = rcParams["axes.titlelocation"]
    titles = {axes.get_title(where) for axes in alone}
    if len(titles) != 1 or titles == {""}:
        return {}
    for axes in alone:
        axes.set_title("")
    return {titles.pop(): Line2D([], [], linestyle="none")}


def _even(figure, grid, row):
    """Let the places of a row have panels of one width: the first has the labels."""
    if len(row) < 2:
        return
    figure.get_layout_engine().execute(figure)
    each = [(axes.figure.bbox.width, axes.get_position(original=True).width) for axes in row]
    panel = sum(width * part for width, part in each) / len(row)
    grid.set_width_ratios([panel + width * (1 - part) for width, part in each])
