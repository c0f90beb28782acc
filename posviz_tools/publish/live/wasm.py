"""Cuts a WebAssembly module: functions that nothing calls keep their numbers, and no bodies."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

_IMPORTS, _EXPORTS, _ELEMENTS, _CODE, _DATA = 2, 7, 9, 10, 11  # sections; 0 is for debuggers
_STUB = b"\x03\x00\x00\x0b"  # a body of three bytes: no variables, `unreachable`, the end
_ADDRESS = b"\x41"  # i32.const
# Instructions up to the next that names a function or jumps by a table; N is a number, C a catch.
_INSTRUCTIONS = rb"""
    (?:[\x00\x01\x05\x0a\x0b\x0f\x1a\x1b\x45-\xc4\xd1] | [\x11\x28-\x3e]NN
    |[\x02-\x04\x06-\x09\x0c\x0d\x20-\x26\x3f-\x42\xd0]N | \x43.{4} | \x44.{8} | \x1c\x01.
    |\x1f.(?:\x00|\x01C|\x02CC)
    |\xfc(?:[\x00-\x07]|[\x08\x0a]NN|[\x09\x0b\x0f-\x11]N)
    |\xfd(?:[\x00-\x0b\x5c\x5d]NN|[\x0c\x0d].{16}|[\x15-\x22].|[\x54-\x5b]NN.
        |[\x0e-\x14\x23-\x53\x5e-\x7f]|[\x80-\xff]N))*+
    (?:[\x10\x12\xd2](N)|\x0e(N))?"""
_CATCH, _NUMBER = rb"(?:[\x00\x01]NN|[\x02\x03]N)", rb"[\x80-\xff]*+[\x00-\x7f]"
_STEP = re.compile(
    _INSTRUCTIONS.replace(b"C", _CATCH).replace(b"N", _NUMBER), re.VERBOSE | re.DOTALL
)


class _Reader:
    """Reads bytes from a place on."""

    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def number(self) -> int:
        """A LEB128 number."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def block(self) -> bytes:
        """Bytes after their number."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]

    def many(self, *fields: Callable[["_Reader"], object]) -> Iterator[list]:
        """The entries of a list, each of these fields."""
        for _ in range(self.number()):
            yield [field(self) for field in fields]

    def place(self) -> int:
        """An address, as the instruction that gives it."""
        assert self.data[self.at : self.at + 1] == _ADDRESS
        self.at += 1
        value = self.number()
        self.at += 1  # its end
        return value


def cut(module: bytes, called: Sequence[range], unread: Sequence[range]) -> bytes:
    """Return the module with what its exports call, and what those call.

    called: functions, by number, that are called by their addresses, too, where they have one.
    unread: addresses of data that only the others read.
    """
    sections = dict(_sections(module))
    number, block = _Reader.number, _Reader.block
    imported = len([*_Reader(sections[_IMPORTS]).many(block, block, number, number)])
    bodies = [body for [body] in _Reader(sections[_CODE]).many(block)]
    todo = [n for _, kind, n in _Reader(sections[_EXPORTS]).many(block, number, number) if not kind]
    for *_, functions in _Reader(sections[_ELEMENTS]).many(number, _Reader.place, _numbers):
        todo += [n for n in functions if any(n in each for each in called)]
    kept: set[int] = set()
    while todo:
        n = todo.pop()
        if n >= imported and n not in kept:
            kept.add(n)
            todo += _calls(bodies[n - imported])
    sized = (_sized(b) if n in kept else _STUB for n, b in enumerate(bodies, imported))
    sections[_CODE] = _as_number(len(bodies)) + b"".join(sized)
    sections[_DATA] = _blanked(sections[_DATA], unread)
    return module[:8] + b"".join(bytes([kind]) + _sized(data) for kind, data in sections.items())


def _sections(module) -> Iterator[tuple[int, bytes]]:
    """The sections by kind, without those that only debuggers read."""
    reader = _Reader(module, 8)
    while reader.at < len(module):
        kind, data = reader.number(), reader.block()
        if kind:
            yield kind, data


def _numbers(reader) -> list[int]:
    return [n for [n] in reader.many(_Reader.number)]


def _calls(body) -> Iterable[int]:
    """The functions that a body names."""
    reader = _Reader(body)
    list(reader.many(_Reader.number, _Reader.number))  # its variables
    while reader.at < len(body):
        step = _STEP.match(body, reader.at)
        if not step or step.end() == reader.at:
            raise ValueError(f"no instruction that we know: {body[reader.at]:#x}")
        reader.at = step.end()
        if step[1]:
            yield _Reader(step[1]).number()
        elif step[2]:
            for _ in range(_Reader(step[2]).number() + 1):
                reader.number()


def _blanked(data, unread) -> bytes:
    """A section of data with zeros at these addresses."""
    reader, made = _Reader(data), bytearray(data)
    for _ in range(reader.number()):
        is_placed = not reader.number()
        address = reader.place() if is_placed else 0
        size = len(reader.block())
        for each in unread if is_placed else ():
            first, last = max(each.start, address), min(each.stop, address + size)
            if first < last:
                start = reader.at - size - address
                made[start + first : start + last] = bytes(last - first)
    return bytes(made)


def _sized(data) -> bytes:
    return _as_number(len(data)) + data


def _as_number(n) -> bytes:
    """A number as LEB128."""
    made = bytearray()
    while n > 127:
        made.append(n & 127 | 128)
        n >>= 7
    return bytes([*made, n])
