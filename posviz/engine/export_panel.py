"""The Export control: the picture exactly as it stands, as a file and a link."""

import base64
import html
from pathlib import Path

import ipywidgets as widgets

from posviz.engine.export import FORMATS, inside
from posviz.engine.looks import STYLES

FOLDER = Path("figures")
_MIME = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


class ExportPanel:
    """A button that opens a panel: format, style, light or dark, file name, Save."""

    def __init__(self, picture):
        self.picture = picture
        self.button = widgets.ToggleButton(
            description="Export", icon="download", tooltip="Save the picture as it stands"
        )
        self.kind = widgets.Dropdown(options=FORMATS, description="format")
        self.style = widgets.Dropdown(options=STYLES, description="style", value="slide")
        self.dark = widgets.Checkbox(description="dark background")
        self.name = widgets.Text(type(picture).__name__, description="file name")
        self.save_button = widgets.Button(description="Save", icon="check")
        self.result = widgets.HTML()
        choices = widgets.HBox([self.kind, self.style, self.dark])
        self.panel = widgets.VBox(
            [choices, widgets.HBox([self.name, self.save_button]), self.result],
            layout={"display": "none"},
        )
        self.button.observe(self._toggle, "value")
        self.save_button.on_click(lambda _: self.save())

    def _toggle(self, change):
        self.panel.layout.display = "flex" if change.new else "none"

    def save(self):
        """Save into the folder `figures` and show a link; an error is shown instead."""
        kind = self.kind.value
        try:
            path = inside(FOLDER, self.name.value, kind)
            done = "Replaced" if path.exists() else "Saved"
            self.picture.save(path, style=self.style.value, dark=self.dark.value)
        except Exception as error:
            self.result.value = f"<div role='alert'>Not saved: {html.escape(str(error))}</div>"
            return
        # A data link works in JupyterLab, Colab and Voila alike; a path means other things in each.
        link = f"data:{_MIME[kind]};base64,{base64.b64encode(path.read_bytes()).decode()}"
        self.result.value = (
            f"{done} <code>{html.escape(str(path))}</code>. <a class='posviz-link' "
            f"download='{html.escape(path.name)}' href='{link}'>Download a copy</a>"
        )
