"""All claims of the course in one table, to be searched."""

import html
from collections.abc import Iterable
from typing import TypeAlias

from posviz.course import LESSONS
from posviz.pictures.search import Searched
from posviz.teaching.ledger import Claim, Verdict, every_claim, sign, told
from posviz.wording import quoted

Row: TypeAlias = tuple[str, Claim, Verdict]
HEADS = ("Verdict", "Claim", "What was measured", "About", "Decided in")


def ledger(*, lesson: str = "", about: str = "", verdict: str = "") -> Searched:
    """Compute the claims of the course, or those of a lesson, a topic or a verdict.

    Raises:
        ValueError: where there is none; the message names what there is.
    """
    claims = _those("lesson", lesson, every_claim(), lambda number, _: number)
    claims = _those("about", about, claims, lambda _, claim: claim.about)
    found = [(number, claim, claim()) for number, claim in claims]
    rows = _those("verdict", verdict, found, lambda *row: row[2].verdict)
    lines = [f"{number} {sign(found)}: {claim.statement}" for number, claim, found in rows]
    return Searched("posviz-ledger", table(rows), "\n".join([f"{len(rows)} claims", *lines]))


def every_verdict() -> list[Row]:
    """Compute all claims of the course: of each the lesson's number, the claim, its verdict."""
    return [(number, claim, claim()) for number, claim in every_claim()]


def table(rows: Iterable[Row]) -> str:
    """Return claims and their verdicts as an HTML table."""
    head = "".join(f'<th scope="col" style="text-align: left">{name}</th>' for name in HEADS)
    body = "".join(_row(*row) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _those(name, wanted, rows, fact) -> list:
    """The rows of which a fact is the wanted one; all where none is wanted."""
    has = {row: fact(*row) for row in rows}
    if wanted and wanted not in has.values():
        allowed = ", ".join(map(repr, sorted(set(has.values()))))
        raise ValueError(f"{name} must be one of {allowed}, got {quoted(wanted)}")
    return [row for row in has if wanted in ("", has[row])]


def _row(number: str, claim: Claim, verdict: Verdict) -> str:
    [lesson] = [row for row in LESSONS if row.number == number]
    anchor = f"#{claim.section.replace(' ', '-')}" if claim.section else ""
    place = html.escape(f"{number} {claim.section or lesson.title}")
    link = f'<a href="{lesson.notebook}.ipynb{html.escape(anchor)}">{place}</a>'
    said = (sign(verdict), claim.statement, ". ".join(told(verdict)), claim.about)
    style = "text-align: left; vertical-align: top; white-space: normal"
    cells = [f'<td style="{style}">{cell}</td>' for cell in (*map(html.escape, said), link)]
    return f"<tr>{''.join(cells)}</tr>"
