"""The Export panel: the picture exactly as it is shown, as a file, and as a line of Python."""

import base64
from collections.abc import Callable
from mimetypes import MimeTypes
from pathlib import Path

from posviz.files import inside, placed
from posviz.pictures import animation
from posviz.pictures.drawing import Drawing
from posviz.pictures.export import FORMATS, method_call, python_line, save_all
from posviz.pictures.style import STYLES

FOLDER = Path("figures")
_MIME = MimeTypes()  # without the system's own files, so that every machine gives the same types


class ExportPanel:
    """Answers what a view's panel asks: the line of Python for its choices, or a saved file."""

    def __init__(self, picture: Drawing, tell: Callable) -> None:
        self.picture, self._tell = picture, tell

    @property
    def shown(self) -> dict:
        """What there is to choose from."""
        knobs, movable = self.picture.knobs(), self.picture.filmed_knobs()
        return {
            "formats": FORMATS,
            "films": animation.FORMATS if movable else (),
            "styles": STYLES,
            "movable": {name: knobs[name].label for name in movable},
            "name": type(self.picture).__name__,
        }

    def receive(self, message: dict) -> None:
        """Answer a view's choices, {format, style, dark, filmed, name}; save the file if asked."""
        answer = self._saved(message) if message.get("save") else {"line": self._line(message)}
        self._tell({"view": message["view"], **answer})

    def _line(self, chosen) -> str:
        """Return the Python that does the same; a bad file name is reported when it is saved."""
        try:
            path = inside(FOLDER, chosen["name"], chosen["format"])
        except ValueError:
            path = FOLDER / f"{type(self.picture).__name__}.{chosen['format']}"
        is_film = chosen["format"] in animation.FORMATS
        method, what = ("animate", [chosen["filmed"]]) if is_film else ("save", [])
        call = method_call(method, *what, path.as_posix(), **_look(chosen))
        return python_line(self.picture, call)

    def _saved(self, chosen) -> dict:
        """Save into the folder `figures`, and return where, or the error's message."""
        kind, look = chosen["format"], _look(chosen)
        try:
            path = placed(inside(FOLDER, chosen["name"], kind))
            done = "Replaced" if path.exists() else "Saved"
            if kind in animation.FORMATS:
                animation.animate(self.picture, chosen["filmed"], path, **look)
            else:
                save_all(self.picture, [path], **look)
        except Exception as error:
            return {"refused": f"Not saved: {error}"}
        # A data link works in JupyterLab, Colab and Voila alike; a path means other things in each.
        mime, _ = _MIME.guess_type(path)
        link = f"data:{mime};base64,{base64.b64encode(path.read_bytes()).decode()}"
        return {"saved": f"{done} {path}.", "file": path.name, "link": link}


def _look(chosen):
    return {name: chosen[name] for name in ("style", "dark")}
