#!/usr/bin/env bash
# Package: transformers 5.23.0, MptForCausalLM and BloomForCausalLM (torch 2.13.0). Seen on 2026-11-28.
# Guess: ALiBi has no learned table, so a model with ALiBi reads longer texts than it was trained on, and
# max_seq_len is no more than a remark about the training.
# Instead: MPT makes its biases for max_seq_len keys; one token more raises.
# config.max_seq_len can be raised on the living model. BLOOM, with ALiBi too, reads any length.
# Seen, max_seq_len 16: 16 tokens work, 17 raise "size of tensor a (17) must match …"; after
#       config.max_seq_len = 40 all three lengths work, and the first 16 logits are as before.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import BloomConfig, BloomForCausalLM, MptConfig, MptForCausalLM

torch.manual_seed(0)
torch.set_grad_enabled(False)
text = torch.randint(3, 60, (1, 40))

def read(model, count):
    try:
        return model(text[:, :count]).logits
    except RuntimeError as error:
        return str(error)

def show(name, answers):
    print(name, [answer if isinstance(answer, str) else tuple(answer.shape) for answer in answers])
    return [not isinstance(answer, str) for answer in answers]

mpt = MptForCausalLM(MptConfig(vocab_size=60, d_model=32, n_layers=2, n_heads=4, max_seq_len=16)).eval()
bloom = BloomForCausalLM(BloomConfig(vocab_size=60, hidden_size=32, n_layer=2, n_head=4, seq_length=16)).eval()
first = read(mpt, 16)
assert show("MPT", [read(mpt, n) for n in (16, 17, 40)]) == [True, False, False]
mpt.config.max_seq_len = 40
assert show("MPT raised", [read(mpt, n) for n in (16, 17, 40)]) == [True] * 3
assert torch.allclose(read(mpt, 40)[:, :16], first, atol=1e-5)
assert show("BLOOM", [read(bloom, n) for n in (16, 17, 40)]) == [True] * 3
PY
