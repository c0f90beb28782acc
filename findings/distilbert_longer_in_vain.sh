#!/usr/bin/env bash
# Package: transformers 5.23.0, DistilBertModel (torch 2.13.0, random weights). Seen on 2026-11-28.
# Guess: resize_position_embeddings(12) keeps the 8 old rows, draws new ones as small as the trained ones
# were drawn (initializer_range 0.02), and a text of 12 tokens can be read.
# Instead: the list of position ids beside the table keeps its 8 entries, so 12 tokens raise as before
# (given as position_ids they work), and the new rows have the spread 1, fifty times that of the old.
# Seen: table 12 rows, config 12, ids 8; RuntimeError for 12 tokens; spread of rows 0–7 0.02, 8–11 1.0.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import DistilBertConfig, DistilBertModel

torch.manual_seed(0)
torch.set_grad_enabled(False)
model = DistilBertModel(DistilBertConfig(vocab_size=60, dim=256, hidden_dim=64, n_layers=1, n_heads=2,
                                         max_position_embeddings=8)).eval()
old = model.embeddings.position_embeddings.weight.clone()
model.resize_position_embeddings(12)
table, ids = model.embeddings.position_embeddings.weight, model.embeddings.position_ids
print("rows", table.shape[0], "config", model.config.max_position_embeddings, "ids", ids.shape[1],
      f"spread of old rows {table[:8].std():.3f}, of new rows {table[8:].std():.3f}")
assert table.shape[0] == model.config.max_position_embeddings == 12 and ids.shape[1] == 8
assert torch.equal(table[:8], old) and table[:8].std() < 0.03 and table[8:].std() > 0.8
text = torch.randint(3, 60, (1, 12))
try:
    raise SystemExit(f"changed: {model(text).last_hidden_state.shape}")
except RuntimeError as error:
    print("12 tokens:", error)
print("with position_ids:", tuple(model(text, position_ids=torch.arange(12)[None]).last_hidden_state.shape))
PY
