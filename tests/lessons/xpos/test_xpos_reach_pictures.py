"""How far lesson 09's pictures say that xPos reaches: its overflow, and the mask in blocks."""

import math

import numpy as np
import pytest
import torch

from posviz.lessons.xpos.blockwise_mask import BlockwiseMask
from posviz.lessons.xpos.xpos_overflow import XposOverflow
from tests.lessons.by_hand import caption_of, drawn

FORMATS = ("float16", "bfloat16", "float32", "float64")
AUDITED = {  # dtype, scale_base: the position of overflow
    ("float32", 1): "70.82",
    ("float16", 1): "8.85",
    ("float32", 512): "36,260.7",
    ("float16", 512): "4,532.4",
}


def ratio(gamma):
    """1/ζ of pair 0: what each scale_base tokens multiply a key by."""
    return (1 + gamma) / gamma


def reach_of(picture, dtype):
    largest = torch.finfo(getattr(torch, dtype)).max
    reach = picture.scale_base * math.log(largest) / math.log(ratio(picture.gamma))
    return 2 * reach if picture.centred else reach


@pytest.mark.parametrize(("dtype", "scale_base"), AUDITED)
def test_overflow_is_where_the_audit_found_it(dtype, scale_base):
    picture = XposOverflow(dtype=dtype, scale_base=scale_base)
    expected = f" overflows to infinity from position {AUDITED[dtype, scale_base]} on."
    assert caption_of(picture).endswith(expected)


@pytest.mark.parametrize("centred", [False, True])
def test_keys_overflow_on_either_side_of_the_mark_and_not_before(centred):
    for dtype in FORMATS:
        picture = XposOverflow(dtype=dtype, scale_base=512, centred=centred)
        [[reach, height]] = drawn(picture)[1][1].line.get_xydata()
        assert reach == pytest.approx(reach_of(picture, dtype))
        assert height == pytest.approx(math.log10(torch.finfo(getattr(torch, dtype)).max))
        kept = [reach * part / (2 if centred else 1) / 512 for part in (0.9999, 1.0001)]
        with np.errstate(over="ignore"):
            scales = np.float64(3.5) ** np.array(kept)
        keys = torch.tensor(scales).to(getattr(torch, dtype))
        assert torch.isinf(keys).tolist() == [False, True]


# ---------------------------------------------------------------- blockwise mask


def keys_seen(query, block):
    """Keys not after the query, of its own block and the one before, told one by one."""
    return [key for key in range(query + 1) if query // block - key // block <= 1]


@pytest.mark.parametrize(("query", "block", "seq_len"), [(13, 6, 24), (31, 7, 32), (3, 2, 4)])
def test_the_matrix_and_the_counts_are_those_of_a_loop(query, block, seq_len):
    _, parts = drawn(BlockwiseMask(query=query, block=block, seq_len=seq_len))
    kinds, (*lines, _) = parts[0].image.get_array(), parts[1:]
    _, _, causal, seen, most, mark = (part.line for part in lines)
    query = min(query, seq_len - 1)
    for row, key in np.ndindex(seq_len, seq_len):
        expected = 0 if key > row else 1
        if key in keys_seen(row, block):
            expected = 3 if row // block == key // block else 2
        assert kinds[row, key] == expected
    counts = [len(keys_seen(row, block)) for row in range(seq_len)]
    assert seen.get_xdata().tolist() == counts
    assert causal.get_xdata().tolist() == list(range(1, seq_len + 1))
    assert seen.get_ydata().tolist() == list(range(seq_len))
    assert mark.get_xydata().tolist() == [[counts[query], query]]
    assert most.get_xdata() == [2 * block] * 2


def test_at_one_end_two_keys_are_seen_and_at_the_other_all():
    assert BlockwiseMask(block=1).compute().seen.tolist() == [1] + [2] * 31
    assert BlockwiseMask(block=16).compute().seen.tolist() == list(range(1, 33))
