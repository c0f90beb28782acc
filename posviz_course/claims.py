"""Claims that people make, each decided by a number: a reader votes, then sees the verdict.

    @claim(
        "The factor 1/√head_dim keeps the variance of the scores at 1.",
        cases={"if queries and keys are independent": False, "if queries equal their keys": True},
        measures="the variance of 20 000 scaled scores with head_dim = 64",
        rule="< 1.05",
        section="3 Why divide?",
        sources=("vaswani2017attention",),
    )
    def the_scale_keeps_the_variance_at_1(alike):
        '''A product of independent entries has variance 1, but the square of one has variance 2.'''
        return float((q * (q if alike else k)).sum(axis=1).var() / 64)

The docstring says why, and `section` is the heading of the lesson that decides it.
"""

import html
import importlib
import importlib.util
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, TypeAlias

from posviz.teaching.prediction import Prediction, closed
from posviz.wording import quoted
from posviz_course import sources
from posviz_course.course import LESSONS
from posviz_course.tables import Searched, table_of

BOUNDS = (1e-14, 1e-12, 1e-9)  # far apart, so that machines agree on which one is shown
VERDICTS = {"true": "True", "false": "False", "it depends": "It depends"}
RULES = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
NO_SOURCE = "none known; said often"


@dataclass(frozen=True)
class Verdict:
    """What the numbers say: "true", "false" or "it depends"; the number of each case."""

    word: str
    numbers: Mapping[str, float]
    said: str


@dataclass(frozen=True)
class Claim:
    """A statement and the number that decides it.

    cases: what `function` is given, by a phrase that goes on from "true"; none for one number.
    measures: what the number is; rule: for which numbers the claim holds, such as "> 1e-9".
    """

    statement: str
    function: Callable[..., float]
    measures: str
    rule: str
    section: str
    cases: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    def holds(self, number: float) -> bool:
        """Tell whether the claim holds where this was measured."""
        compare, _, bound = self.rule.partition(" ")
        return bool(RULES[compare](number, float(bound)))

    def __call__(self) -> Verdict:
        """Measure each case, and judge."""
        numbers = {case: self.function(value) for case, value in self.cases.items()}
        return self.judged(numbers or {"": self.function()})

    def judged(self, numbers: Mapping[str, float]) -> Verdict:
        """Judge numbers that were measured, by case."""
        kept = [case for case, number in numbers.items() if self.holds(number)]
        lost = [case for case in numbers if case not in kept]
        word = "it depends" if kept and lost else "true" if kept else "false"
        verdict = f"{VERDICTS[word]}."
        if word == "it depends":
            verdict = f"It depends: true {_joined(kept)}, false {_joined(lost)}."
        measured = "; ".join(f"{shown(value)} {case}".strip() for case, value in numbers.items())
        because = " ".join((self.function.__doc__ or "").split())
        measures = self.measures[:1].upper() + self.measures[1:]
        return Verdict(word, numbers, f"{verdict} {because} {measures}: {measured}.")


ClaimRow: TypeAlias = tuple[str, Claim, Verdict]  # with the number of its lesson


def claim(statement: str, **more: Any) -> Callable[..., Claim]:
    """Make a claim of the function below (a decorator), which returns the number."""
    return lambda function: Claim(statement, function, **more)


def shown(number: float) -> str:
    """Return a count as it is, a measured number to four digits or two decimals.

    What rounding errors leave differs from machine to machine: only a bound is shown, "< 1e-14".
    """
    if isinstance(number, Integral):
        text = f"{number:,}"
    elif abs(number) < BOUNDS[-1]:
        text = f"< {next(bound for bound in BOUNDS if abs(number) < bound):.0e}"
    elif abs(number) >= 1000:
        text = f"{number:,.2f}"
    else:
        text = f"{number:.4g}"
    return text.replace(",", "\N{NO-BREAK SPACE}")


