"""A small Transformer of one's own, trained on 64 characters, stretched, and tuned a little.

Its text is Python's library in small letters, with capitals to remember: each is asked for by a
question mark. So one text shows both how well it predicts what comes next, which is mostly told
by what stands near, and whether it finds what stands far away.
"""

from __future__ import annotations

import functools
import json
from copy import deepcopy
from typing import Any

import numpy as np
import torch

from posviz.encodings.checks import require_choice
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import ntk, position_interpolation, yarn
from posviz.models.real import DATA
from posviz.models.training import SmallTransformer, standard_library_text, train

RESULTS = DATA / "small_stretched.json"
TRAINED, LONGEST = 64, 256  # characters, in training and afterwards
HEAD_DIM, BASE = 16, 100.0
BETA_FAST = 4.0  # turns: the fastest pair makes 10, so YaRN's 32 would keep nothing
BIN = 32  # characters whose losses are averaged
LENGTHS = tuple(range(BIN, LONGEST + 1, BIN))  # of texts that end in a question
METHODS = ("nothing changed", "PI", "NTK", "YaRN", "YaRN without temperature")
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SEEN, HELD_OUT, TEXTS = 400_000, 100_000, 128  # characters, characters, and texts of a test


def frequencies(method: str, factor: float = 1.0) -> Frequencies:
    """Return how the pairs of the small model turn, by a method of METHODS.

    Raises ValueError when the method is unknown, or as the method itself does.
    """
    require_choice(method, "method", METHODS)
    if method == "nothing changed":
        return Frequencies(rotary_frequencies(HEAD_DIM, BASE))
    if method == "PI":
        return position_interpolation(HEAD_DIM, factor, base=BASE)
    if method == "NTK":
        return ntk(HEAD_DIM, factor, base=BASE)
    own: dict[str, Any] = {"original_max_seq_len": TRAINED, "base": BASE, "beta_fast": BETA_FAST}
    made = yarn(HEAD_DIM, factor, **own)
    return made if method == "YaRN" else made._replace(attention_factor=1.0)


def trained(*, seed: int = 0, steps: int = 600) -> SmallTransformer:
    """Return a model of one layer, trained on pieces of 64 characters: half a minute."""
    encoding = Rotary(frequencies=frequencies("nothing changed"))
    model = SmallTransformer(encoding, d_model=64, num_heads=4, num_layers=1, seed=seed)
    text = with_needles(_library(SEEN), TRAINED - 8)
    train(model, text, steps=steps, seq_len=TRAINED, learning_rate=5e-3, seed=seed)
    return model


def stretched(model: SmallTransformer, method: str, factor: float = 4.0) -> SmallTransformer:
    """Return a copy whose pairs turn as a method says; nothing is learned."""
    other = deepcopy(model)
    other.encoding = Rotary(frequencies=frequencies(method, factor))
    return other


def tuned(model: SmallTransformer, *, seed: int = 0, steps: int = 100) -> SmallTransformer:
    """Return a copy that has learned on from pieces of 256 characters: ten seconds."""
    other, text = deepcopy(model), with_needles(_library(SEEN), LONGEST - 16)
    length, random = LONGEST, seed + 1000  # other pieces than before
    train(other, text, steps=steps, seq_len=length, batch_size=8, learning_rate=1e-3, seed=random)
    return other


def loss_by_position(model: SmallTransformer) -> np.ndarray:
    """Return the mean loss of characters never trained on, in nats, for each 32 positions.

    Shapes: [8], from the first 32 characters to the last of 256. There are no needles in them.
    """
    tokens = _held_out(LONGEST + 1)
    with torch.inference_mode():
        logits, wanted = model(tokens[:, :-1]), tokens[:, 1:]
        losses = torch.nn.functional.cross_entropy(logits.mT, wanted, reduction="none")
    return losses.mean(dim=0).view(-1, BIN).mean(dim=1).numpy()


def recall(model: SmallTransformer) -> np.ndarray:
    """Return the share of texts of each length whose capital is found; by chance it is 1/26.

    Shapes: [8], for LENGTHS. The capital is the sixteenth character, the question is the last.
    """
    shares = []
    for length in LENGTHS:
        tokens = _held_out(length)
        capitals = torch.tensor(list(CAPITALS.encode()))[torch.arange(TEXTS) % 26]
        tokens[:, 15], tokens[:, -1] = capitals, ord("?")
        with torch.inference_mode():
            said = model(tokens)[:, -1].argmax(dim=-1)
        shares.append((said == capitals).float().mean().item())
    return np.array(shares)


def stored() -> dict[str, dict[str, np.ndarray]]:
    """Return loss and recall of models from five seeds, stretched 4 times, by "PI, tuned".

    Shapes: each [5, 8], as ``loss_by_position`` and ``recall``.
    """
    seeds = json.loads(RESULTS.read_text(encoding="utf-8"))["seeds"].values()
    names = [f"{method}, {how}" for method in METHODS for how in ("untuned", "tuned")]
    return {
        name: {part: np.array([seed[name][part] for seed in seeds]) for part in ("loss", "recall")}
        for name in names
    }


def with_needles(text: str, farthest: int, *, seed: int = 0) -> str:
    """Return a text with capitals, each asked for at most ``farthest`` characters later: …Q…?Q…"""
    random, parts, at = np.random.default_rng(seed), [], 0
    while at < len(text):
        # Near ones are many, so that they are found first and far ones follow.
        apart = int(np.exp(random.uniform(np.log(2), np.log(farthest))))
        start, capital = at + int(random.integers(1, 4)), CAPITALS[random.integers(26)]
        parts.append(f"{text[at:start]}{capital}{text[start : start + apart]}?{capital}")
        at = start + apart
    return "".join(parts)


@functools.cache
def _library(characters: int) -> str:
    """Python's library with neither capitals nor question marks, its start."""
    return standard_library_text(characters).lower().replace("?", "")


def _held_out(length: int) -> torch.Tensor:
    """[texts, length], the same ones each time, from behind what is trained on."""
    text = _library(SEEN + HELD_OUT)[len(_library(SEEN)) :]
    starts = np.linspace(0, len(text) - length, TEXTS).astype(int)
    return torch.tensor([list(text[at : at + length].encode()) for at in starts])
