"""Fonts held in memory, for a Python whose files are slow to read: the one in a browser."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from matplotlib import font_manager, ft2font


class HeldFile(io.BytesIO):
    """The bytes of a file; as a string it is the file's path, by which a PDF names its fonts."""

    def __init__(self, path: str) -> None:
        super().__init__(Path(path).read_bytes())
        self.path = path

    def __str__(self) -> str:
        return self.path


def hold_fonts_in_memory() -> None:
    """Let matplotlib read each font file once; FreeType reads it 60 times for each new text."""
    held = SimpleNamespace(**vars(ft2font))
    held.FT2Font = lambda path, **settings: ft2font.FT2Font(HeldFile(path), **settings)
    manager: Any = font_manager
    manager.ft2font = held  # `get_font` makes its fonts with it, those that it has not made yet
