"""A column of layers: which have RoPE, how far each sees, how far information gets."""

import functools
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from posviz.configs import Layer, read_config
from posviz.pictures.knobs import choice, integer, log_integer
from posviz.pictures.parts import Curve, Limits, Other, Rule, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture

MOST = 48  # layers, as many as Llama 4 has by default
LONGEST = 10_000_000  # tokens
# Of each its configuration, and the entry that limits how far a layer sees.
PLANS: dict[str, tuple[dict[str, Any], str]] = {
    "all RoPE": ({"model_type": "llama"}, ""),
    "all windowed": ({"model_type": "mistral"}, "sliding_window"),
    "Cohere 2": ({"model_type": "cohere2"}, "sliding_window"),
    "Llama 4": ({"model_type": "llama4_text"}, "attention_chunk_size"),
    "SmolLM3": ({"model_type": "smollm3"}, ""),
    "Gemma 3": (
        {
            "model_type": "gemma3_text",
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
                "full_attention": {"rope_type": "default", "rope_theta": 1_000_000.0},
            },
        },
        "sliding_window",
    ),
}
WINDOWS_IN_A_ROW = {"all windowed": MOST, "Gemma 3": 5}  # before a layer that sees all
KINDS = ("NoPE", "RoPE", "RoPE, larger base")
LIMITED = tuple(plan for plan, (_, limit) in PLANS.items() if limit)


class LayerPlan(Picture):
    """Most layers have RoPE and see near tokens; others see all, and may have no position."""

    size = (8.0, 2.6)

    plan = choice("Cohere 2", options=tuple(PLANS))
    window = log_integer(
        4096, low=128, high=100_000, when={"plan": LIMITED}, label="window or chunk"
    )
    layers = integer(8, low=1, high=MOST, play=True)
    length = log_integer(65_536, low=1024, high=LONGEST, label="text (tokens)")

    def compute(self) -> Arrays:
        """Return of each layer [layers] what it sees, and how far information has come after it.

        sees: the most keys of a query; kind: its place in KINDS; newest: the last position that
        token 0 has reached. reaching: how many tokens reach the last one.
        """
        plan, bases = plan_of(self.plan, self.layers, self.window)
        newest, oldest = [0], self.length - 1
        for layer in plan:
            newest.append(_newest_after(layer, newest[-1], self.length - 1))
        for layer in reversed(plan):
            oldest = _oldest_before(layer, oldest)
        sees = [min(layer.window or layer.chunk or self.length, self.length) for layer in plan]
        least = min((base for base in bases if base), default=0)
        return self.arrays(
            sees=np.array(sees),
            newest=np.array(newest[1:]),
            kind=np.array([(base > 0) + (base > least > 0) for base in bases]),
            reaching=self.length - oldest,
            # The same for several numbers of layers: axes take long to be drawn anew.
            room=(0.4, next(most for most in (8, 12, 24, 36, MOST) if self.layers <= most) + 0.6),
        )

    def draw(self, figure: Figure) -> list:
        """For each layer, the first at the bottom: what it sees, and how far token 0 reaches."""
        near, spread = figure.subplots(1, 2, width_ratios=(1, 1.25))
        near.set(title="a layer sees", ylabel="layer", xscale="log", xlabel="tokens")
        near.set(xlim=(50, 2 * LONGEST), ylim=(0.4, MOST + 0.6))
        near.xaxis.set_major_locator(LogLocator())
        near.xaxis.set_minor_locator(NullLocator())
        spread.set(title="reach of token 0", xlabel="position (tokens)")
        spread.set(xlim=with_room(0, LONGEST), ylim=(0.4, MOST + 0.6))
        spread.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        spread.tick_params(labelleft=False)
        whole(near.yaxis, spread.yaxis, most=8)
        whole(spread.xaxis, most=3)
        look, marks = ("C1", "C0", "C2"), ("D", "o", "s")
        dots = [
            Curve(near, look[kind] + marks[kind], lambda a, kind=kind: _dots(a, kind), name)
            for kind, name in enumerate(KINDS)
        ]
        bars = [
            Other(
                spread.add_patch(
                    Polygon([(0, 0)], color=look[kind], lw=0, alpha=0.85, animated=True)
                ),
                lambda a, kind=kind: {"xy": _bars(0, a.newest, a.kind == kind)},
            )
            for kind in range(len(KINDS))
        ]
        fit = [
            Limits(near, lambda a: {"ylim": a.room, "xlim": (50, 2 * a.length)}),
            Limits(spread, lambda a: {"ylim": a.room, "xlim": with_room(0, a.length)}),
        ]
        grey = {"color": "C6", "linestyle": "--"}
        end = Rule(spread, grey, lambda a: a.length - 1, "last token")
        order = [dots[1], dots[2], dots[0], end]
        legend_above(figure, order, narrow=2, columnspacing=1.3, handlelength=1.5)
        return [*fit, *dots, *bars, end]

    def caption(self, arrays: Arrays) -> str:
        layers = f"layer{'s' * (arrays.layers > 1)}"
        return (
            f"After {arrays.layers} {layers} of {arrays.plan}, {arrays.reaching:,} of "
            f"{arrays.length:,} tokens can influence the last token’s output."
        )


@functools.lru_cache(maxsize=64)
def plan_of(name: str, layers: int, window: int) -> tuple[tuple[Layer, ...], tuple[float, ...]]:
    """Return the layers of a plan and the base of each, 0 without RoPE, as released."""
    released, limit = PLANS[name]
    config = {**released, "head_dim": 128, "num_hidden_layers": layers} | {limit: window}
    if name in WINDOWS_IN_A_ROW:
        full = WINDOWS_IN_A_ROW[name] + 1
        config["layer_types"] = [
            "sliding_attention" if layer % full else "full_attention"
            for layer in range(1, layers + 1)
        ]
    reading = read_config(config)
    bases = {kind.kind: kind.base if kind.method != "none" else 0.0 for kind in reading.kinds}
    return reading.layers, tuple(bases[layer.kind] for layer in reading.layers)


def _newest_after(layer, newest, last):
    """The last position that sees one up to ``newest`` in this layer."""
    if layer.chunk:
        return min((newest // layer.chunk + 1) * layer.chunk - 1, last)
    return min(newest + layer.window - 1, last) if layer.window else last


def _oldest_before(layer, oldest):
    """The first position that is seen from ``oldest`` in this layer."""
    if layer.chunk:
        return oldest // layer.chunk * layer.chunk
    return max(oldest - layer.window + 1, 0) if layer.window else 0


def _dots(arrays, kind):
    """What the layers of a kind see, and their numbers."""
    at = np.flatnonzero(arrays.kind == kind)
    return arrays.sees[at], at + 1


def _bars(start, ends, chosen):
    """One outline of the bars of the layers that are chosen, joined at the start: [4 · bars, 2]."""
    at = np.flatnonzero(chosen) + 1
    x = np.stack([0 * at + start, ends[chosen], ends[chosen], 0 * at + start], axis=-1)
    y = at[:, None] + [-0.4, -0.4, 0.4, 0.4]
    corners = np.stack([x, y], axis=-1).reshape(-1, 2)
    return corners if len(at) else np.full((1, 2), float(start))
