"""A lesson's card: a picture with few letters, for the front page and for previews of links."""

from pathlib import Path

import numpy as np
from matplotlib.transforms import Bbox

from posviz.lessons import load
from posviz.pictures.export import png_bytes
from posviz.publish.assets import write_file

SIZE, DPI = (1200, 630), 200  # pixels, as previews of links want them, and an inch
_RIM = Bbox.from_extents(0.05, 0.08, 0.95, 0.86)

# A lesson's picture, and which of its axes are on the card.
CARDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "00_start_here": ("SameWords", (0,)),
    "01_why_order_matters": ("ShuffledSentence", (0, 1, 2)),
    "02_sinusoidal_tables": ("SinusoidalTable", (0,)),
    "03_learned_embeddings": ("LearnedTable", (0, 1)),
    "04_relative_positions": ("T5Buckets", (2,)),
    "05_rope": ("RotatingVectors", (0, 1)),
    "06_rope_in_code": ("LayoutArcs", (0,)),
    "07_rope_in_two_dimensions": ("PatchGrid", (0, 1)),
    "08_alibi": ("WeightByDistance", (0,)),
    "09_xpos": ("XposDecay", (0, 1)),
    "10_stretching_the_context": ("PhasesSeen", (0,)),
    "11_position_from_content": ("ForgetGates", (0,)),
    "12_train_short_test_long": ("ExtrapolationCurves", (0,)),
    "13_choosing": ("SameX", ()),
    "examination": ("OneMatrix", (1, 2)),
}


def write_card(stem: str, to: Path) -> None:
    """Write a lesson's card as `to`/assets/cards/05_rope.png, and for dark pages 05_rope_dark.png.

    Raises what compute raises, OSError where the place cannot be written to.
    """
    for dark, ending in ((False, ""), (True, "_dark")):
        write_file(to / "assets" / "cards" / f"{stem}{ending}.png", _drawn(*CARDS[stem], dark))


def _drawn(name, shown, dark) -> bytes:
    """A poster of a picture, as small as a card: its lines and words are bold there."""
    figure = load(name)().figure("poster", dark)
    figure.set(size_inches=np.divide(SIZE, DPI), dpi=DPI)
    for legend in figure.legends:
        legend.remove()
    kept = [figure.axes[number] for number in shown] or figure.axes[:]
    for axes in set(figure.axes) - set(kept):
        axes.remove()
    around = Bbox.union([axes.get_position() for axes in kept])
    for axes in kept:
        points = (axes.get_position().get_points() - around.min) / around.size
        axes.set_position(Bbox(_RIM.min + points * _RIM.size))
        axes.set_anchor("C")
        for bar in axes.child_axes:
            bar.remove()
        if axes.images:
            axes.set_aspect("auto")
        for place in ("left", "center", "right"):
            axes.set_title("", loc=place)
        axes.set(xlabel="", ylabel="", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    figure.canvas.draw()
    return png_bytes(np.asarray(figure.canvas.buffer_rgba()))
