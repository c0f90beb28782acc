"""The command that names what a program does with positions."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from posviz.wording import quoted, reason, shortened
from posviz_tools.cli.common import argument, command, option

if TYPE_CHECKING:
    import numpy as np

KINDS = ("before", "after", "table", "bias", "cos", "sin", "inv_freq", "scores", "without")
BY_AXES = {1: "inv_freq", 2: "table", 3: "bias", 4: "bias"}

Sources = Annotated[list[str], argument("SOURCE", "Files, or a function as my_rope.py:rotate.")]
As = Annotated[str | None, option("--as", f"What one array is: {', '.join(KINDS[2:])}.", "KIND")]
Meant = Annotated[
    str | None,
    option("--meant", "What it should do: a config.json, a library, or sources as above.", "WHAT"),
]
HeadDim = Annotated[
    int | None,
    option("--head-dim", "The width of x for a function; else the config.json's, or 64.", "D"),
]
Positions = Annotated[Path | None, option("--positions", "Positions of the rows.", "FILE")]
Shape = Annotated[
    str | None, option("--shape", "The shape of raw float32 files, as 200,8,64.", "LENGTHS")
]
AsJson = Annotated[bool, option("--json", "Print the facts as JSON.")]


@command()
def identify(
    sources: Sources,
    kind: As = None,
    meant: Meant = None,
    head_dim: HeadDim = None,
    positions: Positions = None,
    shape: Shape = None,
    as_json: AsJson = False,
):
    """Say what a program does with positions, from rows before and after RoPE, or from itself.

    Files are .npy, .npz or .safetensors, or raw float32 with --shape: rows before and after, or one
    file that holds arrays named before and after (or table, bias, cos and sin, inv_freq). The exit
    status is 1 where something is not explained or differs from what was meant, and 2 for what
    cannot be read.

    \b
    posviz identify before.npy after.npy
    posviz identify before.npy after.npy --meant config.json
    posviz identify before.f32 after.f32 --shape 200,8,64
    posviz identify wrong.npz --meant right.npz
    posviz identify my_rope.py:rotate --head-dim 128 --meant "transformers Llama"
    posviz identify table.npy --json
    """
    from posviz import identify as name_it

    try:
        given = _read(sources, kind, _lengths(shape))
        given |= {"positions": _array(positions)} if positions else {}
        given |= {"head_dim": head_dim or _head_dim(meant)} if "rotate" in given else {}
        verdict = name_it(**given, meant=_meant(meant))
    except TypeError as error:
        raise ValueError(error) from error
    typer.echo(verdict.to_json() if as_json else str(verdict))
    raise typer.Exit(0 if verdict.explained and not verdict.differences else 1)


def _lengths(shape: str | None) -> tuple[int, ...] | None:
    """Return the lengths in "200,8,64"."""
    words = shape.split(",") if shape else []
    if not all(word.strip().isdigit() for word in words):
        raise ValueError(f"--shape takes lengths with commas, as 200,8,64; got {quoted(shape)}.")
    return tuple(map(int, words)) or None


def _array(path: Path) -> "np.ndarray":
    return next(iter(_arrays(path, None).values()))


def _read(
    sources: list[str], kind: str | None = None, shape: tuple[int, ...] | None = None
) -> dict[str, Any]:
    """Return the arguments of `identify` that the sources are."""
    if kind and kind not in KINDS:
        raise ValueError(f"--as takes one of {', '.join(KINDS)}; got {quoted(kind)}.")
    if len(sources) == 1 and ".py:" in sources[0]:
        return {"rotate": _function(sources[0])}
    arrays = [_arrays(Path(source), shape) for source in sources]
    if len(arrays) == 2:
        return {n: next(iter(a.values())) for n, a in zip(("before", "after"), arrays, strict=True)}
    if len(arrays) > 2:
        raise ValueError("give two files, rows before and after, or one file that holds both.")
    known = {name: a for name, a in arrays[0].items() if name in (*KINDS, "positions")}
    if known and kind is None:
        return known
    if len(arrays[0]) > 1:
        names = shortened(", ".join(arrays[0]))
        raise ValueError(
            f"{sources[0]} holds {names}: name two arrays before and after, or one of them "
            f"{', '.join(KINDS[2:])}."
        )
    array = next(iter(arrays[0].values()))
    return {kind or BY_AXES.get(array.ndim, "table"): array}


def _head_dim(meant: str | None) -> int:
    """Return the width of a head that a config.json names, or 64."""
    if meant is None or Path(meant).suffix != ".json":
        return 64
    from posviz_course.configs.loading import loaded, part_for_texts

    config = part_for_texts(loaded(Path(meant)))
    width, heads = config.get("hidden_size"), config.get("num_attention_heads")
    shared = width // heads if isinstance(width, int) and isinstance(heads, int) and heads else 64
    return config.get("head_dim") or shared


def _meant(meant: str | None) -> Any:
    """Return what is meant: arrays or a function where it names files, else the text itself."""
    if meant is None or Path(meant).suffix == ".json":
        return meant and Path(meant)
    if ".py:" in meant:
        return _function(meant)
    words = meant.split(",")
    is_files = all(Path(word).suffix in (".npy", ".npz", ".safetensors") for word in words)
    return _read(words) if is_files else meant


def _arrays(path: Path, shape: tuple[int, ...] | None) -> "dict[str, np.ndarray]":
    """Return the arrays of a file by name; a .npy file holds one, without a name."""
    import numpy as np

    if path.suffix == ".safetensors":
        return _safetensors(path)
    try:
        if shape and path.suffix not in (".npy", ".npz"):
            return {"": np.fromfile(path, "<f4").reshape(shape)}
        loaded = np.load(path, allow_pickle=False)
    except OSError as error:
        raise ValueError(
            f"{shortened(path)}: {getattr(error, 'strerror', None) or error}"
        ) from error
    except (ValueError, EOFError) as error:
        what = (
            f"does not hold {shape} numbers" if shape else "is no .npy, .npz or .safetensors file"
        )
        hint = "" if shape else " (raw float32 needs --shape)"
        raise ValueError(f"{shortened(path)} {what}{hint}.") from error
    return {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)


def _safetensors(path: Path) -> "dict[str, np.ndarray]":
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError as error:
        raise ValueError("a .safetensors file needs `pip install safetensors`.") from error
    from posviz.arrays import to_numpy

    framework = "pt" if importlib.util.find_spec("torch") else "np"  # NumPy has no bfloat16
    try:
        with safe_open(path, framework) as file:
            return {name: to_numpy(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ValueError(
            f"{shortened(path)}: {getattr(error, 'strerror', None) or error}"
        ) from error


def _function(source: str) -> Any:
    """Return the function that my_rope.py:rotate names, by running that file."""
    file, _, name = source.rpartition(":")
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None or not Path(file).exists():
        raise ValueError(f"{shortened(file)} is not there.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # somebody's code may raise anything
        raise ValueError(f"{shortened(file)} cannot be run: {reason(error)}") from error
    if not callable(function := getattr(module, name, None)):
        raise ValueError(f"{shortened(file)} has no function {quoted(name)}.")
    return function
