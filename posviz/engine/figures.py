"""Figures that keep their style, and let go of what they were drawn into."""

import gc
import sys

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from posviz.engine.looks import style_context


class StyledFigure(Figure):
    """A Figure that keeps its style: colours such as "C0" and fonts are looked up when drawn."""

    def __init__(self, style: str, dark: bool, **settings):
        super().__init__(**settings)
        self._look = (style, dark)
        self.caption = ""  # its alternative text
        FigureCanvasAgg(self)

    def draw(self, renderer):
        """Draw in the style, whatever the session's own settings have become."""
        with style_context(*self._look):
            super().draw(renderer)


def let_go(figure):
    """Free a figure that is not needed any more, now: its artists hold each other in circles."""
    if sys.is_finalizing():
        return
    drop_bitmaps(figure)
    figure.clear()
    gc.collect()


def drop_bitmaps(figure, canvas=None):
    """Give the figure another canvas (a new one), and let go of what it was drawn into.

    A notebook keeps every figure it shows in `Out`, and a bitmap of several megabytes with each.
    """
    figure.set_canvas(canvas or FigureCanvasAgg(figure))
    for text in figure.findobj(Text):
        text._renderer = None  # every text remembers the renderer that last drew it
