"""Processor time of identify, of the second call of each kind: python benchmarks/identify.py."""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import time

import numpy as np

from posviz import Rotary, alibi_bias, alibi_slopes, identify, llama3, offsets, sinusoidal, yarn

ENCODING = Rotary(frequencies=llama3(128, 8.0, original_max_seq_len=8192), layout="half_split")
BENT = Rotary(frequencies=yarn(128, 7.3, original_max_seq_len=5000))
LENGTH = 4096


def rotate(x, positions, encoding=ENCODING):
    """A function of head_dim 128, as `identify` takes it."""
    return encoding.at_query(x[None, None], positions)[0, 0]


def cases():
    """What is measured, by name."""
    x, places = np.random.default_rng(0).normal(size=(LENGTH, 128)), np.arange(LENGTH)
    after, apart = rotate(x, places), offsets(range(512), range(512))
    rows = f"{LENGTH:,} ×"
    return {
        "function, 128": lambda: identify(rotate, head_dim=128),
        "function, 128, unusual YaRN": lambda: identify(
            lambda x, positions: rotate(x, positions, BENT), head_dim=128
        ),
        f"dump, {rows} 128": lambda: identify(before=x, after=after),
        f"dump, {rows} 128, float16": lambda: identify(
            before=x.astype("f2"), after=after.astype("f2")
        ),
        f"table, {rows} 512": lambda: identify(table=sinusoidal(places, 512)),
        "bias, 32 × 512 × 512": lambda: identify(bias=alibi_bias(alibi_slopes(32), apart)),
    }


def main():
    """Print milliseconds."""
    for name, case in cases().items():
        case()
        began = time.process_time()
        case()
        print(f"{name:32} {1e3 * (time.process_time() - began):6.0f} ms")


if __name__ == "__main__":
    main()
