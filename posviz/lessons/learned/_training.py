"""The model that lesson 03 trains, and what it shows of its training."""

PIXELS = 288  # width of the picture that is shown while a model learns


def small_model():
    """Return a small model that fills gaps, with a random learned table of 48 rows."""
    import torch

    from posviz.encodings.learned import Learned
    from posviz.models.training import SmallTransformer

    table = 0.02 * torch.randn(48, 32, generator=torch.Generator().manual_seed(0))
    encoding = Learned(torch.nn.Parameter(table))
    return SmallTransformer(encoding, d_model=32, num_heads=4, causal=False)


def watch_table():
    """Return what `train` calls with its snapshots: it draws the cosines of the newest rows."""
    from io import BytesIO

    from IPython.display import Image, display
    from matplotlib import colormaps
    from PIL.Image import Resampling, fromarray

    from posviz.lessons.learned.learned_table import unit_rows

    shown = display(display_id=True)  # a place for pictures, empty so far

    def draw(snapshots):
        rows = unit_rows(snapshots[max(snapshots)])
        colours = colormaps["RdBu_r"]((rows @ rows.T + 1) / 2, bytes=True)
        png, about = BytesIO(), f"Cosines of all pairs of rows after {max(snapshots)} steps."
        fromarray(colours).resize((PIXELS, PIXELS), Resampling.NEAREST).save(png, "PNG")
        shown.update(Image(png.getvalue(), width=PIXELS, height=PIXELS, alt=about))

    return draw
