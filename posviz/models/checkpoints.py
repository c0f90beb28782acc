"""Tables of trained models: one tensor of a safetensors file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posviz.wording import quoted, shortened, spelt_like

FLOATS = ("F64", "F32", "F16", "BF16")
FILES = (".safetensors", ".bin", ".pt", ".npz")  # no repository's id
USUAL_NAMES = (  # GPT-2; BERT and RoBERTa; CLIP; OPT and BART
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
)


def load_table(
    source: str | Path, tensor: str | None = None, *, filename: str = "model.safetensors"
) -> np.ndarray:
    """Read one table of a safetensors file and none of its other tensors.

    ``source`` is a file, a folder that holds ``filename``, or the id of a Hugging Face repository,
    "openai-community/gpt2": then huggingface_hub downloads the file into its cache. Without
    ``tensor`` the only tensor is taken, or the only one with a usual name, such as "wpe.weight".
    Never opens a pickle, which could run code.

    Shapes: [rows, d_model]. The dtype is that of the file; bfloat16, which NumPy lacks, becomes
    float32, and takes torch to read.

    Raises:
        FileNotFoundError: when there is no such file.
        ValueError: when the file is not in safetensors format, or the tensor is unknown or not a
            table of finite floating-point numbers.
    """
    from safetensors import SafetensorError  # a page's own Python lacks it

    path = _find(source, filename)
    try:
        table = _read(path, tensor)
    except SafetensorError as error:
        raise ValueError(f"{shortened(path)} is not a safetensors file: {error}") from None
    if not np.isfinite(table).all():
        raise ValueError(f"tensor {quoted(tensor)} of {shortened(path)} holds NaN or infinity")
    return table


def _read(path: Path, tensor: str | None) -> np.ndarray:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        name = _choose(sorted(file.keys()), tensor, path)
        about = file.get_slice(name)
        shape, dtype = about.get_shape(), about.get_dtype()
        if len(shape) != 2 or 0 in shape or dtype not in FLOATS:
            raise ValueError(
                f"tensor must be a table of numbers in {', '.join(FLOATS)}, got {quoted(name)} of "
                f"shape {tuple(shape)} in {dtype}"
            )
        if dtype != "BF16":
            return file.get_tensor(name)
    with safe_open(path, framework="pt") as file:
        return file.get_tensor(name).float().numpy()


def _find(source: str | Path, filename: str) -> Path:
    path = Path(source).expanduser()
    if path.exists():
        return path / filename if path.is_dir() else path
    if isinstance(source, Path) or source.endswith(FILES):
        raise FileNotFoundError(f"source must be a file or a folder, got {quoted(str(source))}")
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(repo_id=source, filename=filename))


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
    close = [name for name in names if tensor in name] or spelt_like(tensor, names, 3, 0.3) or names
    raise ValueError(f"tensor {quoted(tensor)} is not in {path}, which holds {_listed(close)}")


def _listed(names: list[str], most: int = 6) -> str:
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(quoted, names[:most])) + rest
