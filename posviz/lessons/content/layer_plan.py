"""A column of layers: which is told where tokens stand, how far each sees, how news spreads."""

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
SHORTEST, LONGEST = 1024, 10_000_000  # tokens
NEAREST = 128  # the narrowest window
# What each plan's configuration says besides the number of its layers, and what limits a look.
PLANS: dict[str, tuple[dict, str]] = {
    "all RoPE": ({"model_type": "llama"}, ""),
    "all windowed": ({"model_type": "mistral"}, "sliding_window"),
    "Cohere 2": ({"model_type": "cohere2"}, "sliding_window"),
    "Llama 4": ({"model_type": "llama4_text"}, "attention_chunk_size"),
    "SmolLM3": ({"model_type": "smollm3"}, ""),
}
LIMITED = tuple(plan for plan, (_, limit) in PLANS.items() if limit)


class LayerPlan(Picture):
    """Some layers look near and are told where; others look far and are not told."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.6)

    plan = choice("Cohere 2", options=tuple(PLANS))
    layers = integer(8, low=1, high=MOST, play=True)
    window = log_integer(
        4096, low=NEAREST, high=100_000, when={"plan": LIMITED}, label="window or chunk"
    )
    length = log_integer(65_536, low=SHORTEST, high=LONGEST, label="text (tokens)")

    def compute(self) -> Arrays:
        """Return for each layer how far it looks, whether it is told where, and what it spreads.

        sees: the most keys that a query has in a layer; newest: the last position that has news of
        the first token after it; told, warm: whether it turns queries and keys, and whether queries
        grow with their position, [layers] each. heard: of how many tokens the last one has heard.
        """
        plan, told = plan_of(self.plan, self.layers, self.window)
        last = self.length - 1
        newest = [0]
        for layer in plan:
            newest.append(_newest_after(layer, newest[-1], last))
        oldest = last
        for layer in reversed(plan):
            oldest = _oldest_before(layer, oldest)
        sees = [min(layer.window or layer.chunk or self.length, self.length) for layer in plan]
        return self.arrays(
            sees=np.array(sees),
            newest=np.array(newest[1:]),
            told=np.array(told),
            warm=np.array([layer.temperature is not None for layer in plan]),
            heard=self.length - oldest,
        )

    def draw(self, figure: Figure) -> list:
        """A bar for each layer, the first at the bottom: how far it looks, and who has heard."""
        near, spread = figure.subplots(1, 2, width_ratios=(1, 1.25))
        near.set(title="a layer sees", ylabel="layer", xscale="log", xlabel="tokens")
        near.set(xlim=(50, 1.6 * LONGEST), ylim=(0.4, MOST + 0.6))
        near.xaxis.set_major_locator(LogLocator(base=100))
        near.xaxis.set_minor_locator(NullLocator())
        spread.set(title="news of the first token", xlabel="position (tokens)")
        spread.set(xlim=with_room(0, LONGEST), ylim=(0.4, MOST + 0.6))
        spread.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        spread.tick_params(labelleft=False)
        whole(near.yaxis, spread.yaxis, most=8)
        whole(spread.xaxis, most=3)
        parts: list = [
            Limits(near, lambda a: {"ylim": _floors(a)}),
            Limits(spread, lambda a: {"ylim": _floors(a), "xlim": with_room(0, a.length)}),
        ]
        bars = []
        for axes, start, ends in ((near, 1, "sees"), (spread, 0, "newest")):
            bars = [
                _Bars(axes, "C0", lambda a, of=ends, x=start: (x, vars(a)[of], a.told)),
                _Bars(axes, "C1", lambda a, of=ends, x=start: (x, vars(a)[of], ~a.told)),
            ]
            parts += bars
        ink = {"color": rcParams["text.color"]}
        warm = Curve(near, "^", _warm, "queries grow with position", marks=0.8, **ink)
        grey = {"color": "C6", "linestyle": "--"}
        end = Rule(spread, grey, lambda a: a.length - 1, "last token")
        for bar, label in zip(bars, ("RoPE: told where", "no position: not told"), strict=True):
            bar.artist.set_label(label)
        handles = [*(bar.artist for bar in bars), end, warm]
        legend_above(figure, handles, narrow=2, columnspacing=1.3, handlelength=1.5)
        return [*parts, end, warm]

    def caption(self, arrays: Arrays) -> str:
        """How many layers are told, and after which the last token has news of the first."""
        far = int(sum(~arrays.told))
        told = _limited(arrays.layers - far, arrays.sees[arrays.told], arrays.length)
        rest = f", {_are(far)} not told and see{'s' * (far == 1)} all" * (far > 0)
        there = np.flatnonzero(arrays.newest == arrays.length - 1)
        spread = f"ends at position {arrays.newest[-1]:,}"
        if len(there):
            spread = f"reaches the last one after layer {there[0] + 1}"
        return (
            f"{arrays.plan}, {arrays.layers} layer{'s' * (arrays.layers > 1)}: {told}{rest}; news "
            f"of the first token {spread}, and in the end the last one has heard of "
            f"{arrays.heard:,} of {arrays.length:,} tokens."
        )


def _limited(count, sees, length):
    """How many layers are told where tokens stand, and how many of these they see."""
    most = "all" if not count or sees[0] == length else f"{sees[0]:,} tokens at most"
    return f"{_are(count)} told where tokens stand and see{'s' * (count == 1)} {most}"


def _are(count):
    return f"{count} {'is' if count == 1 else 'are'}"


@functools.lru_cache(maxsize=64)
def plan_of(name: str, layers: int, window: int) -> tuple[tuple[Layer, ...], tuple[bool, ...]]:
    """Return the layers of a plan, and whether each turns queries and keys, as they are released.

    The rhythm is that of the configuration; how many layers there are and how far those that look
    near see is given, in tokens.
    """
    config, limit = PLANS[name]
    config = {**config, "head_dim": 128, "num_hidden_layers": layers} | {limit: window}
    if name == "all windowed":
        config["layer_types"] = ["sliding_attention"] * layers
    reading = read_config(config)
    turned = {kind.kind: kind.method != "none" for kind in reading.kinds}
    return reading.layers, tuple(turned[layer.kind] for layer in reading.layers)


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


class _Bars(Other):
    """A level bar for each layer that is chosen, from one x to another: one outline for all."""

    def __init__(self, axes, colour, show):
        area = Polygon(np.zeros((3, 2)), facecolor=colour, lw=0, alpha=0.85, animated=True)
        super().__init__(axes.add_patch(area), lambda a: {"xy": _outline(*show(a))})


def _outline(start, ends, chosen):
    """The bars of the layers that are chosen, joined along the start: [4 · bars, 2]."""
    at = np.flatnonzero(chosen) + 1
    x = np.stack([0 * at + start, ends[chosen], ends[chosen], 0 * at + start], axis=-1)
    y = np.stack([at - 0.4, at - 0.4, at + 0.4, at + 0.4], axis=-1)
    corners = np.stack([x, y], axis=-1).reshape(-1, 2)
    return corners if len(at) else np.full((1, 2), float(start))


def _floors(arrays):
    """The ends of y, the same for several numbers of layers: axes take long to be drawn anew."""
    return 0.4, next(most for most in (8, 12, 24, 36, MOST) if arrays.layers <= most) + 0.6


def _warm(arrays):
    """A mark at the end of each bar of a layer whose queries grow with their position."""
    return arrays.sees[arrays.warm], np.flatnonzero(arrays.warm) + 1
