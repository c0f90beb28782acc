"""A figure split into a background, kept as a bitmap, and the artists redrawn every frame.

A full draw of axes, ticks and labels takes 30 to 90 ms; the artists that move take 1 to 10. So the
rest is drawn once and kept as a bitmap. If an artist at rest changes after all (an axis gets other
limits), it will change again, so from then on it is drawn over the bitmap, too.
"""

from collections.abc import Container, Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.spines import Spine
from matplotlib.text import Text

from posviz.pictures.bitmaps import drop_bitmaps
from posviz.pictures.dense_line import DenseLine
from posviz.pictures.stream.private import aligned_axes
from posviz.pictures.stream.recorder import Recorder, Recording
from posviz.pictures.style import style_context


class FigureLayers:
    """A figure on an Agg canvas, split into a background and what is drawn over it every frame."""

    def __init__(self, figure: Figure, *theme: Any) -> None:
        """theme: what `style_context` takes."""
        self.figure, self.theme = figure, theme
        self.canvas: Any = figure.canvas
        self.front: list = []
        self._order: list = []  # of all artists
        self._moved: set = set()  # artists at rest that changed
        self._boxes: dict = {}  # the places of axes and their patches
        self._seen: dict = {}  # by artist: its parts, and its place when it was drawn
        self._background: Any = None
        self._shape: tuple[int, int] | None = None
        self.background_id = object()  # a new one whenever the background was redrawn
        self.only_pixels = ""  # why draw calls cannot show the picture; empty if they can
        self._recorder: Any = None
        self._recordings: list[Recording] = []  # of the artists in front; empty when out of date

    def paint(self) -> bool:
        """Redraw the background if what it holds has changed; True if it was redrawn."""
        resized = self._shape != self.canvas.get_width_height()
        if not (self.figure.stale or resized):
            return False
        order, self._boxes = settled(self.figure)
        if not resized and order == self._order and self._all_in_front(order):
            return False
        self._order = order
        self._draw_background()
        return True

    def drop_pixels(self) -> None:
        """Free the bitmaps, megabytes each; the next frame draws them anew."""
        drop_bitmaps(self.figure)
        self.canvas = self.figure.canvas
        self._background, self._shape, self._recorder = None, None, None

    def _all_in_front(self, order):
        """Return whether all changed artists are in front; move the others there from now on."""
        changed = {a for a in order if not a.get_animated() and self._has_changed(a)}
        new = changed - self._moved
        self._moved |= new
        return bool(changed) and not new

    def _has_changed(self, artist):
        """Return whether an artist has changed since it was last drawn."""
        parts, place = self._seen.get(artist, ((), None))
        return place != self._place(artist) or any(part.stale for part in parts)

    def _see(self, artist):
        parts = _parts(artist)
        for part in parts:
            part.stale = False
        self._seen[artist] = parts, self._place(artist)

    def _place(self, artist):
        """Return what else an artist's pixels depend on: its axes' box and, mostly, limits."""
        boxes, axes = self._boxes, artist.axes
        if axes is None:
            return boxes.get(artist)
        if isinstance(artist, Legend | Spine) and axes.name == "rectilinear":
            return boxes[axes.patch]
        if type(artist) in (XAxis, YAxis):  # the other axis's limits do not matter
            own = slice(4 if type(artist) is XAxis else 5, None, 2)
            return [(boxes[axis.patch], boxes[axis][own]) for axis in aligned_axes(artist)]
        return boxes[axes]

    def _draw_background(self):
        canvas = self.canvas
        self.front = front(self._order, self._moved)
        at_rest = [artist for artist in self.front if not artist.get_animated()]
        # What lies above a moving artist is left out here, else its edges are drawn twice.
        for artist in at_rest:
            artist.set_animated(True)
        try:
            canvas.draw()
        finally:
            for artist in at_rest:
                artist.set_animated(False)
        for artist in self._order:
            if not artist.get_animated():
                self._see(artist)
        self._background = canvas.copy_from_bbox(self.figure.bbox)
        self._shape = canvas.get_width_height()
        self._recordings = []
        self.background_id = object()

    def background(self) -> np.ndarray:
        """The background as [height, width, 4] bytes, a view that the next frame overwrites."""
        self.canvas.restore_region(self._background)
        return np.asarray(self.canvas.buffer_rgba())

    def recordings(self) -> list[Recording] | None:
        """The draw calls of each artist in front; the same object as last time if it did not move.

        None where draw calls cannot show it: from then on the picture is sent as pixels.
        """
        if self.only_pixels:
            return None
        agg = self.canvas.get_renderer()
        if self._recorder is None or self._recorder.agg is not agg:
            self._recorder, self._recordings = Recorder(agg), []
        known, self._recordings = self._recordings, []
        try:
            with style_context(*self.theme):
                self._recordings = [
                    known[i] if known and not self._may_have_moved(a) else self._record(a)
                    for i, a in enumerate(self.front)
                ]
        except Exception as error:  # Unfaithful, or one that drawing the pixels raises again
            self.only_pixels = f"{type(error).__name__}: {error}"
            return None
        self.figure.stale = False  # drawing a spine or a quiver marks the figure stale
        return self._recordings

    def _record(self, artist):
        recording = self._recorder.record(artist)
        self._see(artist)
        return recording

    def _may_have_moved(self, artist):
        """Return whether an artist in front may look different from last time."""
        return self._has_changed(artist) or (artist.get_animated() and not _sets_stale(artist))

    def pixels(self) -> np.ndarray:
        """The frame as [height, width, 4] bytes, a view that the next frame overwrites."""
        canvas = self.canvas
        canvas.restore_region(self._background)
        with style_context(*self.theme):  # "C0" and its like are looked up when they are drawn
            for artist in self.front:
                artist.draw(canvas.get_renderer())
        for artist in self.front:
            if not artist.get_animated():
                self._see(artist)
        self.figure.stale = False
        self._recordings = []  # drawing resets `stale`, so artists that moved would seem unchanged
        return np.asarray(canvas.buffer_rgba())


