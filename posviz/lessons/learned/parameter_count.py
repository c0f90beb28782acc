"""How many parameters a learned table has, beside those of whole models."""

from typing import NamedTuple

from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from posviz.pictures.knobs import choice, integer, log_integer
from posviz.pictures.parts import Ring, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture


class Model(NamedTuple):
    """A model with a learned table: its rows and columns, and all parameters of the model."""

    rows: int
    columns: int
    parameters: int


# Rows are those of the stored table, OPT's two unused ones included. Counted from the published
# configurations as transformers builds them, tied weights once: BERT and CLIP without a head, ViT
# with 1000 classes, Whisper's decoder table, GPT-3 as a GPT-2 of Brown et al. 2020, table 2.1.
MODELS = {
    "CLIP text": Model(77, 512, 63_165_952),
    "ViT-B/16": Model(197, 768, 86_567_656),
    "Whisper tiny": Model(448, 384, 37_760_640),
    "BERT base": Model(512, 768, 109_482_240),
    "GPT-2 small": Model(1024, 768, 124_439_808),
    "OPT 125M": Model(2050, 768, 125_239_296),
    "GPT-Neo 1.3B": Model(2048, 2048, 1_315_575_808),
    "GPT-3 175B": Model(2048, 12_288, 174_604_259_328),
}
# What does not grow with the length: a Transformer-XL layer's W_kR, u and v, d² + 2d at d = 1024
# (Dai et al. 2019, section 3.3); T5 small's 32 biases for each of 8 heads, in both stacks (Raffel
# et al. 2020, section 2.1).
WITHOUT_TABLE = {
    "Transformer-XL, a layer": 1024**2 + 2 * 1024,
    "T5 small, biases": 2 * 32 * 8,
    "sinusoidal, RoPE, ALiBi": 0,
}
ROWS = (*MODELS, *WITHOUT_TABLE)


class ParameterCount(Picture):
    """A learned table has length × width parameters; other encodings do not grow."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.9)

    length = log_integer(1024, low=128, high=1_000_000, play=True, label="length (tokens)")
    width = integer(768, low=64, high=12_288, step=64, label="width (d_model)")
    model = choice("GPT-2 small", options=tuple(MODELS))

    def compute(self) -> Arrays:
        """Return the parameters of the table asked for, and the model they are held against."""
        model, row = MODELS[self.model], ROWS.index(self.model)
        return self.arrays(
            parameters=self.length * self.width,
            whole=model.parameters,
            model_table=([model.rows * model.columns], [row]),
            model_whole=([model.parameters], [row]),
        )

    def draw(self, figure: Figure) -> list:
        """For each model its table and all its parameters; across them, the table asked for."""
        axes = figure.subplots()
        tables = [model.rows * model.columns for model in MODELS.values()]
        wholes = [model.parameters for model in MODELS.values()]
        thin = 2 * rcParams["axes.linewidth"]
        axes.hlines(range(len(MODELS)), tables, wholes, color="C6", linewidth=thin, zorder=0)
        look = {"color": "C6", "markersize": 1.7 * rcParams["lines.markersize"], "zorder": 0}
        numbers = [*tables, *WITHOUT_TABLE.values()]
        (table,) = axes.plot(numbers, range(len(ROWS)), "o", label="for positions", **look)
        (whole,) = axes.plot(wholes, range(len(MODELS)), "s", label="whole model", **look)
        axes.set_xscale("symlog", linthresh=100)  # logarithmic, but with a 0
        axes.set(xlim=(-25, 2e12), xticks=(0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12), xlabel="parameters")
        axes.set(ylim=(len(ROWS) - 0.4, -0.6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_yticks(range(len(ROWS)), ROWS)
        axes.tick_params(axis="y", length=0)
        large = {"edge": 1 / 3, "marks": 2.5}
        asked = Rule(axes, {"color": "C1"}, "parameters", "length × width", stroke=1.5)
        rings = [
            Ring(axes, "C2o", "model_table", "model chosen", **large),
            Ring(axes, "C2s", "model_whole", **large),
        ]
        legend_above(figure, [asked, table, whole, rings[0]], narrow=2, columnspacing=1.2)
        return [asked, *rings]

    def caption(self, arrays: Arrays) -> str:
        """The parameters of the table, beside those of the model."""
        share = 100 * arrays.parameters / arrays.whole
        return (
            f"A table of {arrays.length:,} × {arrays.width:,} has {arrays.parameters:,} "
            f"parameters, {share:,.3g}% of the {arrays.whole:,} of {arrays.model}."
        )
