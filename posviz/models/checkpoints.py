"""Tables of trained models: one tensor of a safetensors file, here or on the hub."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

import numpy as np

from posviz.wording import quoted, shortened, spelt_like

STORED = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # NumPy has no bfloat16
MOST_JSON = 2**26  # bytes that reading a header or an index may take
PIECE = 2**20  # numbers that are read at once
FIELDS = ("dtype", "shape", "data_offsets")  # of a tensor, in the header
USUAL_NAMES = (  # GPT-2; BERT and RoBERTa; CLIP; OPT and BART
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
)
FILES = (".safetensors", ".bin", ".pt", ".pth", ".npy", ".npz", ".json")  # no repository's id


def load_table(
    source: str | Path, tensor: str | None = None, *, filename: str = "model.safetensors"
) -> np.ndarray:
    """Read one table of a safetensors file and none of its other tensors.

    ``source`` is a file, a folder that holds ``filename`` (or its shards and their index), or the
    id of a Hugging Face repository, "openai-community/gpt2", whose file is then downloaded once
    into the cache of huggingface_hub. Without ``tensor`` the only tensor is taken, or the only one
    with a usual name, such as "wpe.weight". Never opens a pickle, which could run code.

    Shapes: [rows, d_model]. The dtype is that of the file; bfloat16, which NumPy lacks, becomes
    float32.

    Raises:
        TypeError: when source is neither text nor a path, or tensor or filename is not text.
        OSError: when there is no such file, or the repository cannot be reached.
        ValueError: when the file is not in safetensors format, the tensor is unknown or not a
            table of finite floating-point numbers, or memory is short.
    """
    if not isinstance(source, str | Path):
        raise TypeError(f"source must be a path or the id of a repository, got {quoted(source)}")
    if not isinstance(tensor, str | None):
        raise TypeError(f"tensor must be a name or None, got {quoted(tensor)}")
    if not isinstance(filename, str):
        raise TypeError(f"filename must be text, got {quoted(filename)}")
    if not filename.endswith(".safetensors"):
        raise ValueError(f"filename must end in .safetensors, got {quoted(filename)}")
    try:
        path = os.path.expanduser(source)
        if not os.path.isfile(path):
            path, tensor = _find(source, filename, tensor)
        return _read(path, tensor)
    except MemoryError:
        raise ValueError(f"memory is too short to read {shortened(source)}: free some") from None


def _find(source: str | Path, filename: str, tensor: str | None) -> tuple[str, str | None]:
    """Return the file that holds ``tensor``: a large checkpoint lies in shards, with an index."""
    try:
        return _fetch(source, filename), tensor
    except FileNotFoundError as missing:
        try:
            index = _fetch(source, f"{filename}.index.json")
        except OSError:
            raise missing from None
    try:
        with open(index, "rb") as file:
            shards = _json(file, os.path.getsize(index)).get("weight_map")
        if not isinstance(shards, dict):
            raise ValueError(f"its weight_map is {quoted(shards)}")
    except (ValueError, RecursionError) as error:
        reason = shortened(error)
        raise ValueError(f"{shortened(index)} is not an index of shards: {reason}") from None
    tensor = _choose(list(shards), tensor, index)
    shard = shards[tensor]
    # Shards lie beside their index, never above; Windows knows all signs that part folders.
    name = PureWindowsPath(shard).name if isinstance(shard, str) else ""
    if name in ("", ".."):
        came = f"of {quoted(tensor)}, got {quoted(shard)}"
        raise ValueError(f"{shortened(index)} must name the file {came}")
    return _fetch(source, str(PurePosixPath(filename).with_name(name))), tensor


def _fetch(source: str | Path, filename: str) -> str:
    folder = os.path.expanduser(source)
    if os.path.isdir(folder) and source != "":  # to Path, "" is the folder where Python runs
        path = os.path.join(folder, filename)
        if not os.path.isfile(path):
            raise FileNotFoundError(
                f"the folder {shortened(folder)} holds no {shortened(filename)}"
            )
        return path
    if isinstance(source, Path) or not source or source.lower().endswith(FILES):
        raise FileNotFoundError(
            f"source must be a file, a folder or a hub id, got {quoted(str(source))}, and there is "
            "no such file"
        )
    return _download(source, filename)


def _download(repository: str, filename: str) -> str:
    from huggingface_hub import errors, hf_hub_download  # half a second that a file does not cost

    kind: type[OSError]
    try:
        return hf_hub_download(repo_id=repository, filename=filename)
    except errors.LocalEntryNotFoundError:  # offline: do not ask for an index of shards
        kind, reason = ConnectionError, "the hub cannot be reached and the cache has no copy"
    except errors.EntryNotFoundError as error:
        kind, reason = FileNotFoundError, str(error)
    except Exception as error:  # a name too long for an address, for one
        kind, reason = OSError, str(error)
    raise kind(
        f"{shortened(filename)} of the hub repository {quoted(repository)}: {shortened(reason)}; "
        "check spelling and connection, or give the path of a file you have"
    )


# The safetensors library would map the whole file, which a limit of memory may refuse, and it ends
# Python where a header does not fit: so the format's three parts are read here.


def _read(path: str, tensor: str | None) -> np.ndarray:
    with open(path, "rb") as file:
        tensors, data = _header(file, path)
        name = _choose(sorted(tensors), tensor, path)
        dtype, shape, (start, stop) = (tensors[name][key] for key in FIELDS)
        if len(shape) != 2 or 0 in shape or dtype not in STORED:
            raise ValueError(
                f"tensor must be a table of numbers in {', '.join(STORED)}, got {quoted(name)} of "
                f"shape {quoted(tuple(shape))} in {shortened(dtype)}"
            )
        stored = np.dtype(STORED[dtype])
        if stop - start != math.prod(shape) * stored.itemsize:
            raise ValueError(
                f"tensor {quoted(name)} of {shortened(path)} is broken: numbers of shape "
                f"{quoted(tuple(shape))} in {dtype} do not take {stop - start:,} bytes"
            )
        kind = np.dtype(np.float32 if dtype == "BF16" else stored.newbyteorder("="))
        file.seek(data + start)
        table = np.empty(math.prod(shape), kind)
        if not _fill(table, file, stored):
            raise ValueError(f"tensor {quoted(name)} of {shortened(path)} holds NaN or infinity")
    return table.reshape(shape)


def _fill(table: np.ndarray, file: BinaryIO, stored: np.dtype) -> bool:
    """Fill a table, piece by piece, and tell whether all its numbers are finite."""
    for first in range(0, len(table), PIECE):
        piece = np.fromfile(file, stored, min(PIECE, len(table) - first))
        if stored == STORED["BF16"]:  # the upper half of a float32
            piece = (piece.astype(np.uint32) << 16).view(np.float32)
        if not np.isfinite(piece).all():
            return False
        table[first : first + PIECE] = piece
    return True


def _header(file: BinaryIO, path: str | Path) -> tuple[dict[str, Any], int]:
    """Return the entry of each tensor by its name, and the place where their data begin.

    Raises ValueError when the file is not in safetensors format.
    """
    try:
        return _entries(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{shortened(path)} is not a safetensors file, and no other kind is read: "
            f"{shortened(error)}"
        ) from None


def _entries(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return what ``_header`` does.

    Raises:
        ValueError: when the header is not one, or data overlap, leave holes or are cut short.
        RecursionError: when it is nested too deeply.
    """
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little") if size >= 8 else size
    if length > size - 8:
        raise ValueError(f"it has {size:,} bytes, and its header should have {length:,}")
    tensors, data = _json(file, length), 8 + length
    tensors.pop("__metadata__", None)
    for name, entry in tensors.items():
        if not _is_entry(entry):
            raise ValueError(f"its header has {quoted(entry)} for {quoted(name)}")
    end = 0
    for start, stop in sorted(entry["data_offsets"] for entry in tensors.values()):
        if start != end or stop < start:
            raise ValueError(f"data from {start:,} to {stop:,} do not follow those to {end:,}")
        end = stop
    if data + end != size:
        raise ValueError(f"it has {size:,} bytes, and its tensors end at {data + end:,}")
    return tensors, data


