"""Train the small models of posviz_course/models/data/small, one for each arm.

    python scripts/make_small_models.py RoPE ALiBi    # these; all where none is named

Two minutes of one core for each. They read characters of Python's library, 64 at once.
"""

import platform
import sys
from datetime import date

from posviz.arrays import to_numpy
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz_course.models.archive import save_archive
from posviz_course.models.small import ENCODINGS, FOLDER
from posviz_course.models.training import SmallTransformer, standard_library_text, train

PYTHON = platform.python_version()
TEXT, LENGTH, STEPS, SEED = 1_000_000, 64, 2500, 0
SIZES = {"d_model": 64, "num_heads": 4, "num_layers": 2}


def main(arms):
    """Train and store a model for each arm."""
    import torch

    text = standard_library_text(TEXT)
    for arm in arms:
        model = SmallTransformer(untrained(arm), **SIZES, seed=SEED)
        losses = train(model, text, steps=STEPS, seq_len=LENGTH, seed=SEED).losses
        config = {"task": "bytes", "arm": arm, "seed": SEED, "steps": STEPS, "seq_len": LENGTH}
        card = {
            "config": config | SIZES,
            "loss": round(sum(losses[-100:]) / 100, 3),  # nats, in training
            "about": {"date": str(date.today()), "python": PYTHON, "torch": torch.__version__},
        }
        arrays = {name: to_numpy(x.half()) for name, x in model.state_dict().items()}
        path = FOLDER / f"bytes_{arm.lower()}.npz"
        save_archive(path, arrays, card)
        print(path.name, card)


def untrained(arm):
    """The encoding of an arm before training."""
    import torch

    if arm == "learned":
        random = torch.Generator().manual_seed(SEED)
        table = 0.02 * torch.randn(LENGTH, SIZES["d_model"], generator=random)
        return Learned(torch.nn.Parameter(table))
    return {"none": NoPosition(), "ALiBi": Alibi(), "RoPE": Rotary()}[arm]


if __name__ == "__main__":
    main(sys.argv[1:] or list(ENCODINGS))
