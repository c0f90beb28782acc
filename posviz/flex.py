"""What torch's FlexAttention is given, so that it computes what ``attention`` does.

FlexAttention calls a function with a score and its indices, and compiles it into a kernel that
holds no matrix of scores. So an encoding has to tell its bias one pair at a time. On a GPU its
speed and gradients are told in benchmarks/README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posviz.arrays import Array, as_integers, check_memory, is_torch, namespace
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, bias_by, doors
from posviz.encodings.relative import position_at, positions_of
from posviz.wording import quoted

__all__ = ["mask_mod", "score_mod"]


def score_mod(
    encoding: Encoding, q: Array, k: Array, *, q_positions: Any, k_positions: Any
) -> Callable[..., Array]:
    """Return the ``score_mod`` that adds the encoding's bias: (score, b, h, i, j) → score.

    Shapes: q [batch, heads, q_len, head_dim] and k [batch, kv_heads, k_len, head_dim] have passed
    their doors, q its temperature too; positions [len] or [batch, len], whole numbers. Make it
    outside of what is compiled::

        >>> import torch
        >>> from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        >>> from posviz import Alibi, causal_mask, mask_mod, score_mod
        >>> encoding, places = Alibi(), torch.arange(256)
        >>> q, k, v = torch.randn(3, 1, 8, 256, 64)
        >>> q, k = encoding.at_query_and_key(q, k, places)
        >>> bias = score_mod(encoding, q, k, q_positions=places, k_positions=places)
        >>> near = mask_mod(causal_mask, q_positions=places, k_positions=places, window=100)
        >>> blocks = create_block_mask(near, None, None, 256, 256, device="cpu")
        >>> scale = encoding.scale(64)
        >>> flex_attention(q, k, v, score_mod=bias, block_mask=blocks, scale=scale).shape
        torch.Size([1, 8, 256, 64])

    A bias of the offset alone is read from a row of one number per offset and head; others are
    told by ``Encoding.bias_of_pair``. One made from a layer's input (``for_input``) is made first.

    Raises:
        TypeError: when q is no tensor, or positions are not whole numbers.
        ValueError: for what FlexAttention cannot do, with the reason; or when memory is short.
    """
    if reason := why_not(encoding):
        raise ValueError(f"encoding cannot be a score_mod: {reason}")
    if not is_torch(q):
        raise TypeError("q must be a torch tensor: FlexAttention is torch's")
    if type(encoding).at_scores is Encoding.at_scores:
        return lambda score, b, h, i, j: score
    q_positions = _whole(q_positions, q, "q_positions")
    k_positions = _whole(k_positions, k, "k_positions")
    if bias_by(encoding) == "offset":
        bias = _by_offset(encoding, q, q_positions, k_positions)
    else:
        bias = encoding.bias_of_pair(q, k, q_positions, k_positions)
    return lambda score, b, h, i, j: score + bias(b, h, i, j)


def why_not(encoding: Encoding) -> str:
    """Return why FlexAttention cannot do what the encoding does: "" where it can.

    Raises:
        TypeError: for what is no Encoding.
    """
    acts, kind = doors(encoding), type(encoding)
    name = kind.__name__
    if kind.for_input is not Encoding.for_input:
        return (
            f"{name} is made from the layer's input: give what its "
            "for_input(x, positions, carried) returns first"
        )
    if acts == ("at_input",):
        return f"{name} acts only at the input: add it there with at_input, and give NoPosition()"
    if kind.at_values is not Encoding.at_values and not _is_idle_at_values(encoding):
        return f"{name}.at_values acts on the weights, which FlexAttention does not return"
    if kind.at_scores is Encoding.at_scores:
        return ""
    if bias_by(encoding) is None:
        return f"{name}.at_scores does more than add a bias to the score of one pair"
    if bias_by(encoding) != "offset" and kind.bias_of_pair is Encoding.bias_of_pair:
        return (
            f"{name} has no bias_of_pair: what it adds to one score takes sums over dimensions or "
            "tokens, where FlexAttention has one number; scaled_dot_product_attention takes it"
        )
    return ""


def _is_idle_at_values(encoding: Encoding) -> bool:
    """Tell whether a door of the values is there and does nothing: Shaw's without its table."""
    return getattr(encoding, "value_table", encoding) is None


