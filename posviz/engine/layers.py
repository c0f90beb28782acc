"""A figure split into a background, kept as a bitmap, and the artists redrawn every frame.

A full draw of axes, ticks and labels takes 30 to 90 ms; the artists that move take 1 to 10. So the
rest is drawn once and kept as a bitmap, until `figure.stale` says that it changed.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.text import Text

from posviz.engine.recorder import Recorder, Recording
from posviz.engine.style import style_context


class Layers:
    """A figure on an Agg canvas, split into a background and what is drawn over it every frame."""

    def __init__(self, figure: Figure, style: str = "notebook", dark: bool = False) -> None:
        self.figure, self.look = figure, (style, dark)
        self.canvas: Any = figure.canvas
        self.front: list = []
        self._background: Any = None
        self._shape: tuple[int, int] | None = None
        self.background_id = object()  # a new one whenever the background was redrawn
        self.only_pixels = ""  # why draw calls cannot show the picture; empty if they can
        self._recorder: Any = None
        self._recordings: list[Recording] = []  # of the artists in front; empty when out of date

    def paint(self) -> bool:
        """Redraw the background if the figure asks for it; True if it was redrawn."""
        canvas = self.canvas
        if not (self.figure.stale or self._shape != canvas.get_width_height()):
            return False
        self.front = front(self.figure)
        at_rest = [artist for artist in self.front if not artist.get_animated()]
        # What lies above a moving artist is left out here, else its edges are drawn twice.
        for artist in at_rest:
            artist.set_animated(True)
        try:
            canvas.draw()
        finally:
            for artist in at_rest:
                artist.set_animated(False)
        self._background = canvas.copy_from_bbox(self.figure.bbox)
        self._shape = canvas.get_width_height()
        self._recordings = []
        self.background_id = object()
        return True

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
            with style_context(*self.look):
                self._recordings = [
                    known[i] if known and not _may_have_moved(a) else self._recorder.record(a)
                    for i, a in enumerate(self.front)
                ]
        except Exception as error:  # Unfaithful, or one that drawing the pixels raises again
            self.only_pixels = f"{type(error).__name__}: {error}"
            return None
        self.figure.stale = False  # drawing a spine or a quiver marks the figure stale
        return self._recordings

    def pixels(self) -> np.ndarray:
        """The frame as [height, width, 4] bytes, a view that the next frame overwrites."""
        canvas = self.canvas
        canvas.restore_region(self._background)
        with style_context(*self.look):  # "C0" and its like are looked up when they are drawn
            for artist in self.front:
                artist.draw(canvas.get_renderer())
        self.figure.stale = False
        self._recordings = []  # drawing resets `stale`: what moved would look at rest
        return np.asarray(canvas.buffer_rgba())


def front(figure: Figure) -> list:
    """The moving artists and those at rest that lie above any of them, in order."""
    found, movers = [], []
    for artist in drawing_order(figure):
        axes = artist.axes
        if artist.get_animated():
            found.append(artist)
            movers.append((axes, axes.bbox if axes is not None else figure.bbox))
        elif movers and artist.get_visible():
            inside = axes.bbox if axes is not None else artist.get_window_extent()
            # Ticks and titles lie outside their own axes, and so beside what moves in it.
            clear_of = axes if _only_outside(artist) else artist
            if any(box.overlaps(inside) for other, box in movers if other is not clear_of):
                found.append(artist)
    return found


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


_TRUSTED = {
    AxesImage: lambda image: image.get_clip_path() is None,
    Text: lambda text: text.get_bbox_patch() is None and not text.get_path_effects(),
}


def _may_have_moved(artist) -> bool:
    """Whether an artist is stale, or may move without being so: xy, transforms, legend texts.

    Only images and plain texts are trusted, because recording one takes long: their data must be
    set anew.
    """
    trusted = _TRUSTED.get(type(artist), lambda _: False)(artist)
    at_rest = artist.axes is not None and not artist.get_animated()
    return artist.stale or not (trusted or at_rest)
