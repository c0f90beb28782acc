"""A column of layers: which have RoPE, how far each sees, how far information gets."""

import functools

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Integer, LogInteger
from posviz.pictures.parts import Limits, Other, Rule, Text, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz_course.configs import Layer, read_config
from posviz_course.lessons._hues import Coloured, hue

MOST = 48  # layers
LONGEST = 10_000_000  # tokens
# The type of a model with each plan.
PLANS = {"all windowed": "mistral", "Cohere 2": "cohere2", "Gemma 3": "gemma3_text"}


class LayerPlan(Picture):
    """Each windowed layer carries information from token 0 one window further."""

    size = (8.0, 2.6)

    plan = Choice("Cohere 2", options=tuple(PLANS))
    window = LogInteger(4096, low=128, high=100_000)
    layers = Integer(8, low=1, high=MOST, play=True)
    length = LogInteger(65_536, low=1024, high=LONGEST, label="text (tokens)")

    def compute(self) -> Arrays:
        """Return of each layer [layers] what it sees, and how far information has come after it.

        sees: the most keys of a query; newest: the last position that token 0 has reached, of
        whose query oldest is the first key; full: what layers are that see all.
        """
        plan, bases = plan_of(self.plan, self.layers, self.window)
        sees = [min(layer.window or self.length, self.length) for layer in plan]
        newest = [0]
        for tokens in sees:
            newest.append(min(newest[-1] + tokens - 1, self.length - 1))
        is_full = np.array([not layer.window for layer in plan])
        base = dict(zip(is_full.tolist(), bases, strict=True)).get(True)
        return self.arrays(
            sees=np.array(sees),
            oldest=np.array(newest[1:]) - np.minimum(sees, newest[1:]),
            newest=np.array(newest[1:]),
            is_full=is_full,
            full={None: "", 0: "the whole text, NoPE"}.get(base, "the whole text, RoPE slower"),
            color=hue("RoPE" if base else "NoPE"),  # of layers that see all
            # The same for several numbers of layers: axes take long to be drawn anew.
            room=(0.4, next(most for most in (8, 12, 24, 36, MOST) if self.layers <= most) + 0.6),
        )

    def draw(self, figure: Figure) -> list:
        """A bar for each layer, the first at the bottom: pale what has token 0, solid a window."""
        axes = figure.subplots()
        axes.set(xlim=with_room(0, LONGEST), xlabel="position (tokens)", ylabel="layer")
        axes.set(ylim=(0.4, MOST + 0.6))
        whole(axes.xaxis, axes.yaxis, most=6)
        rope = hue("RoPE")
        pale_rope = rope, 0.25
        looks = {pale_rope: "has information from token 0", rope: "a window, RoPE"}
        looks[hue("NoPE")] = ""
        pale, near, full = (
            axes.add_collection(
                # With an edge, so that a window in a long text is seen.
                PolyCollection([], color=color, linewidth=1, label=label, animated=True),
                autolim=False,
            )
            for color, label in looks.items()
        )
        grey = {"color": "C6", "linestyle": "--"}
        end = Rule(axes, grey, lambda a: a.length - 1, "last token")
        legend_above(figure, [near, pale, end], narrow=2)
        axes.set_title(" ")
        name = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        words = Text(axes, 1, 1.01, "full", **name)
        return [
            Limits(axes, lambda a: {"ylim": a.room, "xlim": with_room(0, a.length)}),
            Other(pale, lambda a: {"verts": _bars(0 * a.newest, a.newest, a.newest >= 0)}),
            Other(near, lambda a: {"verts": _bars(a.oldest, a.newest, ~a.is_full)}),
            Other(full, lambda a: {"verts": _bars(a.oldest, a.newest, a.is_full)}),
            end,
            words,
            Coloured([full, words.artist], lambda a: a.color),
        ]

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


def _bars(starts, ends, chosen):
    """Outlines of the bars of the layers that are chosen [bars, 4, 2]."""
    y = np.arange(1, len(ends) + 1)[:, None] + [-0.4, -0.4, 0.4, 0.4]
    return np.stack([np.stack([starts, ends, ends, starts], axis=-1), y], axis=-1)[chosen]
