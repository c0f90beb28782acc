"""What the speaker's window says beside a slide: what to try on it, what a choice stands for."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from bs4 import BeautifulSoup

import posviz.lessons
from posviz.pictures.picture import Picture

LETTERS = "ABCDE"  # of the choices of a prediction, as slides.css counts them
_TRY = re.compile(r"\*\*Try\.?\*\*\.?\s*(.*?)(?=\n\n\*\*|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.?!)])\s+(?=\S)")
_NAMED = re.compile(r"\*([^*]+)\*|`([^`]+)`")


class Asked(NamedTuple):
    """A prediction as it was shown, in HTML: each choice with what is told to those who take it."""

    question: str
    choices: list[tuple[str, str]]
    answer: str

    @property
    def notes(self) -> str:
        """Which choice stands for what, by the letters on the slide, and the answer."""
        told = ((letter, said) for letter, (_, said) in zip(LETTERS, self.choices, strict=False))
        return "".join(f"<p><strong>{letter}</strong></p>{said}" for letter, said in told) + (
            self.answer
        )


def asked(html: str) -> Asked | None:
    """The prediction in what a cell has shown, without pictures; None where there is none."""
    found = BeautifulSoup(html, "html.parser").select_one(".posviz-prediction:has(> details)")
    if found is None:
        return None
    for image in found("img"):
        image.decompose()
    for link in found("a"):
        del link["title"]  # the key of a source
    folded = found.find_all("details", recursive=False)
    heads = [head.extract().decode_contents() for head in found.select("details > summary")]
    bodies = [each.extract().decode_contents() for each in folded]
    choices = list(zip(heads[:-1], bodies[:-1], strict=True))
    return Asked(found.decode_contents(), choices, bodies[-1])


def followed(note: str, picture: str) -> str:
    """A note of which the slide of a picture, by its class's name, can follow what is to be tried.

    A slide moves the `filmed_knobs`; what names another knob is left for the notebook.
    """
    tried = _TRY.match(note)
    if not tried or picture not in posviz.lessons.names():
        return note
    here: list[str] = []
    elsewhere: list[str] = []
    away = set(_others(picture))
    for sentence in _SENTENCE.split(tried[1].strip()):
        named = {"".join(words) for words in _NAMED.findall(sentence)}
        (elsewhere if named & away else here).append(sentence)
    parts = [f"**Try** {' '.join(here)}"] if here else []
    parts += [f"**In the notebook** {' '.join(elsewhere)}"] if elsewhere else []
    return "\n\n".join([*parts, note[tried.end() :].strip()]).strip()


def _others(picture: str) -> Iterator[str]:
    """The names, labels and options of knobs that a slide does not move."""
    kind: type[Picture] = posviz.lessons.load(picture)
    known, moved = kind.knobs(), kind.filmed_knobs()
    seen = {word for name in moved for word in _words(name, known[name])}
    for name in known.keys() - set(moved):
        yield from set(_words(name, known[name])) - seen


def _words(name, knob) -> list[str]:
    return [name, knob.label, *(str(option) for option in getattr(knob, "options", ()))]
