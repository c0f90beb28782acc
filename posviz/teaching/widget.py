"""A prediction as a Jupyter widget: it holds the HTML, and hears what was chosen."""

from pathlib import Path

import anywidget
import traitlets

from posviz.pictures.scripts import as_module
from posviz.pictures.stored import WIDGET, mark
from posviz.teaching.prediction import Prediction


class PredictionWidget(anywidget.AnyWidget):
    """A prediction in a notebook with its kernel."""

    _esm = as_module(Path(__file__).with_name("prediction.js"))
    _css = Prediction._css

    text = traitlets.Unicode().tag(sync=True)  # HTML

    def __init__(self, prediction: Prediction) -> None:
        super().__init__(text=prediction.text)
        self._prediction = prediction
        self.on_msg(lambda _, message, __: prediction.receive(message))

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        mark(data[WIDGET])
        return data | self._prediction.shown(), metadata

    def close(self) -> None:
        """Release the widget and its layout."""
        self.layout.close()
        super().close()
