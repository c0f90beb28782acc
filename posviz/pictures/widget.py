"""The explorer as a Jupyter widget: it carries messages, and leaves a PNG where no kernel is."""

import base64
from pathlib import Path

import anywidget
import traitlets

from posviz.pictures.declared import Declared
from posviz.pictures.explorer import Explorer
from posviz.pictures.export import output_png
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.reruns import take_over_cell
from posviz.pictures.scripts import as_module
from posviz.pictures.stored import WIDGET, mark
from posviz.pictures.style import drawing

_HERE = Path(__file__).parent


class ExplorerWidget(anywidget.AnyWidget):
    """An explorer in a notebook."""

    # Strings, not paths: with a path anywidget watches the file and keeps every instance alive.
    _esm = as_module(_HERE / "explorer.js")
    _css = (_HERE / "explorer.css").read_text("utf-8")

    shown = traitlets.Dict().tag(sync=True)  # what explorer.js needs in order to draw it

    def __init__(self, picture: Declared) -> None:
        self.explorer = Explorer(picture, self.send)
        super().__init__(shown=self.explorer.shown)
        self.on_msg(lambda _, message, buffers: self.explorer.receive(message))
        take_over_cell(self)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a PNG with the caption for pages without a kernel."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        mark(data[WIDGET])
        still = LiveFigure(self.explorer.picture)  # light, whatever this reader's page is
        try:
            with drawing:
                still.follow()
                still.paint()
                pixels, width = still.layers.pixels(), self.shown["css"][0]
                image, about = output_png(pixels, width, still.caption)
        except Exception as error:
            self.explorer.report(error)
            return data, metadata
        finally:
            still.release()
        data["text/plain"] = repr(self.explorer.picture)
        data["image/png"] = base64.b64encode(image).decode()
        metadata["image/png"] = about
        return data, metadata

    def close(self) -> None:
        """Release the explorer and the widget; Widget.__del__ calls it again."""
        if self.comm is not None:
            self.explorer.close()
            self.layout.close()
        super().close()
