"""Signals that end the program by an exception, so that nothing half-written stays."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

LATER = 0.01  # seconds: by then, the code that swallowed the exception has returned


def unwind_on(number: signal.Signals, leave: Callable[[], BaseException]):
    """Let a signal raise the exception that `leave` makes, wherever the program is.

    Python swallows an exception that is raised while an object is finalised, or in the callback of
    a weak reference (`sys.unraisablehook`); the signal is then sent once more, a moment later. On a
    busy machine that moment is over before the hook is, where an exception would be lost for good.
    """
    made = []

    def raise_it(_, frame):
        if _is_within(frame, again):
            send_later()
        else:
            made.append(leave())
            raise made[-1]

    def again(swallowed):
        if any(swallowed.exc_value is one for one in made):
            send_later()
        else:
            before(swallowed)

    def send_later():
        threading.Timer(LATER, os.kill, (os.getpid(), number)).start()

    before, sys.unraisablehook = sys.unraisablehook, again
    signal.signal(number, raise_it)


def _is_within(frame: FrameType | None, function: Callable) -> bool:
    """Return whether this frame is of the function or of what it calls."""
    while frame and frame.f_code is not function.__code__:
        frame = frame.f_back
    return frame is not None
