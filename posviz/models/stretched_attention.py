"""A Hugging Face model that turns its queries and keys as posviz says, on long texts.

Its attention is torch's own, chunk by chunk of queries, each with the keys that a branch of the
map has; what the parts saw is put together by the sums of their softmaxes. Nothing is approximate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch

from posviz.encodings.position_maps import Branch, Map, MappedRotary

CHUNK = 512  # queries that are scored at once


class _Part(NamedTuple):
    """Keys [start, stop) for the queries of a chunk; hidden is None where all are seen."""

    branch: int
    start: int
    stop: int
    hidden: torch.Tensor | None


def token_losses(
    model: Any, ids: np.ndarray, how: MappedRotary, *, each_layer: Callable[[], Any] = lambda: None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the loss of each token after the first in nats, and whether it was the likeliest.

    The model is one of the Llama kind on the CPU; each_layer is called as often as it has layers.

    Shapes: ids [length], results [length]; the first is NaN, False.
    """
    tokens = torch.as_tensor(ids)
    losses, likeliest = np.full(len(ids), np.nan), np.zeros(len(ids), dtype=bool)
    attend = attention_in_parts(how, len(ids), each_layer)
    with torch.inference_mode(), _attending(model, attend):
        hidden = model.model(tokens[None], use_cache=False).last_hidden_state[0, :-1]
        for at in range(0, len(hidden), CHUNK):
            logits = model.lm_head(hidden[at : at + CHUNK]).float()
            rows = slice(at + 1, at + 1 + len(logits))
            wanted = tokens[rows]
            losses[rows] = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
            likeliest[rows] = logits.argmax(dim=-1) == wanted
    return losses, likeliest


def attention_in_parts(
    how: MappedRotary, length: int, each_layer: Callable[[], Any] = lambda: None
) -> Callable[..., tuple[torch.Tensor, None]]:
    """Return causal attention as Hugging Face's models call it, of q and k that do not turn yet.

    Shapes: q [batch, heads, length, head_dim], k and v alike but for fewer heads, in float32;
    result [batch, length, heads, head_dim].
    """
    branches, chunks = _plan(how.positions, length)
    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu

    def attend(
        module: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, None]:
        group, out = q.shape[1] // k.shape[1], torch.empty_like(q)
        q_turned = [how.rotary.at_query(q, branch.q_positions) for branch in branches]
        k_turned = [how.rotary.at_key(k, branch.k_positions) for branch in branches]
        k_turned = [x.repeat_interleave(group, 1) for x in k_turned]
        v = v.repeat_interleave(group, 1)
        for first, parts in zip(range(0, length, CHUNK), chunks, strict=True):
            rows, seen, sums = slice(first, first + CHUNK), [], []
            for branch, start, stop, hidden in parts:
                bias = None if hidden is None else torch.where(hidden, -torch.inf, 0.0)
                asking, keys = q_turned[branch][:, :, rows], k_turned[branch][:, :, start:stop]
                x, log_sum = flash(asking, keys, v[:, :, start:stop], attn_mask=bias)
                if hidden is not None:  # of a query that sees none of these keys it says nonsense
                    log_sum = log_sum.masked_fill(hidden.all(dim=-1), -torch.inf)
                seen.append(x.nan_to_num())
                sums.append(log_sum)
            # Each part is right among its own keys; its sum says how much of the whole it is.
            shares = torch.stack(sums).softmax(dim=0)[..., None]
            out[:, :, rows] = (shares * torch.stack(seen)).sum(dim=0)
        each_layer()
        return out.transpose(1, 2), None

    return attend


def _plan(positions: Map, length: int) -> tuple[list[Branch], list[list[_Part]]]:
    """Return where each branch turns queries and keys, and what each chunk sees by which branch."""
    here = np.arange(length)
    mapped = [positions(here[at : at + CHUNK], here) for at in range(0, length, CHUNK)]
    chunks = [
        _parts(branches, here[at : at + CHUNK, None] >= here)
        for at, branches in zip(range(0, length, CHUNK), mapped, strict=True)
    ]
    # Of a map, queries turn as they stand and keys as they stand, whatever else is in the chunk.
    return [
        Branch(np.concatenate([each.q_positions for each in same]), same[0].k_positions, None)
        for same in zip(*mapped, strict=True)
    ], chunks


def _parts(branches: Any, causal: np.ndarray) -> list[_Part]:
    """Split the keys of a chunk into runs that all its queries see, or some; others are left out.

    Shapes: causal [queries, keys].
    """
    parts = []
    for at, branch in enumerate(branches):
        seen = branch.where & causal
        kind = seen.any(axis=0) * 1 + seen.all(axis=0)  # 0: none sees it, 1: some, 2: all
        edges = [0, *(np.flatnonzero(np.diff(kind)) + 1), len(kind)]
        for start, stop in pairwise(edges):
            hidden = torch.from_numpy(~seen[:, start:stop]) if kind[start] == 1 else None
            if kind[start]:
                parts.append(_Part(at, int(start), int(stop), hidden))
    return parts


@contextmanager
def _attending(model: Any, attend: Callable) -> Iterator[None]:
    """Let ``attend`` do what RoPE and attention do in the model, inside a with block."""
    from transformers import AttentionInterface

    AttentionInterface.register("posviz", attend)
    turning, before = model.model.rotary_emb, model.config._attn_implementation
    inv_freq, scaling = turning.inv_freq, turning.attention_scaling
    turning.inv_freq, turning.attention_scaling = 0 * inv_freq, 1.0  # the model turns nothing
    model.config._attn_implementation = "posviz"
    try:
        yield
    finally:
        turning.inv_freq, turning.attention_scaling = inv_freq, scaling
        model.config._attn_implementation = before
