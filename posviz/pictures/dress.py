"""What a reader changes in a picture's figure: words, title, legend, panel, colour maps."""

import re
import textwrap
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import (
    Formatter,
    FuncFormatter,
    LogFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    ScalarFormatter,
)

from posviz.pictures.style import HIDDEN_ON_DARK, ON_DARK
from posviz.wording import number, power_of_ten, quoted

LEAST, MOST = 1e-4, 1e7  # beyond them an axis in powers says no other number


class Ticks(Formatter):
    """The numbers at an axis, as captions write them."""

    axis: Any

    def __call__(self, x: float, pos: int | None = None) -> str:
        low, high = self.axis.get_view_interval()
        if self.axis.get_scale() == "log" and (low < LEAST or high > MOST):
            return power_of_ten(round(np.log10(x)))
        return number(x, 9)


def write_numbers(figure: Figure | SubFigure) -> None:
    """Let every axis that counts write its numbers in one way."""
    for axes in _all_axes(figure):
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), ScalarFormatter | LogFormatter):
                axis.set_major_formatter(Ticks())
            if isinstance(axis.get_minor_formatter(), LogFormatter):
                axis.set_minor_formatter(NullFormatter())
        if bar := getattr(axes, "_colorbar", None):  # which else forgets its words and ticks
            bar.formatter = bar.long_axis.get_major_formatter()


def _all_axes(figure):
    """With those inside others, as a legend of another scale."""
    return [panel for parent in figure.axes for panel in (parent, *parent.child_axes)]


class Renaming:
    """Replaces whole words in all texts of a figure."""

    def __init__(self, labels: tuple[tuple[str, str], ...]) -> None:
        self.labels = dict(labels)
        longest_first = sorted(self.labels, key=len, reverse=True)
        words = "|".join(rf"(?<!\w){re.escape(old)}(?!\w)" for old in longest_first)
        self._pattern = re.compile(words)
        self.replaced: set[str] = set()
        self._texts: set[str] = set()
        self._done: dict[Any, Any] = {}  # what each text has become, which is not renamed again

    def in_(self, figure: Figure | SubFigure) -> None:
        """Rename the figure's present texts; a picture that moves has other texts later."""
        if not self.labels:
            return
        for text in figure.findobj(Text):
            if self._done.get(text) != text.get_text():
                self._done[text] = self._renamed(text.get_text())
                text.set_text(self._done[text])
        for axis in (axis for axes in _all_axes(figure) for axis in (axes.xaxis, axes.yaxis)):
            ticks: Any = axis.get_major_formatter()
            if isinstance(ticks, FuncFormatter) and ticks not in self._done:
                own = FuncFormatter(lambda x, place, ticks=ticks: self._renamed(ticks(x, place)))
                axis.set_major_formatter(own)
                self._done[own] = axis.get_ticklabels()

    def _renamed(self, text) -> str:
        self._texts.add(text)
        return self._pattern.sub(self._new, text)

    def _new(self, match) -> str:
        self.replaced.add(match[0])
        return self.labels[match[0]]

    def check(self) -> None:
        """Raise ValueError for words that have been in no text, with all the texts."""
        if missing := self.labels.keys() - self.replaced:
            texts = ", ".join(quoted(text) for text in sorted(self._texts) if text.strip())
            raise ValueError(f"no text has {quoted(min(missing))}. The texts are {texts}.")


def dress(figure: Figure | SubFigure, look: Any) -> Renaming:
    """Apply all of an Appearance but its style to a figure that a picture has just drawn.

    Raises ValueError for a panel that the figure lacks.
    """
    write_numbers(figure)
    if look.panel:
        _show_alone(figure, look.panel)
    if not look.legend:
        for legend in figure.findobj(Legend):
            legend.remove()
    if look.cmap:
        _colour_maps(figure, dict.fromkeys(colormaps, look.cmap))
    elif look.dark:
        _colour_maps(figure, ON_DARK, HIDDEN_ON_DARK)
    if look.transparent:
        clear(figure)
    renaming = Renaming(look.labels)
    renaming.in_(figure)
    if look.title:
        set_title(figure, look.title)
    return renaming


def clear(figure: Figure | SubFigure) -> None:
    """Let what lies behind a figure be seen through it."""
    for place in (figure, *figure.axes):
        place.patch.set_alpha(0)


def set_title(figure: Figure | SubFigure, title: str) -> None:
    """Put a title above all, and legends that were there below all."""
    figure.suptitle(title)
    for legend in figure.legends:
        legend.set_loc("outside lower center")


