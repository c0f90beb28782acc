"""Cut the photograph of lesson 07 out of scikit-image's, in grey.

pip download --no-deps scikit-image==0.26.0    # its wheel holds skimage/data/chelsea.png
python scripts/make_photograph.py chelsea.png
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from posviz_course.models.archive import PHOTOGRAPH, save_archive

CORNERS, SIDE = (60, 0, 360, 300), 168  # left, upper, right, lower in pixels; pixels afterwards


def main(path: Path):
    """Crop, reduce and store the photograph."""
    grey = Image.open(path).convert("L").crop(CORNERS)
    small = ImageOps.autocontrast(grey.resize((SIDE, SIDE), Image.Resampling.LANCZOS))
    card = {
        "photograph": "Chelsea the cat, by Stéfan van der Walt",
        "package": "scikit-image 0.26.0, data/chelsea.png",
        "licence": "CC0",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    save_archive(PHOTOGRAPH, {"pixels": np.asarray(small, np.uint8)}, card)
    print(PHOTOGRAPH.name, card)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
