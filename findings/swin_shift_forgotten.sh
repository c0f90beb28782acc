#!/usr/bin/env bash
# Package: transformers 5.23.0, SwinModel (torch 2.13.0, random weights). Seen on 2026-11-28.
# Guess: an eval() model has no memory: a picture's features do not depend on pictures before it.
# Instead: where a feature map is no larger than the window, the layer sets its own shift to 0, and
# never takes it back. After one picture of the trained size, larger pictures are computed without
# shifted windows in that stage, as long as the model lives; nothing is said.
# Seen: 112 × 112 picture, before and after one of 56 × 56: features off by 0.07 (values about 1);
#       shift of the last stage's second layer 3 before, 0 after. A copy of the model is as before.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import copy
import torch
from transformers import SwinConfig, SwinModel

torch.manual_seed(0)
torch.set_grad_enabled(False)
config = SwinConfig(image_size=56, patch_size=4, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=7)
model = SwinModel(config).eval()
fresh = copy.deepcopy(model)
large, small = torch.randn(1, 3, 112, 112), torch.randn(1, 3, 56, 56)
features = lambda m, picture: m(picture, interpolate_pos_encoding=True).last_hidden_state
shift = lambda m: m.encoder.layers[1].blocks[1].shift_size
first = features(model, large)
again = features(model, large)
before = shift(model)
features(model, small)
after = features(model, large)
off = (first - after).abs().max().item()
print(f"shift before {before}, after {shift(model)}; the same large picture is off by {off:.3f}")
assert torch.equal(first, again) and before == 3 and shift(model) == 0 and off > 0.01
assert torch.equal(features(fresh, large), first)
PY
