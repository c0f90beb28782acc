"""Arms: the encodings that are compared, as small models, and what is changed only at test.

All arms of a configuration have the same weights before training, drawn from its seed; what an
encoding learns is added to them. Sizes that papers give for long texts are taken in proportion to
the trained length L, ``seq_len``; nothing was chosen by results beyond L.
"""

from __future__ import annotations

import math
from copy import deepcopy
from functools import partial
from typing import Any

import torch
from torch import nn

from posviz.attention.masks import blockwise_causal_mask
from posviz.encodings.alibi import Alibi, alibi_slopes
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.fire import FIRE
from posviz.encodings.fox import FoX
from posviz.encodings.kerple import KerpleLog
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.encodings.stretching import ntk, position_interpolation, yarn
from posviz.encodings.t5 import T5
from posviz.encodings.xpos import XPos
from posviz_course.lab.configs import AT_TEST, Config
from posviz_course.lab.tasks import TASKS
from posviz_course.models.training import START, SmallTransformer

BUCKETS = 16  # of T5
FIRE_WIDTH = 32
SINE = 0.5**0.5  # the root of the mean square of a sine
BETA_FAST = 4.0  # of YaRN, for short texts: its usual 32 does the same up to 64 tokens, not at 256
SMALLEST = 0.01  # Kerple's numbers, as its released code clamps them


class _T5(T5):
    """T5's bias beside scores divided by √head_dim, where T5 begins with smaller weights."""

    def scale(self, head_dim: int) -> float:
        return head_dim**-0.5


def untrained(config: Config) -> SmallTransformer:
    """Return the model of a configuration before training.

    - sinusoidal: embeddings begin as large as the sines, as the paper's factor √d_model makes them.
    - learned: a table with a row for each position up to the longest test; beyond L none is
      trained, except where positions are randomised.
    - T5: 16 buckets, the last from L/2 on, so that all are trained; one table for all layers.
    - xPos: scale_base L/2, as 512 is for the 1,024 tokens of the paper.
    - RoPE, window: both layers see L/2 tokens. hybrid: so does the first; the second sees all, and
      is not told where they are.
    - FIRE: threshold L/4, as 512 is for 2,048 tokens, and c are learned.
    - Kerple, log: begins at r₁ = r₂ = 1. FoX: gates in each layer, which begin as ALiBi.
    - "…, randomised": in training, positions are a sorted sample of those up to the longest test.
    """
    name = config.arm.partition(", randomised")[0]
    encoding, plan = _encoding(name, config)
    model = SmallTransformer(
        encoding,
        d_model=config.d_model,
        num_heads=config.num_heads,
        num_layers=config.num_layers,
        seed=config.seed,
        plan=plan,
    )
    if name == "sinusoidal":
        model.embedding.data *= SINE / START
    return model


def at_test(config: Config, model: SmallTransformer, length: int) -> dict[str, SmallTransformer]:
    """Return copies of a trained model, changed for texts of a length; nothing is learned.

    Frequencies are stretched by length / L, and are as trained up to L. The window is L tokens: no
    distance is new. log-n multiplies scores by ln n / ln L where more than L keys are seen. xPos
    sees blocks of L/2, its own and the one before.
    """
    trained, head_dim = config.seq_len, config.d_model // config.num_heads
    factor = max(length / trained, 1.0)
    frequencies: dict[str, Any] = {
        "PI": position_interpolation,
        "NTK": ntk,
        "YaRN": partial(yarn, original_max_seq_len=trained, beta_fast=BETA_FAST),
    }
    limits: dict[str, dict[str, Any]] = {
        "RoPE, window at test": {"window": trained},
        "RoPE, log-n at test": {"temperature": partial(_log_n, trained=trained)},
        "xPos, blocks at test": {"mask": partial(blockwise_causal_mask, block=trained // 2)},
    }
    changed = {name: deepcopy(model) for name in AT_TEST.get(config.arm, ())}
    for name, other in changed.items():
        if name in frequencies:
            other.encoding = Rotary(frequencies=frequencies[name](head_dim, factor))
        else:
            other.plan = [own | limits[name] for own in other.plan]
    return changed


def longest(config: Config) -> int:
    """Return the longest text on which a configuration is tested, in tokens."""
    return TASKS[config.task].lengths(config.seq_len)[-1]


@torch.no_grad()
def keep_allowed(model: SmallTransformer) -> None:
    """Keep what has to be above 0 there, after a step of training."""
    for name, parameter in model.named_parameters():
        if name.rpartition(".")[2] in ("r1", "r2"):
            parameter.clamp_(min=SMALLEST)


def _encoding(arm: str, config: Config) -> tuple[Encoding, list[dict[str, Any]] | None]:
    """Return an encoding, and a plan where layers differ."""
    length, heads, layers = config.seq_len, config.num_heads, config.num_layers
    near = {"window": length // 2}
    match arm:
        case "learned":
            table = 0.02 * _normal(config, longest(config), config.d_model)
            return Learned(nn.Parameter(table)), None
        case "T5":
            table = nn.Parameter(torch.zeros(BUCKETS, heads))
            return _T5(table, bidirectional=False, max_distance=max(length // 2, BUCKETS)), None
        case "xPos":
            return XPos(scale_base=length / 2), None
        case "RoPE, window":
            return Rotary(), [near] * layers
        case "hybrid":
            return Rotary(), [near] * (layers - 1) + [{"encoding": NoPosition()}]
        case "FIRE":
            w_in, b_in = _normal(config, 2, FIRE_WIDTH)
            w_out = FIRE_WIDTH**-0.5 * _normal(config, FIRE_WIDTH, heads)
            numbers = torch.zeros(heads), torch.tensor(0.1), torch.tensor(length / 4)
            return FIRE(*map(nn.Parameter, (w_in, b_in, w_out, *numbers))), None
        case "Kerple":
            return KerpleLog(*(nn.Parameter(torch.ones(heads)) for _ in range(2))), None
        case "FoX":
            gates = torch.exp(-torch.tensor(alibi_slopes(heads), dtype=torch.float32))
            w_f, b_f = torch.zeros(config.d_model, heads), torch.log(gates / (1 - gates))
            learned = [map(nn.Parameter, (w_f.clone(), b_f.clone())) for _ in range(layers)]
            return NoPosition(), [{"encoding": FoX(*of_layer)} for of_layer in learned]
    plain = {"none": NoPosition, "sinusoidal": Sinusoidal, "ALiBi": Alibi, "RoPE": Rotary}
    return plain[arm](), None


def _normal(config: Config, *shape: int) -> torch.Tensor:
    random = torch.Generator().manual_seed(config.seed + 1)  # the model's own are drawn from seed
    return torch.randn(shape, generator=random)


def _log_n(positions: torch.Tensor, trained: int) -> torch.Tensor:
    """Return the temperature of each query, ln L / ln n, of those that see n > L keys."""
    seen = positions.to(torch.float64) + 1
    return math.log(trained) / torch.log(seen.clamp(min=trained))
