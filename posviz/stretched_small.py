"""A small Transformer of one's own, trained on 64 characters, and stretched to read more."""

from __future__ import annotations

import copy

import numpy as np
import torch

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import ntk, position_interpolation, yarn
from posviz.module import EncodingModule
from posviz.training import SmallTransformer, standard_library_text, train

TRAINED, HEAD_DIM, BASE = 64, 16, 100.0
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def needle_text(characters: int, longest: int, *, seed: int = 0, library: str = "") -> str:
    """Return small letters of Python's library with capitals to remember, each asked for once.

    A capital stands at most ``longest`` before the question mark, which it follows again.
    """
    random = np.random.default_rng(seed)
    library = plain(library or standard_library_text(characters))
    parts, at, length = [], 0, 0
    while at < len(library):
        apart, before = random.integers(4, longest, size=2) - [0, 3]
        capital = CAPITALS[random.integers(26)]
        hay = library[at : at + before], library[at + before : at + before + apart]
        parts.append(f"{hay[0]}{capital}{hay[1]}?{capital}")
        at += int(before + apart)
    return "".join(parts)


def plain(text: str) -> str:
    return text.lower().replace("?", "")


def encoding(method, factor=1.0):
    original = {"original_max_seq_len": TRAINED, "base": BASE}
    made = {
        "nothing changed": lambda: Frequencies(rotary_frequencies(HEAD_DIM, BASE)),
        "PI": lambda: position_interpolation(HEAD_DIM, factor, base=BASE),
        "NTK": lambda: ntk(HEAD_DIM, factor, base=BASE),
        "YaRN": lambda: yarn(HEAD_DIM, factor, beta_fast=4.0, **original),
        "YaRN without temperature": lambda: yarn(HEAD_DIM, factor, beta_fast=4.0, attention_factor=1.0, **original),
    }
    return Rotary(frequencies=made[method]())


def stretched(model, method, factor):
    other = copy.deepcopy(model)
    other.encoding = EncodingModule(encoding(method, factor))
    return other


def losses(model, tokens):
    with torch.inference_mode():
        logits = model(tokens[:, :-1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none").view(len(tokens), -1).numpy()
