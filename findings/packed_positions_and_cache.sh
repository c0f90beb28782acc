#!/usr/bin/env bash
# Package: transformers 5.23.0 (torch 2.13.0, a small random Llama). Seen on 2026-11-28.
# Guess: use_cache only says whether keys are kept, and a mask of ones says nothing, so neither moves
# a logit of one pass; position_ids with a gap only turn the vectors.
# Instead: where position_ids jump (also 0 2 4 6 …, or falling ones), the text is cut into separate
# texts that do not see each other, but only without mask and without cache. use_cache is on by
# default, so use_cache=False, use_cache=True and a mask of ones give different answers.
# Seen: ids 0 1 2 0 1 2, no cache: second half repeats the first; with cache or ones: off by 0.24.
#       ids 0 2 4 6 8 10, no cache: every token sees itself only (off by 0.41). 10 … 15: no change.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
torch.set_grad_enabled(False)
model = LlamaForCausalLM(LlamaConfig(vocab_size=50, hidden_size=64, intermediate_size=64,
                                     num_hidden_layers=2, num_attention_heads=4)).eval()
x = torch.tensor([[5, 6, 7, 5, 6, 7]])
ones = torch.ones_like(x)

def far(ids):
    run = lambda **more: model(x, position_ids=torch.tensor([ids]), **more).logits[0]
    cached, bare, masked = run(), run(use_cache=False), run(use_cache=False, attention_mask=ones)
    assert torch.allclose(cached, masked, atol=1e-5)
    alone = model(x[:, 3:4], position_ids=torch.tensor([ids[3:4]])).logits[0, 0]
    print(ids, f"cache against no cache {(cached - bare).abs().max():.3f},",
          f"fourth token as if alone {torch.allclose(bare[3], alone, atol=1e-5)}")
    return (cached - bare).abs().max(), bare

packed, bare = far([0, 1, 2, 0, 1, 2])
assert packed > 0.1 and torch.allclose(bare[:3], bare[3:], atol=1e-5)
assert far([0, 2, 4, 6, 8, 10])[0] > 0.1 and far([5, 4, 3, 2, 1, 0])[0] > 0.1
assert far([10, 11, 12, 13, 14, 15])[0] < 1e-5
PY
