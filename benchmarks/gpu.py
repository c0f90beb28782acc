"""Every encoding on a GPU: how far `attend` is from float64 on the CPU, and how long it takes.

    python benchmarks/gpu.py

Without CUDA it runs on the CPU, to try the program itself.
"""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from posviz import KeyValueCache, Rotary, attend, causal_mask
from tests.every_encoding import D_MODEL, ENCODINGS, HEADS, random

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LENGTH = 12
KINDS = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


def outputs_and_gradients(name, dtype, device, by_token=False):
    """Return attend's output and the gradients of tokens and projections of its square."""

    def tensor(array, follow=False):
        x = torch.tensor(array, device=device)
        return x.to(dtype).requires_grad_(follow) if x.is_floating_point() else x

    x, *weights = random(2, LENGTH, D_MODEL), *(random(D_MODEL, D_MODEL, seed=s) for s in (1, 2, 3))
    x, weights = tensor(x, True), [tensor(w / 2, True) for w in weights]
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](tensor), "mask": causal_mask}
    if by_token:
        options["cache"] = KeyValueCache()
    steps = range(LENGTH) if by_token else [slice(None)]
    places = torch.arange(LENGTH, device=device)
    parts = [
        attend(
            x[:, step, :].reshape(2, -1, D_MODEL),
            *weights,
            positions=places[step].reshape(-1),
            **options,
        )
        for step in steps
    ]
    output = torch.cat(parts, dim=1)
    return output.detach(), *torch.autograd.grad(output.square().sum(), (x, *weights))


def agreement():
    """Print the largest relative error of outputs and gradients for every encoding."""
    print(f"| | {' | '.join(KINDS)} | token by token |\n|{'---|' * (2 + len(KINDS))}")
    for name in ENCODINGS:
        wanted = outputs_and_gradients(name, torch.float64, "cpu")
        runs = [(dtype, False) for dtype in KINDS.values()] + [(torch.float64, True)]
        errors = []
        for dtype, by_token in runs:
            found = outputs_and_gradients(name, dtype, DEVICE, by_token)
            apart = [
                (a.cpu().double() - b).abs().max() / b.abs().max()
                for a, b in zip(found, wanted, strict=True)
            ]
            errors.append(f"{max(apart):.0e}")
        print(f"| {name} | {' | '.join(errors)} |")


def duration(length=4096):
    """Print the milliseconds of rotating the queries of 16 heads, as lesson 06 does."""
    q = torch.randn(1, 16, length, 64, device=DEVICE)
    for layout in ("interleaved", "half_split"):
        rope, times = Rotary(layout=layout), []
        for _ in range(10):
            start = time.perf_counter()
            rope.at_query(q, range(length))[..., -1, -1].sum().item()  # waits for the GPU
            times.append(time.perf_counter() - start)
        print(f"RoPE, {layout}, {length} tokens: {1000 * min(times):.2f} ms")


def main():
    """Print both."""
    print(torch.cuda.get_device_name() if DEVICE == "cuda" else "no CUDA: on the CPU")
    agreement()
    duration()


if __name__ == "__main__":
    main()
