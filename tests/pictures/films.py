"""Animations as other people's readers see them, and the figures they should show."""

import numpy as np
from PIL import Image


def gif_frames(path) -> list[np.ndarray]:
    """Every frame of a GIF, [height, width, 3]."""
    image, frames = Image.open(path), []
    for index in range(image.n_frames):
        image.seek(index)
        frames.append(np.asarray(image.convert("RGB")))
    return frames


def gif_seconds(path) -> float:
    """How long a GIF takes to come round."""
    image, milliseconds = Image.open(path), 0
    for index in range(image.n_frames):
        image.seek(index)
        milliseconds += image.info["duration"]
    return milliseconds / 1000


def shown(picture, style="notebook", dark=False, **values) -> np.ndarray:
    """The picture as its figure shows it, [height, width, 3]."""
    figure = type(picture)(**picture.values() | values).figure(style, dark)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


def difference(one, other) -> float:
    """The mean difference of two frames, in levels of 255."""
    return np.abs(one.astype(int) - other.astype(int)).mean()
