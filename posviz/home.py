"""Paths that readers type: `~` stands for a home folder."""

import os
import re
from pathlib import Path

LONGEST = 256  # characters of a user's name; the systems' own limits are below


def at_home(path: str | Path) -> str:
    """The path with `~` or `~name` as that home folder, as it is where nobody is called so.

    No system is asked for a name that nobody can have: with 6 MB of it, a library of Linux ends
    Python.
    """
    text = os.fspath(path)
    name = re.split(r"[/\\]", text[: LONGEST + 2], maxsplit=1)[0]
    return os.path.expanduser(text) if len(name) <= LONGEST and name.isprintable() else text
