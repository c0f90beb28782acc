"""A submission in a process of its own: its function is called as if it were here.

With bubblewrap (Linux) that process has no network, sees no other process, may write nothing, and
finds of the disk only Python, its packages and what these need. Without it, Python itself refuses
what an answer has no need of, which keeps mishaps from harm but not somebody who means it.
"""

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

import posviz
import posviz_course
import posviz_tools
from posviz_tools.classroom import inside

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

SECONDS = 10  # for each statement and each call; on a core 3 times that for an exercise
PATIENCE = 6  # times that by the clock
MEMORY = 2**30  # bytes
PACKAGES = [p.__path__[0] for p in (posviz, posviz_course, posviz_tools)]
INSIDE = Path(inside.__file__)
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
_ENDED = {9, 24}  # by the limits: SIGKILL and SIGXCPU, which Windows does not know


@functools.cache
def jail() -> tuple[str, ...]:
    """Return the command that starts a sandboxed process; empty where this system has none.

    Our packages hold the answers, so all but the running files are hidden.
    """
    program = shutil.which("bwrap")
    python = {sys.prefix, sys.base_prefix, sysconfig.get_path("purelib")}
    python.add(sysconfig.get_path("platlib"))
    words = [program or "", "--unshare-all", "--die-with-parent", "--new-session"]
    for folder in (*SYSTEM, *sorted(python)):
        words += ["--ro-bind-try", folder, folder]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for folder in PACKAGES:
        words += ["--tmpfs", folder]
    for file in (INSIDE, inside.TRACE):
        words += ["--ro-bind", str(file), str(file)]
    for folder in ("/dev", *PACKAGES, "/"):
        words += ["--remount-ro", folder]
    words += ["--chdir", "/", "--"]
    if program is None or subprocess.run([*words, "true"], capture_output=True).returncode:
        return ()
    return tuple(words)


def protection() -> str:
    """What keeps submissions from harm here, in a line."""
    if jail():
        return "Each submission runs without network, with a disk that it can only read."
    return (
        "bubblewrap (bwrap) is not here or does not work: submissions run with limits of time and "
        "memory, but nothing keeps one that means harm from files and network."
    )


class _Stopped(Exception):
    """An error of the submission's code; `failed_at` has its line for the checker."""

    failed_at: tuple[str, list[str]] = ("", [])
    sentence = ""  # the whole message, where the error is not Python's


def _named(kind, text) -> _Stopped:
    """Return an error named like one of the other process, with a text of ours."""
    made = type(kind if str(kind).isidentifier() else "Exception", (_Stopped,), {})(str(text))
    made.sentence = f"{text[:1].upper()}{text[1:]}."
    return made


@contextlib.contextmanager
def answer(cells: list[str], name: str, lent: dict[str, Callable[..., Any]]) -> Iterator[Any]:
    """What a submission's cells call by this name, for a checker: a function or a value.

    lent: what it may use of posviz, by name. It is called here, as are functions among the inputs.
    Where the code stopped, or where there is nothing of that name, it is a function that raises.
    """
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*jail(), sys.executable, "-I", "-B", str(INSIDE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment | {"HOME": folder},
            start_new_session=True,
        )
        late = Timer(PATIENCE * SECONDS, _kill, [process])
        late.start()
        try:
            yield _Conversation(process, lent).begin(cells, name)
        finally:
            late.cancel()
            _kill(process)
            with contextlib.suppress(OSError):
                process.communicate()


def _kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class _Conversation:
    """The messages between the two processes, until one of them ends."""

    def __init__(self, process, lent):
        self.process = process
        self.functions = list(lent.values())
        self.names = list(lent)
        self.ended: Exception | None = None

    def begin(self, cells, name):
        """Run the cells, and return what has this name."""
        request = {"cells": cells, "name": name, "lent": self.names, "hidden": PACKAGES}
        reply = self._asked(request | {"seconds": SECONDS, "memory": MEMORY})
        if "value" in reply:
            return reply["value"]
        missing = reply.get("missing")
        if str(missing).endswith(": NotImplementedError"):
            return ...  # which graders put in the place of an answer

        def answer(*case):
            if missing is not None:
                raise _named("NameError", missing or f"there is no {name} in this notebook")
            reply = self._asked(case)
            for array, after in zip(case, reply.get("given", ()), strict=False):
                if isinstance(array, np.ndarray) and np.shape(after) == array.shape:
                    array[...] = after  # it may have been written into
            return reply["value"]

        answer.__module__ = "posviz." if "own" in reply else "submission"
        return answer

    def _asked(self, message):
        """The reply to a message, after all calls that the submission makes in between."""
        if self.ended:
            raise self.ended
        try:
            inside.send(self.process.stdin, message, self._lend)
            while "call" in (reply := inside.receive(self.process.stdout)):
                self._call(reply)
            if "stopped" in reply:
                raise self._stopped(*reply["stopped"])
            if not reply.keys() & {"value", "missing", "own", "function"}:
                raise ValueError("no reply")
        except (EOFError, OSError):
            self.ended = self._end()
        except _UNREADABLE:
            self.ended = _named("ValueError", "what it returned cannot be read")
        else:
            return reply
        raise self.ended

    def _stopped(self, kind, text, line, empty) -> Exception:
        if kind == "NotImplementedError":
            return NotImplementedError()
        made = _named(kind, str(text))
        made.sentence = f"{text}." if kind == inside.NotLent.__name__ else ""
        made.failed_at = str(line), [str(name) for name in empty]
        if kind == "TimeoutError":
            self.ended = made  # the next call would take as long
        return made

    def _end(self):
        """Why the process has ended, as an error."""
        status = self.process.wait()
        if -status in _ENDED or status - 128 in _ENDED:
            return _named("TimeoutError", "perhaps an endless loop: it took too long")
        return _named("SystemExit", "it ended the process")

    def _call(self, call):
        """Answer a call of a function that is lent, or among the inputs."""
        try:
            value = self.functions[call["call"]](*call["arguments"], **call["keywords"])
            inside.send(self.process.stdin, {"value": value})
        except Exception as error:  # the caller gets the error
            inside.send(self.process.stdin, {"refused": [type(error).__name__, str(error)]})

    def _lend(self, function) -> int:
        self.functions.append(function)
        return len(self.functions) - 1
