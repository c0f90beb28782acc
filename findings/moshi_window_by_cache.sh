#!/usr/bin/env bash
# Package: transformers 5.23.0, MoshiForCausalLM (torch 2.13.0, random weights). Seen on 2026-11-28.
# Guess: sliding_window (3000 by default) limits every token, or none; with or without cache alike.
# Instead: the mask knows no window, but the cache that generation makes does, and drops what lies
# outside. So a whole text sees everything, the same text token by token sees the window only.
# Seen, window 6, 12 tokens: logits of tokens 0–5 equal to 1e-5, tokens 6–11 off by 1 to 3;
#       greedy generation with and without cache parts after a few tokens (the same words in Mistral).

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import MistralConfig, MistralForCausalLM, MoshiConfig, MoshiForCausalLM

torch.set_grad_enabled(False)
sizes = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=4, sliding_window=6, max_position_embeddings=64)

def look(model):
    torch.manual_seed(0)
    for weight in model.eval().parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.2)
    x = torch.randint(3, 60, (1, 12))
    whole, cache, steps = model(x, use_cache=False).logits, None, []
    for i in range(12):
        out = model(x[:, i:i + 1], use_cache=True, past_key_values=cache)
        cache, steps = out.past_key_values, steps + [out.logits]
    off = (whole - torch.cat(steps, 1)).abs().amax(-1)[0]
    texts = [model.generate(x[:, :4], max_new_tokens=16, do_sample=False, use_cache=c)[0].tolist() for c in (True, False)]
    print(type(model).__name__, [round(v, 2) for v in off.tolist()], "same text", texts[0] == texts[1])
    return off, texts[0] == texts[1]

off, same = look(MoshiForCausalLM(MoshiConfig(ffn_dim=48, **sizes)))
assert MoshiConfig().sliding_window == 3000 and off[:6].max() < 1e-4 and off[6:].min() > 0.1 and not same
off, same = look(MistralForCausalLM(MistralConfig(intermediate_size=48, **sizes)))
assert off.max() < 1e-4 and same
PY
