"""Where a picture lives on a page: its name and values, and the stored picture until then."""

import ast
import json
from html import escape

from nbformat import NotebookNode

from posviz import lessons

NEEDS_NOTEBOOK = "This picture has data of its own: it moves in the notebook."


def place(output: NotebookNode) -> str:
    """HTML for what a stored explorer shows, which live.js lets live; "" for another output."""
    data = output.get("data", {})
    made = _made(data.get("text/plain", "")) if "image/png" in data else None
    if made is None:
        return ""
    about = output.metadata["image/png"]
    caption = escape(about.get("alt", ""))
    width, png = about.get("width", ""), data["image/png"]
    still = f"""<figure class="posviz-screen posviz-still">
<img src="data:image/png;base64,{png}" width="{width}" alt="{caption}">
<figcaption>{caption}</figcaption>
</figure>"""
    name, values = made
    if ... in values.values():
        note = f'<p class="posviz-note">{NEEDS_NOTEBOOK}</p>'
        return f'<div class="posviz-explorer">\n{still}\n{note}\n</div>'
    told = f'data-picture="{name}" data-values="{escape(json.dumps(values))}"'
    return f'<div class="posviz-explorer posviz-live" {told}>\n{still}\n</div>'


def _made(text) -> tuple[str, dict] | None:
    """The picture's class and its knobs' values in its repr; `...` is data of its own."""
    try:
        call = ast.parse(text, mode="eval").body
        values = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        return (call.func.id, values) if call.func.id in lessons.names() else None
    except (SyntaxError, ValueError, AttributeError):
        return None
