"""The Export control: the picture exactly as it stands, as a file, a link and a line of Python."""

import base64
import html
from mimetypes import MimeTypes
from pathlib import Path

import ipywidgets as widgets

from posviz.pictures import animation
from posviz.pictures.copy_button import CopyButton
from posviz.pictures.declared import Declared
from posviz.pictures.export import FORMATS, method_call, python_line, save_all
from posviz.pictures.places import inside, placed
from posviz.pictures.style import STYLES

FOLDER = Path("figures")
_MIME = MimeTypes()  # no files of the system's, so that every machine tells the same


class ExportPanel:
    """A button that opens a panel: format, style, light or dark, file name, Save, Copy.

    An animation also asks which knob moves.
    """

    def __init__(self, picture: Declared) -> None:
        self.picture = picture
        self.button = widgets.ToggleButton(
            description="Export", icon="download", tooltip="Save the picture as it stands"
        )
        movable = [(knob.label, name) for name, knob in picture.knobs().items() if knob.stops(2)]
        kinds = (*FORMATS, *animation.FORMATS) if movable else FORMATS
        self.kind = widgets.Dropdown(options=kinds, description="format")
        self.style = widgets.Dropdown(options=STYLES, description="style", value="slide")
        self.dark = widgets.Checkbox(description="dark background")
        self.filmed = widgets.Dropdown(
            options=movable,
            value=next(iter(picture.filmed_knobs()), None),
            description="what moves",
        )
        self.name = widgets.Text(type(picture).__name__, description="file name")
        self.save_button = widgets.Button(description="Save", icon="check")
        self.copy_button = CopyButton(label="Copy the Python line")
        self.result = widgets.HTML()
        choices = [self.kind, self.filmed, self.style, self.dark]
        saving = widgets.HBox([self.name, self.save_button])
        self.panel = widgets.VBox(
            [widgets.HBox(choices), saving, self.copy_button, self.result],
            layout={"display": "none"},
        )
        self.button.observe(self._toggle, "value")
        self.save_button.on_click(lambda _: self.save())
        for widget in (*choices, self.name):
            widget.observe(self._write_line, "value")
        self._write_line()

    def _toggle(self, change):
        self.panel.layout.display = "flex" if change.new else "none"
        follow = self.picture.observe if change.new else self.picture.unobserve
        follow(self._write_line, list(self.picture.knobs()))  # a closed panel costs no message
        self._write_line()

    @property
    def _animated(self) -> bool:
        return self.kind.value in animation.FORMATS

    def _write_line(self, _=None):
        """Update the line to copy; a bad file name is reported when saving."""
        self.filmed.layout.display = "flex" if self._animated else "none"
        try:
            path = inside(FOLDER, self.name.value, self.kind.value)
        except ValueError:
            path = FOLDER / f"{type(self.picture).__name__}.{self.kind.value}"
        method, what = ("animate", [self.filmed.value]) if self._animated else ("save", [])
        look = {"style": self.style.value, "dark": self.dark.value}
        call = method_call(method, *what, path.as_posix(), **look)
        self.copy_button.text = python_line(self.picture, call)

    def save(self) -> None:
        """Save into the folder `figures` and show a link; an error is shown instead."""
        kind = self.kind.value
        try:
            path = placed(inside(FOLDER, self.name.value, kind))
            done = "Replaced" if path.exists() else "Saved"
            style, dark = self.style.value, self.dark.value
            if self._animated:
                animation.animate(self.picture, self.filmed.value, path, style=style, dark=dark)
            else:
                save_all(self.picture, [path], style=style, dark=dark)
        except Exception as error:
            self.result.value = f"<div role='alert'>Not saved: {html.escape(str(error))}</div>"
            return
        # A data link works in JupyterLab, Colab and Voila alike; a path means other things in each.
        mime, _ = _MIME.guess_type(path)
        link = f"data:{mime};base64,{base64.b64encode(path.read_bytes()).decode()}"
        self.result.value = (
            f"{done} <code>{html.escape(str(path))}</code>. <a class='posviz-link' "
            f"download='{html.escape(path.name)}' href='{link}'>Download a copy</a>"
        )
