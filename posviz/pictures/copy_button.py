"""A button that puts a text on the clipboard; no widget of ipywidgets does."""

from pathlib import Path

import anywidget
import traitlets

from posviz.pictures.scripts import as_module

_HERE = Path(__file__).parent


class CopyButton(anywidget.AnyWidget):
    """A button, and the text it copies.

    The browser has the text before the click: it lets a page copy only while it handles the click,
    and asking the kernel would take too long.
    """

    _esm = as_module(_HERE / "copy_button.js")
    _css = (_HERE / "copy_button.css").read_text(encoding="utf-8")

    label = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
