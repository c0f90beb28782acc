"""Signals that end the program by an exception, so that nothing half-written stays."""

import os
import signal
import sys
import threading
from collections.abc import Callable

LATER = 0.01  # seconds: by then, the code that swallowed the exception has returned


def unwind_on(number: signal.Signals, leave: Callable[[], BaseException]):
    """Let a signal raise the exception that `leave` makes, wherever the program is.

    Python swallows an exception that is raised while an object is finalised, or in the callback of
    a weak reference (`sys.unraisablehook`); the signal is then sent once more, a moment later.
    """
    made = []

    def raise_it(*_):
        made.append(leave())
        raise made[-1]

    def again(swallowed):
        if any(swallowed.exc_value is one for one in made):
            threading.Timer(LATER, os.kill, (os.getpid(), number)).start()
        else:
            before(swallowed)

    before, sys.unraisablehook = sys.unraisablehook, again
    signal.signal(number, raise_it)
