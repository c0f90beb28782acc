"""Which pairs follow the time, which the row, which the column: M-RoPE."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import mrope_angles
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Map, Other, Text, on_colours, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import number
from posviz_course.models.archive import photograph

PAIRS = 64  # head_dim 128, as the models have it
# (time, row, column), and whether they alternate.
ARRANGEMENTS = {
    "16, 24, 24 contiguous (Qwen2-VL)": ((16, 24, 24), False),
    "24, 20, 20 interleaved (Qwen3-VL)": ((24, 20, 20), True),
}
AXES = ("time", "row", "column")
LAST, BEHIND = 100, 12  # patches: along a side of a frame, and to the frame before it
CENTRES, RADIUS = np.stack([np.zeros(3), np.arange(3)], axis=-1), 0.4  # of the dials


class MropeSections(Picture):
    """M-RoPE: each pair of a head follows the time, the row or the column."""

    size = (9.0, 3.4)
    paper_size = (3.3, 4.2)

    column = Integer(20, low=0, high=LAST, play=True)
    row = Integer(30, low=0, high=LAST, play=True)
    time = Integer(100, low=0, high=1000)
    sections = Choice(next(iter(ARRANGEMENTS)), options=tuple(ARRANGEMENTS))

    def compute(self) -> Arrays:
        """Return each pair's axis, found by asking which one rotates it, and its angle, [pairs].

        rotations: the angles by axis [axes, pairs], without a number where another axis rotates.
        """
        sections, interleaved = ARRANGEMENTS[self.sections]
        inv_freq = rotary_frequencies(2 * PAIRS, 1_000_000)
        # As if for four tokens: one step along each axis alone, and where we are.
        tokens = np.hstack([np.eye(3), [[self.time], [self.row], [self.column]]])
        *steps, angles = mrope_angles(tokens, inv_freq, sections, interleaved=interleaved)
        axis = np.argmax(steps, axis=0)
        fastest = [angles[axis == i].max() for i in range(3)]
        tips = CENTRES + RADIUS * np.stack([np.cos(fastest), -np.sin(fastest)], axis=-1)
        return self.arrays(
            axis=axis,
            angles=angles,
            rotations=np.where(axis == np.arange(3)[:, None], angles, np.nan),
            fastest=fastest,
            words=[number(angle, 2) for angle in fastest],
            hands=np.stack([CENTRES, tips], axis=1).transpose(0, 2, 1),
            place=([self.column], [self.row]),
            lines=[([0, LAST], [self.row] * 2), ([self.column] * 2, [0, LAST])],
            title={"text": f"time {self.time}"},
        )

    def draw(self, figure: Figure) -> list:
        """The token in its video; then the fastest pair of each axis, and the angles of all."""
        names, ratios = ("vds", (1.15, 1, 1.35)) if wide(figure) else ("vv;ds", (1, 1.2))
        video, dials, strip = figure.subplot_mosaic(names, width_ratios=ratios).values()
        for step in (2, 1, 0):  # the frame in front covers those before it
            right, up = LAST + step * BEHIND, -step * BEHIND
            box = (step * BEHIND, right, LAST + up, up)
            video.imshow(photograph(), cmap="gray", extent=box, alpha=1 - 0.3 * step)
        video.set(xlim=(-0.5, right + 2.1 * BEHIND), ylim=(LAST + 0.5, -2.1 * BEHIND))
        video.set(xticks=(0, 50, 100), yticks=(0, 50, 100), aspect="equal")
        video.set_xlabel("column", color="C2")
        video.set_ylabel("row", color="C1")
        time = video.set_title("time 1000", color="C0", animated=True)
        dials.set(xlim=(-0.5, 1.5), ylim=(2.5, -0.5), aspect="equal", title="fastest pair")
        dials.set(xticks=(), xlabel="radians", anchor="E")
        dials.set_yticks(range(3), labels=AXES)
        dials.tick_params(left=False)
        dials.spines[:].set_visible(False)
        rim = RADIUS * np.exp(1j * np.linspace(0, 2 * np.pi, 73))
        parts: list = [Other(time, "title")]
        for i, word in enumerate(dials.get_yticklabels()):
            word.set_color(f"C{i}")
            dials.plot(rim.real, i + rim.imag, color="C6", linewidth=rcParams["axes.linewidth"])
            parts.append(Curve(dials, f"C{i}{'os^'[i]}-", f"hands[{i}]", stroke=1.5, markevery=[1]))
            parts.append(Text(dials, 0.55, i, f"words[{i}]", color=f"C{i}", va="center"))
        props = {"limits": (0, np.pi), "aspect": "auto"}
        angles = Map(strip, "rotations", most=(3, PAIRS), cmap=PLAIN, **props)
        side = {"location": "right"} if wide(figure) else {"location": "bottom", "aspect": 30}
        bar = figure.colorbar(angles.image, ax=strip, extend="max", **side)
        bar.set_ticks((0, 1, 2, 3))
        bar.set_label("angle (radians)")
        strip.set(title="angles of all pairs", xlabel="pair", xticks=(0, 16, 40, 63))
        strip.set_yticks(range(3), labels=AXES)
        strip.tick_params(labelleft=wide(figure))
        for i, word in enumerate(strip.get_yticklabels()):
            word.set_color(f"C{i}")
        for i in (0, 1):
            parts.append(Curve(video, f"C{i + 1}-", f"lines[{i}]"))
        return [*parts, angles, *on_colours(video, "place", "ks", stroke=1, marks=1)]

    def caption(self, arrays: Arrays) -> str:
        time, row, column = arrays.fastest
        return (
            f"Column {arrays.column} rotates its fastest pair by {number(column, 2)} radians, row "
            f"{arrays.row} its own by {number(row, 2)}, and time {arrays.time} its own by "
            f"{number(time, 4)}."
        )
