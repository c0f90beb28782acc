"""A column of layers: which have RoPE, how far each sees, how far information gets."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from posviz.configs import Layer, read_config
from posviz.pictures.knobs import choice, integer, log_integer
from posviz.pictures.parts import Curve, Limits, Other, Rule, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture

MOST = 48  # layers, as many as Llama 4 has by default
LONGEST = 10_000_000  # tokens
PLANS = {  # of each its configuration, and the entry that limits how far a layer sees
    "all RoPE": ({"model_type": "llama"}, ""),
    "all windowed": ({"model_type": "mistral"}, "sliding_window"),
    "Cohere 2": ({"model_type": "cohere2"}, "sliding_window"),
    "Llama 4": ({"model_type": "llama4_text"}, "attention_chunk_size"),
    "SmolLM3": ({"model_type": "smollm3"}, ""),
}
LIMITED = tuple(plan for plan, (_, limit) in PLANS.items() if limit)


class LayerPlan(Picture):
    """Some layers see near tokens and have RoPE; others see all and have no position."""

    size = (8.0, 4.2)

    plan = choice("Cohere 2", options=tuple(PLANS))
    window = log_integer(
        4096, low=128, high=100_000, when={"plan": LIMITED}, label="window or chunk"
    )
    layers = integer(8, low=1, high=MOST, play=True)
    length = log_integer(65_536, low=1024, high=LONGEST, label="text (tokens)")

    def compute(self) -> Arrays:
        """Return of each layer [layers] what it sees, and how far information has come after it.

        sees: the most keys of a query; rope: whether it rotates queries and keys; warm: the ends of
        the bars of layers whose queries grow with their position, x and y; newest: the last
        position that token 0 has reached. heard: how many tokens reach the last one.
        """
        plan, rope = plan_of(self.plan, self.layers, self.window)
        newest, oldest = [0], self.length - 1
        for layer in plan:
            newest.append(_newest_after(layer, newest[-1], self.length - 1))
        for layer in reversed(plan):
            oldest = _oldest_before(layer, oldest)
        sees = [min(layer.window or layer.chunk or self.length, self.length) for layer in plan]
        warm = [i for i, layer in enumerate(plan) if layer.temperature is not None]
        return self.arrays(
            sees=np.array(sees),
            newest=np.array(newest[1:]),
            rope=np.array(rope),
            warm=(np.take(sees, warm), np.array(warm) + 1),
            heard=self.length - oldest,
            # The same for several numbers of layers: axes take long to be drawn anew.
            room=(0.4, next(most for most in (8, 12, 24, 36, MOST) if self.layers <= most) + 0.6),
        )

    def draw(self, figure: Figure) -> list:
        """A bar for each layer, the first at the bottom: what it sees, what token 0 reaches."""
        near, spread = figure.subplots(1, 2, width_ratios=(1, 1.25))
        near.set(title="a layer sees", ylabel="layer", xscale="log", xlabel="tokens")
        near.set(xlim=(50, 1.6 * LONGEST), ylim=(0.4, MOST + 0.6))
        near.xaxis.set_major_locator(LogLocator(base=100))
        near.xaxis.set_minor_locator(NullLocator())
        spread.set(title="token 0 reaches", xlabel="position (tokens)")
        spread.set(xlim=with_room(0, LONGEST), ylim=(0.4, MOST + 0.6))
        spread.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        spread.tick_params(labelleft=False)
        whole(near.yaxis, spread.yaxis, most=8)
        whole(spread.xaxis, most=3)
        bars = [
            Other(
                axes.add_patch(Polygon([(0, 0)], color=colour, lw=0, alpha=0.85, animated=True)),
                lambda a, x=x, of=of, rope=rope: {"xy": _bars(x, getattr(a, of), a.rope == rope)},
            )
            for axes, x, of in ((near, 1, "sees"), (spread, 0, "newest"))
            for rope, colour in ((True, "C0"), (False, "C1"))
        ]
        fit = [
            Limits(near, lambda a: {"ylim": a.room}),
            Limits(spread, lambda a: {"ylim": a.room, "xlim": with_room(0, a.length)}),
        ]
        grey = {"color": "C6", "linestyle": "--"}
        end = Rule(spread, grey, lambda a: a.length - 1, "last token")
        ink = rcParams["text.color"]
        warm = Curve(near, "^", "warm", "queries grow with position", marks=0.8, color=ink)
        with_rope, without = (bar.artist for bar in bars[:2])
        with_rope.set_label("RoPE")
        without.set_label("no position")
        handles = [with_rope, without, end, warm]
        legend_above(figure, handles, narrow=2, columnspacing=1.3, handlelength=1.5)
        return [*fit, *bars, end, warm]

    def caption(self, arrays: Arrays) -> str:
        """How far information from the first token gets, and from where the last one has some."""
        return (
            f"After layer {arrays.layers} of {arrays.plan}, information from token 0 has come to "
            f"position {arrays.newest[-1]:,}, and the last token depends on {arrays.heard:,} of "
            f"{arrays.length:,} tokens."
        )


@functools.lru_cache(maxsize=64)
def plan_of(name: str, layers: int, window: int) -> tuple[tuple[Layer, ...], tuple[bool, ...]]:
    """Return the layers of a plan, and whether each rotates queries and keys, as released."""
    config, limit = PLANS[name]
    config = {**config, "head_dim": 128, "num_hidden_layers": layers} | {limit: window}
    if name == "all windowed":
        config["layer_types"] = ["sliding_attention"] * layers
    reading = read_config(config)
    rope = {kind.kind: kind.method != "none" for kind in reading.kinds}
    return reading.layers, tuple(rope[layer.kind] for layer in reading.layers)


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


def _bars(start, ends, chosen):
    """One outline of the bars of the layers that are chosen, joined at the start: [4 · bars, 2]."""
    at = np.flatnonzero(chosen) + 1
    x = np.stack([0 * at + start, ends[chosen], ends[chosen], 0 * at + start], axis=-1)
    y = at[:, None] + [-0.4, -0.4, 0.4, 0.4]
    corners = np.stack([x, y], axis=-1).reshape(-1, 2)
    return corners if len(at) else np.full((1, 2), float(start))
