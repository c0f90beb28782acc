"""Claims whose verdict follows from a number, and the table that shows them.

A claims file declares functions. The docstring is the claim as people make it; the function
measures, in one or several settings, and says by which rule the numbers decide:

    @claim("frequencies")
    def as_many_frequencies_as_dimensions():
        '''A table with d_model = 512 has 512 different frequencies.'''
        counts = {"d_model = 512": len(set(rotary_frequencies(512)))}
        return judge(counts, lambda count: count == 512, "Different frequencies in the table.")

`@claim("frequencies", sources=("su2021roformer",))` names, by its key in sources.bib, where to
check the claim: what makes it, or defines the thing it speaks of. The five claims of a lesson that
are stated most name the section that decides them, `section="5 How long is a turn?"`: the table
shows these, with a link to it, and folds the rest.
"""

import html
import importlib
import importlib.util
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral

from posviz import sources
from posviz.course import LESSONS
from posviz.pictures.reruns import take_over_cell
from posviz.wording import quoted

BOUNDS = (1e-14, 1e-12, 1e-9)  # far apart, so that machines agree on which one is shown
CLAIM, RULE, SOURCE = "Claim", "What decides", "Check it in"
ABOUT, SECTION = "About", "Decided in"
HEADS = ("Verdict", CLAIM, "What was measured", RULE, ABOUT, SECTION, SOURCE)
NO_SOURCE = "none known; said often"
SIGNS = {"true": "✓", "false": "✗", "true only if": "◐"}


@dataclass(frozen=True)
class Verdict:
    """What the numbers say of a claim.

    verdict: "true", "false" or "true only if"; condition: the settings in which it holds, of those
    that were tried, where it is "true only if".
    numbers: what was measured, rounded, setting by setting; text: what it is, up to the first ";"
    or full stop, and the rule.
    """

    verdict: str
    numbers: str
    text: str
    condition: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement, the function that judges it, the keys of its sources; where it is decided."""

    about: str
    statement: str
    function: Callable[[], Verdict]
    sources: tuple[str, ...] = ()
    section: str = ""

    def __call__(self) -> Verdict:
        """Compute the verdict."""
        return self.function()


def claim(
    about: str, *, sources: tuple[str, ...] = (), section: str = ""
) -> Callable[[Callable[[], Verdict]], Claim]:
    """Make a claim of the function below (a decorator); its docstring is the statement."""

    def declare(function: Callable[[], Verdict]) -> Claim:
        return Claim(about, " ".join((function.__doc__ or "").split()), function, sources, section)

    return declare


def judge(measured: Mapping[str, float], holds: Callable[[float], bool], text: str) -> Verdict:
    """Return "true" if the claim holds in every setting measured, "false" if in none.

    measured: the number found in each setting; a setting reads on from "if". holds: the rule.
    """
    kept = [setting for setting, number in measured.items() if holds(number)]
    numbers = "; ".join(f"{shown(value)} if {setting}" for setting, value in measured.items())
    if kept and len(kept) < len(measured):
        return Verdict("true only if", numbers, text, " or ".join(kept))
    return Verdict("true" if kept else "false", numbers, text)


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


@dataclass(frozen=True, repr=False)
class Audit:
    """The claims of a lesson with their verdicts; shows itself as tables, or as text."""

    lesson: str
    rows: tuple[tuple[Claim, Verdict], ...]

    @property
    def title(self) -> str:
        """The lesson and the number of claims."""
        return f"Lesson {self.lesson}: {len(self.rows)} common claims"

    def __repr__(self) -> str:
        lines = [self.title]
        for asked, verdict in self.rows:
            measured, rule = told(verdict)
            paragraphs = (
                f"{sign(verdict)}: {asked.statement} [{asked.about}]",
                f"    {measured}. {rule}",
                f"    {SOURCE}: {'; '.join(map(sources.name, asked.sources)) or NO_SOURCE}.",
            )
            lines += ["", *(textwrap.fill(p, 96, subsequent_indent="    ") for p in paragraphs)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        often = [row for row in self.rows if row[0].section]
        more = [row for row in self.rows if not row[0].section]
        return (
            _table(self.title, often, without=(ABOUT, RULE))
            + f"<details><summary>And {len(more)} more</summary>"
            + _table("Other claims", more, without=(SECTION,))
            + "</details>"
        )


def _table(caption: str, rows: Iterable[tuple[Claim, Verdict]], without: tuple[str, ...]) -> str:
    head = "".join(_cell("th", name, ' scope="col"') for name in HEADS if name not in without)
    lines = ""
    for row in rows:
        cells = [
            _cell("th", text, ' scope="row"') if name == CLAIM else _cell("td", text)
            for name, text in zip(HEADS, _texts(*row), strict=True)
            if name not in without
        ]
        lines += f"<tr>{''.join(cells)}</tr>"
    return (
        f'<table><caption style="text-align: left">{html.escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _texts(asked: Claim, verdict: Verdict) -> tuple[str, ...]:
    """What the columns of HEADS say of a claim, as HTML."""
    said = (sign(verdict), asked.statement, *told(verdict), asked.about)
    # A heading's anchor, as Jupyter and nbconvert make it.
    link = f'<a href="#{asked.section.replace(" ", "-")}">{html.escape(asked.section)}</a>'
    return *map(html.escape, said), link, "; ".join(map(sources.link, asked.sources)) or NO_SOURCE


def told(verdict: Verdict) -> tuple[str, str]:
    """What was measured, with its numbers; and what the verdict's text says besides."""
    measured, rule = re.split("[;.](?: |$)", verdict.text, maxsplit=1)
    return f"{measured}: {verdict.numbers}", rule[:1].upper() + rule[1:]


