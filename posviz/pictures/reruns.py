"""What a cell showed is released when it is run again: IPython and ipywidgets keep it for ever."""

import sys
import weakref
from typing import Any

_shown: dict[str, tuple[int, list]] = {}  # by cell: in which run of it, and what it made


def running_cell() -> tuple[Any, str]:
    """The shell of the notebook and the id of its running cell; "" where no host tells it."""
    shell: Any = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if not hasattr(shell, "get_parent"):
        return shell, ""
    return shell, shell.get_parent().get("metadata", {}).get("cellId") or ""


def take_over_cell(thing: Any) -> list:
    """Forget what an earlier run of this cell made, and close it if that can be done.

    Returns what this run made before. Does nothing where no host tells which cell is run.
    """
    shell, cell = running_cell()
    if not cell:
        return []
    run, references = _shown.get(cell, (None, []))
    made = [each for each in (reference() for reference in references) if each is not None]
    if run != shell.execution_count:
        for old in made:
            if hasattr(old, "close"):
                old.close()
            _forget(shell, old)
        references, made = [], []
    _shown[cell] = (shell.execution_count, [*references, weakref.ref(thing)])
    return made


def _forget(shell, result):
    """Put an empty text wherever IPython keeps a result: in Out, _12 and the like, and _ to ___."""
    sent = getattr(shell.history_manager, "outputs", {})  # by run, and with the PNG
    texts = shell.history_manager.output_hist_reprs  # by run
    places = shell.history_manager.output_hist, shell.user_ns_hidden, vars(shell.displayhook)
    for kept in places:
        for name in [name for name, other in kept.items() if other is result]:
            kept[name] = ""
            sent.pop(name, None)
            texts.pop(name, None)
            if shell.user_ns.get(name) is result:
                shell.user_ns[name] = ""
