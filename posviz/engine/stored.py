"""Explorers in a stored notebook: the picture, its caption, and how to make it move again.

A front end shows a widget whose kernel is gone as an error, in place of the picture beside it.
"""

import html
import os
from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"
OURS = "posviz"  # in the view of an explorer: its kernel's process, and what started that
LINE = "Run this cell to move it."


def mark(view: dict) -> None:
    """Note in an explorer's view that it is one, and of which process."""
    view[OURS] = [os.getpid(), os.getppid()]  # Windows starts Python by way of another process


def without_views(notebook: Any) -> dict:
    """Put a caption below each explorer's picture, in place of its view.

    Returns the views, by cell and place among the outputs; `with_views` puts them back.
    """
    views = {}
    for cell in notebook["cells"]:
        outputs: list = []
        for output in cell.get("outputs", []):
            outputs.append(output)
            if OURS in output.get("data", {}).get(WIDGET, {}):
                views[cell.get("id"), len(outputs)] = output["data"].pop(WIDGET)
                outputs.append(_caption(output))
        if "outputs" in cell:
            cell["outputs"] = outputs
    return views


def with_views(notebook: Any, views: dict, process: int) -> None:
    """Put back those views whose explorer lives in this process, where a reader trusts the cell."""
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", []) if cell["metadata"].get("trusted") else []
        for place in reversed(range(1, len(outputs))):
            view = views.get((cell.get("id"), place), {})
            if process in view.get(OURS, ()) and outputs[place] == _caption(outputs[place - 1]):
                outputs[place - 1]["data"][WIDGET] = view
                del outputs[place]


def _caption(output) -> dict:
    """The caption of a picture, and the line below it."""
    about = output["metadata"].get("image/png", {}).get("alt", "")
    text = f"<p>{html.escape(about)}<br><small>{LINE}</small></p>"
    data = {"text/html": text, "text/plain": LINE}
    return {"output_type": "display_data", "data": data, "metadata": {}}
