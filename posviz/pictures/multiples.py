"""A picture at several values of one knob, side by side in one figure."""

import copy
from typing import TYPE_CHECKING, Any

from posviz.pictures.dress import (
    Renaming,
    add_legend,
    dress,
    fit,
    set_title,
    show_all,
    take_legends,
)
from posviz.pictures.style import Appearance, style_context
from posviz.pictures.styled_figure import StyledFigure

if TYPE_CHECKING:
    from posviz.pictures.declared import Declared


def side_by_side(picture: "Declared", look: Appearance) -> StyledFigure:
    """The picture at the values of `look.multiples`, with one legend for all.

    Raises TypeError for a knob that the picture lacks, TraitError for a value that it refuses.
    """
    name, values = look.multiples
    alone = look._replace(multiples=(), labels=(), title="")
    legend: dict = {}
    with style_context(*look.rc):
        figure = StyledFigure(
            *look.rc, figsize=picture.inches(*look), dpi=look.dpi, layout="constrained"
        )
        places: Any = figure.subfigures(1, len(values))
        for place, value in zip(places, values, strict=True):
            one = _with(picture, name, value)
            artists = one.draw(place)
            dress(place, alone)
            one.update(artists, one.compute())
            knob = one.knobs()[name]
            place.suptitle(f"{knob.label}: {knob.write(getattr(one, name))}", size="medium")
            legend = legend or take_legends(place)
            take_legends(place)
        add_legend(figure, legend)
        fit(figure)
        renamed = Renaming(look.labels)
        renamed.in_(figure)
        renamed.check()
        if look.title:
            set_title(figure, look.title)
        show_all(figure)
        figure.draw_without_rendering()  # ticks are made in the style
    told = ", ".join(knob.write(value) for value in values)
    figure.caption = f"{picture.title()}: {knob.label} {told}."
    return figure


def _with(picture, name, value) -> "Declared":
    """A copy of the picture with a knob set."""
    if name not in picture.knobs():
        raise TypeError(picture.no_knob(name))
    one = copy.copy(picture)
    setattr(one, name, value)
    return one
