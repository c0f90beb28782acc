"""The small Transformer and its training: what it learns, what it keeps, what it refuses."""

import numpy as np
import torch

from posviz.encodings.learned import Learned
from posviz.training import SmallTransformer, standard_library_text, train

TEXT = standard_library_text(20_000)


def learned(rows=8, d_model=8):
    start = 0.02 * np.random.default_rng(0).normal(size=(rows, d_model))
    return Learned(torch.nn.Parameter(torch.tensor(start, dtype=torch.float32)))


def test_snapshots_are_taken_first_and_last_and_ever_more_rarely():
    model = SmallTransformer(learned(), d_model=8, num_heads=2)
    run = train(model, TEXT, steps=16, seq_len=8, batch_size=2, snapshots=5)
    assert list(run.snapshots) == [0, 1, 4, 9, 16]
    assert {table.shape for table in run.snapshots.values()} == {(8, 8)}
    assert run.losses.shape == (16,)
