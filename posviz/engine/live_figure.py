"""One figure of a picture that follows the knobs, from compute to pixels."""

from typing import Any

from posviz.engine.layers import Layers
from posviz.engine.picture import Picture
from posviz.engine.style import dpi, style_context
from posviz.engine.styled_figure import clear_figure


class LiveFigure:
    """The one Figure behind an explorer; it is built when first needed and freed when unseen."""

    def __init__(self, picture: Picture, style: str = "notebook", dark: bool = False) -> None:
        self.picture, self.style, self.dark = picture, style, dark
        self.ratio = 1.0  # device pixels per CSS pixel of the sharpest screen that shows it
        self.caption = ""
        self.layers: Any = None
        self._artists: Any = None
        self._values: dict = {}

    def release(self) -> None:
        """Free the figure, its canvas and its artists."""
        if self.layers is not None:
            clear_figure(self.layers.figure)
        self.layers, self._artists, self._values = None, None, {}

    def follow(self) -> bool:
        """Update the artists to the knobs' values; False if neither values nor look have changed.

        When compute or caption raises, the last good picture stays as it is.
        """
        values, look = self.picture.values(), (self.style, self.dark)
        same_look = self.layers is not None and self.layers.look == look
        if same_look and values == self._values:
            return False
        arrays = self.picture.compute()
        caption = self.picture.caption(arrays)
        if not same_look or self._needs_new_artists(values):
            figure, artists = self.picture.build(*look)
            layers = Layers(figure, *look)
        else:
            layers, artists = self.layers, self._artists
        try:
            with style_context(*look):  # new tick labels take the style of the moment
                self.picture.update(artists, arrays)
        except Exception:
            self.release()  # half of the artists may have moved
            raise
        self.layers, self._artists, self._values, self.caption = layers, artists, values, caption
        return True

    def drag(self, across: float, down: float) -> None:
        """Set the knobs as a drag to a place in the first axes does; elsewhere it does nothing.

        A place is given by shares of the figure's width and height, from its upper left.
        """
        if self.layers is None:
            return
        figure, picture, knobs = self.layers.figure, self.picture, self.picture.knobs()
        place = across * figure.bbox.width, (1 - down) * figure.bbox.height
        if not figure.axes[0].bbox.contains(*place):
            return
        wanted = picture.dragged(*figure.axes[0].transData.inverted().transform(place))
        with picture.hold_trait_notifications():
            for name, value in wanted.items():
                knob: Any = knobs[name]
                held = min(max(float(value), knob.low), knob.end(picture))
                setattr(picture, name, knob.at(knob.place(held)))

    def _needs_new_artists(self, values):
        knobs = self.picture.knobs().items()
        return any(knob.redraw and values[name] != self._values[name] for name, knob in knobs)

    def paint(self) -> bool:
        """Redraw the background if need be, at the sharpest screen's density; True if redrawn."""
        density = dpi(self.style) * self.ratio
        if self.layers.figure.get_dpi() != density:
            self.layers.figure.set_dpi(density)
        return self.layers.paint()
