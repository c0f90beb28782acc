"""Name what a program does with positions, from its outputs alone.

A rotation is linear, so its outputs for unit vectors show everything: which columns mix, by
which angle at which position, how long the result is, and how exact the angles are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from posviz.encodings.checks import require_integer
from posviz_course.blackbox.bias import identify_bias
from posviz_course.blackbox.compare import compared
from posviz_course.blackbox.dump import identify_dump
from posviz_course.blackbox.function import identify_function
from posviz_course.blackbox.libraries import same_as
from posviz_course.blackbox.table import identify_cos_sin, identify_inv_freq, identify_table
from posviz_course.blackbox.verdict import ProgramVerdict

__all__ = ["ProgramVerdict", "identify"]


def identify(
    rotate: Callable[..., Any] | None = None,
    meant: Any = None,
    *,
    head_dim: int = 64,
    axes: int | None = None,
    before: Any = None,
    after: Any = None,
    positions: Any = None,
    table: Any = None,
    cos: Any = None,
    sin: Any = None,
    inv_freq: Any = None,
    bias: Any = None,
    scores: Any = None,
    without: Any = None,
) -> ProgramVerdict:
    """Say what a program does with positions, and prove it with a line of posviz.

    Give one of: ``rotate(x, positions)``, a function of x [len, head_dim]; rows ``before`` and
    ``after``, [len, d], [heads, len, d] or [len, heads, d]; a ``table`` [len, d_model]; ``cos``
    and ``sin`` [len, rotary_dim/2], or twice as wide; ``inv_freq`` [rotary_dim/2]; a ``bias``
    [heads, q_len, k_len]; ``scores`` with it and ``without`` it. positions are [len], or [len,
    axes] for (row, column) or (time, row, column); None: they are found.

    ``meant`` is what the program should do, as another function, a dictionary of the arguments
    above, a verdict, an encoding, a `config.json` or the name of a library: the verdict then says
    in one sentence each what differs, and which change mends it.

        >>> from posviz import Rotary, identify
        >>> identify(lambda x, p: Rotary().at_query(x[None, None], p)[0, 0], head_dim=8).layout
        'interleaved'
    """
    arguments = {
        "rotate": rotate, "before": before, "table": table, "cos": cos, "inv_freq": inv_freq,
        "bias": bias, "scores": scores,
    }  # fmt: skip
    given = [name for name, value in arguments.items() if value is not None]
    if len(given) != 1:
        names = "rotate, before and after, table, cos and sin, inv_freq, bias, scores and without"
        raise ValueError(f"identify takes one of {names}; got {', '.join(given) or 'none'}.")
    partner = {"before": ("after", after), "cos": ("sin", sin), "scores": ("without", without)}
    name, other = partner.get(given[0], ("", True))
    if other is None:
        raise ValueError(f"{given[0]} needs {name} beside it.")
    if rotate is not None:
        if not callable(rotate):
            raise TypeError("rotate must be a function of x and positions; name an array: table=….")
        verdict = identify_function(rotate, require_integer(head_dim, "head_dim", low=2), axes)
    elif before is not None:
        verdict = identify_dump(before, after, positions)
    elif table is not None:
        if positions is not None:
            raise ValueError("positions go with before and after, or with cos and sin.")
        verdict = identify_table(table)
    elif cos is not None:
        verdict = identify_cos_sin(cos, sin, positions)
    elif inv_freq is not None:
        verdict = identify_inv_freq(inv_freq)
    else:
        verdict = identify_bias(scores if bias is None else bias, without)
    verdict = replace(verdict, same_as=same_as(verdict))
    return verdict if meant is None else compared(verdict, meant, rotate, head_dim, axes)
