"""Explorers in a stored notebook: the picture, its caption, and how to make it move again.

A front end shows a widget whose kernel is gone as an error, in place of the picture beside it: so
its view is not stored. A prediction is stored as HTML, which needs no kernel.
"""

import html
from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"
OURS = "posviz"  # in the views of our widgets
LINE = "Run this cell to move it."


def without_views(notebook: Any) -> None:
    """Take our views out, and put a caption below each explorer's picture."""
    for cell in notebook["cells"]:
        outputs: list = []
        for output in cell.get("outputs", []):
            outputs.append(output)
            if OURS in output.get("data", {}).get(WIDGET, {}):
                del output["data"][WIDGET]
                outputs += _caption(output)
        if "outputs" in cell:
            cell["outputs"] = outputs


def _caption(output) -> list[dict]:
    """The caption of a picture, and the line below it; nothing below what shows itself as HTML."""
    if "text/html" in output.get("data", {}):
        return []
    about = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    text = f"<p>{html.escape(about)}<br><small>{LINE}</small></p>"
    data = {"text/html": text, "text/plain": LINE}
    return [{"output_type": "display_data", "data": data, "metadata": {}}]