def panels(figure: Figure | SubFigure) -> list[Axes]:
    """Return all axes but those of colour bars."""
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def _show_alone(figure, number):
    """Remove all but one panel, its colour bar, and what the legend says of it."""
    all_panels = panels(figure)
    if not 1 <= number <= len(all_panels) or figure.subfigs:
        last = 0 if figure.subfigs else len(all_panels)
        advice = f"it has 1 to {last}" if last else "its panels belong together"
        raise ValueError(f"panel = {number}: {advice}.")
    kept = all_panels[number - 1]
    entries = take_legends(figure)
    for name in "xy":
        _label_alone(kept, name)
    place = figure.add_gridspec(1, 1)[0]
    for axes in figure.axes:
        bar: Any = getattr(axes, "_colorbar_info", {"parents": ()})
        if kept in bar["parents"]:
            bar["parents"] = [kept]
        elif axes is not kept:
            # Hidden, not removed: the kept panel may share its limits, and still moves with them.
            axes.set_visible(False)
    for axes in all_panels:
        axes.set_subplotspec(place)
    own = {artist.get_label() for artist in kept.get_children()}
    add_legend(figure, {label: handle for label, handle in entries.items() if label in own})


def take_legends(figure: Figure | SubFigure) -> dict[str, Any]:
    """Remove the figure's own legends; return what they had, by label."""
    entries: dict[str, Any] = {}
    for legend in list(figure.legends):
        names = [text.get_text() for text in legend.get_texts()]
        entries |= dict(zip(names, legend.legend_handles, strict=True))
        legend.remove()
    return entries


def add_legend(figure: Figure | SubFigure, entries: dict[str, Any], **more: Any) -> None:
    """Put a legend of these entries above all, in as many columns as there is room for."""
    if not entries:
        return
    props: dict = {"columnspacing": 1.0, "handlelength": 1.5} | more
    for ncols in range(len(entries), 0, -1):
        legend = figure.legend(
            entries.values(), entries.keys(), loc="outside upper center", ncols=ncols, **props
        )
        if ncols == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()


def fit(figure: Figure) -> None:
    """Break legends wider than the figure, and labels longer than their axes, into lines."""
    for legend in list(figure.legends):
        if legend.get_window_extent().width > figure.bbox.width:
            title = legend.get_title().get_text()
            add_legend(figure, take_legends(figure), title=title)
    layout: Any = figure.get_layout_engine()
    layout.execute(figure)
    for axes in filter(Artist.get_visible, figure.axes):
        titles = {child for child in axes.get_children() if isinstance(child, Text)}
        for text in (*titles.difference(axes.texts), axes.xaxis.label):
            box = text.get_window_extent()
            right = figure.bbox.x1 - (
                box.x0 if text.get_horizontalalignment() == "left" else axes.bbox.x0
            )
            _break(text, box.width, min(1.2 * axes.bbox.width, right))
        label = axes.yaxis.label
        _break(label, label.get_window_extent().height, 1.2 * axes.bbox.height)
        _thin(axes.xaxis, "width")
        _thin(axes.yaxis, "height")


def _thin(axis, side):
    """Let an axis have fewer ticks until their labels do not touch."""
    locator, room = axis.get_major_locator(), 0.7 * getattr(axis.axes.bbox, side)

    def fits():
        labels = axis.get_ticklabels()
        return sum(getattr(label.get_window_extent(), side) for label in labels) < room

    for most in range(6, 0, -1):
        if fits():
            return
        if isinstance(locator, MaxNLocator):
            locator.set_params(nbins=most)
        elif isinstance(locator, LogLocator):
            locator.set_params(numticks=most)
        elif isinstance(axis.get_major_formatter(), Ticks):
            axis.set_ticks(axis.get_ticklocs()[::2])


def _break(text, length, room):
    """Break a text of this length into lines that fit."""
    words = text.get_text()
    if length > room and "\n" not in words and "$" not in words:
        letters = max(1, int(len(words) * room / length))
        text.set_text(textwrap.fill(words, letters, break_long_words=False))


def _label_alone(axes, name):
    """Give axes the label and tick labels that they left to a panel below or beside."""
    axis, shared = getattr(axes, f"{name}axis"), getattr(axes, f"get_shared_{name}_axes")()
    if siblings := [other for other in shared.get_siblings(axes) if other is not axes]:
        axis.set_tick_params(**{{"x": "labelbottom", "y": "labelleft"}[name]: True})
        labels = (getattr(other, f"{name}axis").get_label_text() for other in siblings)
        if not axis.get_label_text():
            axis.set_label_text(next(filter(None, labels), ""))


def _colour_maps(figure, others, hidden=None):
    """Set other colour maps; cells without a number keep their colour, or get that of `hidden`."""
    mappables: Any = figure.findobj(lambda artist: isinstance(artist, ScalarMappable))
    for mappable in mappables:
        old = mappable.get_cmap()
        if old.name not in others:
            continue
        usual = colormaps.get(old.name, old)
        own = {}
        for where in ("bad", "under", "over"):
            colour, plain = (getattr(cmap, f"get_{where}")() for cmap in (old, usual))
            if not np.array_equal(colour, plain):
                own[where] = hidden or colour
        mappable.set_cmap(colormaps[others[old.name]].with_extremes(**own))


def show_all(figure: Artist) -> None:
    """Let every artist be drawn with the others."""
    for artist in figure.findobj(lambda artist: artist.get_animated()):
        artist.set_animated(False)