def _is_entry(entry: Any) -> bool:
    match entry:
        case {"dtype": str(), "shape": [*shape], "data_offsets": [start, stop]}:
            return all(type(number) is int and number >= 0 for number in (*shape, start, stop))
    return False


def _json(file: BinaryIO, size: int) -> dict[str, Any]:
    """Read an object of ``size`` bytes of JSON, unless that may take more than ``MOST_JSON``.

    Beside its text, which is there in bytes, decoded, and once more in the values, each of these
    takes Python at most 100 bytes, and a list or an object 300.

    Raises:
        ValueError: when it takes more, or is something else.
        RecursionError: when it is nested too deeply.
    """
    text = file.read(size) if 3 * size <= MOST_JSON else b""
    nested, values = text.count(b"{") + text.count(b"["), text.count(b",") + text.count(b":")
    letter = 1 if text.isascii() else 4
    if max(3, 1 + 2 * letter) * size + 100 * values + 300 * nested > MOST_JSON:
        raise ValueError(f"{size:,} bytes of names and numbers are more than a model needs")
    found = json.loads(text.decode())
    if not isinstance(found, dict):
        raise ValueError(f"it holds {quoted(found)} where an object is due")
    return found


def _choose(names: list[str], tensor: str | None, path: str) -> str:
    """Return the name that is meant, or say which there are."""
    if tensor is None:
        usual = [name for name in names if name.endswith(USUAL_NAMES)]
        found = names if len(names) == 1 else usual
        if len(found) == 1:
            return found[0]
        listed = _listed(usual or names)
        raise ValueError(f"tensor must be named, for {shortened(path)} holds {listed}")
    if tensor in names:
        return tensor
    close = [name for name in names if tensor in name]
    close = close or spelt_like(tensor, names, most=3, cutoff=0.3) or names
    raise ValueError(
        f"tensor {quoted(tensor)} is not in {shortened(path)}, which holds {_listed(close)}"
    )


def _listed(names: list[str], most: int = 6) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return (shortened(", ".join(map(quoted, names[:most]))) or "none") + more
