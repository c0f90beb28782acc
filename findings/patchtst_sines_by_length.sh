#!/usr/bin/env bash
# Package: transformers 5.23.0, PatchTSTModel with positional_encoding_type "sincos" (torch 2.13.0).
# Seen on 2026-11-28.
# Guess: a sinusoid table: row 3 is the same whatever the context length, every row has the same norm.
# Instead: the mean of the whole table is taken off and the rest divided by ten times its spread. So
# each row depends on how many patches there are, weights trained for one length meet other positions
# at another, and rows differ in norm: a scalar product tells no longer the distance alone.
# Seen, 16 columns: row 3 of 8 rows -0.065 -0.282 0.064 0.020 …, of 64 rows -0.035 -0.219 0.075 0.037;
#       norms of 8 rows from 0.35 to 0.45 (a sinusoid: all alike), of 64 rows from 0.32 to 0.47.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import PatchTSTConfig, PatchTSTModel

torch.set_grad_enabled(False)

def table(patches):
    model = PatchTSTModel(PatchTSTConfig(num_input_channels=1, context_length=4 * patches, patch_length=4, patch_stride=4,
        d_model=16, num_hidden_layers=1, num_attention_heads=2, ffn_dim=16, positional_encoding_type="sincos"))
    (pe,) = [value for name, value in model.named_parameters() if name.endswith("position_enc")]
    return pe

def plain(patches):
    angle = torch.arange(patches)[:, None] * 10000 ** (-torch.arange(0, 16, 2) / 16)
    rows = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    return (rows - rows.mean()) / (10 * rows.std())

for patches in (8, 64):
    pe = table(patches)
    norms = pe.norm(dim=1)
    print(patches, "patches, row 3", [round(x, 3) for x in pe[3, :4].tolist()], f"norms {norms.min():.3f} to {norms.max():.3f}")
    assert norms.max() > 1.1 * norms.min()
    assert (pe - plain(patches)).abs().max() < 1e-3
assert (table(8)[3] - table(64)[3]).abs().max() > 0.02
PY
