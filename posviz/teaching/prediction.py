"""Predictions: a question with choices, one click, and then the answer with its number.

What is shown is HTML that folds by itself, so that it works in a stored notebook, on pages and on
slides; in a notebook with its kernel a widget holds the same HTML, and notes what was chosen.
"""

import base64
import html
from pathlib import Path
from typing import Any

import anywidget
import mistune
import traitlets

from posviz.pictures.export import notebook_png
from posviz.pictures.reruns import take_over_cell
from posviz.pictures.scripts import as_module
from posviz.pictures.stored import WIDGET, mark
from posviz.teaching import progress
from posviz.wording import quoted

_HERE = Path(__file__).parent


class Prediction(anywidget.AnyWidget):
    """Questions that were asked; they show themselves closed, whatever was answered before."""

    _esm = as_module(_HERE / "prediction.js")
    _css = (_HERE / "prediction.css").read_text("utf-8")

    text = traitlets.Unicode().tag(sync=True)  # HTML

    def __init__(
        self,
        asked: list[tuple[str, list[bool]]],
        text: str,
        plain: str,
        kind: str = "predictions",
    ) -> None:
        """`asked`: each question and which choices hold; `text`, `plain`: all that is shown."""
        super().__init__(text=text)
        self._asked, self._plain, self._kind = asked, plain, kind
        self.on_msg(self._receive)
        take_over_cell(self)

    def _receive(self, _, message, __):
        question, holds = self._asked[message["question"]]
        chosen = holds[message["chosen"]]
        progress.note(self._kind, progress.lesson_of_notebook(), question, chosen)

    def shown(self) -> dict[str, str]:
        """What is shown where no kernel is."""
        return {"text/html": self.text, "text/plain": self._plain}

    def close(self) -> None:
        """Release the widget and its layout."""
        self.layout.close()
        super().close()

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        mark(data[WIDGET])
        return data | self.shown(), metadata


def predict(
    question: str, *choices: tuple[str, bool, str], answer: str, picture: Any = None
) -> Prediction:
    """Ask before it is shown: two to five choices, one of which holds.

    choices: of each its text, whether it holds (to be computed, never to be written down), and a
    sentence for those who choose it: of a wrong one, which misunderstanding it is. answer: what is
    told to all, with the numbers; picture: drawn below it. All texts are Markdown.

    Raises:
        ValueError: if the choices are not two to five, or not exactly one of them holds.
    """
    right = [text for text, holds, _ in choices if holds]
    if not 2 <= len(choices) <= 5:
        raise ValueError(f"choices: got {len(choices)}; allowed are two to five.")
    if len(right) != 1:
        raise ValueError(f"choices: exactly one must hold; {len(right)} do: {quoted(right)}.")
    sentences = [f"{'✓ Yes.' if holds else '✗ No.'} {said}" for _, holds, said in choices]
    answer = f"**{right[0]}.** {answer}"
    shown = [
        (_html(text).removeprefix("<p>").removesuffix("</p>"), holds, _html(said))
        for (text, holds, _), said in zip(choices, sentences, strict=True)
    ]
    told = _html(answer) + (_image(picture) if picture else "")
    return Prediction(
        [(question, [bool(holds) for _, holds, _ in choices])],
        closed(_html(question), shown, told),
        "\n".join([question, *(choice[0] for choice in choices), *sentences, answer]),
    )


def closed(question: str, choices: list[tuple[str, bool, str]], told: str, kind: str = "") -> str:
    """A question as HTML; of each choice its text, whether it holds, and what it unfolds."""
    folded = [
        f'<details class="posviz-guess{" posviz-holds" * bool(holds)}">'
        f"<summary>{text}</summary>{said}</details>"
        for text, holds, said in choices
    ]
    answer = f'<details class="posviz-answer"><summary>The answer</summary>{told}</details>'
    style = f"posviz-prediction {kind}".strip()
    return f'<div class="{style}">{question}{"".join(folded)}{answer}</div>'


def _html(markdown) -> str:
    return str(mistune.html(markdown)).strip()


def _image(picture) -> str:
    png, about = notebook_png(picture.figure())
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<img src="{source}" width="{about["width"]}" alt="{html.escape(about["alt"])}">'
