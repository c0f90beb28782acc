"""Tables of trained models: one tensor of a safetensors file, here or on the hub."""

from __future__ import annotations

import difflib
import json
import math
import os
from pathlib import Path, PurePosixPath

import numpy as np
from safetensors import SafetensorError, safe_open

from posviz.arrays import check_memory

ITEM_SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 4}  # in memory, where BF16 becomes float32
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
        raise TypeError(f"source must be a path or the id of a repository, got {source!r}")
    if not isinstance(tensor, str | None):
        raise TypeError(f"tensor must be a name or None, got {tensor!r}")
    if not isinstance(filename, str):
        raise TypeError(f"filename must be text, got {filename!r}")
    if not filename.endswith(".safetensors"):
        raise ValueError(f"filename must end in .safetensors, got {filename!r}")
    path = _local(source)
    if not path.is_file():
        path, tensor = _find(source, filename, tensor)
    return _read(path, tensor)


def _local(source: str | Path) -> Path:
    return Path(os.path.expanduser(source))


def _find(source: str | Path, filename: str, tensor: str | None) -> tuple[Path, str | None]:
    """Return the file that holds ``tensor``: a large checkpoint lies in shards, with an index."""
    try:
        return _fetch(source, filename), tensor
    except FileNotFoundError as missing:
        try:
            index = _fetch(source, f"{filename}.index.json")
        except OSError:
            raise missing from None
    try:
        shards = dict(json.loads(index.read_bytes())["weight_map"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{index} is not an index of shards: {error!r}") from None
    tensor = _choose(list(shards), tensor, index)
    shard = PurePosixPath(str(shards[tensor])).name  # shards lie beside their index, never above
    if shard in ("", ".."):
        raise ValueError(f"{index} must name the file of {tensor!r}, got {shards[tensor]!r}")
    return _fetch(source, str(PurePosixPath(filename).with_name(shard))), tensor


def _fetch(source: str | Path, filename: str) -> Path:
    folder = _local(source)
    if folder.is_dir() and source != "":  # to Path, "" is the folder where Python runs
        if not (folder / filename).is_file():
            raise FileNotFoundError(f"the folder {folder} holds no {filename}")
        return folder / filename
    if isinstance(source, Path) or not source or source.lower().endswith(FILES):
        raise FileNotFoundError(
            f"source must be a file, a folder or a hub id, got {str(source)!r}, and there is no "
            "such file"
        )
    return _download(source, filename)


def _download(repository: str, filename: str) -> Path:
    from huggingface_hub import errors, hf_hub_download  # half a second that a file does not cost

    kind: type[OSError]
    try:
        return Path(hf_hub_download(repo_id=repository, filename=filename))
    except errors.LocalEntryNotFoundError:  # offline: do not ask for an index of shards
        kind, reason = ConnectionError, "the hub cannot be reached and the cache has no copy"
    except errors.EntryNotFoundError as error:
        kind, reason = FileNotFoundError, str(error)
    except (OSError, ValueError) as error:
        kind, reason = OSError, str(error)
    raise kind(
        f"{filename} of the hub repository {repository!r}: {reason}; check spelling and "
        "connection, or give the path of a file you have"
    )


def _read(path: Path, tensor: str | None) -> np.ndarray:
    try:
        file = safe_open(path, framework="numpy")
    except SafetensorError as error:
        raise ValueError(
            f"{path} is not a safetensors file, and no other kind is read: {error}"
        ) from None
    with file:
        name = _choose(list(file.keys()), tensor, path)
        header = file.get_slice(name)
        shape, dtype = tuple(header.get_shape()), header.get_dtype()
        if len(shape) != 2 or 0 in shape or dtype not in ITEM_SIZES:
            raise ValueError(
                f"tensor must be a table of numbers in {', '.join(ITEM_SIZES)}, got {name!r} of "
                f"shape {shape} in {dtype}"
            )
        check_memory(f"tensor {name!r}", shape, itemsize=ITEM_SIZES[dtype], copies=2)
        table = _read_bfloat16(path, name, shape) if dtype == "BF16" else file.get_tensor(name)
    if not np.isfinite(table).all():
        raise ValueError(f"tensor {name!r} of {path} holds NaN or infinity")
    return table


def _read_bfloat16(path: Path, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read what safetensors cannot give to NumPy: bfloat16 is the upper half of a float32."""
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        start, _ = json.loads(file.read(header_size))[name]["data_offsets"]
    upper = np.fromfile(path, "<u2", count=math.prod(shape), offset=8 + header_size + start)
    return (upper.astype(np.uint32) << 16).view(np.float32).reshape(shape)


def _choose(names: list[str], tensor: str | None, path: Path) -> str:
    """Return the name that is meant, or say which there are."""
    if tensor is None:
        usual = [name for name in names if name.endswith(USUAL_NAMES)]
        found = names if len(names) == 1 else usual
        if len(found) == 1:
            return found[0]
        raise ValueError(f"tensor must be named, for {path} holds {_listed(usual or names)}")
    if tensor in names:
        return tensor
    close = [name for name in names if tensor in name]
    close = close or difflib.get_close_matches(tensor, names, cutoff=0.3) or names
    raise ValueError(f"tensor {tensor!r} is not in {path}, which holds {_listed(close)}")


def _listed(names: list[str], most: int = 6) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return (", ".join(map(repr, names[:most])) or "none") + more
