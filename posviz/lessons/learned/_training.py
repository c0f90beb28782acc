"""What lesson 03 shows of a training."""

from posviz.lessons.learned._tables import unit_rows

PIXELS = 288  # width of the picture that is shown while a model learns


def watch_table():
    """Return what `train` calls with its snapshots: it draws the cosines of the newest rows."""
    from IPython.display import display
    from matplotlib import colormaps
    from PIL import Image

    shown = display(display_id=True)  # a place for pictures, empty so far

    def draw(snapshots):
        rows = unit_rows(snapshots[max(snapshots)])
        colours = colormaps["RdBu_r"]((rows @ rows.T + 1) / 2, bytes=True)
        picture = Image.fromarray(colours)
        shown.update(picture.resize((PIXELS, PIXELS), Image.Resampling.NEAREST))

    return draw
