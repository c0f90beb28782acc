#!/usr/bin/env bash
# Package: transformers 5.23.0, PreTrainedModel with a table of one's own (torch 2.13.0). Seen on 2026-11-28.
# Guess: a sinusoid table registered with persistent=False in __init__ (it can be computed, so why
# store it) is there again after from_pretrained, since from_pretrained calls __init__.
# Instead: __init__ runs on the meta device; a buffer that the file does not hold is then made from
# uninitialised memory, and nothing is said.
# Seen: row 1 (sines of 4 to 7) -0.76 -0.96 -0.28 0.66 when built; loaded: what the memory held, here
#       0 0 0 0. The same class with persistent=True: bit by bit the table that was built.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"$d/v/bin/python" - "$d" <<'PY'
import sys
import torch
from transformers import PretrainedConfig, PreTrainedModel

class Config(PretrainedConfig):
    model_type = "table"
    keep = False

class Model(PreTrainedModel):
    config_class = Config
    def __init__(self, config):
        super().__init__(config)
        self.out = torch.nn.Linear(4, 4)
        self.register_buffer("table", torch.arange(4096.0).view(1024, 4).sin(), persistent=config.keep)
        self.post_init()

for keep in (False, True):
    built = Model(Config(keep=keep))
    built.save_pretrained(f"{sys.argv[1]}/{keep}")
    loaded = Model.from_pretrained(f"{sys.argv[1]}/{keep}")
    print("persistent", keep, "built", built.table[1].tolist(), "loaded", loaded.table[1].tolist())
    assert torch.equal(built.out.weight, loaded.out.weight)
    assert torch.equal(built.table, loaded.table) == keep
PY
