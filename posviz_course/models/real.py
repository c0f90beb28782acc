"""Two trained models, in small: a learned table, and heads that rotate queries and keys with RoPE.

Extracts lie in `data/`, with where they come from and their licence; `scripts/make_real_data.py`
makes them from two packages of weights.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from posviz.encodings.checks import require_choice
from posviz_course.models.archive import load_archive

DATA = Path(__file__).parent / "data"
TABLE, HEADS = DATA / "minilm_positions.npz", DATA / "smollm2_heads.npz"
CONTINUED = DATA / "smollm2_continued.json"
HEAD_DIM, BASE, LAYOUT = 64, 100_000.0, "half_split"  # of SmolLM2's RoPE in transformers
SENTENCES = {
    "dog": "Dog bites man, man bites dog.",
    "car": "My sister bought a red car and my brother bought a blue car.",
    "cat": "The cat sat on the mat because the cat was tired.",
}
# Layer and head, by what each looks at; of 270 heads the first of its kind in eleven sentences, as
# scripts/make_real_data.py measures it.
TELLING = {
    "previous word": (16, 0),
    "same word": (8, 1),
    "word after the same": (17, 5),
    "first word": (18, 8),
}


class Head(NamedTuple):
    """One head on one sentence: its words, and what was measured in the model.

    Shapes: q and k [len, head_dim] before they are rotated; weights [len, len], the model's own.
    """

    words: list[str]
    q: np.ndarray
    k: np.ndarray
    weights: np.ndarray


def looked_at(words: list[str], name: str) -> np.ndarray:
    """Return which keys a head of `TELLING` looks for, [queries, keys], as bool.

    Queries count from the third on: before it, the previous word is the first.
    """
    count = len(words)
    twin = np.equal.outer(words, words) & np.tri(count, k=-1, dtype=bool)
    twin[:, 0] = False
    keys = {
        "previous word": np.eye(count, k=-1, dtype=bool),
        "same word": twin,
        "word after the same": np.roll(twin, 1, axis=1) & np.tri(count, k=-1, dtype=bool),
        "first word": np.arange(count) == np.zeros((count, 1)),
    }[name]
    return keys & (np.arange(count) >= 2)[:, None]


def trained_table() -> np.ndarray:
    """Return the table of positions of all-MiniLM-L6-v2, a small relative of BERT.

    Shapes: [512, 384]. In float64, from int8 with a scale per row: cosines of two rows are off by
    less than 0.005.
    """
    arrays, _ = load_archive(TABLE)
    return arrays["rows"].astype(float) * arrays["scale"]


def heads(sentence: str = SENTENCES["car"]) -> dict[str, Head]:
    """Return what SmolLM2-135M-Instruct computes of a sentence in the heads of `TELLING`, by name.

    The sentence is one of SENTENCES. Queries and keys are stored in float16.
    """
    require_choice(sentence, "sentence", tuple(SENTENCES.values()))
    stored, card = load_archive(HEADS)
    parts = [stored[f"{sentence}/{part}"].astype(float) for part in Head._fields[1:]]
    words = card["words"][sentence]
    return {name: Head([*words], *of) for name, *of in zip(TELLING, *parts, strict=True)}


def continued() -> dict[str, str]:
    """Return what SmolLM2-135M-Instruct writes after a prompt, by the layout of its RoPE."""
    return json.loads(CONTINUED.read_text("utf-8"))["texts"]