def front(order: list, moved: Container = ()) -> list:
    """Return the artists that move or have moved, and all that lie above one of them."""
    in_front, movers = [], []
    for artist in order:
        axes = artist.axes
        if artist.get_animated() or artist in moved:
            in_front.append(artist)
            everywhere = artist.figure.bbox if artist.get_animated() else artist.get_window_extent()
            movers.append((axes, axes.bbox if axes is not None else everywhere))
        elif movers and artist.get_visible():
            inside = axes.bbox if axes is not None else artist.get_window_extent()
            # Ticks and titles lie outside their own axes, and so beside what moves in it.
            clear_of = axes if _only_outside(artist) else artist
            if any(box.overlaps(inside) for other, box in movers if other is not clear_of):
                in_front.append(artist)
    return in_front


def settled(figure: Figure) -> tuple[list, dict]:
    """All artists in drawing order; the box of each axes' patch, and with limits of the axes."""
    canvas: Any = figure.canvas
    boxes: dict = {}
    for parent in figure.axes:
        for axes in (parent, *parent.child_axes):
            place: Any = axes.get_axes_locator()  # an inset's, for one
            axes.apply_aspect(place(axes, canvas.get_renderer()) if place else None)
            boxes[axes.patch] = axes.bbox.bounds
            boxes[axes] = (*axes.bbox.bounds, *axes.viewLim.bounds)
    return list(drawing_order(figure)), boxes


def drawing_order(parent: Any) -> Iterator[Any]:
    """Leaf artists in matplotlib's own drawing order: figure, subfigures, axes, insets."""
    never = [parent.patch]
    if isinstance(parent, Axes):
        framed = parent.axison and parent.get_frame_on()
        if framed:
            yield parent.patch
        else:
            never += parent.spines.values()
        if not parent.axison:  # in 3-D, too: there the axes draws its axes first, by itself
            never += [child for child in parent.get_children() if isinstance(child, Axis)]
    children = [artist for artist in parent.get_children() if artist not in never]
    for artist in sorted(children, key=lambda artist: artist.zorder):
        if not isinstance(artist, Axes | SubFigure):
            yield artist
        elif artist.get_visible():
            yield from drawing_order(artist)


def _only_outside(artist) -> bool:
    """Whether it is a title, or an axis without grid lines: these lie outside what moves."""
    if isinstance(artist, Axis):
        return not any(line.get_visible() for line in artist.get_gridlines())
    if isinstance(artist, Text) and artist.axes is not None:
        return not artist.get_window_extent().overlaps(artist.axes.bbox)
    return False


def _parts(artist) -> list:
    """Return an artist and its parts, each with a `stale` flag of its own."""
    if not isinstance(artist, Axis):
        return artist.findobj()
    ticks = [*artist.majorTicks, *artist.minorTicks]
    of_ticks = [part for tick in ticks for part in (tick, *tick.get_children())]
    return [artist, artist.label, artist.offsetText, *of_ticks]


def _lies_in_data(line) -> bool:
    axes = line.axes
    return axes is not None and line.get_transform() is axes.transData and not line.get_clip_path()


_SETS_STALE = {
    AxesImage: lambda image: image.get_clip_path() is None,
    DenseLine: _lies_in_data,
    Line2D: _lies_in_data,
    Text: lambda text: text.get_bbox_patch() is None and not text.get_path_effects(),
}


def _sets_stale(artist) -> bool:
    """Return whether every change of an artist sets `stale` or moves its axes.

    Other artists can change unseen: by xy, by transforms, by the texts of a legend. The types
    listed are many or slow to draw. Their data must be set anew, never changed in place.
    """
    return _SETS_STALE.get(type(artist), lambda _: False)(artist)
