"""What works on this machine, and what to do about what does not."""

import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata

import typer
from packaging.requirements import Requirement

from posviz_course.course import OF_TOPIC
from posviz_tools.cli.common import command

WITH_TORCH = [OF_TOPIC[name].number for name in ("learned", "rotary_code", "length", "choosing")]
USES = {  # of the extras that a reader may want
    "torch": f"lessons {', '.join(WITH_TORCH)}",
    "lab": "the notebooks",
    "publish": "pages, slides and grading",
    "live": "pictures that move on pages",
    "models": "your own models",
}


Check = tuple[str, str, str]  # "ok", "missing" or "FAILS", where the course needs it; what; found


@command()
def doctor():
    """Check the installation, and suggest fixes."""
    failed = False
    for word, name, note in checks():
        typer.echo(f"{word:8}{name:22}{note}")
        failed = failed or word == "FAILS"
    raise typer.Exit(int(failed))


def checks() -> Iterator[Check]:
    """Yield the result of each check when it is done."""
    yield "ok", "Python", f"{platform.python_version()} at {sys.executable}"
    for wanted in map(Requirement, metadata.requires("posviz") or ()):
        marker = wanted.marker
        extra = next((name for name in USES if marker and marker.evaluate({"extra": name})), "")
        if extra or not marker:
            yield version(wanted, extra)
    with suppress(ImportError):  # NumPy or matplotlib may be missing
        yield from machine()


def version(wanted: Requirement, extra: str) -> Check:
    """A package that posviz asks for, beside the version that is installed."""
    installed = next((package.version for package in metadata.distributions(name=wanted.name)), "")
    if installed and wanted.specifier.contains(installed, prereleases=True):
        return "ok", wanted.name, installed
    advice = f"pip install 'posviz[{extra}]' for {USES[extra]}" if extra else "pip install posviz"
    problem = f"{installed or 'not installed'}, needs {wanted.specifier}: {advice}"
    return "missing" if extra else "FAILS", wanted.name, problem


def machine() -> Iterator[Check]:
    """The devices on which arrays can be computed, and a font for sentences in other scripts."""
    from posviz.arrays import devices
    from posviz.pictures.style import parameters

    for name, reason in devices().items():
        yield "missing" if reason else "ok", f"device {name}", reason or "can be used"
    fonts = ", ".join(parameters("notebook", False)["font.family"][1:])
    advice = "Chinese, Japanese, Korean text shows as boxes: install Noto Sans CJK (fonts-noto-cjk)"
    yield "ok" if fonts else "missing", "font, East Asia", fonts or advice
