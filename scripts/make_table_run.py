"""Train the table of lesson 03 as its notebook does, and store its snapshots.

    python scripts/make_table_run.py    # ten seconds of one core

Pictures of the notebook's own run move on pages because the run is the same, but for rounding.
"""

import platform

from posviz.encodings.learned import Learned
from posviz_course.models.archive import save_archive
from posviz_course.models.small import TABLE_RUN
from posviz_course.models.training import SmallTransformer, standard_library_text, train

TEXT, HELD_BACK, SEED = 1_000_000, 100_000, 0  # characters
LENGTH, WIDTH = 48, 32


def main():
    """Train, and store the tables by step."""
    import torch

    random = torch.Generator().manual_seed(SEED)
    table = torch.nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH, generator=random))
    model = SmallTransformer(Learned(table), d_model=WIDTH, num_heads=4, causal=False, seed=SEED)
    text = standard_library_text(TEXT)[:-HELD_BACK]
    run = train(model, text, steps=400, seq_len=LENGTH, learning_rate=5e-3, seed=SEED)
    card = {
        "loss": round(sum(run.losses[-100:]) / 100, 3),  # nats per hidden character
        "about": {"python": platform.python_version(), "torch": torch.__version__},
    }
    save_archive(TABLE_RUN, {str(step): x for step, x in run.snapshots.items()}, card)
    print(TABLE_RUN.name, card)


if __name__ == "__main__":
    main()