def audit(lesson: str) -> Prediction:
    """Ask for a vote on five claims of a lesson, such as "05", and show the verdicts."""
    return _votes([claim for _, claim in every_claim(lesson)], "votes", _place)


def recall(lesson: str) -> Prediction:
    """Ask again for the first two votes of a lesson, such as "05", before the next begins."""
    return _votes([claim for _, claim in every_claim(lesson)][:2], "recalls")


def _votes(asked: list[Claim], kind: str, place=lambda _: "") -> Prediction:
    """Ask for a vote on each claim; `place` returns the HTML below its answer."""
    verdicts = [claim() for claim in asked]
    holds = [[word == verdict.word for word in VERDICTS] for verdict in verdicts]
    return Prediction(
        [(claim.statement, right) for claim, right in zip(asked, holds, strict=True)],
        "".join(map(_ballot, asked, verdicts, map(place, asked))),
        "\n".join(map("{0.statement}\n    {1.said}".format, asked, verdicts)),
        kind=kind,
    )


def _ballot(claim: Claim, verdict: Verdict, place: str) -> str:
    choices = [(text, word == verdict.word, "") for word, text in VERDICTS.items()]
    first, _, rest = verdict.said.partition(". ")
    answer = f"<p><strong>{html.escape(first)}.</strong> {html.escape(rest)}</p>"
    question = f"<p>{html.escape(claim.statement)}</p>"
    return closed(question, choices, answer + place, "posviz-vote")


def _place(claim: Claim) -> str:
    """Where the lesson decides a claim, and which sources do."""
    link = f'<a href="#{claim.section.replace(" ", "-")}">{html.escape(claim.section)}</a>'
    where = "; ".join(map(sources.link, claim.sources))
    cited = f" · Check it in: {where}" if where else ""
    return f"<p><small>Section: {link}{cited}</small></p>"


def every_claim(lesson: str = "") -> Iterator[tuple[str, Claim]]:
    """Yield the number of the lesson and the claim, for all claims of the course or a lesson.

    Raises ValueError for a lesson without claims; the message names those that have some.
    """
    modules = {row.number: f"posviz_course.lessons.{row.topic}.claims" for row in LESSONS}
    modules = {number: name for number, name in modules.items() if importlib.util.find_spec(name)}
    if lesson and lesson not in modules:
        allowed = ", ".join(map(repr, modules))
        raise ValueError(f"lesson must be one of {allowed}, got {quoted(lesson)}")
    for number, name in modules.items():
        if lesson in ("", number):
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, Claim):
                    yield number, value


def every_verdict() -> list[ClaimRow]:
    """Compute all claims of the course."""
    return [(number, claim, claim()) for number, claim in every_claim()]


def ledger() -> Searched:
    """Compute the claims of the course, as a table to search."""
    rows = every_verdict()
    lines = [f"{number} {asked.statement} {told.said}" for number, asked, told in rows]
    return Searched(table(rows), "\n".join([f"{len(rows)} claims", *lines]))


def table(rows: Iterable[ClaimRow]) -> str:
    """Return claims and their verdicts as an HTML table."""
    heads = ("Claim", "What the numbers say", "Decided in", "Check it in")
    return table_of(heads, map(_cells, rows))


def _cells(row: ClaimRow) -> tuple[str, ...]:
    number, asked, verdict = row
    [lesson] = [row for row in LESSONS if row.number == number]
    anchor = html.escape(asked.section.replace(" ", "-"))
    place = html.escape(f"{number} · {asked.section}")
    link = f'<a href="{lesson.notebook}.ipynb#{anchor}">{place}</a>'
    where = "; ".join(map(sources.link, asked.sources)) or NO_SOURCE
    return html.escape(asked.statement), html.escape(verdict.said), link, where


def _joined(cases: list[str]) -> str:
    return " and ".join(cases) if len(cases) < 3 else f"{', '.join(cases[:-1])} and {cases[-1]}"
