"""A heatmap as its cells: a byte each, the colour map, and which cell each pixel shows."""

from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import Normalize


class Unfaithful(Exception):
    """The browser could not show this as Agg does."""


class Cells(NamedTuple):
    """Cells on a part of the canvas.

    left and high: where its upper left corner is, in whole pixels, counted from below. colours:
    [n, 4] uint8. columns and rows: of the cell under each pixel across and downwards. indices:
    [rows, columns] of cells, indices into colours, uint8 or uint16.
    """

    left: int
    high: int
    colours: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    indices: np.ndarray

    def packed(self) -> tuple[dict, bytes]:
        """Sizes by name, and the arrays one after the other, columns and rows as uint16."""
        sizes = {
            "width": len(self.columns),
            "height": len(self.rows),
            "across": self.indices.shape[1],
            "colours": len(self.colours),
            "wide": self.indices.itemsize,
        }
        lines = np.concatenate([self.columns, self.rows]).astype(np.uint16)
        return sizes, self.colours.tobytes() + lines.tobytes() + self.indices.tobytes()


def cells_of_image(image: Any) -> Cells | None:
    """The cells of an image at nearest interpolation; None where nothing of it is seen.

    Each pixel shows the cell that matplotlib's own resampling gives it. Raises Unfaithful for what
    has no cells: RGB data, smoothing, a curved or slanted box, an alpha for each cell.
    """
    transform, data = image.get_transform(), image.get_array()
    is_plain = data.ndim == 2 and image.get_interpolation() in ("nearest", "none")
    if not (is_plain and transform.is_affine and np.ndim(image.get_alpha()) == 0):
        raise Unfaithful("an image that is not of cells")
    (a, b, e), (c, d, f), _ = transform.get_matrix()
    if b or c or max(*data.shape, image.cmap.N + 3) > 2**16:
        raise Unfaithful("an image that is not upright, or of more cells than uint16 can count")
    x1, x2, y1, y2 = image.get_extent()
    left, right, low, high = _pixels_covered(
        image, sorted((a * x1 + e, a * x2 + e)), sorted((d * y1 + f, d * y2 + f))
    )
    if image.origin == "upper":
        y1, y2 = y2, y1
    columns = _cell_of_pixels(np.arange(left, right), a, e, x1, x2, data.shape[1])
    rows = _cell_of_pixels(np.arange(high - 1, low - 1, -1), d, f, y1, y2, data.shape[0])
    if not (len(columns) and len(rows)):
        return None
    return Cells(left, high, _colours(image), columns, rows, _indices(image))


def _pixels_covered(image, across, upwards) -> tuple[int, int, int, int]:
    """Left, right, low, high in whole pixels, counted from below, rounded as matplotlib does."""
    clip = image.get_figure(root=True).bbox
    if image.get_clip_on():
        clip = image.get_clip_box() or image.axes.bbox
    x1, y1, x2, y2 = clip.extents
    left, right = max(across[0], x1), min(across[1], x2)
    low, high = max(upwards[0], y1), min(upwards[1], y2)
    if left > right or low > high:
        return 0, 0, 0, 0
    low, high = ceil(low - 1e-8 - 0.5), ceil(high - 0.5)
    return floor(left + 0.5), floor(right + 1e-8 + 0.5), low, high


def _cell_of_pixels(pixels, scale, shift, start, end, count) -> np.ndarray:
    """Which of `count` cells from `start` to `end` lies under each pixel's centre."""
    cell = ((pixels + 0.5 - shift) / scale - start) / (end - start) * count
    return np.clip(np.floor(cell), 0, count - 1)


def _indices(image) -> np.ndarray:
    """The index of each cell's colour in the colour map, as the colour map itself computes it."""
    normed, count = _normed(image.norm, image.get_array()), image.cmap.N
    values = np.ma.getdata(normed)
    if values.dtype.kind == "f":
        values = values * count
        values[values == count] = count - 1
    bad = normed.mask if np.ma.is_masked(normed) else np.isnan(values)
    beyond = enumerate((values < 0, values >= count, bad), start=count)
    extremes = {index: where for index, where in beyond if where.any()}
    with np.errstate(invalid="ignore"):
        indices = values.astype(np.uint8 if max(extremes, default=count - 1) < 256 else np.uint16)
    for index, where in extremes.items():
        indices[where] = index
    return indices


def _normed(norm, array) -> Any:
    """Apply the image's norm to the array; a linear norm itself takes five times as long."""
    linear = type(norm) is Normalize and norm.scaled() and not norm.clip
    if not linear or norm.vmin >= norm.vmax or array.dtype != np.float64:
        return norm(array)
    values = np.ma.getdata(array) - norm.vmin
    values /= norm.vmax - norm.vmin
    return np.ma.array(values, mask=np.ma.getmask(array), copy=False)


def _colours(image) -> np.ndarray:
    """The colour map as RGBA bytes, then its colours for under, over and bad."""
    cmap, alpha = image.cmap, image.get_alpha()
    extremes = [cmap.get_under(), cmap.get_over(), cmap.get_bad()]
    colours = np.vstack([cmap(np.arange(cmap.N)), extremes])
    if alpha is not None:
        colours[:, 3] *= alpha
    return (colours * 255).astype(np.uint8)
