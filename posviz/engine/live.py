"""A picture alive: one figure that follows the knobs, from compute to pixels."""

from typing import Any

from posviz.engine.figures import let_go
from posviz.engine.layers import Layers
from posviz.engine.looks import DPI, style_context


class LiveFigure:
    """The one Figure behind an explorer; it is built when first needed and let go when unseen."""

    def __init__(self, picture, style="notebook", dark=False):
        self.picture, self.look = picture, (style, dark)
        self.ratio = 1.0  # device pixels per CSS pixel of the sharpest screen that shows it
        self.caption = ""
        self.layers: Any = None
        self._artists: Any = None
        self._values: dict = {}

    def release(self):
        """Let go of the figure, its canvas and its artists."""
        if self.layers is not None:
            let_go(self.layers.figure)
        self.layers, self._artists, self._values = None, None, {}

    def follow(self) -> bool:
        """Bring the artists to the knobs' values; False if they stood there already.

        Whatever compute or caption raises leaves the last good picture whole.
        """
        values = self.picture.values()
        if self.layers is not None and values == self._values:
            return False
        arrays = self.picture.compute()
        caption = self.picture.caption(arrays)
        if self.layers is None or self._needs_new_artists(values):
            figure, artists = self.picture.build(*self.look)
            layers = Layers(figure, *self.look)
        else:
            layers, artists = self.layers, self._artists
        try:
            with style_context(*self.look):  # new tick labels take the style of the moment
                self.picture.update(artists, arrays)
        except Exception:
            self.release()  # half of the artists may have moved
            raise
        self.layers, self._artists, self._values, self.caption = layers, artists, values, caption
        return True

    def _needs_new_artists(self, values):
        knobs = self.picture.knobs().items()
        return any(knob.redraw and values[name] != self._values[name] for name, knob in knobs)

    def paint(self) -> bool:
        """Redraw the background if need be, at the sharpest screen's density; True if redrawn."""
        dpi = DPI[self.look[0]] * self.ratio
        if self.layers.figure.get_dpi() != dpi:
            self.layers.figure.set_dpi(dpi)
        return self.layers.paint()
