"""Runs a submission's cells and calls its function: the only code of ours beside a submission.

It is a program of its own, in a process that has no posviz: inputs come as numbers and outputs go
back as numbers, and what is right is known to the other side alone. Messages are JSON behind their
length; nothing that is read makes an object but numbers, texts, lists, tuples and dicts.
"""

import ast
import base64
import json
import linecache
import os
import signal
import struct
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import numpy as np

LARGEST = 2**23  # bytes of a message
CELL = "<cell "
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
REFUSED = (  # by their names in Python's audit
    *("os.chmod", "os.chown", "os.exec", "os.fork", "os.kill", "os.link", "os.posix_spawn"),
    *("os.remove", "os.rename", "os.rmdir", "os.startfile", "os.symlink", "os.system"),
    *("os.truncate", "pty.spawn", "shutil.", "socket.", "subprocess."),
)


# ---------------------------------------------------------------- messages, on both sides


def send(stream, message):
    """Write a message; ValueError where it is too long."""
    text = json.dumps(message).encode()
    if len(text) > LARGEST:
        raise ValueError(f"that is {len(text) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} are allowed")
    stream.write(struct.pack(">I", len(text)) + text)
    stream.flush()


def receive(stream):
    """Read a message; EOFError where the other side has ended, ValueError for what is none."""
    head = stream.read(4)
    if len(head) < 4:
        raise EOFError
    (length,) = struct.unpack(">I", head)
    if length > LARGEST:
        raise ValueError("the message is too long")
    text = stream.read(length)
    if len(text) < length:
        raise EOFError
    return json.loads(text)


def packed(value, lend=None):
    """A value for JSON; `lend` makes a number of a function that the other side may call."""
    if value is None or isinstance(value, (bool, str)) or type(value) in (int, float):
        return value
    if value is ...:
        return {"ellipsis": True}
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
        value = np.asarray(value.float() if "bfloat16" in str(value.dtype) else value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        if value.nbytes > LARGEST:
            raise ValueError(f"an array of shape {value.shape} is too large")
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": data, "dtype": value.dtype.str, "shape": value.shape}
    if hasattr(value, "_asdict"):
        return {"fields": {name: packed(part, lend) for name, part in value._asdict().items()}}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [packed(part, lend) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[packed(key), packed(part, lend)] for key, part in value.items()]}
    if lend and callable(value):
        return {"function": lend(value)}
    return {"other": type(value).__name__}


def unpacked(value, function=None):
    """The value again; a function of the other side is what `function` makes of its number.

    Raises ValueError, TypeError or KeyError for what no value is packed as.
    """
    if not isinstance(value, dict):
        return value
    ((kind, content), *_) = value.items()
    if kind == "ellipsis":
        return ...
    if kind == "array":
        dtype = np.dtype(value["dtype"])
        if dtype.kind not in "biufc":
            raise ValueError("an array of numbers is expected")
        array = np.frombuffer(base64.b64decode(content), dtype).reshape(value["shape"])
        return array.copy()[()]
    if kind == "fields":
        return SimpleNamespace(**{name: unpacked(part) for name, part in content.items()})
    if kind == "dict":
        return {unpacked(key): unpacked(part, function) for key, part in content}
    if kind in ("list", "tuple"):
        parts = [unpacked(part, function) for part in content]
        return parts if kind == "list" else tuple(parts)
    if kind == "function" and function:
        return function(content)
    name = str(content) if kind == "other" else ""
    return type(name if name.isidentifier() else "object", (), {})()


# ---------------------------------------------------------------- beside a submission


class NotLent(Exception):
    """What belongs to posviz was used."""


class Own(ModuleType):
    """Stands for posviz, its modules and what they hold: to be named, but not to be used."""

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
        empty = name.partition(".")[0] in ("posviz", "otter")
        return ModuleSpec(name, Finder) if empty else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec):
        return Own(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def limit(seconds, memory):
    """Limit this process: its time on a core, its memory, its files."""
    import resource

    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_AS, 4 * memory),  # of which torch's own code takes up to a half
        (resource.RLIMIT_FSIZE, LARGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError):  # macOS does not know all of them
            resource.setrlimit(what, (most, most))


