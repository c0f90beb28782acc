"""Files made to hurt whoever reads a table from them.

Each of FAMILIES yields cases: a name, and a function that writes into an empty folder and returns
what load_table is to be called with. What is large is made only then.
"""

import json
import os
import random
import socket
from functools import partial
from pathlib import Path

DATA = bytes(range(64))  # of table, float32 [2, 4], then of other, float32 [4, 2]
DEEP, MANY = 200_000, 300_000
OTHER = {"dtype": "F32", "shape": [4, 2], "data_offsets": [32, 64]}
TABLE = {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}
EMPTY = {"dtype": "F32", "shape": [0, 4], "data_offsets": [0, 0]}
HEADER = {"table": TABLE, "other": OTHER}
NAMES = {  # what a name can hold
    "empty": "",
    "lone surrogate": "\ud800",
    "two lone surrogates": "\udcff" * 2,
    "NUL": "a\0b",
    "lines": "a\nb\r\nc",
    "separators": "a\u2028b\x85c",
    "escape codes": "\x1b[2J\x1b[31mred",
    "right to left": "\u202egpj.exe",
    "emoji": "🦕" * 100,
    "markup": "<script>alert(1)</script>",
    "6 MB": "n" * 6_000_000,
    "6 MB of quotes": "'\"" * 3_000_000,
    "6 MB of lines": "\n" * 6_000_000,
    "6 MB of surrogates": "\ud800" * 1_000_000,
    "metadata": "__metadata__",
}


def packed(header, data=DATA, length=None) -> bytes:
    """A file of the format: the header's length, the header (bytes as they are), the data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


GOOD = packed(HEADER)
TEXT = json.dumps(HEADER).encode()


# ---------------------------------------------------------------- one file


def cut_short():
    """The good file, ending early or late."""
    ends = {*range(10), *range(10, len(GOOD), 17), *range(len(GOOD) - 64, len(GOOD), 8)}
    for end in sorted(ends | {len(TEXT) + 7, len(TEXT) + 8, len(TEXT) + 9, len(GOOD) - 1}):
        yield f"cut at {end}", GOOD[:end]
    for more in (1, 8, 4096):
        yield f"{more} bytes more", GOOD + bytes(more)


def lengths():
    """What the first eight bytes can claim."""
    near = [len(TEXT) + change for change in (-100, -8, -1, 1, 8, 63, 64, 65)]
    powers = [2**power + change for power in (16, 24, 27, 31, 32, 40, 53, 63) for change in (-1, 0)]
    for length in [0, 1, 2, *near, 100_000_000, 100_000_001, *powers, 2**64 - 1, 2**64 - 8]:
        yield f"length {length}", packed(TEXT, length=length)


def headers():
    """Headers that are no JSON, or JSON of something else."""
    texts = {
        "empty": "",
        "spaces": " " * 100,
        "a bracket": "{",
        "no object": "[]",
        "null": "null",
        "true": "true",
        "a number": "17",
        "a text": '"table"',
        "not a number": "NaN",
        "an empty object": "{}",
        "two objects": "{}{}",
        "a comma too many": TEXT.decode().replace("]", ",]"),
        "a comma at the end": TEXT.decode()[:-1] + ",}",
        "a comment": TEXT.decode() + "// fine",
        "single quotes": TEXT.decode().replace('"', "'"),
        "a list of pairs": json.dumps(list(HEADER.items())),
        "a key that is no text": TEXT.decode().replace('"table"', "1"),
        "4,301 digits": TEXT.decode().replace("32", "9" * 4301),
        "a million digits": TEXT.decode().replace("32", "9" * 1_000_000),
        "a huge exponent": TEXT.decode().replace("32", "1e999999"),
        "infinity": TEXT.decode().replace("32", "Infinity"),
        "minus zero": TEXT.decode().replace("[0,", "[-0.0,"),
        "an escape cut short": TEXT.decode().replace("table", "\\u12"),
        "the table twice": TEXT.decode()[:-1] + "," + TEXT.decode()[1:],
        "a key twice": TEXT.decode().replace('"shape": [2, 4]', '"shape": [1, 8], "shape": [2, 4]'),
        "lists in lists": "[" * DEEP,
        "objects in objects": '{"a":' * DEEP,
        "lists in a shape": TEXT.decode().replace("[2, 4]", "[" * DEEP + "]" * DEEP),
        "lists in the metadata": '{"__metadata__": {"a": ' + "[" * DEEP + "]" * DEEP + "}}",
    }
    for name, text in texts.items():
        yield f"header: {name}", packed(text.encode())
    for value in (b"[],", b"{},", b"1.5,", b'"a",'):
        yield f"header: many {value}", lambda v=value: packed(b'{"table": [' + v * 3_000_000)
    for letter, count in (("x", 30_000_000), ("🦕", 3_000_000), ("\\u0061", 4_000_000)):
        yield (
            f"header: a text of many {letter}",
            lambda x=letter, n=count: packed(f'{{"table": "{x * n}"}}'.encode()),
        )
    for size in (10_000_000, 99_000_000):
        yield f"header: {size} spaces", lambda n=size: packed(TEXT + b" " * n)
    for code in ("utf-16", "utf-32", "utf-8-sig", "utf-7"):
        yield f"header in {code}", packed(TEXT.decode().encode(code))
    for name, bad in {"latin": b"\xe9", "surrogate": b"\xed\xa0\x80", "NUL": b"\0"}.items():
        yield f"header with a raw {name}", packed(TEXT.replace(b"table", bad))


def changed(**fields):
    """The good header with other fields of the table, as a file."""
    return packed({**HEADER, "table": {**TABLE, **fields}})


def entries():
    """What a tensor's entry can be instead, or lack, or hold."""
    for entry in (None, True, 1, 1.5, "F32", [], {}, [TABLE], {"table": TABLE}, [[]] * 1000):
        yield f"entry {str(entry)[:20]}", packed({**HEADER, "table": entry})
    for field in TABLE:
        left = {key: value for key, value in TABLE.items() if key != field}
        yield f"no {field}", packed({**HEADER, "table": left})
        for wrong in (None, True, -1, 1.5, "", "F32", {}, [[]], [None, None], ["2", "4"]):
            yield f"{field} {wrong}", changed(**{field: wrong})


