#!/usr/bin/env bash
# Package: keras-hub 0.32.0, PositionEmbedding (keras 3.15.1, jax 0.10.2, torch 2.13.0). Seen on 2026-11-28.
# Guess: a start_index that leads past the table raises, whatever the backend.
# Instead: on JAX the slice is moved back until it fits, without a word. The tokens that lie inside of
# the table get wrong rows, too, and each later step of generation the last row again.
# Seen, table of 8 rows, 4 tokens, start 6: rows 4 5 6 7 on JAX (6 7 would be right for the first two),
#       start 9 the same; one token at 8, 9, 10: row 7. torch: RuntimeError for each of them.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check keras==3.15.1 jax==0.10.2 torch==2.13.0 numpy==2.4.6 \
  kagglehub==1.0.3 sentencepiece==0.2.3 tokenizers==0.23.3 regex==2026.11.19
"$d/v/bin/pip" install -q --disable-pip-version-check --no-deps keras-hub==0.32.0  # needs no TensorFlow for this
cat > "$d/look.py" <<'PY'
import keras
import keras_hub
import numpy as np

layer = keras_hub.layers.PositionEmbedding(sequence_length=8)
layer.build((None, 4, 6))
table = keras.ops.convert_to_numpy(layer.weights[0])
seen = {}
for tokens, start in ((4, 0), (4, 4), (4, 6), (4, 9), (1, 7), (1, 8), (1, 10)):
    try:
        rows = keras.ops.convert_to_numpy(layer(np.zeros((1, tokens, 6), "float32"), start_index=start))[0]
        seen[tokens, start] = [int(np.abs(table - row).sum(1).argmin()) for row in rows]
    except Exception as error:
        seen[tokens, start] = type(error).__name__
print(keras.backend.backend(), seen)
assert seen[4, 0] == [0, 1, 2, 3] and seen[4, 4] == [4, 5, 6, 7] and seen[1, 7] == [7]
past = [seen[key] for key in ((4, 6), (4, 9), (1, 8), (1, 10))]
if keras.backend.backend() == "jax":
    assert past == [[4, 5, 6, 7], [4, 5, 6, 7], [7], [7]]
else:
    assert all(isinstance(value, str) and value.endswith("Error") for value in past), past
PY
for backend in jax torch; do
  KERAS_BACKEND=$backend "$d/v/bin/python" "$d/look.py" 2> "$d/err" || { cat "$d/err" >&2; exit 1; }
done
