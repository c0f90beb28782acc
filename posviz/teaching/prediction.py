"""Predictions: a question with choices, one click, and then the answer with its number.

What is shown is HTML that folds by itself, so that it works in a stored notebook, on pages and on
slides; in a notebook with its kernel a widget (`widget.py`) holds the same HTML and sends the
choice.
"""

from functools import cached_property
from typing import Any

from posviz.pictures.notebook_cell import running_cell, take_over_cell
from posviz.teaching import progress
from posviz.wording import quoted


class Prediction:
    """Questions with choices; they are always shown closed, even if they were answered before."""

    def __init__(
        self,
        asked: list[tuple[str, list[bool]]],
        text: str,
        plain: str,
        kind: str = "predictions",
    ) -> None:
        """`asked`: each question and which choices hold; `text`: as HTML; `plain`: without it."""
        self.asked, self.text, self._plain, self._kind = asked, text, plain, kind
        _, self._cell = running_cell()
        earlier = [thing for thing in take_over_cell(self) if isinstance(thing, Prediction)]
        self._first = 1 + sum(len(prediction.asked) for prediction in earlier)

    def receive(self, message: dict[str, int]) -> None:
        """Note which choice of which question a view has opened."""
        _, holds = self.asked[message["question"]]
        right, name = holds[message["chosen"]], self._name(message["question"])
        progress.note(self._kind, progress.lesson_of_notebook(), name, right)

    def _name(self, place: int) -> str:
        """Return the cell's id, numbered from its second question on: words may change."""
        if not self._cell:
            return self.asked[place][0]
        number = self._first + place
        return self._cell if number == 1 else f"{self._cell} {number}"

    def shown(self) -> dict[str, str]:
        """Return the output for a page without a kernel."""
        return {"text/html": self.text, "text/plain": self._plain}

    @cached_property
    def _widget(self):
        from posviz.teaching.widget import PredictionWidget

        return PredictionWidget(self.shown(), self.receive)

    def _repr_mimebundle_(self, **kwargs):
        return self._widget._repr_mimebundle_(**kwargs)

    def close(self) -> None:
        """Release the widget, if there is one."""
        if "_widget" in vars(self):
            self._widget.close()


def predict(
    question: str, *choices: tuple[str, bool, str], answer: str, picture: Any = None
) -> Prediction:
    """Ask before it is shown: two to five choices, one of which holds.

    choices: of each its text, whether it holds (to be computed, never to be written down), and a
    sentence for those who choose it: of a wrong one, which misunderstanding it is. answer: the text
    for everybody, with the numbers; picture: drawn below it. All texts are Markdown. Raises
    ValueError if the choices are not two to five, or not exactly one of them holds.
    """
    right = [text for text, holds, _ in choices if holds]
    if not 2 <= len(choices) <= 5:
        raise ValueError(f"choices: got {len(choices)}; allowed are two to five.")
    if len(right) != 1:
        raise ValueError(f"choices: exactly one must hold; {len(right)} do: {quoted(right)}.")
    sentences = [f"{'✓ Yes.' if holds else '✗ No.'} {feedback}" for _, holds, feedback in choices]
    answer = f"**{right[0].rstrip('.')}.** {answer}"
    shown = [
        (_html(text).removeprefix("<p>").removesuffix("</p>"), holds, _html(feedback))
        for (text, holds, _), feedback in zip(choices, sentences, strict=True)
    ]
    body = _html(answer) + (_image(picture) if picture else "")
    return Prediction(
        [(question, [bool(holds) for _, holds, _ in choices])],
        closed(_html(question), shown, body),
        "\n".join([question, *(choice[0] for choice in choices), *sentences, answer]),
    )


def closed(question: str, choices: list[tuple[str, bool, str]], body: str, kind: str = "") -> str:
    """A question as HTML; of each choice its text, whether it holds, and what it unfolds."""
    folded = [
        f'<details class="posviz-guess{" posviz-holds" if holds else ""}">'
        f"<summary>{text}</summary>{feedback}</details>"
        for text, holds, feedback in choices
    ]
    answer = f'<details class="posviz-answer"><summary>The answer</summary>{body}</details>'
    style = f"posviz-prediction {kind}".strip()
    return f'<div class="{style}">{question}{"".join(folded)}{answer}</div>'


def _html(markdown) -> str:
    import mistune

    return str(mistune.html(markdown)).strip()


def _image(picture) -> str:
    from posviz.pictures.bitmaps import image_html

    return image_html(picture.figure())
