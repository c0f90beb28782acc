"""Explorers in a stored notebook: the picture, its caption, and how to make it move again.

A front end shows a widget whose kernel is gone as an error, in place of the picture beside it: so
its view is not stored. A prediction is stored as HTML, which needs no kernel.
"""

import copy
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

    Returns the outputs of each changed cell, before and after, by its id.
    """
    changed = {}
    for cell in notebook["cells"]:
        alive, stored = cell.get("outputs", []), list[dict]()
        for output in copy.deepcopy(alive):
            stored.append(output)
            if OURS in output.get("data", {}).get(WIDGET, {}):
                del output["data"][WIDGET]
                stored += _caption(output)
        if stored != alive:
            changed[cell.get("id")] = alive, stored
            cell["outputs"] = copy.deepcopy(stored)
    return changed


def with_views(notebook: Any, changed: dict, process: int) -> None:
    """Put views back that live in this process, where a reader trusts the cell as it was stored."""
    for cell in notebook["cells"]:
        alive, stored = changed.get(cell.get("id"), ([], []))
        if cell["metadata"].get("trusted") and cell.get("outputs") == stored:
            views = [output.get("data", {}).get(WIDGET, {}) for output in alive]
            if any(process in view.get(OURS, ()) for view in views):
                cell["outputs"] = alive


def _caption(output) -> list[dict]:
    """The caption of a picture, and the line below it; nothing below what shows itself as HTML."""
    if "text/html" in output.get("data", {}):
        return []
    about = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    text = f"<p>{html.escape(about)}<br><small>{LINE}</small></p>"
    data = {"text/html": text, "text/plain": LINE}
    return [{"output_type": "display_data", "data": data, "metadata": {}}]
