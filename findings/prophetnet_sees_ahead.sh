#!/usr/bin/env bash
# Package: transformers 5.23.0, ProphetNetForCausalLM (torch 2.13.0, random weights). Seen on 2026-11-28.
# Guess: a causal model: changing the last token moves no logit before it, and a beginning of a text
# gets the same logits alone as with what follows.
# Instead: neither holds. The relative position bias of its predicting streams is laid out token by
# token, but read head by head, so a token takes the bias of another one, even of a later one.
# Seen, 12 tokens, 3 layers, 4 heads, 5 seeds: another last token moves logits of earlier tokens by
#       0.01 to 0.14; the first 6 alone are off by 1.8 to 3.6. Without the relative part: below 1e-4.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import torch
from transformers import ProphetNetConfig, ProphetNetForCausalLM

torch.set_grad_enabled(False)
config = ProphetNetConfig(vocab_size=60, hidden_size=32, decoder_ffn_dim=48, num_decoder_layers=3,
                          num_decoder_attention_heads=4, max_position_embeddings=64, add_cross_attention=False)
config.is_decoder, seen = True, {True: [], False: []}
for seed in range(5):
    torch.manual_seed(seed)
    model = ProphetNetForCausalLM(config).eval()
    for weight in (w for w in model.parameters() if w.dim() > 1):
        torch.nn.init.normal_(weight, std=0.2)
    x = torch.randint(3, 60, (1, 12))
    other = torch.cat([x[:, :-1], 62 - x[:, -1:]], 1)
    for relative in (True, False):
        if not relative:
            for layer in model.prophetnet.decoder.layers:
                layer.self_attn.relative_pos_embeddings.weight.zero_()
        run = lambda ids: model(ids, use_cache=False).logits[0]
        whole = run(x)
        seen[relative].append(((whole - run(other))[:-1].abs().max().item(), (whole[:6] - run(x[:, :6])).abs().max().item()))
for relative, pairs in seen.items():
    print("relative part" if relative else "without it", [(round(a, 5), round(b, 5)) for a, b in pairs])
assert max(a for a, _ in seen[True]) > 0.01 and min(b for _, b in seen[True]) > 0.1
assert max(max(pair) for pair in seen[False]) < 1e-4
PY
