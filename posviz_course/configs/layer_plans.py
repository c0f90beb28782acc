"""From a released configuration to what each layer is: its encoding, mask, window, temperature."""

from __future__ import annotations

from functools import partial
from typing import Any

from posviz.attention.masks import causal_mask, chunked_causal_mask
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.wording import quoted
from posviz_course.configs import read_config

# The models whose layers have been compared, and how their code lays out the pairs of RoPE.
LAYOUT_OF = {
    "llama4": "interleaved",
    "llama4_text": "interleaved",
    "cohere2": "interleaved",
    "smollm3": "half_split",
    "ministral3": "half_split",
}


def layer_plan(source: Any) -> list[dict[str, Any]]:
    """Return for each layer the arguments of ``attend`` that a released configuration asks for.

    Each has an encoding, a mask (a function of positions), a window and a temperature::

        for weights, cache, layer in zip(model, caches, layer_plan("config.json"), strict=True):
            x = x + attend(x, *weights, num_heads=32, positions=positions, cache=cache, **layer)

    What else a layer does is not in it: Llama 4 scales rotated queries and keys to a mean square of
    1 afterwards. source: as ``read_config``.

    Raises ValueError for a model that is not in LAYOUT_OF, whose layers nobody has compared.

    Source: transformers 5.23, the attention of each.

    >>> [type(layer["encoding"]).__name__ for layer in layer_plan({"model_type": "smollm3"})[:4]]
    ['Rotary', 'Rotary', 'Rotary', 'NoPosition']
    """
    reading = read_config(source)
    if reading.model not in LAYOUT_OF:
        raise ValueError(
            f"model_type must be one of {', '.join(LAYOUT_OF)}, got {quoted(reading.model)}"
        )
    layout = LAYOUT_OF[reading.model]
    encodings = {
        kind.kind: Rotary(frequencies=f, layout=layout) if (f := kind.frequencies) else NoPosition()
        for kind in reading.kinds
    }
    return [
        {
            "encoding": encodings[layer.kind],
            "mask": partial(chunked_causal_mask, chunk=layer.chunk) if layer.chunk else causal_mask,
            "window": layer.window or None,
            "temperature": layer.temperature,
        }
        for layer in reading.layers
    ]
