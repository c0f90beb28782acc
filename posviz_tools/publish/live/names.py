"""Which names cells read and define: which cells one needs, and which of them a page can run."""

import ast
import dis
import re
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
_MEANT = re.compile(r"(?m)\b(?:def|class|import)\s+([\w, ]+)|^\s*([\w, ]+)=(?!=)")


class CellNames(NamedTuple):
    """What a statement reads, defines at the top, changes a part of, and imports in vain."""

    used: set[str]
    defined: set[str]
    changed: set[str]
    absent: set[str]


def needed(id: str, sources: dict[str, str]) -> list[str]:
    """The cells that define what this one uses, from the top, and this one."""
    above = list(sources)[: list(sources).index(id)]
    chosen, used = [id], {name for names in _names(sources[id]) for name in names.used}
    for other in reversed(above):
        theirs = _names(sources[other])
        defined = {name for names in theirs for name in names.defined}
        if used & defined.union(*(names.changed for names in theirs)):
            chosen.insert(0, other)
            used = (used - defined).union(*(names.used for names in theirs))
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
    """The names of each statement of a cell; where it cannot be read, what it seems to define."""
    try:
        statements = [ast.Module([statement], []) for statement in ast.parse(source).body]
        return [_of_statement(compile(statement, "", "exec")) for statement in statements]
    except SyntaxError:
        meant = " ".join(map("".join, _MEANT.findall(source)))
        return [CellNames(set(), set(), set(re.findall(r"\w+", meant)), set())]


def _of_statement(code: CodeType) -> CellNames:
    names, module, path = CellNames(set(), set(), set(), set()), "", ""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            names.used.add(instruction.argval)
        elif instruction.opname in ("STORE_ATTR", "STORE_SUBSCR"):
            names.changed.update(names.used)  # what is stored is among it
        elif instruction.opname == "IMPORT_NAME":
            module = path = instruction.argval
        elif instruction.opname == "IMPORT_FROM":
            path = f"{module}.{instruction.argval}"
        elif instruction.opname == "STORE_NAME":
            names.defined.add(instruction.argval)
            if f"{path}.".startswith(ABSENT):
                names.absent.add(instruction.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names.used.update(_of_statement(inner).used)
    return names
