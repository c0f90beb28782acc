"""The model that lesson 03 trains, and what it shows of its training."""

from io import BytesIO

import numpy as np

from posviz.pictures.style import SIGNED


def small_model():
    """Return a small model that fills gaps, with a random learned table of 48 rows."""
    import torch

    from posviz.encodings.learned import Learned
    from posviz_course.models.training import SmallTransformer

    table = 0.02 * torch.randn(48, 32, generator=torch.Generator().manual_seed(0))
    encoding = Learned(torch.nn.Parameter(table))
    return SmallTransformer(encoding, d_model=32, num_heads=4, causal=False)


def watch_table():
    """Return what `train` calls with its snapshots: it draws the cosines of the newest rows."""
    from IPython.display import Image, display
    from matplotlib.image import imsave

    from posviz_course.lessons.learned.learned_table import unit_rows

    shown = display(display_id=True)  # a place for pictures, empty so far

    def draw(snapshots):
        rows = unit_rows(snapshots[max(snapshots)])
        cells = np.kron(rows @ rows.T, np.ones((6, 6)))  # of six pixels each way
        imsave(png := BytesIO(), cells, cmap=SIGNED, vmin=-1, vmax=1)
        about = f"Cosines of all pairs of rows after {max(snapshots)} steps."
        shown.update(Image(png.getvalue(), alt=about))

    return draw
