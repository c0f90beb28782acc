"""The mathematics beside what people use: contenders in turn, compared within one run.

python benchmarks/mathematics.py            everything
python benchmarks/mathematics.py rope t5    the groups named: rope, rope_bfloat16, alibi, t5,
                                            learned_biases, table, attention,
                                            attention_bfloat16, decoding, step, biases,
                                            tiny, memory

Where torch finds a GPU, all is measured there but learned_biases and memory, which are of the CPU
and are left out.
"""

import datetime
import gc
import os
import resource
import statistics
import subprocess
import sys
import time
from importlib import metadata

import numpy as np
import psutil
import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig, T5Config
from transformers.models.llama import modeling_llama as llama
from transformers.models.t5.modeling_t5 import T5Attention
from x_transformers.x_transformers import (
    AlibiPositionalBias,
    DataDependentAlibi,
    apply_rotary_pos_emb,
)
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding

import posviz
from posviz.attention import attention as attend_to

fused = torch.nn.functional.scaled_dot_product_attention
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROUNDS = 15


def wait():
    """Wait for the GPU, if there is one."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def times(contenders, inner=1):
    """Median milliseconds of each, taken in turn so that a noisy moment hits all alike.

    On one thread of a CPU it is that thread's own time: other processes do not count. On a GPU it
    is what lies between two events, one call after the other with the cache emptied before each;
    of many calls at once (inner) it is the host's time, for that is what they wait for.
    """
    if DEVICE == "cuda" and inner == 1:
        from triton.testing import do_bench

        with torch.no_grad():
            return {name: do_bench(run, return_mode="median") for name, run in contenders.items()}
    alone = DEVICE == "cpu" and torch.get_num_threads() == 1
    clock = time.thread_time if alone else time.perf_counter
    taken = {name: [] for name in contenders}
    with torch.no_grad():
        for _ in range(2 + ROUNDS):
            for name, run in contenders.items():
                wait()
                began = clock()
                for _ in range(inner):
                    kept = run()
                wait()
                taken[name].append(1e3 * (clock() - began) / inner)
                del kept
                gc.collect()
    return {name: statistics.median(values[2:]) for name, values in taken.items()}


def rope(dtype=torch.float32):
    """RoPE on 32 heads of 4096 queries with head_dim 128, float32."""
    x, positions = torch.randn(1, 32, 4096, 128, device=DEVICE), torch.arange(4096, device=DEVICE)
    x = x.to(dtype)
    angles = posviz.rotary_angles(positions, posviz.rotary_frequencies(128))
    config = LlamaConfig(
        hidden_size=4096,
        num_attention_heads=32,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )
    cos, sin = llama.LlamaRotaryEmbedding(config).to(DEVICE)(x, positions[None])
    lucid, theirs = RotaryEmbedding(dim=128).to(DEVICE), XRotaryEmbedding(128).to(DEVICE)
    freqs, _ = theirs(positions)
    rotate = posviz.apply_rotary

    def hugging_face():
        return llama.apply_rotary_pos_emb(x, x[:, :1], cos, sin)[0]

    return {
        "copy into fresh memory": x.clone,
        "posviz, interleaved": lambda: rotate(x, angles),
        "posviz, half_split": lambda: rotate(x, angles, layout="half_split"),
        "Hugging Face (half_split)": hugging_face,
        "rotary-embedding-torch (interleaved)": lambda: lucid.rotate_queries_or_keys(x),
        "x-transformers (interleaved)": lambda: apply_rotary_pos_emb(x, freqs),
    }


def rope_bfloat16():
    """RoPE on 32 heads of 4096 queries with head_dim 128, bfloat16."""
    return rope(torch.bfloat16)


def alibi():
    """The bias of ALiBi for 16 heads and 2048 tokens, float32."""
    tokens, slopes = torch.arange(2048, device=DEVICE), _slopes(16)
    apart, apart_np = posviz.offsets(tokens, tokens), posviz.offsets(range(2048), range(2048))
    slopes_np = slopes.cpu().numpy()
    return {
        "x-transformers": lambda: AlibiPositionalBias(heads=16).to(DEVICE)(2048, 2048),
        "posviz, torch": lambda: posviz.alibi_bias(slopes, apart),
        "posviz, NumPy": lambda: posviz.alibi_bias(slopes_np, apart_np),
        "fresh memory of that size": lambda: torch.zeros(16, 2048, 2048, device=DEVICE),
    }


def t5():
    """The buckets and the bias of T5 for 12 heads and 2048 tokens, float32."""
    tokens = torch.arange(2048, device=DEVICE)
    apart, apart_np = posviz.offsets(tokens, tokens), posviz.offsets(range(2048), range(2048))
    module = _t5_attention()
    numbers = module.relative_attention_bias.weight.detach()
    numbers_np = numbers.cpu().numpy()
    return {
        "Hugging Face": lambda: module.compute_bias(2048, 2048, device=DEVICE),
        "posviz, torch": lambda: posviz.t5_bias(numbers, posviz.t5_bucket(apart)),
        "posviz, NumPy": lambda: posviz.t5_bias(numbers_np, posviz.t5_bucket(apart_np)),
        "fresh memory of that size": lambda: torch.zeros(12, 2048, 2048, device=DEVICE),
    }


def _slopes(heads):
    return torch.tensor(posviz.alibi_slopes(heads), device=DEVICE).float()


def _t5_attention():
    config = T5Config(d_model=768, num_heads=12, d_kv=64)
    return T5Attention(config, has_relative_attention_bias=True, layer_idx=0).to(DEVICE)


def learned_biases():
    """Biases that are learned, for 16 heads and 2048 tokens, float32."""
    tokens, apart = torch.arange(2048), posviz.offsets(range(2048), range(2048))
    slopes = torch.tensor(posviz.alibi_slopes(16)).float()
    r1, r2 = (2 * slopes).clamp(min=0.01), slopes.flip(0).clamp(min=0.01)
    causal = torch.tril(tokens[:, None] - tokens).float()
    offsets, numpy = posviz.offsets(tokens, tokens), (r1.numpy(), r2.numpy())
    zeros = torch.zeros(()).expand(1, 16, 2048, 2048)
    x, theirs = torch.randn(1, 2048, 64), DataDependentAlibi(64, 16)
    linear = theirs.to_forget_gates[0]
    w_f, b_f = linear.weight.T.contiguous(), linear.bias
    return {
        "x-transformers' ALiBi, which has no Kerple": lambda: AlibiPositionalBias(heads=16)(
            2048, 2048
        ),
        "Kerple (log) as in its released code": lambda: (
            -r1[:, None, None] * torch.log(1 + r2[:, None, None] * causal)
        ),
        "Kerple (log), posviz, torch": lambda: posviz.kerple_log_bias(r1, r2, offsets),
        "Kerple (power), posviz, torch": lambda: posviz.kerple_power_bias(r1, r2, offsets),
        "Kerple (log), posviz, NumPy": lambda: posviz.kerple_log_bias(*numpy, apart),
        "Kerple (log), posviz, added to scores": lambda: posviz.KerpleLog(r1, r2).at_scores(
            zeros, None, None, tokens, tokens
        ),
        "x-transformers' FoX": lambda: theirs(x),
        "FoX, posviz, torch": lambda: posviz.fox_bias(posviz.log_forget_gates(x, w_f, b_f)),
        "fresh memory of that size": lambda: torch.zeros(16, 2048, 2048),
    }


def table():
    """The sinusoidal table, 4096 positions × 4096 dimensions."""
    tokens = np.arange(4096)

    def blog():
        pe, position = np.zeros((4096, 4096)), np.arange(4096)[:, None]
        rates = np.exp(np.arange(0, 4096, 2) * -(np.log(10_000.0) / 4096))
        pe[:, 0::2], pe[:, 1::2] = np.sin(position * rates), np.cos(position * rates)
        return pe

    narrow = tokens.astype(np.float32)
    error = np.abs(posviz.sinusoidal(narrow, 4096) - blog()).max()
    print(f"posviz in float32 differs from blog code in float64 by at most {error:.1e}")
    places = torch.from_numpy(tokens).to(DEVICE)
    return {
        "blog code, NumPy, float64": blog,
        "posviz, NumPy, float64": lambda: posviz.sinusoidal(tokens, 4096),
        "posviz, NumPy, float32": lambda: posviz.sinusoidal(narrow, 4096),
        "posviz, torch, float32": lambda: posviz.sinusoidal(places, 4096),
        "fresh memory of that size": lambda: torch.zeros(4096, 4096, device=DEVICE),
    }


def _encodings(heads, dtype):
    table = torch.randn(32, heads, device=DEVICE).to(dtype)
    return {
        "none": posviz.NoPosition(),
        "RoPE": posviz.Rotary(layout="half_split"),
        "ALiBi": posviz.Alibi(),
        "T5": posviz.T5(table, bidirectional=False),
    }


def _attended(qkv, encodings, q_positions, k_positions, **options):
    places = {"q_positions": q_positions, "k_positions": k_positions, **options}
    return {
        name: lambda encoding=encoding: attend_to(*qkv, encoding=encoding, **places)
        for name, encoding in encodings.items()
    }


def attention(dtype=torch.float32):
    """Causal attention (1, 8, 1024, 64), float32; torch's function is given a ready bias."""
    qkv, tokens = torch.randn(3, 1, 8, 1024, 64, device=DEVICE), torch.arange(1024, device=DEVICE)
    qkv, mask = qkv.to(dtype).unbind(), posviz.causal_mask(tokens, tokens)
    encodings = _encodings(8, dtype)
    bias = posviz.alibi_bias(_slopes(8), posviz.offsets(tokens, tokens))
    bias = bias.where(mask, -torch.inf).to(dtype)[None]
    ours = _attended(qkv, encodings, tokens, tokens, mask=mask)
    return {
        "scaled_dot_product_attention, bias given": lambda: fused(*qkv, attn_mask=bias),
        "the same, mask given": lambda: fused(*qkv, attn_mask=mask),
        **{f"posviz, {name}": run for name, run in ours.items()},
    }


