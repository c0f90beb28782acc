"""Explorers by their id: what Python does in a page's web worker, a call for each message."""

import random
from functools import partial

import numpy as np

import posviz
import posviz_course
from posviz.pictures.explorer import Explorer
from posviz.pictures.knobs import Device
from posviz.pictures.stream.fonts import hold_fonts_in_memory
from posviz_course.lessons import load
from posviz_tools.publish.live import tell

posviz.register(posviz_course.names())  # nothing is installed here
hold_fonts_in_memory()
_explorers: dict[str, Explorer] = {}


def open_explorer(id: str, name: str, made: dict, values: dict, style: str) -> None:
    """Make the explorer of a picture by its class's name, and send the page what it shows.

    values: where its reader has left it; Reset goes back to those it was made with.
    """
    explorer = Explorer(load(name)(**values), partial(tell, id), style)
    explorer.start = load(name)(**made).values()
    _explorers[id] = explorer
    shown, controls = explorer.shown, explorer.controls.values()
    here = [each.shown for each in controls if not isinstance(each.knob, Device)]  # NumPy alone
    tell(id, {"shown": shown | {"controls": here}})


def hear(id: str, message: dict) -> None:
    """Hand a view's message to its explorer, and send the page the knobs' values."""
    explorer = _explorers[id]
    before = explorer.picture.values()
    explorer.receive(message)
    if (values := explorer.picture.values()) != before:
        tell(id, {"values": values})


def close(id: str) -> None:
    """Release the explorer of a picture that is no longer on the page."""
    _explorers.pop(id).close()


def forget() -> None:
    """Forget another visit, whose memory this one begins with: its explorers and random numbers."""
    _explorers.clear()
    random.seed()
    np.random.seed()  # noqa: NPY002 -- what old code of a reader draws from
