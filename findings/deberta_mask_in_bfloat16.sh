#!/usr/bin/env bash
# Package: transformers 5.23.0, DebertaModel (torch 2.13.0, random weights). Seen on 2026-11-28, CPU.
# Guess: under torch.autocast DeBERTa and DeBERTa-v2 run alike, with or without padding.
# Instead: DeBERTa (the first) fills its mask with the lowest number of the query's type, float32, and
# writes it into scores that autocast has made bfloat16 or float16: that number does not fit, and every
# call raises, even with nothing to mask. Version 2 runs; so does version 1 made bfloat16 as a whole.
# Seen: v1 RuntimeError "value cannot be converted to type c10::BFloat16 without overflow" (c10::Half
#       likewise), 4 of 4 calls; v2 no error in 4 of 4; v1.bfloat16() no error.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import DebertaConfig, DebertaModel, DebertaV2Config, DebertaV2Model

torch.set_grad_enabled(False)
x = torch.randint(3, 60, (1, 12))
padded = torch.tensor([[1] * 9 + [0] * 3])
sizes = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
             relative_attention=True, pos_att_type=["c2p", "p2c"], position_biased_input=False)

def calls(model):
    seen = []
    for dtype in (torch.bfloat16, torch.float16):
        for mask in (None, padded):
            try:
                with torch.autocast("cpu", dtype):
                    seen.append(bool(model(x, attention_mask=mask).last_hidden_state.isfinite().all()))
            except RuntimeError as error:
                seen.append(str(error))
    print(type(model).__name__, seen)
    return seen

first = DebertaModel(DebertaConfig(**sizes)).eval()
assert all("without overflow" in str(answer) for answer in calls(first))
assert calls(DebertaV2Model(DebertaV2Config(**sizes)).eval()) == [True] * 4
assert first.bfloat16()(x, attention_mask=padded).last_hidden_state.isfinite().all()
PY