def _cell(tag: str, text: str, scope: str = "") -> str:
    # No colours but those of the notebook's theme; the verdict is a word.
    style = "text-align: left; vertical-align: top; white-space: normal; max-width: 26em"
    weight = "; font-weight: normal" if "row" in scope else ""
    return f'<{tag}{scope} style="{style}{weight}">{text}</{tag}>'


def sign(verdict: Verdict) -> str:
    """A verdict with its sign, and where it holds."""
    # Only what was tried: the claim may hold in other settings, too.
    condition = f" (of the cases tried) {verdict.condition}" if verdict.condition else ""
    return f"{SIGNS[verdict.verdict]} {verdict.verdict}{condition}"


def audit(lesson: str) -> Audit:
    """Compute the claims of a lesson, such as "05", and return them as a table.

    Raises:
        ValueError: for a lesson without claims; the message names those that have some.
    """
    folders = _folders()
    if lesson not in folders:
        allowed = ", ".join(map(repr, folders))
        raise ValueError(f"lesson must be one of {allowed}, got {quoted(lesson)}")
    made = Audit(lesson, tuple((found, found()) for found in _claims(folders[lesson])))
    take_over_cell(made)
    return made


def every_claim() -> Iterator[tuple[str, Claim]]:
    """Yield the number of the lesson and the claim, for all claims of the course."""
    for lesson, folder in _folders().items():
        yield from ((lesson, found) for found in _claims(folder))


def _folders() -> dict[str, str]:
    """The package of each lesson that has claims, by the lesson's number."""
    folders = {row.number: f"posviz.lessons.{row.topic}.claims" for row in LESSONS}
    return {number: name for number, name in folders.items() if importlib.util.find_spec(name)}


def _claims(folder: str) -> Iterator[Claim]:
    """Find the claims of every module in a package, so that a new file is all they need."""
    for module in pkgutil.iter_modules(importlib.import_module(folder).__path__):
        members = vars(importlib.import_module(f"{folder}.{module.name}"))
        yield from (value for value in members.values() if isinstance(value, Claim))
