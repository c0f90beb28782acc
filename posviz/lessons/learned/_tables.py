"""What pictures of a learned table share: its cosines, its plane, panels."""

import numpy as np

from posviz.pictures.parts import inches

MOST = 512  # rows and columns that are drawn; of a longer table every second, third, … row
JOINED = 48  # rows that the line of a path joins: of more one sees nothing


def as_table(table, name):
    """A float64 copy of a table [rows, d_model] that a picture can show; errors call it `name`."""
    is_matrix = isinstance(table, np.ndarray) and table.dtype.kind == "f" and table.ndim == 2
    if not is_matrix or len(table) < 4 or len(table.T) < 2 or not np.isfinite(table).all():
        raise ValueError(
            f"{name} must be an array of floats [rows, d_model], finite, with at least 4 rows and "
            "2 columns"
        )
    return table.astype(float)


def is_same(table, other):
    """Whether two tables differ by no more than one training does on two machines."""
    return table.shape == other.shape and np.allclose(table, other, rtol=0, atol=1e-4)


def principal_plane(table):
    """The first two principal components [d_model, 2], and the share of the variance of each.

    Signs are fixed by the first row, so that they do not depend on the machine.
    """
    centred = table - table.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    variances, plane = variances[::-1].clip(min=0), directions[:, :-3:-1]
    signs = np.where(centred[0] @ plane > 0, -1, 1)
    return plane * signs, variances / (variances.sum() or 1)


def unit_rows(table, centred=False):
    """Rows of length 1, after subtracting their mean row if `centred`; a row of zeros stays."""
    table = table - table.mean(axis=0) if centred else table
    norms = np.linalg.norm(table, axis=-1, keepdims=True)
    return table / np.where(norms > 0, norms, 1)


def means_by_offset(rows):
    """The mean product of two rows at each offset up to half the table, over all such pairs.

    The sum over a diagonal is an autocorrelation, so a long table costs n log n.
    """
    count = len(rows)
    size = 2 ** int(np.ceil(np.log2(2 * count)))  # padded against wrap-around
    power = np.square(np.abs(np.fft.rfft(rows, size, axis=0))).sum(axis=-1)
    offsets = np.arange(count // 2 + 1)
    return np.fft.irfft(power, size)[offsets] / (count - offsets)


def stride_of(count):
    """Out of how many rows, or columns, one is drawn."""
    return -(-count // MOST)


def edge_of(count):
    """Where an image ends: each row drawn is as wide as all those it stands for."""
    stride = stride_of(count)
    return -(-count // stride) * stride - 0.5


def three_panels(figure):
    """Three squares in a row; or, where there is no room for that, two over a wide panel."""
    width, height = inches(figure)
    if width > 1.6 * height:
        panels = figure.subplot_mosaic("abc")
        panels["c"].set_box_aspect(1)
    else:
        panels = figure.subplot_mosaic("ab;cc", height_ratios=(1.8, 1))
    return [panels[name] for name in "abc"]


def colour_bar(image, **more):
    """A bar beside a square image, as tall as the image."""
    scale = image.axes.inset_axes((1.05, 0, 0.06, 1))
    return image.figure.colorbar(image, cax=scale, **more)
