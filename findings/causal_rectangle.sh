#!/usr/bin/env bash
# Package: onnxruntime 1.32.0, com.microsoft MultiHeadAttention, unidirectional=1 (torch 2.13.0 and
# mlx 0.32.4 beside it). Seen on 2026-11-28, CPU.
# Guess: with fewer queries than keys the causal triangle begins at the first key (as in torch) or ends
# at the last one (as in mlx).
# Instead: neither. All queries but the last count from the first key; the last one sees every key.
# Seen, keys that each query sees, 3 queries over 7 keys: onnxruntime 1 2 7, torch 1 2 3, mlx 5 6 7;
#       onnxruntime's own Attention (opset 23, is_causal) 1 2 3. With 4 over 4 all say 1 2 3 4.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 'mlx[cpu]==0.32.4' onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import mlx.core as mx, numpy as np, onnxruntime, torch
from onnx import TensorProto, helper

def by_onnx(parts, domain, more):
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    node = helper.make_node("MultiHeadAttention" if domain else "Attention", list("qkv"), ["y"], domain=domain, **more)
    graph = helper.make_graph([node], "g", [value(n, p.shape) for n, p in zip("qkv", parts)], [value("y", None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip("qkv", parts)))[0]

def look(queries, keys):
    random = np.random.default_rng(0)
    q, k, v = random.normal(size=(1, queries, 8)), random.normal(size=(1, keys, 8)), np.eye(keys, 8)[None]
    flat = [part.astype("float32") for part in (q, k, v)]
    heads = [part[None] for part in flat]
    out = {"contrib": by_onnx(flat, "com.microsoft", dict(num_heads=1, unidirectional=1)), "Attention": by_onnx(heads, "", dict(is_causal=1)),
           "torch": torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, heads), is_causal=True).numpy(),
           "mlx": np.array(mx.fast.scaled_dot_product_attention(*map(mx.array, heads), scale=0.3, mask="causal"))}
    seen = {name: (y.reshape(queries, 8)[:, :keys] > 0).sum(1).tolist() for name, y in out.items()}
    print(queries, "over", keys, seen)
    return list(seen.values())

assert look(4, 4) == [[1, 2, 3, 4]] * 4 and look(3, 7) == [[1, 2, 7], [1, 2, 3], [1, 2, 3], [5, 6, 7]]
PY
