"""What browser.py needs in the kernel: a stopwatch."""

import time

from IPython import get_ipython

_times: list[float] = []


def start_stopwatch():
    """Time whatever the kernel does with each message that a widget sends it.

    That is all between the slider's message and the frame's last byte, in the same way for every
    contender. Not in it is what ipykernel does around each message, which is the same for all.
    """
    kernel = get_ipython().kernel
    handle = kernel.shell_handlers["comm_msg"]

    def timed(*arguments):
        began = time.perf_counter()
        try:
            return handle(*arguments)
        finally:
            _times.append(1e3 * (time.perf_counter() - began))

    kernel.shell_handlers["comm_msg"] = timed


def taken():
    """Milliseconds of each message since the last call."""
    times = _times[:]
    _times.clear()
    return times
