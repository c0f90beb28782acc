"""Where figures go: the folder `figures` and its other place, and names that readers type."""

import os
import re
from pathlib import Path

from posviz.home import at_home
from posviz.wording import quoted

SETTING = "POSVIZ_FIGURES"
# Windows takes these for devices, whatever follows the first dot.
_DEVICES = re.compile(r"(con|prn|aux|nul|con(in|out)\$|(com|lpt)[\d¹²³]) *(\.|$)", re.IGNORECASE)


def placed(path: str | Path) -> Path:
    """The path itself, with `~` as the home folder; one in `figures` in the folder of the setting.

    POSVIZ_FIGURES names the folder that is meant by `figures`.
    """
    path, elsewhere = Path(at_home(path)), os.environ.get(SETTING)
    if not elsewhere or path.parts[:1] != ("figures",):
        return path
    return Path(at_home(elsewhere)).absolute().joinpath(*path.parts[1:])


def inside(folder: Path, name: str, kind: str) -> Path:
    """The file in the folder for a name a reader typed; ValueError if it would lead outside."""
    stem = name.strip().removesuffix(f".{kind}")
    rules = {
        "it is empty": not stem,
        "it has more than 100 characters": len(stem) > 100,
        "it begins with a dot": stem.startswith("."),
        "it has a slash, a backslash or a colon": any(c in stem for c in "/\\:"),
        "it has a control character": not stem.isprintable(),
        "Windows has a device of this name": bool(_DEVICES.match(stem)),
    }
    if broken := [rule for rule, is_broken in rules.items() if is_broken]:
        raise ValueError(f"file name = {quoted(name)} is refused: {broken[0]}.")
    return folder / f"{stem}.{kind}"
