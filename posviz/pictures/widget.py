"""Jupyter widgets: they carry messages, and leave a stored notebook what needs no kernel."""

import base64
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from posviz.pictures.bitmaps import notebook_png
from posviz.pictures.drawing import Drawing
from posviz.pictures.explorer import Explorer
from posviz.pictures.notebook_cell import take_over_cell
from posviz.pictures.scripts import as_module
from posviz.pictures.stored import WIDGET, mark
from posviz.pictures.style import drawing

_HERE = Path(__file__).parent


class CourseWidget(anywidget.AnyWidget):
    """A widget of the course; `still` is what is shown of it where no kernel is."""

    def still(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Data and metadata of a notebook's output, without the widget."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        mark(data[WIDGET])
        still, about = self.still()
        return data | still, metadata | about

    def close(self) -> None:
        """Release the widget and its layout; Widget.__del__ calls it again."""
        if self.comm is not None:
            self.layout.close()
        super().close()


class ExplorerWidget(CourseWidget):
    """An explorer in a notebook."""

    # Strings, not paths: with a path anywidget watches the file and keeps every instance alive.
    _esm = as_module(_HERE / "explorer.js")
    _css = (_HERE / "explorer.css").read_text("utf-8")

    shown = traitlets.Dict().tag(sync=True)  # what explorer.js needs in order to draw it

    def __init__(self, picture: Drawing) -> None:
        self.explorer = Explorer(picture, self.send)
        super().__init__(shown=self.explorer.shown)
        self.on_msg(lambda _, message, buffers: self.explorer.receive(message))
        take_over_cell(self)

    def still(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """A PNG with the caption, light whatever this reader's page is; an error is shown."""
        picture = self.explorer.picture
        try:
            with drawing:
                png, about = notebook_png(picture.figure())
        except Exception as error:
            self.explorer.report(error)
            return {}, {}
        image = base64.b64encode(png).decode()
        return {"text/plain": repr(picture), "image/png": image}, {"image/png": about}

    def close(self) -> None:
        """Release the explorer, too."""
        if self.comm is not None:
            self.explorer.close()
        super().close()
