"""Which names cells read and define: which cells one needs, and which of them a page can run."""

import ast
import dis
from collections.abc import Iterable
from types import CodeType
from typing import NamedTuple

ABSENT = (  # on a page
    *(
        "torch.",
        "transformers.",
        "posviz_course.choosing.said.",
        "posviz_course.choosing.table.",
        "posviz_course.lab.",
        "posviz_course.lessons.learned.small_model.",
    ),
    *(f"posviz.{name}." for name in ("comparison", "devices", "glossary", "ledger", "load_model")),
)


class CellNames(NamedTuple):
    """What a statement reads, defines at the top, changes a part of, and imports in vain."""

    used: set[str]
    defined: set[str]
    changed: set[str]
    absent: set[str]


def needed(id: str, sources: dict[str, str]) -> list[str]:
    """The cells that define what this one uses, from the top, and this one."""
    above = list(sources)[: list(sources).index(id)]
    chosen, used = [id], {name for each in _names(sources[id]) for name in each.used}
    for other in reversed(above):
        theirs = _names(sources[other])
        defined = {name for each in theirs for name in each.defined}
        if used & defined.union(*(each.changed for each in theirs)):
            chosen.insert(0, other)
            used = (used - defined).union(*(each.used for each in theirs))
    return chosen


def runnable(sources: dict[str, str]) -> Iterable[str]:
    """The cells that need nothing which a page lacks."""
    absent: set[str] = set()
    for id, source in sources.items():
        needs_absent = False
        for used, defined, _, imported in _names(source):
            lost = imported or (defined if used & absent else set())
            needs_absent |= bool(lost or used & absent)
            absent = absent - defined | lost
        if not needs_absent:
            yield id


def _names(source: str) -> list[CellNames]:
    """The names of each statement of a cell; none where it cannot be read."""
    try:
        statements = [ast.Module([each], []) for each in ast.parse(source).body]
        return [_of_statement(compile(each, "", "exec")) for each in statements]
    except SyntaxError:
        return []


def _of_statement(code: CodeType) -> CellNames:
    found, module, path = CellNames(set(), set(), set(), set()), "", ""
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            found.used.add(each.argval)
        elif each.opname in ("STORE_ATTR", "STORE_SUBSCR"):
            found.changed.update(found.used)  # what is stored is among it
        elif each.opname == "IMPORT_NAME":
            module = path = each.argval
        elif each.opname == "IMPORT_FROM":
            path = f"{module}.{each.argval}"
        elif each.opname == "STORE_NAME":
            found.defined.add(each.argval)
            if f"{path}.".startswith(ABSENT):
                found.absent.add(each.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found.used.update(_of_statement(inner).used)
    return found