def attention_bfloat16():
    """Causal attention (1, 8, 1024, 64), bfloat16; torch's function is given a ready bias."""
    return attention(torch.bfloat16)


def decoding():
    """One query in each of 32 heads, over 2048 keys in 8 heads of head_dim 128, float32."""
    q = torch.randn(1, 32, 1, 128, device=DEVICE)
    k, v = torch.randn(2, 1, 8, 2048, 128, device=DEVICE)
    encodings, tokens = _encodings(32, q.dtype), torch.arange(2048, device=DEVICE)
    last = tokens[-1:]
    del encodings["RoPE"]  # its keys have turned before they were kept
    ours = _attended((q, k, v), encodings, last, tokens)
    return {
        "scaled_dot_product_attention, heads in groups": lambda: fused(q.view(1, 8, 4, 128), k, v),
        "the same, enable_gqa": lambda: fused(q, k, v, enable_gqa=True),
        "the same, keys repeated": lambda: fused(
            q, k.repeat_interleave(4, dim=1), v.repeat_interleave(4, dim=1)
        ),
        **{f"posviz, {name}": run for name, run in ours.items()},
    }


def step():
    """RoPE on the query and key of a step (1, 32, 1, 128), float32."""
    q, k = torch.randn(2, 1, 32, 1, 128, device=DEVICE)
    places = torch.tensor([2047], device=DEVICE)
    config = LlamaConfig(hidden_size=4096, num_attention_heads=32)
    cos, sin = llama.LlamaRotaryEmbedding(config).to(DEVICE)(q, places[None])
    runs = {"Hugging Face, given its cosines": lambda: llama.apply_rotary_pos_emb(q, k, cos, sin)}
    for layout in ("interleaved", "half_split"):
        rope = posviz.Rotary(layout=layout)
        runs[f"posviz, {layout}"] = lambda rope=rope: (
            rope.at_query(q, places),
            rope.at_key(k, places),
        )
    return runs