def mask_mod(
    mask: Any = None, *, q_positions: Any = None, k_positions: Any = None, window: int | None = None
) -> Callable[..., Array]:
    """Return the ``mask_mod`` of a mask, (b, h, i, j) → True where query i may look at key j.

    The mask is a function of positions, asked about one pair at a time, so that no matrix is held;
    or a boolean tensor that broadcasts to [batch, heads, q_len, k_len]. Within a window a query
    sees only keys less than so many tokens away::

        >>> import torch
        >>> from functools import partial
        >>> from posviz import blockwise_causal_mask, mask_mod
        >>> places = torch.arange(8)
        >>> rule = partial(blockwise_causal_mask, block=2)
        >>> may = mask_mod(rule, q_positions=places, k_positions=places)
        >>> [bool(may(0, 0, torch.tensor(5), j)) for j in places]
        [False, False, True, True, True, True, False, False]

    Shapes: positions tensors [len] or [batch, len], needed for a function or a window.

    Raises:
        TypeError: when the mask is neither, or positions are missing or not whole numbers.
        ValueError: when nothing limits what is seen, or the window is below 1.
    """
    if mask is None and window is None:
        raise ValueError("mask or window must be given, got neither")
    rules = []
    if is_torch(mask):
        rules.append(_read_from(mask))
    elif callable(mask):
        rules.append(_asked(mask, *_places(q_positions, k_positions)))
    elif mask is not None:
        raise TypeError(f"mask must be a function of positions or a tensor, got {quoted(mask)}")
    if window is not None:
        rules.append(_near(require_integer(window, "window"), *_places(q_positions, k_positions)))
    if len(rules) == 1:
        return rules[0]
    first, second = rules
    return lambda b, h, i, j: first(b, h, i, j) & second(b, h, i, j)


def _places(q_positions: Any, k_positions: Any) -> tuple[Array, Array]:
    for name, positions in (("q_positions", q_positions), ("k_positions", k_positions)):
        if not is_torch(positions):
            raise TypeError(
                f"{name} must be a tensor [len] or [batch, len], got {quoted(positions)}"
            )
    return as_integers(q_positions, "q_positions"), as_integers(k_positions, "k_positions")


def _read_from(mask: Array) -> Callable[..., Array]:
    if not namespace(mask).isdtype(mask.dtype, "bool"):
        raise TypeError(f"mask must be boolean, True where a query may look, got {mask.dtype}")
    mask = mask[(None,) * (4 - mask.ndim)]
    own_b, own_h, own_i, own_j = (int(size > 1) for size in mask.shape)  # else one for all

    def may(b: Any, h: Any, i: Any, j: Any) -> Array:
        return mask[own_b * b, own_h * h, own_i * i, own_j * j]

    return may


def _asked(mask: Callable[..., Array], q_places: Array, k_places: Array) -> Callable[..., Array]:
    def may(b: Any, h: Any, i: Any, j: Any) -> Array:
        query, key = position_at(q_places, b, i), position_at(k_places, b, j)
        return mask(query[None], key[None])[0, 0]

    return may


def _near(window: int, q_places: Array, k_places: Array) -> Callable[..., Array]:
    return lambda b, h, i, j: (
        abs(position_at(q_places, b, i) - position_at(k_places, b, j)) < window
    )


def _whole(positions: Any, x: Array, name: str) -> Array:
    return as_integers(positions_of(positions, x, name), name)


def _by_offset(
    encoding: Encoding, q: Array, q_positions: Array, k_positions: Array
) -> Callable[..., Array]:
    """Return the bias of a pair, read from a row [heads, offsets]: what the last offset gets."""
    if 0 in (q_positions.numel(), k_positions.numel()):
        return lambda b, h, i, j: 0.0
    most = int(q_positions.max() - k_positions.min())
    least = int(q_positions.min() - k_positions.max())
    xp, shape = namespace(q), (1, q.shape[1], 1, most - least + 1)
    check_memory("heads × offsets", shape, itemsize=8, x=q, copies=2)
    dtype = xp.float32 if q.dtype.itemsize < 4 else q.dtype
    zeros = xp.zeros(shape, dtype=dtype, device=q.device)
    keys = most - xp.arange(least, most + 1, device=q.device)
    starts = q_positions - least  # with numbers of Python's own, each layer would be compiled anew
    row = encoding.at_scores(zeros, None, None, keys[:1] * 0 + most, keys)[0, :, 0]
    row = row.clone()  # of a view, torch.compile's backend aot_eager leaves out the gradient

    def bias(b: Any, h: Any, i: Any, j: Any) -> Array:
        return row[h, position_at(starts, b, i) - position_at(k_positions, b, j)]

    return bias