def guard(hidden):
    """Refuse what an answer has no need of: to write, to start, to send, to read what is hidden."""
    refused, writes = REFUSED, WRITES

    def hook(event, arguments):
        if event == "open":
            path, _, flags = arguments
            path = os.path.realpath(os.fsdecode(path)) if isinstance(path, (str, bytes)) else ""
            if (flags or 0) & writes or path.startswith(hidden):
                raise PermissionError(f"an answer may not open {path}")
        elif event.startswith(refused):
            raise PermissionError(f"an answer may not use {event}")

    sys.addaudithook(hook)


def run(cells, faults=None, begin=lambda number: None):
    """What the cells define, and (cell, error) where a statement stopped: it stops no other.

    faults: why cells ended the process before, by their number; they are left out.
    """
    names, failures, faults = {"__name__": "__main__"}, [], faults or {}

    for number, source in enumerate(cells):
        if number in faults:
            failures.append((source, f"Your cell stopped: {faults[number]}"))
            continue
        begin(number)
        file = f"{CELL}{number}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        try:
            for statement in ast.parse(source).body:
                try:
                    exec(compile(ast.Module([statement], []), file, "exec"), names)
                except Exception as error:
                    failures.append((source, f"Your cell stopped: {reason(error)}"))
        except SyntaxError as error:
            where = f"line {error.lineno}: {error.msg}"
            failures.append((source, f"Your cell has a syntax error in {where}"))
        except (ValueError, RecursionError) as error:
            failures.append((source, f"Your cell stopped: {reason(error)}"))
    return names, failures


def reason(error):
    """The text of an error; the name of its class, too, where it is one word: KeyError 'x'."""
    text = str(error)[:500]
    return text if " " in text else f"{type(error).__name__} {text}".strip()


def stopped(error):
    """An error of the submission's code: its type, its text, its line, what was still empty."""
    where, empty, trace = "", [], error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(CELL):
            line = linecache.getline(file, trace.tb_lineno).strip()
            where = f" on line {trace.tb_lineno}, `{line}`"
            empty = [name for name, value in trace.tb_frame.f_locals.items() if value is ...]
        trace = trace.tb_next
    return {"stopped": [type(error).__name__, str(error)[:500], where[:300], empty]}


def main():
    """Run the cells that come in, tell what the answer is, and call it as often as is asked."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    told = receive(requests)

    def lent(number):
        def function(*arguments, **keywords):
            given = [packed(value) for value in arguments]
            named = {name: packed(value) for name, value in keywords.items()}
            send(replies, {"call": number, "arguments": given, "keywords": named})
            reply = receive(requests)
            if "refused" in reply:
                kind, text = reply["refused"]
                raise type(kind, (Exception,), {})(text)
            return unpacked(reply["value"], lent)

        return function

    sys.meta_path.insert(0, Finder)
    import posviz

    for number, name in enumerate(told["lent"]):
        setattr(posviz, name, lent(number))
    limit(told["seconds"], told["memory"])
    guard(told["hidden"])

    def begin(number):
        send(replies, {"cell": number})
        signal.alarm(2 * told["seconds"])  # a cell that sleeps uses up no core

    names, failures = run(told["cells"], dict(told["faults"]), begin)
    signal.alarm(0)
    name = told["name"]
    answer = names.get(name, failures)
    if answer is failures:
        itself = f"Your cell stopped: name {name!r} is not defined"
        reasons = (error for cell, error in failures if name in cell and error != itself)
        send(replies, {"missing": next(reasons, "")})
    elif isinstance(answer, Own) or any(answer is vars(posviz)[n] for n in told["lent"]):
        send(replies, {"own": True})
    elif not callable(answer):
        send(replies, {"value": packed(answer)})
    else:
        send(replies, {"function": 0})
        while True:
            arguments = [unpacked(value, lent) for value in receive(requests)]
            try:
                send(replies, {"value": packed(answer(*arguments))})
            except Exception as error:
                send(replies, stopped(error))


if __name__ == "__main__":
    main()
