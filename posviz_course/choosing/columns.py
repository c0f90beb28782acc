"""What is measured of an encoding without torch: one function for each column.

Each is given the name of a row and returns a cell. Tokens and projections are the same for all, and
arrays are NumPy's, in float64.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from posviz.arrays import Array
from posviz.attention import KeyValueCache, attend
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import Encoding, doors
from posviz.encodings.fox import FoX
from posviz.encodings.inkling import Inkling
from posviz.encodings.rotary2d import AxialRotary, raster
from posviz_course.choosing.census import CENSUS, FILES
from posviz_course.choosing.length import loss, recall
from posviz_course.choosing.rows import (
    D_MODEL,
    HEAD_DIM,
    HEADS,
    LINE,
    NONE,
    PLANS,
    ROWS,
    Cell,
    marked,
    parameters_of,
)

COUNT = 8  # tokens
TOKENS = np.random.default_rng(0).normal(size=(1, COUNT, D_MODEL))
PROJECTIONS = np.random.default_rng(1).normal(size=(3, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
SHIFTS = 25, 1000  # tokens by which a text is moved: over the end of a line, and far
SAME = 1e-9  # what differs by less is the same, up to the rounding of float64
LEANS = 5.0  # e⁵: a key outweighs another 148 times by its direction alone
NOTHING = 1e-300  # beside a weight: of one so small there is no logarithm
PARTS = {
    "at_input": "input",
    "at_query": "query, key",
    "at_scores": "scores",
    "at_values": "values",
}


@cache
def made(row: str, length: int = COUNT) -> Encoding:
    """Return a row's encoding, for a text of so many tokens; of a plan, its windowed layers'."""
    return ROWS[PLANS.get(row, row)](length)


def layer(row: str, tokens: Array = TOKENS, positions: Any = None, **more) -> Any:
    """Return what one causal layer makes of tokens [1, len, d_model]; more: as in ``attend``."""
    positions = np.arange(tokens.shape[1]) if positions is None else np.asarray(positions)
    given: Any = {"encoding": made(row), "mask": causal_mask} | more
    return attend(tokens, *PROJECTIONS, num_heads=HEADS, positions=positions, **given)


def door(row: str) -> Cell:
    """Where it acts."""
    passed = [PARTS[name] for name in doors(_for_input(row)) if name in PARTS]
    return Cell(len(passed), " and ".join(passed) or "nowhere")


def parameters(row: str) -> Cell:
    """How many numbers are learned, with 8 heads of 64 dimensions and a table of 1024 rows."""
    count = parameters_of(made(row))
    return Cell(count, f"{count:,}".replace(",", " "), count == 0)


def flash(row: str) -> Cell:
    """What torch's scaled_dot_product_attention must be given beside queries, keys and values.

    The number: 0 for nothing, so that FlashAttention can do it; 1 where another of its kernels has
    to, for a bias or for queries that are wider than values; 2 if it cannot.
    """
    encoding = _for_input(row)
    if _has_own_sums(encoding):
        return Cell(2, "✗ its own sums", False)
    if encoding.bias_by is not None:
        return Cell(1, "a bias", False)
    queries = np.ones((1, HEADS, 1, HEAD_DIM))
    if encoding.at_query(queries, np.arange(1)).shape[-1] > HEAD_DIM:
        return Cell(1, "wider queries", False)
    return Cell(0, "✓ nothing")


def flex_attention(row: str) -> Cell:
    """Whether FlexAttention can be given its bias for one pair at a time."""
    encoding = _for_input(row)
    # Of the biases by content, FoX's is the difference of two running sums, and Inkling's is read
    # from the query's own curve. The others are sums over dimensions or tokens.
    by_pair = encoding.bias_by != "content" or isinstance(made(row), FoX | Inkling)
    can = by_pair and not _has_own_sums(encoding)
    return Cell(can, "✓" if can else "✗", can)


def _has_own_sums(encoding: Encoding) -> bool:
    """Tell whether it does more to the scores than add a number to each, or acts on the values."""
    acts = doors(encoding)
    return "at_values" in acts or ("at_scores" in acts and encoding.bias_by is None)


def cached(row: str) -> Cell:
    """Largest difference of an output when tokens come one by one, with a cache of keys."""
    held = KeyValueCache()
    steps = [
        layer(row, TOKENS[:, i : i + 1], [i], encoding=made(row, i + 1), cache=held)
        for i in range(COUNT)
    ]
    return _measured(np.concatenate(steps, axis=1) - layer(row), should_change=False)


def relative(row: str) -> Cell:
    """Largest change of an output when the text is moved by 25 or by 1000 positions."""
    moved = [layer(row, positions=shift + np.arange(COUNT)) for shift in SHIFTS]
    return _measured(np.stack(moved) - layer(row), should_change=False)


def between(row: str) -> Cell:
    """Largest change of a score, less that of the query with itself, by one token between."""
    other = TOKENS.copy()
    other[:, COUNT // 2] = np.random.default_rng(2).normal(size=D_MODEL)
    scores = []
    for tokens in (TOKENS, other):
        weights = _weights(row, tokens)[:, -1]
        scores.append(np.log(weights[:, 0] / weights[:, -1]))
    return _measured(scores[1] - scores[0], should_change=True)


def stretched(row: str) -> Cell:
    """Largest change of an output when positions are divided by 4; nan where it refuses them."""
    if isinstance(made(row), AxialRotary):  # rows and columns are divided, not their numbers
        outputs = layer(row, encoding=AxialRotary(raster(1, COUNT) / 4))
        return _measured(outputs - layer(row), should_change=True)
    try:
        outputs = layer(row, positions=np.arange(COUNT) / 4)
    except TypeError:
        return Cell(np.nan, "✗ whole only", False)
    cell = _measured(outputs - layer(row), should_change=True)
    return cell if cell.can else Cell(cell.number, "reads none")


def plane(row: str) -> Cell:
    """Difference of a weight between neighbours in a line and over its end, 32 patches a line."""
    same = np.repeat(TOKENS[:, :1], 2, axis=1)
    pairs = (0, 1), (LINE - 1, LINE)
    inside, over = (_weights(row, same, places)[:, 1, 0] for places in pairs)
    return _measured(over - inside, should_change=True)


def positions(row: str) -> Cell:
    """How many numbers the position of a token is."""
    is_pair = isinstance(made(row), AxialRotary)
    return marked(2, "two", False) if is_pair else marked(1, "one", True)


def both_ways(row: str) -> Cell:
    """Largest change of an output, without a mask, when the text is reversed.

    Or the logarithm of the factor by which the farthest key ahead outweighs the farthest behind,
    contents being alike, where that is above 5.
    """
    reversed_text = layer(row, TOKENS[:, ::-1], mask=None)[:, ::-1]
    alike = np.repeat(TOKENS[:, :1], 2 * 16 + 1, axis=1)
    apart = 30 if row in ("learned", "RoPE in 2-D") else 3000  # these end after 1024 places
    weights = np.log(_weights(row, alike, apart * np.arange(33), mask=None)[:, 16] + NOTHING)
    ahead = float((weights[:, -1] - weights[:, 0]).max())
    if ahead > LEANS:
        times = f"e^{ahead:.0f}" if ahead < 100 else "> e^100"
        return Cell(ahead, f"✗ {times} ahead", False)
    return _measured(layer(row, mask=None) - reversed_text, should_change=True)


def census(row: str) -> Cell:
    """In how many of 530 model files of transformers 5.23 it is found, by its pattern."""
    if row == NONE:
        return Cell(np.nan, "in some layers")
    if row not in CENSUS:
        return Cell(np.nan, "with RoPE")
    files = CENSUS[row].files
    return Cell(files, f"{files} of {FILES}", files > 0)


def _for_input(row: str) -> Encoding:
    return made(row).for_input(TOKENS, np.arange(COUNT), None)[0]


def _weights(row: str, tokens: Array, positions: Any = None, **more) -> Array:
    """The weights [heads, len, len] of one layer."""
    return layer(row, tokens, positions, return_weights=True, **more)[1][0]


def _measured(difference: Array, should_change: bool) -> Cell:
    """A cell for the largest difference; what rounding leaves differs from machine to machine."""
    largest = float(np.abs(difference).max())
    changes = largest > SAME
    said = f"{largest:.2g}" if changes else "< 1e-9"
    return marked(largest, said, changes == should_change)


MEASURES = {
    "door": door,
    "parameters": parameters,
    "flash": flash,
    "FlexAttention": flex_attention,
    "cached": cached,
    "relative": relative,
    "between": between,
    "stretched": stretched,
    "2-D": plane,
    "both ways": both_ways,
    "positions": positions,
    "census": census,
    "loss": loss,
    "recall": recall,
}
COLUMNS: dict[str, Callable[[str], Cell]] = {name: cache(MEASURES[name]) for name in MEASURES}
"""By name, the function from the name of a row to its cell; each measures a row once."""
