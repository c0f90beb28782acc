"""A picture of the course: a drawing that saves, animates and shows itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from posviz.pictures import animation
from posviz.pictures.drawing import Arrays, Drawing
from posviz.pictures.export import save_all

if TYPE_CHECKING:
    from posviz.pictures.widget import ExplorerWidget

__all__ = ["Arrays", "Picture"]


class Picture(Drawing):
    """What a lesson's pictures are made from: see `Drawing` for what a subclass writes."""

    def save(self, path: str | Path, style: str = "notebook", **options: Any) -> Path:
        """Write the picture to PNG, SVG or PDF, by the path's ending; return the path.

        options: as `figure`. Raises what it raises, ValueError for another ending, OSError where
        the place cannot be written to.
        """
        return save_all(self, [path], style=style, **options)[0]

    def animate(self, knob: str, path: str | Path, style: str = "notebook", **options: Any) -> Path:
        """Write the picture to a GIF, while a knob moves; return the path.

        options: as `figure`, but for multiples. What would be larger than 3 MB has fewer stops.
        Raises ValueError for another ending and for a knob that cannot move, OSError where the
        place cannot be written to.
        """
        return animation.animate(self, knob, path, style=style, **options)

    def explore(self) -> "ExplorerWidget":
        """Return the picture as a widget with a control for each knob."""
        from posviz.pictures.widget import ExplorerWidget

        return ExplorerWidget(self)
