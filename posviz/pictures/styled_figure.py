"""Figures that keep their style, and free the bitmaps that they were drawn into."""

import sys
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from posviz.pictures.dress import Renaming
from posviz.pictures.style import style_context


class StyledFigure(Figure):
    """A Figure that keeps its style: colours such as "C0" and fonts are looked up when drawn."""

    def __init__(self, *theme: Any, **settings: Any) -> None:
        """What `style_context` takes, and what a Figure does."""
        super().__init__(**settings)
        self._theme = theme
        self.renamed = Renaming(())
        self.caption = ""  # its alternative text
        FigureCanvasAgg(self)

    def draw(self, renderer: Any) -> None:
        """Draw in the style, whatever the session's own settings have become."""
        with style_context(*self._theme):
            super().draw(renderer)

    def _repr_png_(self) -> tuple[bytes, dict]:
        """What a notebook shows of a cell's last line, with no need of pyplot."""
        from posviz.pictures.export import notebook_png

        return notebook_png(self)


def drop_bitmaps(figure: Figure, canvas: Any = None) -> None:
    """Give the figure another canvas (by default a new one), and free its old bitmaps.

    A notebook keeps every figure it shows in `Out`, and a bitmap of several megabytes with each.
    One that nobody needs would keep them until the next garbage collection.
    """
    if sys.is_finalizing():
        return
    figure.set_canvas(canvas or FigureCanvasAgg(figure))
    text: Any
    for text in figure.findobj(Text):
        text._renderer = None  # every text remembers the renderer that last drew it
