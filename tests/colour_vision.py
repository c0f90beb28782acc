"""Colours as people with another colour vision see them, and how far apart these are."""

import numpy as np
from colorspacious import cspace_convert
from matplotlib.colors import to_rgb

# Machado, Oliveira and Fernandes (2009), at full severity: without one kind of cone.
KINDS = ("deuteranomaly", "protanomaly", "tritanomaly")
EVERYONE = ("usual", *KINDS)


def seen(colours, kind) -> np.ndarray:
    """Colours [..., 3] as somebody sees them: lightness, red-green, blue-yellow in CAM02-UCS."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    if kind in KINDS:
        space = {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}
        rgb = np.clip(cspace_convert(rgb, space, "sRGB1"), 0, 1)
    return cspace_convert(rgb, "sRGB1", "CAM02-UCS")


def least_distance(colours, kind) -> float:
    """How far apart the nearest two of some colours are to somebody; about 1 is just noticeable."""
    places = seen(colours, kind)
    distances = np.linalg.norm(places[:, None] - places, axis=-1)
    return float(distances[~np.eye(len(places), dtype=bool)].min())
