"""Runs a submission's cells and calls its function: the only code of ours beside a submission.

It is a program of its own, in a process that has no posviz: inputs come as numbers and outputs go
back as numbers, and what is right is known to the other side alone. A message is a line of JSON;
nothing that is read makes an object but numbers, texts, lists, dicts and arrays of numbers.
"""

import ast
import base64
import json
import linecache
import os
import re
import runpy
import signal
import sys
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np

LARGEST = 2**23  # bytes of a message
TRACE = Path(__file__).parents[2] / "posviz" / "teaching" / "trace.py"
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
REFUSED = (  # by their names in Python's audit
    *("os.chmod", "os.chown", "os.exec", "os.fork", "os.kill", "os.link", "os.posix_spawn"),
    *("os.remove", "os.rename", "os.rmdir", "os.startfile", "os.symlink", "os.system"),
    *("os.truncate", "pty.spawn", "shutil.", "socket.", "subprocess."),
)


# ---------------------------------------------------------------- messages, on both sides


def send(stream, message, lend=None):
    """Write a message; `lend` numbers a function that the other side may call.

    Raises ValueError where it is too long.
    """
    text = json.dumps(message, default=lambda value: _packed(value, lend)).encode()
    if len(text) > LARGEST:
        raise ValueError(f"that is {len(text) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} are allowed")
    stream.write(text + b"\n")
    stream.flush()


def receive(stream, function=None):
    """Read a message; `function` returns a function that calls the other side's, by its number.

    Raises EOFError where the other side has ended, ValueError or TypeError for what is no message.
    """
    line = stream.readline(LARGEST + 1)
    if not line.endswith(b"\n"):
        if len(line) > LARGEST:
            raise ValueError("the message is too long")
        raise EOFError
    return json.loads(line, object_hook=lambda decoded: _unpacked(decoded, function))


def _packed(value, lend):
    """Encode what JSON lacks: arrays, tensors, functions; of other objects the type's name."""
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
        value = np.asarray(value.float() if "bfloat16" in str(value.dtype) else value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        if value.nbytes > LARGEST:
            raise ValueError(f"an array of shape {value.shape} is too large")
        data = base64.b64encode(value.tobytes()).decode()
        return {"array": data, "dtype": value.dtype.str, "shape": value.shape}
    if lend and callable(value):
        return {"function": lend(value)}
    return {"other": type(value).__name__}


def _unpacked(decoded, function):
    if "array" in decoded:
        dtype = np.dtype(decoded["dtype"])
        if dtype.kind not in "biufc":
            raise ValueError("an array of numbers is expected")
        array = np.frombuffer(base64.b64decode(decoded["array"]), dtype).reshape(decoded["shape"])
        return array.copy()[()]
    if "other" in decoded:
        name = str(decoded["other"])
        made = type(name if name.isidentifier() else "object", (), {})()
        return ... if name == "ellipsis" else made
    return function(decoded["function"]) if function and "function" in decoded else decoded


# ---------------------------------------------------------------- beside a submission


class NotLent(Exception):
    """An answer has called a function of posviz."""


class Own(ModuleType):
    """A stand-in for posviz, its modules and their names: imports work, calls raise NotLent."""

    __path__ = ()  # type: ignore[assignment]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Own(f"{self.__name__}.{name}")

    def __call__(self, *_, **__):
        name = self.__name__.rpartition(".")[2]
        raise NotLent(f"posviz's own {name} is used here; write yours")


class Finder:
    """Finds every module of posviz, and of otter, which its notebooks name; all are empty."""

    @staticmethod
    def find_spec(name, *_):
        empty = name.partition(".")[0] in ("posviz", "posviz_course", "posviz_tools", "otter")
        return ModuleSpec(name, Finder) if empty else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec):
        return Own(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def limit(memory, seconds):
    """Limit this process: its memory, its time on a core, its files."""
    import resource

    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_AS, 4 * memory),  # of which torch's own code takes up to a half
        (resource.RLIMIT_FSIZE, LARGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError):  # macOS does not know all of them; one below it stays
            resource.setrlimit(what, (most, most))


