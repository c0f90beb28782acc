"""The mathematics beside what people use: contenders in turn, compared within one run.

python benchmarks/mathematics.py            everything
python benchmarks/mathematics.py rope       the groups named: rope, alibi, t5, table, attention
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
from x_transformers.x_transformers import AlibiPositionalBias, apply_rotary_pos_emb
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding

import posviz
from posviz.attention import attention

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROUNDS = 15


def times(contenders):
    """Median milliseconds of each, taken in turn so that a noisy moment hits all alike."""
    taken = {name: [] for name in contenders}
    with torch.no_grad():
        for _ in range(2 + ROUNDS):
            for name, run in contenders.items():
                _wait()
                began = time.perf_counter()
                kept = run()
                _wait()
                taken[name].append(1e3 * (time.perf_counter() - began))
                del kept
                gc.collect()
    return {name: statistics.median(values[2:]) for name, values in taken.items()}


def _wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def rope():
    """RoPE on 32 heads of 4096 queries with head_dim 128, float32."""
    x, positions = torch.randn(1, 32, 4096, 128, device=DEVICE), torch.arange(4096, device=DEVICE)
    angles = posviz.rotary_angles(positions, posviz.rotary_frequencies(128))
    config = LlamaConfig(
        hidden_size=4096,
        num_attention_heads=32,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )
    cos, sin = llama.LlamaRotaryEmbedding(config).to(DEVICE)(x, positions[None])
    lucid, theirs = RotaryEmbedding(dim=128).to(DEVICE), XRotaryEmbedding(128).to(DEVICE)
    freqs, _ = theirs(positions)
    turn = posviz.apply_rotary
    compiled = torch.compile(turn)
    compiled_split = torch.compile(turn)  # one each: a second layout would compile anew

    def hugging_face():
        return llama.apply_rotary_pos_emb(x, x[:, :1], cos, sin)[0]

    return {
        "copy into fresh memory": x.clone,
        "posviz, interleaved": lambda: turn(x, angles),
        "posviz, half_split": lambda: turn(x, angles, layout="half_split"),
        "posviz, interleaved, compiled": lambda: compiled(x, angles),
        "posviz, half_split, compiled": lambda: compiled_split(x, angles, layout="half_split"),
        "Hugging Face (half_split)": hugging_face,
        "Hugging Face, compiled": torch.compile(hugging_face),
        "rotary-embedding-torch (interleaved)": lambda: lucid.rotate_queries_or_keys(x),
        "x-transformers (interleaved)": lambda: apply_rotary_pos_emb(x, freqs),
    }


def alibi():
    """The bias of ALiBi for 16 heads and 2048 tokens, float32."""
    tokens, slopes = torch.arange(2048), torch.tensor(posviz.alibi_slopes(16)).float()
    apart, apart_np = posviz.offsets(tokens, tokens), posviz.offsets(range(2048), range(2048))
    return {
        "x-transformers": lambda: AlibiPositionalBias(heads=16)(2048, 2048),
        "posviz, torch": lambda: posviz.alibi_bias(slopes, apart),
        "posviz, NumPy": lambda: posviz.alibi_bias(slopes.numpy(), apart_np),
        "fresh memory of that size": lambda: torch.zeros(16, 2048, 2048),
    }


def t5():
    """The buckets and the bias of T5 for 12 heads and 2048 tokens, float32."""
    tokens, config = torch.arange(2048), T5Config(d_model=768, num_heads=12, d_kv=64)
    apart, apart_np = posviz.offsets(tokens, tokens), posviz.offsets(range(2048), range(2048))
    module = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    numbers = module.relative_attention_bias.weight.detach()
    return {
        "Hugging Face": lambda: module.compute_bias(2048, 2048, device="cpu"),
        "posviz, torch": lambda: posviz.t5_bias(numbers, posviz.t5_bucket(apart)),
        "posviz, NumPy": lambda: posviz.t5_bias(numbers.numpy(), posviz.t5_bucket(apart_np)),
        "fresh memory of that size": lambda: torch.zeros(12, 2048, 2048),
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
    return {
        "blog code, float64": blog,
        "posviz, NumPy, float64": lambda: posviz.sinusoidal(tokens, 4096),
        "posviz, NumPy, float32": lambda: posviz.sinusoidal(narrow, 4096),
        "posviz, torch, float32": lambda: posviz.sinusoidal(torch.from_numpy(tokens), 4096),
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
    attention(small, small, small, encoding=encoding, **places)  # loads what is loaded late
    before = psutil.Process().memory_info().rss
    places = {"q_positions": tokens, "k_positions": tokens}
    attention(q, q, q, encoding=encoding, mask=mask, **places)
    added = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{kind}, {name}: {added / (8 * 4096**2 * 4):.2f} matrices of scores")


def report(group):
    """Print the milliseconds of a group, and how they relate to the first and to the others."""
    found = times(group())
    first = next(iter(found))
    print(f"\n{group.__doc__}\n\n| | ms | × {first} |\n|---|---|---|")
    for name, taken in found.items():
        print(f"| {name} | {taken:.1f} | {taken / found[first]:.2f} |")


def main():
    """Run the groups, each peak of memory in a process of its own."""
    device = torch.cuda.get_device_name() if DEVICE == "cuda" else f"{os.cpu_count()} CPU cores"
    packages = ("torch", "numpy", "transformers", "rotary-embedding-torch", "x-transformers")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    print(f"{datetime.date.today()}, {versions}; rope on {device}, the rest on CPU cores")
    groups = {group.__name__: group for group in (rope, alibi, t5, table)}
    for name in sys.argv[1:] or (*groups, "attention"):
        if name != "attention":
            report(groups[name])
            continue
        print("\nAttention with a causal mask, 8 heads, 4096 tokens, float32, no gradients:")
        for kind in ("NumPy", "torch"):
            for encoding in ("none", "RoPE", "ALiBi", "T5"):
                subprocess.run([sys.executable, __file__, "peak", kind, encoding], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        peak(*sys.argv[2:])
    else:
        main()
