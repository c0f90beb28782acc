"""A picture at several values of one knob, in rows of one figure."""

import copy
from typing import Any

from posviz.pictures.dress import Renaming, add_legend, fit, set_title, show_all, take_legends
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
        add_legend(figure, legends)
        fit(figure)
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