def biases():
    """What one query adds to its scores of 2048 keys, float32."""
    last = torch.arange(2048, device=DEVICE)
    row, module = last[-1:], _t5_attention()
    scores, slopes = torch.zeros(1, 16, 1, 2048, device=DEVICE), _slopes(16)
    t5 = posviz.T5(module.relative_attention_bias.weight.detach())
    alibi, fewer = posviz.Alibi(), scores[:, :12]
    return {
        "ALiBi, plain torch": lambda: scores - slopes[:, None, None] * (row - last),
        "ALiBi, posviz": lambda: alibi.at_scores(scores, None, None, row, last),
        "T5, Hugging Face": lambda: (
            fewer + module.compute_bias(1, 2048, device=DEVICE, past_seen_tokens=2047)
        ),
        "T5, posviz": lambda: t5.at_scores(fewer, None, None, row, last),
    }


def tiny():
    """Attention (1, 4, 8, 32), float32: what a call costs beside its sums."""
    qkv, tokens = torch.randn(3, 1, 4, 8, 32, device=DEVICE), torch.arange(8, device=DEVICE)
    ours = _attended(qkv, _encodings(4, torch.float32), tokens, tokens)
    return {
        "scaled_dot_product_attention": lambda: fused(*qkv),
        **{f"posviz, {name}": run for name, run in ours.items()},
    }


