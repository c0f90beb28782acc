"""Processor time of identify: python benchmarks/identify.py. Each second call, in milliseconds."""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import time

import numpy as np

from posviz import Rotary, alibi_bias, alibi_slopes, identify, llama3, offsets, sinusoidal, yarn

ENCODING = Rotary(frequencies=llama3(128, 8.0, original_max_seq_len=8192), layout="half_split")
BENT = Rotary(frequencies=yarn(128, 7.3, original_max_seq_len=5000))


def rotate(x, positions, encoding=ENCODING):
    """A function of head_dim 128, as `identify` takes it."""
    return encoding.at_query(x[None, None], positions)[0, 0]


x = np.random.default_rng(0).normal(size=(4096, 128))
after = rotate(x, np.arange(4096))
CASES = {
    "function, head_dim 128, Llama 3": lambda: identify(rotate, head_dim=128),
    "function, head_dim 128, a YaRN of no usual length": lambda: identify(
        lambda x, positions: rotate(x, positions, BENT), head_dim=128
    ),
    "dump, 4096 × 128": lambda: identify(before=x, after=after),
    "dump, 4096 × 128, float16": lambda: identify(before=x.astype("f2"), after=after.astype("f2")),
    "table, 4096 × 512": lambda: identify(table=sinusoidal(np.arange(4096), 512)),
    "bias, 32 × 512 × 512": lambda: identify(
        bias=alibi_bias(alibi_slopes(32), offsets(range(512), range(512)))
    ),
}

for name, case in CASES.items():
    case()
    began = time.process_time()
    case()
    print(f"{name:52} {1e3 * (time.process_time() - began):7.0f}")
