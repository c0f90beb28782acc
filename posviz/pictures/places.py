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
    awkward = stem.startswith(".") or any(c in stem for c in "/\\:") or not stem.isprintable()
    if not stem or awkward or len(stem) > 100 or _DEVICES.match(stem):
        raise ValueError(
            f"file name = {quoted(name)} is refused: use up to 100 characters, not a leading dot "
            "and no slash, backslash, colon or control character, and no name of a device such as "
            "CON."
        )
    return folder / f"{stem}.{kind}"
