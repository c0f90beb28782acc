"""posviz: a small helper for positional encodings in Transformers, and for pictures of them.

The front door: `from posviz import SinusoidalTable, sinusoidal, attend`. It loads nothing until a
name is asked for, so that importing it takes no time and a kernel holds only what it uses. Names of
the course are found by the entry points of the group `posviz.names`. The function `attention` has
the name of its folder: `from posviz.attention import attention`.
"""

import functools
import importlib
import pkgutil

__version__ = "0.1.0"

_OUTSIDE_ENCODINGS = {
    "posviz.arrays": ("devices", "to_device", "to_dtype", "to_numpy"),
    "posviz.attention": ("KeyValueCache", "attend", "softmax"),
    "posviz.attention.masks": ("blockwise_causal_mask", "causal_mask", "chunked_causal_mask"),
    "posviz.teaching.prediction": ("predict",),
}


@functools.cache
def _own() -> dict[str, str]:
    """The module of each public name of the helper; an encoding's file lists its own in __all__."""
    public = dict(_OUTSIDE_ENCODINGS)
    folder = importlib.import_module("posviz.encodings")
    for file in pkgutil.iter_modules(folder.__path__, "posviz.encodings."):
        public[file.name] = getattr(importlib.import_module(file.name), "__all__", ())
    return {name: module for module, names in public.items() for name in names}


_registered: dict[str, str] = {}


def register(names: dict[str, str]) -> None:
    """Let `from posviz import name` find names of another package, each in its module."""
    _registered.update(names)


@functools.cache
def _installed() -> dict[str, str]:
    """The module of each name that the entry points name; none where nothing is installed."""
    try:
        from importlib import metadata  # whose parts a page of the website lacks

        points = metadata.distribution("posviz").entry_points.select(group="posviz.names")
    except ModuleNotFoundError:
        return {}
    return {name: module for point in points for name, module in point.load()().items()}


def _module_of(name: str) -> str | None:
    return _own().get(name) or _registered.get(name) or _installed().get(name)


def __getattr__(name):
    is_folder = any(name == folder.name for folder in pkgutil.iter_modules(__path__))
    if not (is_folder or name.startswith("_")) and (module := _module_of(name)):
        globals()[name] = getattr(importlib.import_module(module), name)
        return globals()[name]
    from posviz.wording import quoted

    raise AttributeError(f"module 'posviz' has no attribute {quoted(name)}")


def __dir__():
    return sorted({*globals(), *_own(), *_registered, *_installed()})
