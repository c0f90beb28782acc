"""What the speaker's window says beside a prediction: what each choice stands for."""

from typing import NamedTuple

from bs4 import BeautifulSoup

LETTERS = "ABCDE"  # of the choices of a prediction, as slides.css counts them


class Asked(NamedTuple):
    """A prediction as it was shown, in HTML: each choice with what is told to those who take it."""

    question: str
    choices: list[tuple[str, str]]
    answer: str

    @property
    def notes(self) -> str:
        """Which choice stands for what, by the letters on the slide, and the answer."""
        told = ((letter, said) for letter, (_, said) in zip(LETTERS, self.choices, strict=False))
        choices = (f"<p><strong>{letter}</strong></p>\n{said}\n" for letter, said in told)
        return "".join(choices) + self.answer


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
