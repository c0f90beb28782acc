"""posviz: an interactive course on positional encodings in Transformers.

The front door: `from posviz import SinusoidalTable, sinusoidal, attend`. It loads nothing until a
name is asked for, so that importing it takes no time and a kernel holds only what it uses. The
function `attention` has the name of its folder: `from posviz.attention import attention`.
"""

import functools
import importlib
import pkgutil

__version__ = "0.1.0"

_OUTSIDE_ENCODINGS = {
    "posviz.arrays": ("devices", "to_device", "to_dtype", "to_numpy"),
    "posviz.attention": ("KeyValueCache", "attend", "softmax"),
    "posviz.attention.masks": ("blockwise_causal_mask", "causal_mask", "chunked_causal_mask"),
    "posviz.configs": ("read_config",),
    "posviz.configs.layer_plans": ("layer_plan",),
    "posviz.blackbox": ("identify",),
    "posviz.models.hugging_face": ("load_model",),
    "posviz.choosing.glossary": ("glossary",),
    "posviz.choosing.table": ("comparison",),
    "posviz.teaching.claims": ("audit", "ledger", "recall"),
    "posviz.teaching.prediction": ("predict",),
}


@functools.cache
def _modules() -> dict[str, str]:
    """The module of each public name but pictures'; an encoding's file lists its own in __all__."""
    public = dict(_OUTSIDE_ENCODINGS)
    folder = importlib.import_module("posviz.encodings")
    for found in pkgutil.iter_modules(folder.__path__, "posviz.encodings."):
        public[found.name] = getattr(importlib.import_module(found.name), "__all__", ())
    return {name: module for module, names in public.items() for name in names}


def __getattr__(name):
    lessons = importlib.import_module("posviz.lessons")
    if name in lessons.names():
        return lessons.load(name)
    if not name.startswith("_") and name in _modules():
        globals()[name] = getattr(importlib.import_module(_modules()[name]), name)
        return globals()[name]
    from posviz.wording import quoted

    raise AttributeError(f"module 'posviz' has no attribute {quoted(name)}")


def __dir__():
    return sorted({*globals(), *_modules(), *importlib.import_module("posviz.lessons").names()})
