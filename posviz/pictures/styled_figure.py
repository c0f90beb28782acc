"""Figures that keep their style."""

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posviz.pictures.bitmaps import notebook_png
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
        return notebook_png(self)
