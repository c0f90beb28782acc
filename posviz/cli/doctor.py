"""What works on this machine, and what to do about what does not."""

import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata

import typer
from packaging.requirements import Requirement

from posviz.cli.common import command
from posviz.course import OF_TOPIC

WITH_TORCH = [OF_TOPIC[name].number for name in ("learned", "rotary_code", "length", "choosing")]
USES = {  # of the extras that a reader may want
    "torch": f"lessons {', '.join(WITH_TORCH)}",
    "lab": "the notebooks",
    "publish": "pages, slides and grading",
    "live": "pictures that move on pages",
    "models": "your own models",
    "mp4": "MP4 files, where the system has no ffmpeg",
}


@dataclass
class Check:
    """What was looked at, what was found, and what to do; fatal: the course needs it."""

    name: str
    found: str
    fine: bool = True
    fatal: bool = False

    def __str__(self):
        word = "ok" if self.fine else "FAILS" if self.fatal else "missing"
        return f"{word:8}{self.name:22}{self.found}"


@command()
def doctor():
    """Check the installation, and suggest fixes."""
    failed = False
    for check in checks():
        typer.echo(str(check))
        failed = failed or check.fatal
    raise typer.Exit(int(failed))


def checks() -> Iterator[Check]:
    """Yield the result of each check when it is done."""
    yield Check("Python", f"{platform.python_version()} at {sys.executable}")
    for wanted in map(Requirement, metadata.requires("posviz") or ()):
        marker = wanted.marker
        extra = next((each for each in USES if marker and marker.evaluate({"extra": each})), "")
        if extra or not marker:
            yield version(wanted, extra)
    with suppress(ImportError):  # NumPy or matplotlib may be missing
        yield from machine()


def version(wanted: Requirement, extra: str) -> Check:
    """A package that posviz asks for, beside the version that is installed."""
    advice = f"pip install 'posviz[{extra}]' for {USES[extra]}" if extra else "pip install posviz"
    found = next((each.version for each in metadata.distributions(name=wanted.name)), "")
    if found and wanted.specifier.contains(found, prereleases=True):
        return Check(wanted.name, found)
    problem = f"{found or 'not installed'}, needs {wanted.specifier}: {advice}"
    return Check(wanted.name, problem, False, fatal=not extra)


def machine() -> Iterator[Check]:
    """The devices on which arrays can be computed, and a font for sentences in other scripts."""
    from posviz.arrays import devices
    from posviz.pictures.style import parameters

    for name, reason in devices().items():
        yield Check(f"device {name}", reason or "can be used", not reason)
    fonts = ", ".join(parameters("notebook", False)["font.family"][1:])
    advice = "Chinese, Japanese, Korean text shows as boxes: install Noto Sans CJK (fonts-noto-cjk)"
    yield Check("font, East Asia", fonts or advice, bool(fonts))
