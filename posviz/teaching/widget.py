"""A prediction as a Jupyter widget: it holds the HTML, and receives the choice."""

from collections.abc import Callable
from pathlib import Path

import traitlets

from posviz.pictures.scripts import as_module
from posviz.pictures.widget import CourseWidget


class PredictionWidget(CourseWidget):
    """A prediction in a notebook with its kernel."""

    _esm = as_module(Path(__file__).with_name("prediction.js"))
    _css = Path(__file__).with_name("prediction.css").read_text("utf-8")

    text = traitlets.Unicode().tag(sync=True)  # HTML

    def __init__(self, shown: dict[str, str], receive: Callable[[dict], None]) -> None:
        super().__init__(text=shown["text/html"])
        self._shown = shown
        self.on_msg(lambda _, message, __: receive(message))

    def still(self) -> tuple[dict[str, str], dict]:
        """The HTML, which folds by itself."""
        return self._shown, {}
