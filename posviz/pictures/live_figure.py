"""One figure of a picture that follows the knobs, from compute to pixels."""

from typing import Any

from posviz.pictures.bitmaps import drop_bitmaps
from posviz.pictures.drawing import USUAL, Drawing
from posviz.pictures.pointer import axes_at, named_knobs, words_at
from posviz.pictures.stream.layers import FigureLayers
from posviz.pictures.style import Appearance, style_context

KEPT = 6  # figures: as many as the longest choice has options; one of them has its pixels


class LiveFigure:
    """The Figure behind an explorer; it is built when first needed and freed when unseen.

    Knobs with `redraw=True` make another one; the last few are kept, for readers go back and forth.
    """

    def __init__(self, picture: Drawing, look: Appearance = USUAL, inch: int = 0) -> None:
        """`inch`: CSS pixels an inch, where they are not the style's own."""
        self.picture, self.look, self.inch = picture, look, inch or look.dpi
        self.ratio = 1.0  # device pixels per CSS pixel of the sharpest screen that shows it
        self.caption = ""
        self.layers: Any = None
        self._shown: tuple = ()  # values and look
        self._built: dict = {}  # (layers, artists) by look and redrawing values

    def release(self) -> None:
        """Free the figures, their canvases and their artists."""
        for layers, _ in self._built.values():
            drop_bitmaps(layers.figure)
        self.layers, self._shown, self._built = None, (), {}

    def follow(self) -> bool:
        """Update the artists to the knobs' values; False if neither values nor look have changed.

        When compute or caption raises, the last good picture stays as it is.
        """
        values, look = self.picture.values(), self.look
        if self.layers is not None and (values, look) == self._shown:
            return False
        arrays = self.picture.compute()
        caption = self.picture.caption(arrays)
        layers, artists = self._figure_for(values, look)
        try:
            with style_context(*look.theme):  # new tick labels take the style of the moment
                self.picture.update(artists, arrays)
                layers.figure.renamed.in_(layers.figure)
        except Exception:
            self.release()  # half of the artists may have moved
            raise
        self.layers, self._shown, self.caption = layers, (values, look), caption
        return True

    def _figure_for(self, values, look):
        """The layers and artists for these values, kept or new; the oldest of too many is freed."""
        knobs = self.picture.knobs().items()
        key = look, *(values[name] for name, knob in knobs if knob.redraw)
        built = self._built.pop(key, None)
        if built is None:
            figure, artists = self.picture.build(look)
            built = FigureLayers(figure, *look.theme), artists
        self._built[key] = built
        if self.layers not in (None, built[0]):
            self.layers.drop_pixels()
        if len(self._built) > KEPT:
            oldest, _ = self._built.pop(next(iter(self._built)))
            drop_bitmaps(oldest.figure)
        return built

    def _pixels(self, across, down):
        """A place that is given by shares of the figure's width and height, from its upper left."""
        box = self.layers.figure.bbox
        return across * box.width, (1 - down) * box.height

    @property
    def drags(self) -> str:
        """Where a pointer moves a knob: "anywhere" in the first axes, "along" an axis, nowhere."""
        if type(self.picture).dragged is not Drawing.dragged:
            return "anywhere"
        axes = self.layers.figure.axes
        return "along" if any(named_knobs(each, self.picture.knobs()) for each in axes) else ""

    def words_at(self, across: float, down: float) -> str:
        """What lies at a place, in words."""
        return words_at(self.layers.figure, self._pixels(across, down)) if self.layers else ""

    def drag(self, across: float, down: float) -> None:
        """Set the knobs as a drag to a place does: as the picture says, else by its axes' names."""
        if self.layers is None:
            return
        figure, picture, knobs = self.layers.figure, self.picture, self.picture.knobs()
        place = self._pixels(across, down)
        axes = axes_at(figure, place)
        if axes is None:
            return
        at = axes.transData.inverted().transform(place)
        wanted = picture.dragged(*at) if axes is figure.axes[0] else {}
        if not wanted:
            wanted = {name: at[way] for name, way in named_knobs(axes, knobs).items()}
        with picture.hold_trait_notifications():
            for name, value in wanted.items():
                knob: Any = knobs[name]
                held = min(max(float(value), knob.low), knob.end(picture))
                setattr(picture, name, knob.values[knob.place_of(held)])

    def paint(self) -> bool:
        """Redraw the background if need be, at the sharpest screen's density; True if redrawn."""
        density = self.inch * self.ratio
        if self.layers.figure.get_dpi() != density:
            self.layers.figure.set_dpi(density)
        return self.layers.paint()