def guard(hidden):
    """Refuse what no answer needs: writing, starting a process, sending, reading hidden files."""
    refused, writes = REFUSED, WRITES
    folders = tuple(f"{folder}{os.sep}" for folder in hidden)

    def hook(event, arguments):
        if event == "open":
            path, _, flags = arguments
            path = os.path.realpath(os.fsdecode(path)) if isinstance(path, (str, bytes)) else ""
            if (flags or 0) & writes or f"{path}{os.sep}".startswith(folders):
                raise PermissionError(f"an answer may not open {path}")
        elif event.startswith(refused):
            raise PermissionError(f"an answer may not use {event}")

    sys.addaudithook(hook)


@contextmanager
def in_time(seconds):
    """Raise TimeoutError in what takes longer, and again where somebody has caught it."""

    def late(*_):
        raise TimeoutError(f"perhaps an endless loop: it took more than {seconds} seconds")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run(cells, seconds):
    """Return what the cells define, and (cell, error) of each statement that failed."""
    names, failures = {"__name__": "__main__"}, []
    for number, source in enumerate(cells):
        file, statements = f"<cell {number}>", []
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        try:
            statements = ast.parse(source).body
        except SyntaxError as error:
            where = f"line {error.lineno}: {error.msg}"
            failures.append((source, f"Your cell has a syntax error in {where}"))
        except (ValueError, RecursionError) as error:
            failures.append((source, f"Your cell stopped: {reason(error)}"))
        for statement in statements:
            try:
                with in_time(seconds):
                    exec(compile(ast.Module([statement], []), file, "exec"), names)
            except BaseException as error:  # sys.exit(), too
                failures.append((source, f"Your cell stopped: {reason(error)}"))
    return names, failures


def reason(error):
    """The text of an error; the name of its class, too, where it is one word: KeyError 'x'."""
    text = str(error)[:500]
    return text if " " in text else f"{type(error).__name__} {text}".strip()


def is_about(name, cell, error):
    """Return whether a cell's error explains a missing name; an unrelated checker call does not."""
    used = rf"^\s*{name}\b.*=" if " posviz's own " in error else rf"\b{name}\b"
    return re.search(used, cell, re.MULTILINE) is not None


def main():
    """Run the received cells, send what the answer is, and call it at each request."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    failing_line = runpy.run_path(str(TRACE))["failing_line"]
    request = receive(requests)

    def lent(number):
        def function(*arguments, **keywords):
            send(replies, {"call": number, "arguments": arguments, "keywords": keywords})
            reply = receive(requests, lent)
            if "refused" in reply:
                kind, text = reply["refused"]
                raise type(kind, (Exception,), {})(text)
            return reply["value"]

        return function

    sys.meta_path.insert(0, Finder)
    import posviz

    for number, name in enumerate(request["lent"]):
        setattr(posviz, name, lent(number))
    limit(request["memory"], 3 * request["seconds"])
    guard(request["hidden"])
    names, failures = run(request["cells"], request["seconds"])
    name = request["name"]
    answer = names.get(name, failures)
    if answer is failures:
        itself = f"Your cell stopped: name {name!r} is not defined"
        reasons = (e for cell, e in failures if e != itself and is_about(name, cell, e))
        send(replies, {"missing": next(reasons, "")})
    elif isinstance(answer, Own) or any(answer is vars(posviz)[n] for n in request["lent"]):
        send(replies, {"own": True})
    elif not callable(answer):
        send(replies, {"value": answer})
    else:
        send(replies, {"function": 0})
        while True:
            arguments = receive(requests, lent)
            try:
                with in_time(request["seconds"]):
                    value = answer(*arguments)
                send(replies, {"value": value, "given": arguments})
            except BaseException as error:
                where, empty = failing_line(answer, error)
                stop = [type(error).__name__, str(error)[:500], where[:300], empty]
                send(replies, {"stopped": stop})


if __name__ == "__main__":
    main()
