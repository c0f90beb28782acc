"""What the search finds: sections, symptoms, pictures, words, claims, libraries."""

import re
from collections.abc import Iterable, Iterator, Mapping

from bs4 import BeautifulSoup

from posviz_course.blackbox import libraries as census
from posviz_course.choosing.glossary import TERMS, Term
from posviz_course.claims import Claim, ClaimRow, Verdict
from posviz_tools.publish.clean import markdown
from posviz_tools.publish.lesson import Section, StoredLesson, read_text
from posviz_tools.publish.site import libraries
from posviz_tools.publish.site.gallery import GalleryPicture

_TABLE = "table:has(thead:-soup-contains('What you see'))"
_SYMPTOMS = f"{_TABLE} tbody tr"
_DISPLAYED = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_FORMULA = re.compile(r"\$([^$]+)\$")


def documents(
    lessons: Iterable[StoredLesson],
    pages: Mapping[str, str],
    pictures: Iterable[GalleryPicture],
    claims: Iterable[ClaimRow],
) -> list[dict]:
    """What can be found: kind, title, address, text, and code, which is searched but not shown.

    pages: the Markdown of other pages, by name.
    """
    items = [item for les in lessons for item in _of_sections(les.title, les.stem, les.sections)]
    for name, text in pages.items():
        title, _, rest = text.removeprefix("# ").partition("\n")
        sections = [Section(1, "", title, [], [])]
        html = markdown(rest)
        read_text(_without_symptoms(html), sections)
        items += [*_of_sections(title, name, sections), *_of_symptoms(name, html)]
    for picture in pictures:
        kind, title = f"Picture, {picture.lesson.title}", f"{picture.title} ({picture.name})"
        items.append((kind, title, picture.href, "; ".join(picture.controls), ""))
    for term in TERMS:
        href = f"glossary.html#{term_id(term)}"
        items.append(("Glossary", term.english, href, term.meaning, term.chinese))
    for number, claim, verdict in claims:
        href = f"claims.html#{claim_id(number, claim, verdict)}"
        items.append((f"Claim, lesson {number}", claim.statement, href, verdict.said, ""))
    for row in census.rows():
        library, function, does, surprise = libraries.cells(row)
        href = f"libraries.html#{libraries.row_id(row)}"
        items.append(("Library", f"{library}, {function}", href, surprise or does, does))
    names = ("kind", "title", "href", "text", "code")
    return [{"id": i} | dict(zip(names, item, strict=True)) for i, item in enumerate(items)]


def term_id(term: Term) -> str:
    """The anchor of a word in the glossary."""
    return "word-" + re.sub(r"\W+", "-", term.english)


def claim_id(number: str, claim: Claim, _: Verdict) -> str:
    """The anchor of a lesson's claim in the table of claims."""
    return f"claim-{number}-{claim.function.__name__}"


def with_anchors(html: str) -> str:
    """A page in which each row of a table of symptoms has an anchor."""
    soup = BeautifulSoup(html, "html.parser")
    for row in soup.select(_SYMPTOMS):
        row["id"] = "symptom-" + re.sub(r"\W+", "-", row.find_all("td")[0].get_text()).strip("-")
    return soup.decode()


def _of_sections(kind, name, sections: list[Section]) -> Iterator[tuple]:
    for section in sections:
        title = BeautifulSoup(section.title, "html.parser").get_text()
        href = f"{name}.html#{section.anchor}"
        text = _without_formulas(" ".join(section.text))
        yield kind, _without_formulas(title), href, text, "\n".join(section.code)


def _of_symptoms(name, html: str) -> Iterator[tuple]:
    for row in BeautifulSoup(with_anchors(html), "html.parser").select(_SYMPTOMS):
        symptom, *rest = (cell.get_text() for cell in row("td"))
        yield "Symptom", symptom, f"{name}.html#{row['id']}", " · ".join(rest[:-1]), ""


def _without_symptoms(html: str) -> str:
    """A page without its tables of symptoms, whose rows are found by themselves."""
    soup = BeautifulSoup(html, "html.parser")
    for table in soup.select(_TABLE):
        table.decompose()
    return soup.decode()


def _without_formulas(text: str) -> str:
    """A text in which a formula of a few letters is these, and another one a dot or three."""
    return _FORMULA.sub(
        lambda match: "…" if "\\" in match[1] else match[1], _DISPLAYED.sub("", text)
    )
