"""Which names cells read and define: which cells one needs, and which of them a page can run."""

import ast
from collections.abc import Iterable

ABSENT = (  # on a page
    *("torch", "transformers", "posviz.lab", "posviz.lessons.learned.small_model"),
    *(f"posviz.{name}" for name in ("comparison", "devices", "glossary", "ledger", "load_model")),
)


def needed(id: str, sources: dict[str, str]) -> list[str]:
    """The cells that define what this one uses, from the top, and this one."""
    above = list(sources)[: list(sources).index(id)]
    chosen, used = [id], _Names(_statements(sources[id])).used
    for other in reversed(above):
        theirs = _Names(_statements(sources[other]))
        if used & (theirs.defined | theirs.changed):
            chosen.insert(0, other)
            used = used - theirs.defined | theirs.used
    return chosen


def runnable(sources: dict[str, str]) -> Iterable[str]:
    """The cells that need nothing which a page lacks."""
    absent: set[str] = set()
    for id, source in sources.items():
        needs_absent = False
        for statement in _statements(source):
            names = _Names([statement])
            lost = names.imported_from(ABSENT) or (names.defined if names.used & absent else set())
            needs_absent |= bool(lost or names.used & absent)
            absent = absent - names.defined | lost
        if not needs_absent:
            yield id


def _statements(source) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


class _Names:
    """What statements read, what they define at the top, and what they change a part of."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        self.used: set[str] = set()
        self.defined: set[str] = set()
        self.changed: set[str] = set()
        self._all = [each for statement in statements for each in ast.walk(statement)]
        for each in self._all:
            if isinstance(getattr(each, "ctx", None), ast.Load):
                self.used.add(_root(each))
        for statement in statements:
            self._see(statement)

    def _see(self, statement) -> None:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            self.defined.add(statement.name)
            return
        for each in ast.walk(statement):
            if isinstance(each, ast.Import | ast.ImportFrom):
                self.defined |= {_name(alias) for alias in each.names}
            elif isinstance(getattr(each, "ctx", None), ast.Store):
                whole = isinstance(each, ast.Name) and not isinstance(statement, ast.AugAssign)
                (self.defined if whole else self.changed).add(_root(each))

    def imported_from(self, modules: Iterable[str]) -> set[str]:
        """The names that come from these modules."""
        inside = tuple(f"{module}." for module in modules)
        return {
            _name(alias)
            for each in self._all
            if isinstance(each, ast.Import | ast.ImportFrom)
            for alias in each.names
            if f"{getattr(each, 'module', '')}.{alias.name}.".lstrip(".").startswith(inside)
        }


def _name(alias) -> str:
    return (alias.asname or alias.name).partition(".")[0]


def _root(node) -> str:
    """The name of what is read or written: `a` of `a.b[0]`."""
    while inner := getattr(node, "value", None):
        node = inner
    return getattr(node, "id", "")
