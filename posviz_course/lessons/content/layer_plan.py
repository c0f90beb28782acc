"""A column of layers: which have RoPE, how far each sees, how far information gets."""

import functools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from posviz.pictures.knobs import Choice, Integer, LogInteger
from posviz.pictures.parts import Curve, Limits, Other, Rule, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz_course.configs import Layer, read_config

MOST = 48  # layers
LONGEST = 10_000_000  # tokens
# The type of a model with each plan.
PLANS = {"all windowed": "mistral", "Cohere 2": "cohere2", "Gemma 3": "gemma3_text"}
KINDS = ("NoPE", "RoPE", "RoPE, larger base")


class LayerPlan(Picture):
    """Most layers have RoPE and see near tokens; others see all, and may have no position."""

    size = (8.0, 2.6)

    plan = Choice("Cohere 2", options=tuple(PLANS))
    window = LogInteger(4096, low=128, high=100_000)
    layers = Integer(8, low=1, high=MOST, play=True)
    length = LogInteger(65_536, low=1024, high=LONGEST, label="text (tokens)")

    def compute(self) -> Arrays:
        """Return of each layer [layers] what it sees, and how far information has come after it.

        sees: the most keys of a query; kind: its place in KINDS; newest: the last position that
        token 0 has reached.
        """
        plan, bases = plan_of(self.plan, self.layers, self.window)
        sees = [min(layer.window or self.length, self.length) for layer in plan]
        newest = [0]
        for tokens in sees:
            newest.append(min(newest[-1] + tokens - 1, self.length - 1))
        least = min((base for base in bases if base), default=0)
        return self.arrays(
            sees=np.array(sees),
            newest=np.array(newest[1:]),
            kind=np.array([0 if base == 0 else 1 if base == least else 2 for base in bases]),
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
        colours, marks = ("C1", "C0", "C2"), ("D", "o", "s")
        dots = [
            Curve(near, colours[kind] + marks[kind], lambda a, kind=kind: _dots(a, kind), name)
            for kind, name in enumerate(KINDS)
        ]
        bars = [
            Other(
                spread.add_patch(
                    Polygon([(0, 0)], color=colours[kind], lw=0, alpha=0.85, animated=True)
                ),
                lambda a, kind=kind: {"xy": _bars(a.newest, a.kind == kind)},
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
        layers = "1 layer" if arrays.layers == 1 else f"{arrays.layers} layers"
        return (
            f"After {layers} ({arrays.plan}), token 0 has influenced positions up "
            f"to {arrays.newest[-1]:,} of {arrays.length - 1:,}."
        )


@functools.lru_cache(maxsize=64)
def plan_of(name: str, layers: int, window: int) -> tuple[tuple[Layer, ...], tuple[float, ...]]:
    """Return the layers of a plan and the base of each, 0 without RoPE, as released."""
    config = {"model_type": PLANS[name], "head_dim": 128, "num_hidden_layers": layers}
    reading = read_config(config | {"sliding_window": window})
    bases = {kind.kind: kind.base if kind.method != "none" else 0.0 for kind in reading.kinds}
    return reading.layers, tuple(bases[layer.kind] for layer in reading.layers)


def _dots(arrays, kind):
    """What the layers of a kind see, and their numbers."""
    at = np.flatnonzero(arrays.kind == kind)
    return arrays.sees[at], at + 1


def _bars(ends, chosen):
    """One outline of the bars from 0 of the layers that are chosen: [4 · bars, 2]."""
    at = np.flatnonzero(chosen) + 1
    x = np.stack([0 * at, ends[chosen], ends[chosen], 0 * at], axis=-1)
    y = at[:, None] + [-0.4, -0.4, 0.4, 0.4]
    corners = np.stack([x, y], axis=-1).reshape(-1, 2)
    return corners if len(at) else np.zeros((1, 2))
