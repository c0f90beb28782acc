#!/usr/bin/env bash
# Packages: torch 2.13.0, jax 0.10.2, mlx 0.32.4, onnxruntime 1.32.0. Seen on 2026-11-28, CPU.
# Guess: a query whose mask leaves no key gives NaN where masks are -inf, and the average of all values
# where they are the lowest finite number; one library has one answer.
# Instead: torch gives 0 for True/False and -inf, but its MultiheadAttention NaN or 0 by need_weights;
# jax averages with mask=, NaN with bias=-inf; mlx averages. onnxruntime takes the lowest float32 for
# "nothing to see" and gives 0, where torch averages; with half of it onnxruntime averages, too.
# Seen: 0 0 0.25 (torch: bool, -inf, lowest), nan 0 (need_weights True, False), 0.25 nan (jax: mask, bias),
#       0.25 (mlx, bool), 0 0.25 (onnxruntime: lowest, half of it).

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 jax==0.10.2 'mlx[cpu]==0.32.4' onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$d/v/bin/python" - <<'PY'
import jax, mlx.core as mx, numpy as np, onnxruntime, torch
from onnx import TensorProto, helper

q, k, v = np.random.default_rng(0).normal(size=(3, 1, 1, 4, 4)).astype("float32")
v, none, lowest = np.eye(4, dtype="float32")[None, None], np.zeros((4, 4), bool), np.finfo("float32").min
sdpa = torch.nn.functional.scaled_dot_product_attention
full = lambda number: np.full((4, 4), number, "float32")
first = lambda y: float(np.asarray(y).ravel()[0])
by_torch = lambda mask: first(sdpa(*map(torch.tensor, (q, k, v)), attn_mask=torch.tensor(mask)))
by_jax = lambda **more: first(jax.nn.dot_product_attention(*[part.reshape(1, 4, 1, 4) for part in (q, k, v)], **more))
layer = torch.nn.MultiheadAttention(4, 1, batch_first=True).requires_grad_(False)
by_layer = lambda weights: first(layer(*[torch.tensor(q[0])] * 3, attn_mask=~torch.tensor(none), need_weights=weights)[0])
value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
graph = helper.make_graph([helper.make_node("Attention", list("qkvm"), ["y"])], "g", [value(n, q.shape) for n in "qkv"] + [value("m", (4, 4))], [value("y", None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
by_onnx = lambda mask: first(session.run(None, dict(q=q, k=k, v=v, m=mask))[0])
got = [by_torch(none), by_torch(full(-np.inf)), by_torch(full(lowest)), by_layer(True), by_layer(False),
       by_jax(mask=none[None, None]), by_jax(bias=full(-np.inf)[None, None]),
       first(mx.fast.scaled_dot_product_attention(*map(mx.array, (q, k, v)), scale=0.5, mask=mx.array(none))), by_onnx(full(lowest)), by_onnx(full(lowest / 2))]
print([round(x, 4) for x in got])
np.testing.assert_allclose(got, [0, 0, 0.25, np.nan, 0, 0.25, np.nan, 0.25, 0, 0.25], atol=1e-5)
PY
