"""What lesson 03 shows of a training."""

from posviz.lessons.learned._tables import unit_rows

PIXELS = 288  # width of the picture that is shown while a model learns


def watch_table():
    """Return what `train` calls with its snapshots: it draws the cosines of the newest rows."""
    from io import BytesIO

    from IPython.display import Image, display
    from matplotlib import colormaps
    from PIL.Image import Resampling, fromarray

    shown = display(display_id=True)  # a place for pictures, empty so far

    def draw(snapshots):
        rows = unit_rows(snapshots[max(snapshots)])
        colours = colormaps["RdBu_r"]((rows @ rows.T + 1) / 2, bytes=True)
        png, about = BytesIO(), f"Cosines of all pairs of rows after {max(snapshots)} steps."
        fromarray(colours).resize((PIXELS, PIXELS), Resampling.NEAREST).save(png, "PNG")
        shown.update(Image(png.getvalue(), width=PIXELS, height=PIXELS, alt=about))

    return draw
