"""What lesson 03 shows of a training, and how it measures a trained model."""

import numpy as np

from posviz.lessons.learned._tables import unit_rows

TEXTS, LONGEST, HIDDEN_SHARE = 1000, 48, 0.3
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


def loss_on_gaps(model, text, positions):
    """Mean loss in nats of hidden characters of the text, when tokens have these positions."""
    import torch
    from torch.nn.functional import cross_entropy

    from posviz.models.training import HIDDEN

    pieces = torch.tensor(list(text[: LONGEST * TEXTS].encode())).reshape(-1, LONGEST)
    random = torch.Generator().manual_seed(0)
    hidden = torch.rand(pieces.shape, generator=random) < HIDDEN_SHARE
    part, holes = pieces[:, : len(positions)], hidden[:, : len(positions)]
    with torch.no_grad():
        logits = model(part.where(~holes, HIDDEN), np.asarray(positions)).cpu()
    return cross_entropy(logits[holes], part[holes]).item()