def dtypes():
    """Kinds of numbers that do not exist, or are not for a table."""
    known = ("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "I16", "U16", "I32", "U32", "I64", "U64")
    unknown = ("C64", "F4", "F33", "f32", "F32 ", "F32\0", "float32", "O", "V4", "\ud800")
    for dtype in (*known, *unknown):
        yield f"dtype {dtype!a}", changed(dtype=dtype)
    for dtype in ("F64", "F16", "BF16"):
        yield f"dtype {dtype} of another size", changed(dtype=dtype)
    yield "dtype of 6 MB", lambda: changed(dtype="F" * 6_000_000)


def shapes():
    """Shapes of no table, or of one that is not there."""
    big = (2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, 10**400, 10**4200)
    few = ([], [8], [1, 2, 4], [2, 3], [3, 4], [0, 4], [0, 0], [-2, -4], [2.0, 4.0], [2, True])
    for shape in few:
        yield f"shape {shape}", changed(shape=shape)
    for rows in big:
        named = f"{rows % 10} of {rows.bit_length()} bits"
        yield f"rows: {named}", changed(shape=[rows, 4])
        yield f"rows without columns: {named}", changed(shape=[rows, 0])
    for count in (65, 1000, 1_000_000):
        yield f"shape of {count} axes", lambda n=count: changed(shape=[*[1] * n, 2, 4])
    # 2^32 · 2^32 · 4 bytes wrap around to 0 in 64 bits
    yield "shape that wraps around", changed(shape=[2**32, 2**32], data_offsets=[0, 0])


def offsets():
    """Places of the data that are not those of the table."""
    far = (65, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**400)
    pairs = [[], [0], [0, 16, 32], [32, 0], [32, 32], [-32, 0], [0, -1], [0, 31], [0, 33], [1, 33]]
    for pair in [*pairs, [32, 64], [16, 48], [0, 64], [0.0, 32.0], [False, 32], ["0", "32"]]:
        yield f"offsets {pair}", changed(data_offsets=pair)
    for end in far:
        named = f"{end % 10**6} of {end.bit_length()} bits"
        yield f"offsets to {named}", changed(data_offsets=[0, end])
        yield f"offsets from {named}", changed(data_offsets=[end, end + 32])
    hole = {**HEADER, "other": {**OTHER, "data_offsets": [40, 72]}}
    yield "a hole between tensors", packed(hole, DATA + bytes(8))
    huge = {"table": {"dtype": "F32", "shape": [2**17, 2**17], "data_offsets": [0, 2**36]}}
    yield "a table of 64 GiB that is not there", packed(huge)


def values():
    """Numbers that are none, in every kind that can hold them, at the start and at the end."""
    for dtype, bits in {"F64": 64, "F32": 32, "F16": 16, "BF16": 16}.items():
        mantissa = {"F64": 52, "F32": 23, "F16": 10, "BF16": 7}[dtype]
        exponent = ((1 << bits - 1 - mantissa) - 1) << mantissa
        for name, pattern in {"inf": exponent, "nan": exponent | 1}.items():
            for place in (0, 7):
                data = [bytes(bits // 8)] * 8
                data[place] = pattern.to_bytes(bits // 8, "little")
                entry = {"dtype": dtype, "shape": [2, 4], "data_offsets": [0, bits]}
                yield f"{name} in {dtype} at {place}", packed({"table": entry}, b"".join(data))


def kinds():
    """Files of another kind by the right name."""
    starts = {
        "pickle": b"\x80\x04cbuiltins\nexit\n.",
        "zip": b"PK\x03\x04",
        "gzip": b"\x1f\x8b\x08",
        "npy": b"\x93NUMPY\x01\x00v\x00",
        "gguf": b"GGUF\x03\x00\x00\x00",
        "program": b"\x7fELF\x02\x01\x01\0",
        "page": b"<!doctype html>",
        "pointer": b"version https://git-lfs",
        "zeros": bytes(8),
        "ones": b"\xff" * 8,
    }
    for name, start in starts.items():
        yield f"a {name}", start + bytes(100)


def flipped():
    """The good file with a few bytes of its length or header changed at random."""
    for seed in range(60):
        rng, content = random.Random(seed), bytearray(GOOD)
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(rng.choice((8, len(TEXT) + 8)))] = rng.randrange(256)
        yield f"flipped {seed}", bytes(content)


def named():
    """Names that are hard to print or to compare; yields the name that is asked for, too."""
    for name, text in NAMES.items():
        unfit = {**TABLE, "shape": [8]}
        yield f"name: {name}", lambda t=text: packed({t: TABLE, "other": OTHER}), "no such name"
        yield f"asked for: {name}", GOOD, text
        yield f"unfit: {name}", lambda t=text, u=unfit: packed({t: u}, DATA[:32]), text
    for name, value in {
        "a number": 1,
        "a list": [],
        "numbers": {"a": 1},
        "6 MB": {"a": "b" * 6_000_000},
    }.items():
        large = {"__metadata__": value, **HEADER}
        yield f"metadata: {name}", lambda x=large: packed(x), "no such name"
    for count in (1000, 30_000, MANY):
        yield f"a typo among {count} names", lambda n=count: many(n), "model.layers.7.wieght"
        yield f"none of {count} names", lambda n=count: many(n), None
    for count, length in ((3000, 200), (1000, 6000), (300, 30_000)):
        similar = {f"{i}{'ab' * (length // 2)}": EMPTY for i in range(count)}
        yield f"names of {length}", lambda x=similar: packed(x, b""), "ba" * (length // 2)
        yield (
            f"names of {length}, 6 MB asked for",
            lambda x=similar: packed(x, b""),
            "ba" * 3_000_000,
        )


def many(count=MANY):
    """A file of very many tensors [1, 1] with long and similar names."""
    place = '"model.layers.{0}.weight":{{"dtype":"F32","shape":[1,1],"data_offsets":[{1},{2}]}}'
    inside = ",".join(place.format(i, 4 * i, 4 * i + 4) for i in range(count))
    return packed(f"{{{inside}}}".encode(), bytes(4 * count))


# ---------------------------------------------------------------- an index of shards


def indices():
    """What can lie in an index, as text; the shard beside it is good."""
    good = {"table": "shard.safetensors"}
    for value in (None, True, 1, 1.5, "x", [], [1], {}, [[]], {"a": 1}):
        yield f"index: {value}", json.dumps(value)
        yield f"weight_map: {value}", json.dumps({"weight_map": value})
        if value != "x":
            yield f"shard: {value}", json.dumps({"weight_map": {"table": value}})
    ways = {
        "here": ".",
        "above": "..",
        "root": "/",
        "outside": "../../etc/passwd",
        "absolute": "/etc/passwd",
        "the index": "model.safetensors.index.json",
        "a folder": "folder",
        "a pipe": "pipe",
        "a device": "/dev/zero",
        "missing": "none.safetensors",
        "another kind": "x.bin",
        "a backslash": "..\\..\\x",
        "a drive": "C:x",
        "home": "~",
        "long": "a" * 300,
        "deep": "a/" * 3000,
        "an address": "https://127.0.0.1/x.safetensors",
        **NAMES,
    }
    for name, way in ways.items():
        yield f"shard: {name}", lambda w=way: json.dumps({"weight_map": {"table": w}})
        yield f"index of a name: {name}", lambda w=way: json.dumps({"weight_map": {w: "s"}})
    yield "index: a table that the shard lacks", json.dumps({"weight_map": {"table": "empty"}})
    for name, text in {
        "empty": "",
        "cut short": json.dumps({"weight_map": good})[:-5],
        "lists in lists": "[" * DEEP,
        "objects in objects": '{"a":' * DEEP,
        "closed lists": '{"weight_map": ' + "[" * DEEP + "]" * DEEP + "}",
        "a deep shard": '{"weight_map": {"table": ' + "[" * DEEP + "]" * DEEP + "}}",
        "a deep list of nothing": '{"x": ' + "[" * DEEP + "]" * DEEP + ', "weight_map": {}}',
        "a million digits": '{"weight_map": ' + "9" * 1_000_000 + "}",
        "not a number": '{"weight_map": NaN}',
    }.items():
        yield f"index: {name}", text
    yield "index: 20 MB of spaces", lambda: " " * 20_000_000
    for value in ("[],", "{},", "1.5,", '"a",', '["a","b"],'):
        yield f"index: many {value}", lambda v=value: f'{{"weight_map": [{v * 3_000_000}[]]}}'
    for count in (30_000, MANY):
        yield (
            f"index: {count} names",
            lambda n=count: json.dumps(
                {"weight_map": {f"model.layers.{i}.weight": "s" for i in range(n)}}
            ),
        )


# ---------------------------------------------------------------- things that are no files


def hole(path: Path, start: bytes, size: int) -> Path:
    """A file of ``size`` bytes that takes no disk."""
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def linked(path: Path, target) -> Path:
    path.symlink_to(target)
    return path


def made(path: Path, make, *arguments) -> Path:
    make(path, *arguments)
    return path


def bound(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    return path


def things():
    """What can lie where a file is looked for."""
    model, index = "model.safetensors", "model.safetensors.index.json"
    makers = {
        "folder": lambda path: made(path, os.mkdir),
        "pipe": lambda path: made(path, os.mkfifo),
        "loop": lambda path: linked(path, path),
        "link to nothing": lambda path: linked(path, "nothing"),
        "link to zeros": lambda path: linked(path, "/dev/zero"),
        "link to the terminal": lambda path: linked(path, "/dev/tty"),
        "link to memory": lambda path: linked(path, "/proc/self/mem"),
        "link to the kernel": lambda path: linked(path, "/proc/kmsg"),
        "link to maps": lambda path: linked(path, "/proc/self/maps"),
        "link to all": lambda path: linked(path, "/"),
        "300 MB": lambda path: hole(path, b"{", 300_000_000),
        "8 TiB": lambda path: hole(path, b"\xff" * 6, 2**43),
    }
    for name, maker in makers.items():
        for file in (model, index):
            yield f"{name} as {file}", lambda folder, m=maker, f=file: (m(folder / f).parent, "a")
        yield f"{name} as a source", lambda folder, m=maker: (m(folder / model), "a")
    yield "a socket", lambda folder: (bound(folder / "s"), "a")
    yield "an empty folder", lambda folder: (folder, "a")
    for name, source in {
        "zeros": "/dev/zero",
        "noise": "/dev/urandom",
        "NUL": "a\0b.safetensors",
        "surrogate": "\ud800.safetensors",
        "undecodable": "\udcff.safetensors",
        "long": "a" * 5000 + ".safetensors",
        "6 MB": "a" * 6_000_000 + ".safetensors",
        "6 MB of folders": "a/" * 3_000_000 + ".safetensors",
        "lines": "a\nb.safetensors",
        "escape codes": "\x1b[2J.safetensors",
        "home of nobody": "~nobody\x1b/x.safetensors",
        "home of NUL": "~a\0b/x.safetensors",
        "home of a surrogate": "~\ud800/x.safetensors",
        "home of 6 MB": "~" + "a" * 6_000_000 + "/x.safetensors",
    }.items():
        yield f"source: {name}", lambda folder, s=source: (s, "a")
        yield f"source, a path: {name}", lambda folder, s=source: (Path(s), "a")


# ---------------------------------------------------------------- all of them


def of_a_file(family):
    """The cases of a family that yields what one file holds, and perhaps the name asked for."""
    for name, content, *asked in family():

        def write(folder, content=content, tensor=asked[0] if asked else "table"):
            (folder / "model.safetensors").write_bytes(content() if callable(content) else content)
            return folder, tensor

        yield name, write


def of_an_index():
    """The cases of an index, beside a good shard and things that are no shards."""
    for name, text in indices():

        def write(folder, text=text):
            made = text() if callable(text) else text
            index = folder / "model.safetensors.index.json"
            index.write_bytes(made.encode("utf-8", "surrogatepass"))
            (folder / "shard.safetensors").write_bytes(GOOD)
            (folder / "empty").write_bytes(packed({}, b""))
            (folder / "folder").mkdir()
            os.mkfifo(folder / "pipe")
            return folder, "table"

        yield name, write


ONE_FILE = (
    *(cut_short, lengths, headers, entries, dtypes),
    *(shapes, offsets, values, kinds, flipped, named),
)
FAMILIES = {family.__name__: partial(of_a_file, family) for family in ONE_FILE}
FAMILIES |= {"indices": of_an_index, "things": things}
