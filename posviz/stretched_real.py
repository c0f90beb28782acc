"""A trained model read past its length: SmolLM2, its RoPE stretched in every way, untuned.

It is read in one pass, with sentences to remember strewn over the text and asked for later.
`scripts/measure_stretching.py` reads 16,384 tokens in every way and leaves `RESULTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.position_maps import (
    Branch,
    Map,
    MappedRotary,
    rerope_positions,
    self_extend_positions,
)
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import dynamic_ntk, ntk, position_interpolation, yarn
from posviz.real import BASE, DATA, LAYOUT, _load

RESULTS = DATA / "smollm2_stretched.json"
TRAINED = 8192  # tokens: llama.context_length in the model's file
HEAD_DIM = 64
BIN = 256  # tokens whose losses are averaged
CHUNK = 512  # queries that are scored at once
ASKED_EVERY = 4096  # tokens
DEPTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
CITIES = (
    "Paris London Berlin Madrid Rome Vienna Moscow Cairo Delhi Tokyo Lima Oslo "
    "Dublin Athens Boston Sydney Seattle Chicago Toronto Lisbon"
).split()


def frequencies(method: str, factor: float, length: int) -> Frequencies:
    """Return how SmolLM2's pairs turn, by a method that changes that."""
    own = {"base": BASE}
    trained = {"original_max_seq_len": TRAINED, **own}
    made = {
        "nothing changed": lambda: Frequencies(rotary_frequencies(HEAD_DIM, BASE)),
        "PI": lambda: position_interpolation(HEAD_DIM, factor, **own),
        "NTK": lambda: ntk(HEAD_DIM, factor, **own),
        "dynamic NTK": lambda: dynamic_ntk(HEAD_DIM, factor, seq_len=length, **trained),
        "YaRN": lambda: yarn(HEAD_DIM, factor, **trained),
        "YaRN by turns": lambda: yarn(HEAD_DIM, factor, ramp="paper", **trained),
        "YaRN without temperature": lambda: yarn(HEAD_DIM, factor, attention_factor=1.0, **trained),
        "larger base": lambda: Frequencies(rotary_frequencies(HEAD_DIM, factor * BASE)),
    }
    return made[method]()


def encoding(method: str, factor: float, length: int) -> MappedRotary:
    """Return RoPE stretched by a method, with its map of positions."""
    maps: dict[str, Map] = {
        "ReRoPE": partial(rerope_positions, window=int(TRAINED / factor)),
        "Self-Extend": partial(self_extend_positions, window=1024, group=int(2 * factor)),
    }
    own = frequencies("nothing changed" if method in maps else method, factor, length)
    as_they_are = partial(rerope_positions, window=length)  # no pair is that far apart
    return MappedRotary(maps.get(method, as_they_are), Rotary(layout=LAYOUT, frequencies=own))


class Reading(NamedTuple):
    """Tokens to read: ids [length]; is_text [length]; answers, (start, stop, needle's place)."""

    ids: np.ndarray
    is_text: np.ndarray
    answers: list[tuple[int, int, int]]


def source() -> str:
    """Return two long pages of Python's own reference; they differ from version to version."""
    from pydoc_data.topics import topics

    return topics["specialnames"] + topics["compound"]


