"""What would not fit in memory is refused before anything of it is made."""

import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import posviz
from posviz import arrays

MANY = 10**9
INV_FREQ = np.ones(32)
REFUSAL = r"^[^:]+: an array of .* numbers takes .* GiB, and .* GiB are free: ask for less$"
CALLS = {  # with n positions, or of size n
    "sinusoidal": lambda n: posviz.sinusoidal(range(n), 64),
    "sinusoidal, a batch": lambda n: posviz.sinusoidal([range(n)] * 2, 64),
    "sinusoidal, an array": lambda n: posviz.sinusoidal(np.broadcast_to(0.0, n), 64),
    "sinusoidal, d_model": lambda n: posviz.sinusoidal(range(1), n),
    "shift_matrix": lambda n: posviz.shift_matrix(range(n), 16),
    "shift_matrix, d_model": lambda n: posviz.shift_matrix(1, 2 * int(n**0.6)),
    "rotary_frequencies": posviz.rotary_frequencies,
    "tensor2tensor": lambda n: posviz.sinusoidal([0], n, frequencies="tensor2tensor"),
    "proportional_frequencies": lambda n: posviz.proportional_frequencies(n, 0.5),
    "position_interpolation": lambda n: posviz.position_interpolation(n, 4.0),
    "ntk": lambda n: posviz.ntk(n, 4.0),
    "dynamic_ntk": lambda n: posviz.dynamic_ntk(n, 4.0, seq_len=8, original_max_seq_len=4),
    "yarn": lambda n: posviz.yarn(n, 4.0, original_max_seq_len=4096),
    "yarn, the paper's": lambda n: posviz.yarn(n, 4.0, original_max_seq_len=4096, ramp="paper"),
    "llama3": lambda n: posviz.llama3(n, 4.0, original_max_seq_len=4096),
    "rotary_angles": lambda n: posviz.rotary_angles(range(n), INV_FREQ),
    "rotation_matrix": lambda n: posviz.rotation_matrix(range(int(n**0.6))),
    "rotary_angles, inv_freq": lambda n: posviz.rotary_angles([0], np.broadcast_to(1.0, n)),
    "wavelengths": lambda n: posviz.wavelengths(range(n)),
    "wavelengths, an array": lambda n: posviz.wavelengths(np.broadcast_to(1, n)),
    "raster": lambda n: posviz.raster(n, 2),
    "axial_angles": lambda n: posviz.axial_angles(range(n), range(n), 64),
    "mixed_angles": lambda n: posviz.mixed_angles(range(n), range(n), np.ones((2, 32))),
    "mrope_angles": lambda n: posviz.mrope_angles([range(n)] * 3, INV_FREQ, (8, 12, 12)),
    "xpos_scale": lambda n: posviz.xpos_scale(range(n), 64),
    "offsets": lambda n: posviz.offsets(range(n), range(64)),
    "causal_mask": lambda n: posviz.causal_mask(range(n), range(64)),
    "blockwise_causal_mask": lambda n: posviz.blockwise_causal_mask(range(n), range(64), 4),
    "padding_mask": lambda n: posviz.padding_mask([1, 2], n),
    "learned": lambda n: posviz.learned(np.broadcast_to(1.0, (n, 64)), range(n)),
    "t5_bucket": lambda n: posviz.t5_bucket(range(n)),
    "deberta_bucket": lambda n: posviz.deberta_bucket(range(n), 256, 512),
    "shaw_index": lambda n: posviz.shaw_index(range(n), 4),
    "alibi_slopes": posviz.alibi_slopes,
    "alibi_bias": lambda n: posviz.alibi_bias(np.ones(8), [range(n)]),
    "to_numpy": lambda n: posviz.to_numpy(range(n)),
}


def refused(call, n):
    """The error of a call that is too large."""
    with pytest.raises(ValueError, match=REFUSAL) as refusal:
        call(n)
    return str(refusal.value)


@pytest.mark.parametrize("call", CALLS)
def test_a_thousand_million_are_refused_before_they_are_made(call, monkeypatch):
    CALLS[call](8)  # what is loaded the first time
    monkeypatch.setattr(arrays, "_free_memory", lambda x: 2**30)
    start = time.process_time()
    tracemalloc.start()
    line = refused(CALLS[call], MANY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert line.isprintable()
    assert time.process_time() - start < 2
    assert peak < 2**20


def test_a_range_longer_than_python_counts_is_refused():
    for call in (
        lambda n: posviz.sinusoidal(range(n), 64),
        lambda n: posviz.rotary_angles([0], range(n)),
        lambda n: posviz.offsets(range(-n, 0), [range(n)]),
        lambda n: posviz.t5_bucket(range(n)),
        lambda n: posviz.to_numpy(range(n)),
    ):
        refused(call, 10**30)


@pytest.mark.parametrize("call", CALLS)
def test_nine_tenths_of_what_it_takes_is_not_enough(call, monkeypatch):
    """So what is asked for beforehand is no less than what is then taken."""
    n = 2**15
    CALLS[call](n)  # what is loaded the first time
    tracemalloc.start()
    CALLS[call](n)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    monkeypatch.setattr(arrays, "UNQUESTIONED_BYTES", 0)
    monkeypatch.setattr(arrays, "_free_memory", lambda x: 0.9 * peak)
    refused(CALLS[call], n)


LIMITED = """
import resource
from tests.robustness.test_sizes import CALLS, MANY, refused

pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**28, -1))
for call in CALLS:
    refused(CALLS[call], MANY)
    print(call)
"""


@pytest.mark.slow("a process")
def test_a_limit_of_the_process_is_known():
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == list(CALLS)
