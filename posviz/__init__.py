"""posviz: an interactive course on positional encodings in Transformers.

The front door: `from posviz import SinusoidalTable, sinusoidal, attend`. It loads nothing until a
name is asked for, so that importing it takes no time and a kernel holds only what it uses. Only
`attention` stands beside its module's name and is imported from there:
`from posviz.attention import attention`.
"""

import importlib

__version__ = "0.1.0"

_MATHEMATICS = {
    "posviz.arrays": ("devices", "to_device", "to_numpy"),
    "posviz.attention": (
        "KeyValueCache",
        "attend",
        "softmax",
    ),
    "posviz.masks": ("blockwise_causal_mask", "causal_mask", "padding_mask"),
    "posviz.checkpoints": ("load_table",),
    "posviz.encodings.alibi": ("Alibi", "alibi_bias", "alibi_slopes"),
    "posviz.encodings.deberta": ("DeBERTa", "deberta_bucket", "deberta_scores"),
    "posviz.encodings.doors": ("Encoding", "NoPosition", "doors"),
    "posviz.encodings.frequencies": (
        "Frequencies",
        "proportional_frequencies",
        "rotary_angles",
        "rotary_frequencies",
        "wavelengths",
    ),
    "posviz.encodings.learned": ("Learned", "learned"),
    "posviz.encodings.relative": ("offsets",),
    "posviz.encodings.rotary": (
        "Rotary",
        "apply_rotary",
        "change_layout",
        "change_projection_layout",
        "rotation_matrix",
    ),
    "posviz.encodings.rotary2d": (
        "AxialRotary",
        "MRotary",
        "MixedRotary",
        "axial_angles",
        "mixed_angles",
        "mrope_angles",
        "raster",
    ),
    "posviz.encodings.shaw": ("Shaw", "shaw_index", "shaw_key_scores", "shaw_values"),
    "posviz.encodings.sinusoidal": ("Sinusoidal", "shift_matrix", "sinusoidal"),
    "posviz.encodings.stretching": (
        "dynamic_ntk",
        "llama3",
        "longrope",
        "ntk",
        "position_interpolation",
        "yarn",
    ),
    "posviz.encodings.t5": ("T5", "t5_bias", "t5_bucket"),
    "posviz.encodings.transformer_xl": ("TransformerXL", "rel_shift", "transformer_xl_scores"),
    "posviz.encodings.xpos": ("XPos", "apply_xpos", "resolution", "xpos_scale"),
    "posviz.derivations.rotary": ("derive",),
    "posviz.claims": ("audit",),
}
_HOME = {name: module for module, names in _MATHEMATICS.items() for name in names}


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name[:1].isupper():
        return importlib.import_module("posviz.pictures").load(name)
    raise AttributeError(f"module 'posviz' has no attribute {name!r}")


def __dir__():
    pictures = importlib.import_module("posviz.pictures").names()
    return sorted({*globals(), *_HOME, *pictures})
