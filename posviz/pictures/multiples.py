"""A picture at several values of one knob, in rows of one figure."""

import copy
from typing import Any

from matplotlib import rcParams
from matplotlib.lines import Line2D

from posviz.pictures import dress
from posviz.pictures.knobs import Number
from posviz.pictures.style import Appearance, style_context
from posviz.pictures.styled_figure import StyledFigure


def side_by_side(picture: Any, look: Appearance) -> StyledFigure:
    """A `Picture` at the values of `look.multiples`, with one legend for all.

    Raises TypeError for a knob that the picture lacks, TraitError for a value that it refuses.
    """
    name, values = look.multiples
    with style_context(*look.theme):
        size = picture.inches(look)
        figure = StyledFigure(*look.theme, figsize=size, dpi=look.dpi, layout="constrained")
        places = figure.subfigures(*look.grid, squeeze=False).flat
        legends: dict[str, Any] = {}
        for value, place in zip(values, places, strict=False):  # the last row may have room left
            legends |= _draw(picture, name, value, place, look)
        alone = [axes for axes in dress.panels(figure) if axes.get_visible()]
        if len(alone) == len(values):
            legends |= _take_title(alone)
        dress.add_legend(figure, legends)
        dress.fit(figure)
        renamed = dress.Renaming(look.labels)
        renamed.in_(figure)
        renamed.check()
        if look.transparent:
            dress.clear(figure)
        if look.title:
            dress.set_title(figure, look.title)
        dress.show_all(figure)
        figure.draw_without_rendering()  # ticks are made in the style
    knob = picture.knobs()[name]
    told = ", ".join(_told(knob, value) for value in values)
    figure.caption = look.caption or f"{picture.title()}: {knob.label} {told}."
    return figure


def _draw(picture, name, value, place: Any, look) -> dict[str, Any]:
    """Draw a copy of the picture with a knob set into a part of a figure; return its legends."""
    if name not in picture.knobs():
        raise TypeError(picture.no_knob(name))
    one, knob = copy.copy(picture), picture.knobs()[name]
    setattr(one, name, value)
    one.draw_into(place, **look._replace(multiples=(), labels=(), title="")._asdict())
    place.suptitle(f"{knob.label}: {_told(knob, getattr(one, name))}", size="medium")
    return dress.take_legends(place)


def _told(knob, value) -> str:
    """A value as texts have it: 10,000."""
    return f"{value:,.12g}" if isinstance(knob, Number) else knob.write(value)


def _take_title(alone) -> dict[str, Any]:
    """The title that panels have in common, as an entry of a legend; they lose it."""
    titles = {axes.get_title(rcParams["axes.titlelocation"]) for axes in alone}
    if len(titles) > 1:
        return {}
    for axes in alone:
        axes.set_title("")
    return {title: Line2D([], [], linestyle="none") for title in titles - {""}}