def reading(tokenizer: Any, length: int) -> Reading:
    """Return the first tokens of ``source``, with numbers to remember and questions about them.

    At every 4096th token five numbers are asked for that no question before was about.
    """
    text = tokenizer(source())["input_ids"]
    random = np.random.default_rng(0)
    events = []
    for at, city in enumerate(CITIES):
        asked = ASKED_EVERY * (at // len(DEPTHS) + 1)
        if asked > length:
            break
        said = f"The magic number of {city} is", str(random.integers(10_000, 100_000))
        events.append((int(DEPTHS[at % len(DEPTHS)] * asked), False, at, said))
        events.append((asked - 140, True, at, said))
    ids: list[int] = []
    is_text: list[bool] = []
    places, answers = {}, []
    for place, asks, at, (sentence, number) in sorted(events):
        more = max(place - len(ids), 0)
        ids, text = ids + text[:more], text[more:]
        is_text += [True] * more
        before = tokenizer(f"\n\n{sentence} ")["input_ids"]
        digits = tokenizer(number)["input_ids"]
        after = tokenizer(".\n\n")["input_ids"]
        if asks:
            start = len(ids) + len(before)
            answers.append((start, start + len(digits), places[at]))
        else:
            places[at] = len(ids)
        ids = ids + before + digits + after
        is_text += [False] * (len(ids) - len(is_text))
    more = max(length - len(ids), 0)
    if more > len(text):
        raise ValueError(f"length must be at most {len(ids) + len(text)}, got {length}")
    ids, is_text = ids + text[:more], is_text + [True] * more
    return Reading(np.array(ids[:length]), np.array(is_text[:length]), answers)


class _Piece(NamedTuple):
    """Keys [start, stop) for the queries of a chunk; hidden is None where all are seen."""

    branch: int
    start: int
    stop: int
    hidden: Any


def _plan(positions: Map, length: int) -> tuple[list[Branch], list[list[_Piece]]]:
    """Return the branches' positions, and what each chunk of queries sees by which branch."""
    import torch

    here = np.arange(length)
    chunks, q_positions, k_positions = [], [], []
    for first in range(0, length, CHUNK):
        queries = here[first : first + CHUNK]
        branches = positions(queries, here)
        causal = queries[:, None] >= here
        pieces = []
        for at, branch in enumerate(branches):
            where = np.asarray(branch.where) & causal
            kind = where.any(axis=0).astype(int) + where.all(axis=0)  # 0 none, 1 some, 2 all
            edges = [0, *(np.flatnonzero(np.diff(kind)) + 1), length]
            for start, stop in zip(edges, edges[1:], strict=False):
                if kind[start]:
                    hidden = None if kind[start] == 2 else torch.tensor(~where[:, start:stop])
                    pieces.append(_Piece(at, int(start), int(stop), hidden))
        chunks.append(pieces)
        q_positions.append([np.asarray(b.q_positions) for b in branches])
        k_positions = [np.asarray(b.k_positions) for b in branches]
    joined = [np.concatenate(of) for of in zip(*q_positions, strict=True)]
    return [Branch(q, k, None) for q, k in zip(joined, k_positions, strict=True)], chunks


def _attention(encoding: MappedRotary, length: int, each_layer: Callable[[], Any]) -> Any:
    """Return a function for Hugging Face's models: q, k, v that do not turn yet, to values."""
    import torch

    branches, chunks = _plan(encoding.positions, length)
    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu

    def attend(_: Any, q: Any, k: Any, v: Any, *__: Any, **___: Any) -> tuple[Any, None]:
        turned_q = [encoding.rotary.at_query(q, b.q_positions) for b in branches]
        groups = q.shape[1] // k.shape[1]
        turned_k = [
            encoding.rotary.at_key(k, b.k_positions).repeat_interleave(groups, 1) for b in branches
        ]
        v = v.repeat_interleave(groups, 1)
        out = torch.empty_like(q)
        for first, pieces in zip(range(0, length, CHUNK), chunks, strict=True):
            rows = slice(first, first + CHUNK)
            parts, logs = [], []
            for at, start, stop, hidden in pieces:
                keys, bias = slice(start, stop), None
                if hidden is not None:
                    bias = torch.zeros(hidden.shape).masked_fill_(hidden, -torch.inf)
                x, log = flash(
                    turned_q[at][:, :, rows], turned_k[at][:, :, keys], v[:, :, keys], attn_mask=bias
                )
                if hidden is not None:  # where a query sees none of these keys, it says nonsense
                    log = log.masked_fill(hidden.all(dim=-1), -torch.inf)
                parts.append(x.nan_to_num())
                logs.append(log)
            # Each part is right among its own keys; its log-sum says how much it counts.
            shares = torch.stack(logs).softmax(dim=0)[..., None]
            out[:, :, rows] = (shares * torch.stack(parts)).sum(dim=0)
        each_layer()
        return out.transpose(1, 2), None

    return attend


@contextmanager
def _stretched(model: Any, attend: Any) -> Iterator[None]:
    """Let ``attend`` do what RoPE and attention do in the model, inside a with block."""
    from transformers import AttentionInterface

    AttentionInterface.register("stretched", attend)
    turning, before = model.model.rotary_emb, model.config._attn_implementation
    inv_freq = turning.inv_freq
    turning.inv_freq, model.config._attn_implementation = 0 * inv_freq, "stretched"
    try:
        yield
    finally:
        turning.inv_freq, model.config._attn_implementation = inv_freq, before


def measure(
    text: Reading, method: str, factor: float, *, each_layer: Callable[[], Any] = lambda: None
) -> dict[str, Any]:
    """Return the mean loss of text in each bin of 256 tokens, and how needles were found.

    The method "cropped" shows each token past the trained length at most that many before it.
    """
    ids, is_text, answers = text
    losses, first = np.full(len(ids), np.nan), np.zeros(len(ids), dtype=bool)
    half = TRAINED // 2
    starts = range(half, len(ids) - TRAINED + 1, half) if method == "cropped" else [0]
    for start in starts:
        piece = ids[start : start + TRAINED] if method == "cropped" else ids
        how = encoding("nothing changed" if method == "cropped" else method, factor, len(piece))
        new = slice(half, None) if method == "cropped" else slice(1, None)
        x, y = token_losses(piece, how, each_layer=each_layer)
        rows = slice(start + new.start, start + len(piece))
        losses[rows], first[rows] = x[new], y[new]
    told = np.where(is_text & ~np.isnan(losses), losses, 0).reshape(-1, BIN).sum(axis=1)
    counts = (is_text & ~np.isnan(losses)).reshape(-1, BIN).sum(axis=1)
    needles = [
        {
            "asked": start,
            "distance": start - place,
            "loss": round(float(losses[start:stop].mean()), 4),
            "found": bool(first[start:stop].all()),
        }
        for start, stop, place in answers
        if not np.isnan(losses[start:stop]).any()
    ]
    means = [round(x / n, 4) if n else None for x, n in zip(told.tolist(), counts, strict=True)]
    return {"losses": means, "counts": counts.tolist(), "needles": needles}


def token_losses(
    ids: np.ndarray, how: MappedRotary, *, each_layer: Callable[[], Any] = lambda: None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the loss of each token after the first in nats, and whether it was the likeliest.

    Shapes: ids [length], results [length]; the first is NaN, False.
    """
    import torch

    _, model = _load()
    tokens = torch.as_tensor(ids)
    losses, first = np.full(len(ids), np.nan), np.zeros(len(ids), dtype=bool)
    with torch.inference_mode(), _stretched(model, _attention(how, len(ids), each_layer)):
        hidden = model.model(tokens[None], use_cache=False).last_hidden_state[0, :-1]
        for at in range(0, len(hidden), CHUNK):
            logits = model.lm_head(hidden[at : at + CHUNK]).float()
            wanted = tokens[at + 1 : at + 1 + len(logits)]
            rows = slice(at + 1, at + 1 + len(logits))
            losses[rows] = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
            first[rows] = logits.argmax(-1) == wanted
    return losses, first
