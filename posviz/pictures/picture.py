"""A picture is declared once: knobs, arrays, artists (`declared.py`). This shows and stores it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from posviz.pictures.declared import Arrays, Declared
from posviz.pictures.styled_figure import StyledFigure

if TYPE_CHECKING:
    from posviz.pictures.widget import ExplorerWidget

__all__ = ["Arrays", "Picture"]


class Picture(Declared):
    """A figure with knobs that can be explored, saved and animated.

    What does that is imported when it is asked for: a figure needs no widget.
    """

    def save(
        self, path: str | Path, style: str = "notebook", dark: bool = False, **options: Any
    ) -> Path:
        """Write the picture as it stands to PNG, SVG or PDF, by the path's ending; return the path.

        options: as `figure`. Raises what it raises, ValueError for another ending, OSError where
        the place cannot be written to.
        """
        from posviz.pictures.export import save_all

        return save_all(self, [path], style=style, dark=dark, **options)[0]

    def animate(
        self,
        knob: str,
        path: str | Path,
        style: str = "notebook",
        dark: bool = False,
        **options: Any,
    ) -> Path:
        """Write the picture, while a knob moves, to GIF or MP4, by its ending; return the path.

        options: as `figure`, but for multiples. Raises ValueError for another ending and for a
        knob that cannot move, OSError where the place cannot be written to, RuntimeError where
        there is no ffmpeg for an MP4.
        """
        from posviz.pictures.animation import animate

        return animate(self, knob, path, style=style, dark=dark, **options)

    def explore(self) -> "ExplorerWidget":
        """Return the picture as a widget with a control for each knob."""
        from posviz.pictures.widget import ExplorerWidget

        return ExplorerWidget(self)


def _show_figures_without_pyplot():
    """A Figure as a cell's last line shows itself, as it would with pyplot's inline backend."""
    import sys

    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if shell:
        png = shell.display_formatter.formatters["image/png"]
        png.for_type(StyledFigure, _notebook_png)  # other figures stay as the reader has them


def _notebook_png(figure):
    from posviz.pictures.export import notebook_png

    return notebook_png(figure)


_show_figures_without_pyplot()
