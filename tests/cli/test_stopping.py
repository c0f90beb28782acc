"""A signal unwinds the program even where Python swallows exceptions."""

import subprocess
import sys

import pytest

NO_MATTER_WHERE = """
import os, signal, sys, threading, time, weakref
from posviz.cli.stopping import unwind_on

class Something:
    pass

class SignalledAtItsEnd:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)  # where the exception comes

def signalled(_):
    SignalledAtItsEnd.__del__(None)

def start_slowly(timer, start=threading.Timer.start):
    threading.Timer.start = start
    timer.start()
    time.sleep(0.1)

unwind_on(signal.SIGTERM, lambda: SystemExit(7))
try:
    thing = Something()
    {happens}
    time.sleep(20)
finally:
    print("cleaned up")
"""
PLACES = {
    "plain code": "SignalledAtItsEnd.__del__(None)",
    "a finaliser": "SignalledAtItsEnd()",
    "a finaliser, on a busy machine": "threading.Timer.start = start_slowly; SignalledAtItsEnd()",
    "a weak reference's callback": "reference = weakref.ref(thing, signalled); del thing",
}


def python(text):
    """Run the text in a process of its own."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)


@pytest.mark.slow("a process")
@pytest.mark.parametrize("happens", PLACES.values(), ids=PLACES)
def test_the_program_cleans_up_and_ends_without_a_traceback(happens):
    done = python(NO_MATTER_WHERE.format(happens=happens))
    assert (done.returncode, done.stdout, done.stderr) == (7, "cleaned up\n", "")