def peak(kind, name):
    """Print how many matrices of scores attention at 4096 tokens adds to the peak of memory."""
    shape, tokens = (1, 8, 4096, 64), np.arange(4096)
    q = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    q = torch.from_numpy(q) if kind == "torch" else q
    encoding = {
        "none": posviz.NoPosition,
        "RoPE": posviz.Rotary,
        "ALiBi": posviz.Alibi,
        "T5": lambda: posviz.T5(q[0, :, :32, 0].T),
    }[name]()
    small, mask = q[:, :, :16], posviz.causal_mask(tokens, tokens)
    places = {"q_positions": tokens[:16], "k_positions": tokens[:16]}
    attend_to(small, small, small, encoding=encoding, **places)  # loads what is loaded late
    before = psutil.Process().memory_info().rss
    places = {"q_positions": tokens, "k_positions": tokens}
    attend_to(q, q, q, encoding=encoding, mask=mask, **places)
    added = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{kind}, {name}: {added / (8 * 4096**2 * 4):.2f} matrices of scores")


def report(group, inner=1):
    """Print the milliseconds of a group, and how they relate to the first and to the others.

    On a GPU what NumPy does is left out.
    """
    contenders = group()
    where = f"{torch.get_num_threads()} thread(s)"
    if DEVICE == "cuda":
        contenders = {name: run for name, run in contenders.items() if "NumPy" not in name}
        where = "On the GPU"
    found = times(contenders, inner)
    first = next(iter(found))
    print(f"\n{group.__doc__} {where}.")
    print(f"\n| | ms | × {first} |\n|---|---|---|")
    for name, taken in found.items():
        print(f"| {name} | {taken:.3g} | {taken / found[first]:.2f} |")


def memory():
    """Print peaks of memory, each of a process of its own."""
    print("\nAttention with a causal mask, 8 heads, 4096 tokens, float32, no gradients:")
    for kind in ("NumPy", "torch"):
        for encoding in ("none", "RoPE", "ALiBi", "T5"):
            subprocess.run([sys.executable, __file__, "peak", kind, encoding], check=True)


def main():
    """Run the groups; those of attention on one thread of a CPU, too."""
    on_gpu = DEVICE == "cuda"
    device = torch.cuda.get_device_name() if on_gpu else f"{os.cpu_count()} CPU cores"
    packages = ("torch", "numpy", "transformers", "rotary-embedding-torch", "x-transformers")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    print(f"{datetime.date.today()}, {versions}; {device}")
    most = torch.get_num_threads()
    groups = (rope, rope_bfloat16, alibi, t5, learned_biases, table)
    of_encodings = {group.__name__: group for group in groups}
    sums = (attention, attention_bfloat16, decoding, step, biases, tiny)
    of_attention = {group.__name__: group for group in sums}
    usual = [*of_encodings, *of_attention, "memory"]
    if on_gpu:
        usual = [name for name in usual if name not in ("learned_biases", "memory")]
    for name in sys.argv[1:] or usual:
        if name == "memory":
            memory()
        elif name in of_encodings:
            report(of_encodings[name])
        else:
            for threads in {most} if on_gpu else (1, most):
                torch.set_num_threads(threads)
                report(of_attention[name], inner=50 if name in ("step", "biases", "tiny") else 1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        peak(*sys.argv[2:])
    else:
        main()
