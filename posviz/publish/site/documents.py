"""What the search finds: sections of lessons and pages, pictures, words, claims."""

import re
from collections.abc import Iterable, Iterator, Mapping

from bs4 import BeautifulSoup

from posviz.choosing.glossary import TERMS, Term
from posviz.publish.clean import markdown
from posviz.publish.lesson import Section, StoredLesson, read_text
from posviz.publish.site.gallery import GalleryPicture
from posviz.teaching.claims import Claim, Row, Verdict

_DISPLAYED = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_FORMULA = re.compile(r"\$([^$]+)\$")


def documents(
    lessons: Iterable[StoredLesson],
    pages: Mapping[str, str],
    pictures: Iterable[GalleryPicture],
    claims: Iterable[Row],
) -> list[dict]:
    """What can be found: kind, title, address, text, and code, which is searched but not shown.

    pages: the Markdown of other pages, by name.
    """
    found = [
        *(each for lesson in lessons for each in _of_lesson(lesson)),
        *(each for page in pages.items() for each in _of_page(*page)),
        *map(_of_picture, pictures),
        *map(_of_term, TERMS),
        *(_of_claim(*claim) for claim in claims),
    ]
    names = ("kind", "title", "href", "text", "code")
    return [{"id": i} | dict(zip(names, each, strict=True)) for i, each in enumerate(found)]


def term_id(term: Term) -> str:
    """The anchor of a word in the glossary."""
    return "word-" + re.sub(r"\W+", "-", term.english)


def claim_id(number: str, claim: Claim, _: Verdict) -> str:
    """The anchor of a lesson's claim in the table of claims."""
    return f"claim-{number}-{claim.function.__name__}"


def _of_lesson(lesson: StoredLesson) -> Iterator[tuple]:
    return _of_sections(lesson.title, lesson.stem, lesson.sections)


def _of_page(name: str, text: str) -> Iterator[tuple]:
    heading, _, rest = text.partition("\n")
    title = heading.removeprefix("# ")
    sections = [Section(1, "", title, [], [])]
    read_text(markdown(rest), sections)
    return _of_sections(title, name, sections)


def _of_sections(kind, name, sections: list[Section]) -> Iterator[tuple]:
    for section in sections:
        title = BeautifulSoup(section.title, "html.parser").get_text()
        href = f"{name}.html#{section.anchor}"
        text = _without_formulas(" ".join(section.text))
        yield kind, _without_formulas(title), href, text, "\n".join(section.code)


def _of_picture(picture: GalleryPicture) -> tuple:
    knobs = "; ".join(f"{label}: {rule}" for label, rule in picture.knobs)
    title = f"{picture.title} ({picture.name})"
    return f"Picture, {picture.lesson.title}", title, picture.href, knobs, ""


def _of_term(term: Term) -> tuple:
    return "Glossary", term.english, f"glossary.html#{term_id(term)}", term.meaning, term.chinese


def _of_claim(number: str, claim: Claim, verdict: Verdict) -> tuple:
    href = f"claims.html#{claim_id(number, claim, verdict)}"
    return f"Claim, lesson {number}", claim.statement, href, verdict.said, ""


def _without_formulas(text: str) -> str:
    """A text in which a formula of a few letters is these, and another one a dot or three."""
    return _FORMULA.sub(
        lambda found: "…" if "\\" in found[1] else found[1], _DISPLAYED.sub("", text)
    )
