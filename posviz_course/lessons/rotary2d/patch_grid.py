"""Which patches a query scores high when only their positions differ, on a photograph."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import mixed_angles, raster
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Map, on_colours, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons._own import own_numbers
from posviz_course.models.archive import photograph

GRID, BASE = 14, 10  # patches along a side; an image is small, and so is the base
DARKEST, LINES = 0.2, 0.6  # light of a patch that scores 0; of the pixels between two patches
AROUND = np.array([[-0.5, 0.5, 0.5, -0.5, -0.5], [-0.5, -0.5, 0.5, 0.5, -0.5]])  # a patch
# The directions of mixed pairs, at random between these, in degrees: 0 is right, and 90 is down.
DIRECTIONS: dict[str, tuple[int, int]] = {"mixed": (0, 360), "mixed, near 45°": (30, 60)}


class PatchGrid(Picture):
    """A photograph as bright as its patches score, if only positions counted.

    `angles` is a reader's function of lesson 07, (rows, columns, head_dim, base) -> [n, pairs].
    """

    size = (8.0, 3.9)

    row = Integer(5, low=0, high=GRID - 1, play=True)
    column = Integer(8, low=0, high=GRID - 1, play=True)
    encoding = Choice(
        "axial",
        options=("raster", "axial", *DIRECTIONS, "one frequency"),
        given="your function makes the angles",
    )
    head_dim = Choice(64, options=(16, 32, 64, 128))  # fewer waves make no cross

    def __init__(self, angles=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if angles is None else ("angles",)
        self._angles = angles

    def compute(self) -> Arrays:
        """Return the query's scores with every patch, [grid, grid]; its own is 1.

        All queries and keys are vectors of ones, so a score is the mean cosine of the angles.
        """
        angles = self._of_patches(*raster(GRID, GRID).T)
        vectors = np.ones((GRID**2, self.head_dim))
        rotated = vectors if angles is None else apply_rotary(vectors, angles)
        query = rotated[self.row * GRID + self.column]
        scores = (rotated @ query).reshape(GRID, GRID) / self.head_dim
        pixels = photograph()
        side = len(pixels) / GRID  # of a patch, in pixels
        outline = AROUND + np.array([[self.column], [self.row]])
        return self.arrays(
            scores=scores,
            outline=outline,
            frame=(outline + 0.5) * side - 0.5,
            lit=_lit(pixels, scores),
            written=angles is not None,
        )

    def _of_patches(self, rows, columns):
        """The angles [patches, pairs]; None while the reader's function has no body."""
        if self._angles is not None:
            angles = self._angles(rows, columns, self.head_dim, BASE)
            return own_numbers(angles, (GRID**2, self.head_dim // 2))
        if self.encoding == "raster":
            return rotary_angles(rows * GRID + columns, rotary_frequencies(self.head_dim, BASE))
        return mixed_angles(rows, columns, arrows(self.encoding, self.head_dim))

    def draw(self, figure: Figure) -> list:
        """The photograph, as bright as each patch scores, and beside it the scores as a map."""
        photo, chart = figure.subplots(1, 2, width_ratios=(1, 1.2))
        size = photograph().shape
        lit = Map(photo, "lit", most=size, cmap="gray", limits=(0, 1), aspect="equal")
        photo.set(title="bright: high score", xticks=(), yticks=())
        scores = Map(chart, "scores", most=(GRID, GRID), aspect="equal")
        figure.colorbar(scores.image, ax=chart, ticks=(-1, 0, 1), shrink=0.8)
        title = "with your angles" if self.given_data else "score"
        chart.set(title=title, xlabel="column (patches)", ylabel="row (patches)")
        whole(chart.xaxis, chart.yaxis, most=4, steps=None)
        sharp: dict = {"stroke": 2.5, "solid_joinstyle": "miter"}
        frames = *on_colours(photo, "frame", **sharp), *on_colours(chart, "outline", **sharp)
        return [lit, scores, *frames]

    def dragged(self, x: float, y: float) -> dict:
        """The query goes with the pointer over the photograph."""
        side = len(photograph()) / GRID
        return {"row": int((y + 0.5) // side), "column": int((x + 0.5) // side)}

    def caption(self, arrays: Arrays) -> str:
        if not arrays.written:
            return "Your function returns no angles yet, so all patches score 1."
        scores, row, column = arrays.scores, arrays.row, arrays.column
        last = GRID - 1
        beside = scores[row, column + 1 if column < last else column - 1]
        below = scores[row + 1 if row < last else row - 1, column]
        first = f"The patch beside the query scores {signed(beside, '.2f')}"
        second = f"the one {'below' if row < last else 'above'} it {signed(below, '.2f')}"
        if column == 0 or row == last:
            return f"{first}, and {second}."
        corner = signed(scores[row + 1, column - 1], ".2f")
        return f"{first}, {second}, and the one down and left {corner}."


def arrows(encoding: str, head_dim: int) -> np.ndarray:
    """Return the two frequencies of each pair [2, pairs], index 0 for columns.

    Of axial pairs one is 0: they see one axis, as in `axial_angles`.
    """
    if encoding == "one frequency":
        return np.stack([rotary_frequencies(head_dim, BASE)] * 2)
    speeds = np.tile(rotary_frequencies(head_dim // 2, BASE), 2)
    degrees = np.repeat([0, 90], len(speeds) // 2)
    if encoding != "axial":
        degrees = np.random.default_rng(1).uniform(*DIRECTIONS[encoding], len(speeds))
    towards = np.deg2rad(degrees)
    return speeds * np.stack([np.cos(towards), np.sin(towards)])


def _lit(pixels, scores):
    """The photograph [side, side], each patch as bright as its score, with lines between them."""
    patch = np.arange(len(pixels)) * GRID // len(pixels)
    light = DARKEST + (1 - DARKEST) * np.clip(scores, 0, 1)[np.ix_(patch, patch)]
    between = np.diff(patch, prepend=0) > 0
    return pixels * light * np.where(between | between[:, None], LINES, 1)
