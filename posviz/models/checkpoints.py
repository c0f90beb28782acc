"""Tables of trained models: one tensor of a safetensors file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posviz.wording import quoted, shortened

FILE = "model.safetensors"
FLOATS = ("F64", "F32", "F16", "BF16")
USUAL_NAMES = (  # GPT-2; BERT and RoBERTa; CLIP; OPT and BART
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
)


def load_table(source: str | Path, tensor: str | None = None) -> np.ndarray:
    """Read one table of a safetensors file and none of its other tensors.

    ``source`` is a file, a folder that holds model.safetensors, or the id of a Hugging Face
    repository, "openai-community/gpt2": then huggingface_hub downloads it into its cache. Without
    ``tensor`` the only tensor is taken, or the only one with a usual name, such as "wpe.weight".
    Never opens a pickle, which could run code.

    Shapes: [rows, d_model]. The dtype is that of the file; bfloat16, which NumPy lacks, becomes
    float32, and takes torch to read.
    """
    from safetensors import SafetensorError, safe_open  # a page's own Python lacks it

    path = _find(source)
    try:
        with safe_open(path, framework="numpy") as file:
            name = _choose(sorted(file.keys()), tensor, path)
            about = file.get_slice(name)
            shape, dtype = tuple(about.get_shape()), about.get_dtype()
            if len(shape) != 2 or dtype not in FLOATS:
                raise ValueError(
                    f"tensor must be a table of numbers in {', '.join(FLOATS)}, got {quoted(name)} "
                    f"of shape {shape} in {dtype}"
                )
            if dtype != "BF16":
                return file.get_tensor(name)
        with safe_open(path, framework="pt") as file:
            return file.get_tensor(name).float().numpy()
    except SafetensorError as error:
        raise ValueError(f"{shortened(path)} is not a safetensors file: {error}") from None


def _find(source: str | Path) -> Path:
    path = Path(source).expanduser()
    if path.exists():
        return path / FILE if path.is_dir() else path
    if isinstance(source, Path) or source.endswith(".safetensors"):  # no repository's id
        raise FileNotFoundError(f"source must be a file or a folder, got {quoted(str(source))}")
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(repo_id=source, filename=FILE))


def _choose(names: list[str], tensor: str | None, path: Path) -> str:
    """Return the name that is meant, or say which there are."""
    if tensor in names:
        return tensor
    if tensor is not None:
        close = [name for name in names if tensor in name]
        holds = _listed(close or names)
        raise ValueError(f"tensor {quoted(tensor)} is not in {path}, which holds {holds}")
    usual = [name for name in names if name.endswith(USUAL_NAMES)]
    found = names if len(names) == 1 else usual
    if len(found) != 1:
        raise ValueError(f"tensor must be named, for {path} holds {_listed(usual or names)}")
    return found[0]


def _listed(names: list[str]) -> str:
    rest = f" and {len(names) - 6:,} more" if len(names) > 6 else ""
    return ", ".join(map(quoted, names[:6])) + rest
