"""Whether a canvas shows what Agg draws: a browser antialiases a little differently, no more."""

import base64
import io
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from tests.browser.lab import ARTEFACTS

MEAN, SIDE = 3, 8  # levels of 256 on average over the picture; pixels along a block


class Bounds(NamedTuple):
    """How far apart a canvas and Agg's picture of it may be.

    No pixel may differ by more than `apart` levels where Agg has no edge within `near` pixels;
    `block` is the mean difference of SIDE × SIDE pixels: a thin black line that is missing is all
    edge and little of the whole, but 32 levels of a block.
    """

    apart: int
    near: int
    block: float


PLAIN = Bounds(apart=32, near=1, block=20)
# Where strokes of one dense curve all but meet, Agg adds up what each covers and closes the gap.
DENSE = Bounds(apart=48, near=2, block=20)

# In the kernel: keep what a fresh figure would show, [height, width, 4] uint8.
BY_AGG = """
import numpy as np

def keep_by_agg(name, picture, density):
    figure = picture.figure()
    figure.set_dpi(100 * density)
    figure.canvas.draw()
    np.save(f"by_agg_{name}.npy", np.asarray(figure.canvas.buffer_rgba()))
"""


class Difference(NamedTuple):
    """Levels on average, pixels far off where Agg has no edge, and levels of the worst block."""

    mean: float
    off_edges: int
    block: float


def by_agg(lab, name) -> np.ndarray:
    """What keep_by_agg kept, as RGB."""
    return np.load(lab.server.folder / f"by_agg_{name}.npy")[..., :3].astype(int)


def by_a_fresh_figure(figure, density) -> np.ndarray:
    """What Agg draws of a figure in this process, as RGB."""
    figure.set_dpi(100 * density)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def rgb(data_url) -> np.ndarray:
    """The pixels of what toDataURL returned."""
    png = base64.b64decode(data_url.split(",")[1])
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def on_canvas(explorer) -> np.ndarray:
    """What the explorer's canvas shows."""
    return rgb(explorer.canvas.evaluate("canvas => canvas.toDataURL()"))


def difference(shown, wanted, bounds=PLAIN) -> Difference:
    """How far apart two pictures of one size are."""
    apart, near = bounds.apart, bounds.near
    levels = np.abs(shown - wanted)
    rows, columns = np.nonzero(levels.max(axis=2) > apart)
    padded = np.pad(wanted, ((near, near), (near, near), (0, 0)), "edge")
    around = sliding_window_view(padded, (2 * near + 1, 2 * near + 1), (0, 1))
    spans = np.ptp(around[rows, columns], axis=(2, 3)).max(axis=1)
    block = np.abs(_blocks(shown) - _blocks(wanted)).max()
    return Difference(float(levels.mean()), int((spans <= apart).sum()), float(block))


def is_small(shown, wanted, bounds=PLAIN) -> bool:
    """Whether a reader sees the same."""
    found = difference(shown, wanted, bounds)
    return found.mean <= MEAN and found.off_edges == 0 and found.block <= bounds.block


def _blocks(picture):
    """The mean of each whole block."""
    height, width = (length // SIDE for length in picture.shape[:2])
    whole = picture[: height * SIDE, : width * SIDE]
    return whole.reshape(height, SIDE, width, SIDE, 3).mean(axis=(1, 3))


def check(shown, wanted, name, bounds=PLAIN):
    """Fail, and keep canvas, Agg and their difference as an image, if a reader sees something."""
    if shown.shape != wanted.shape:
        wrong = f"{shown.shape} instead of {wanted.shape}"
        pictures = [shown, wanted]
    else:
        if is_small(shown, wanted, bounds):
            return
        wrong = f"{difference(shown, wanted, bounds)}"
        pictures = [shown, wanted, np.abs(shown - wanted)]
    ARTEFACTS.mkdir(exist_ok=True)
    for kind, picture in zip(("canvas", "agg", "difference"), pictures, strict=False):
        Image.fromarray(picture.astype(np.uint8)).save(ARTEFACTS / f"failed_{name}_{kind}.png")
    raise AssertionError(f"{name}: {wrong}")


def becomes_right(lab, explorer, name, bounds=PLAIN):
    """Wait until the canvas shows what Agg draws; fail as `check` does."""
    wanted, shown = by_agg(lab, name), np.zeros(0)
    for _ in range(400):
        has_changed = not np.array_equal(shown, shown := on_canvas(explorer))
        if has_changed and shown.shape == wanted.shape and is_small(shown, wanted, bounds):
            return
        lab.page.wait_for_timeout(50)
    check(shown, wanted, name, bounds)
