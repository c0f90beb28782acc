"""Explorers in a stored notebook: the picture, its caption, and how to make it move again.

A front end shows a widget whose kernel is gone as an error, in place of the picture beside it: so
its view is not stored. A prediction is stored as HTML, which needs no kernel.
"""

import html
import os
from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"
OURS = "posviz"  # in the view of our widgets: their kernel's process, and what started that
LINE = "Run this cell to move it."


def mark(view: dict) -> None:
    """Note in a view that it is one of ours, and of which process."""
    view[OURS] = [os.getpid(), os.getppid()]  # Windows starts Python by way of another process


def without_views(notebook: Any) -> dict:
    """Take our views out, and put a caption below each explorer's picture.

    Returns the views, by cell and place among the outputs; `with_views` puts them back.
    """
    views = {}
    for cell in notebook["cells"]:
        outputs: list = []
        for output in cell.get("outputs", []):
            outputs.append(output)
            if OURS in output.get("data", {}).get(WIDGET, {}):
                view = output["data"].pop(WIDGET)
                views[cell.get("id"), len(outputs)] = view, _text(output)
                outputs += _caption(output)
        if "outputs" in cell:
            cell["outputs"] = outputs
    return views


def with_views(notebook: Any, views: dict, process: int) -> None:
    """Put back those views whose widget lives in this process, where a reader trusts the cell."""
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", []) if cell["metadata"].get("trusted") else []
        for place in reversed(range(1, len(outputs) + 1)):
            view, text = views.get((cell.get("id"), place), ({}, ""))
            output = outputs[place - 1]
            caption = _caption(output)
            below = slice(place, place + len(caption))
            same = _text(output) == text and outputs[below] == caption
            if same and process in view.get(OURS, ()):
                output["data"][WIDGET] = view
                del outputs[below]


def _text(output) -> str:
    return "".join(output.get("data", {}).get("text/plain", ""))


def _caption(output) -> list[dict]:
    """The caption of a picture, and the line below it; nothing below what shows itself as HTML."""
    if "text/html" in output.get("data", {}):
        return []
    about = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    text = f"<p>{html.escape(about)}<br><small>{LINE}</small></p>"
    data = {"text/html": text, "text/plain": LINE}
    return [{"output_type": "display_data", "data": data, "metadata": {}}]
