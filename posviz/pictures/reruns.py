"""What a cell showed is released when it is run again: IPython and ipywidgets keep it for ever."""

import sys
import weakref
from typing import Any

_shown: dict[str, tuple[int, list]] = {}  # by cell: in which run of it, and what it made


def take_over_cell(thing: Any) -> None:
    """Forget what an earlier run of this cell made, and close it if that can be done.

    Does nothing outside of notebooks, and where a host does not say which cell is run.
    """
    shell: Any = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if not hasattr(shell, "get_parent"):
        return
    cell = shell.get_parent().get("metadata", {}).get("cellId")
    if cell is None:
        return
    run, made = _shown.get(cell, (None, []))
    if run != shell.execution_count:
        for old in filter(None, (reference() for reference in made)):
            if hasattr(old, "close"):
                old.close()
            _forget(shell, old)
        made = []
    _shown[cell] = (shell.execution_count, [*made, weakref.ref(thing)])


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
